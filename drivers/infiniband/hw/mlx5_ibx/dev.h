/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: structures of a device; no prototypes.
 */
#ifndef MLX5_IBX_DEV_H
#define MLX5_IBX_DEV_H

#include <linux/mlx5/driver.h>
#include <linux/notifier.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv_crypto.h>
#include <rdma/mlx5dv_sig.h>

#include "compat.h"

#define IBX_PORT		1	/* number of the only port */
#define IBX_PKEY_DEFAULT	0xffff
#define IBX_PAGE_SHIFT		12	/* log2 of a page in page lists */
#define IBX_OFFSET_SHIFT	6	/* log2 of the unit of a ring's offset in its page */
#define IBX_MAX_PAGE_SHIFT	31	/* log2 of the largest page of a registration */
#define IBX_DESC_ALIGN		2048	/* alignment of UMR descriptor lists */

/**
 * struct ibx_buf - a ring's memory (cmd/buf.c)
 * @va: virtual address, contiguous; zeroed at allocation. NULL: no memory
 * @size: in bytes, a multiple of the adapter page (1 << IBX_PAGE_SHIFT)
 * @dma: bus address of a contiguous block
 * @pages: bus addresses of pages of PAGE_SIZE; NULL for a contiguous block
 * @offset: bytes before the ring in the first adapter page; 0 for memory of the kernel
 * @skip: bytes in @pages before the first adapter page; 0 if an adapter page
 *	has PAGE_SIZE bytes, and for memory of the kernel
 */
struct ibx_buf {
	void *va;
	size_t size;
	dma_addr_t dma;
	dma_addr_t *pages;
	u16 offset;
	u16 skip;
};

/**
 * struct ibx_mkey_caps - capabilities that shape the contexts of mkeys (enc/mkc.c)
 * @ro_write: the device can write with relaxed ordering
 * @ro_read: the device can read with relaxed ordering
 * @ro_read_pci: the device can read with relaxed ordering if the PCI function
 *	has relaxed ordering enabled
 * @pci_ro: the PCI function has relaxed ordering enabled
 * @ats: the device can translate addresses by ATS
 */
struct ibx_mkey_caps {
	bool ro_write;
	bool ro_read;
	bool ro_read_pci;
	bool pci_ro;
	bool ats;
};

#define IBX_MAX_COUNTERS	32

/**
 * struct ibx_counters - queue counters (verbs/counters.c)
 * @set: number of the port's set; QPs use it unless bound to another set
 * @num: number of counters in a set; 0 when the device has no sets
 * @desc: names of the counters
 * @offset: offsets of the counters in the output of QUERY_Q_COUNTER, bytes
 */
struct ibx_counters {
	u8 set;
	u8 num;
	struct rdma_stat_desc desc[IBX_MAX_COUNTERS];
	u16 offset[IBX_MAX_COUNTERS];
};

/**
 * struct ibx_mmo - memory copies (dv/memcpy.c)
 * @max: bytes of the longest copy; 0 if the device has no copies
 * @per_qp: copies must be enabled for each QP
 * @opaque: IBX_OPAQUE_LEN bytes that the device uses during copies, or NULL
 * @opaque_dma: bus address of @opaque
 */
struct ibx_mmo {
	u64 max;
	bool per_qp;
	void *opaque;
	dma_addr_t opaque_dma;
};

/* a key has 24 bits of mkey index and 8 bits of variant; a piece has 4 KiB */
#define IBX_KEY_MARK_SHIFT		15	/* log2 of marks in a piece */
#define IBX_KEY_MARK_PIECES		BIT(24 - IBX_KEY_MARK_SHIFT)

/**
 * struct ibx_key_marks - marks of the mkeys of SG_GAPS MRs (wq/key_marks.c)
 * @piece: bitmaps by mkey index; NULL for indices without an SG_GAPS MR. An
 *	allocated piece stays until ibx_key_marks_exit()
 */
struct ibx_key_marks {
	unsigned long *piece[IBX_KEY_MARK_PIECES];
};

/**
 * struct ibx_devx_quota - event subscriptions of a context of DEVX (devx/event.c)
 * @subs: number of subscriptions
 * @device: number of subscriptions to events of the device
 */
struct ibx_devx_quota {
	atomic_t subs;
	atomic_t device;
};

struct ibx_backend;
struct ibx_devx_events;
struct ibx_mr_keys;

/**
 * struct ibx_dev - a claimed device, or a device of mlx5_ib for direct verbs
 * @ibdev: device of the RDMA core; unused in a companion
 * @ib: &ibdev; in a companion, the device that mlx5_ib has registered
 * @backend: functions of the back end for mlx5_ib in a companion (dv/companion.h);
 *	NULL for a claimed device
 * @is_patched: the mlx5_ib of a companion is patched: completions are exact, and
 *	signatures may be CRCs (struct ibx_backend)
 * @mdev: device of mlx5_core
 * @stage: number of completed probe stages
 * @bfreg: doorbell register of all kernel QPs; its UAR page also has the
 *	register that arms CQs
 * @umr_fence: MLX5_FENCE_MODE_* of registrations, from capability umr_fence
 * @term_lkey: lkey that ends the SGE list of a receive WQE
 * @active: registered and not being removed: events are dispatched
 * @qps: QPs by hardware number
 * @srqs: SRQs by hardware number
 * @qp_list: all QPs, under @flush_lock
 * @draining: DCTs that are being drained, under the lock of @qps
 * @flush_lock: protects the lists of QPs, see ibx.h
 * @mkey_variant: variant (low byte) of the next mkey
 * @mkey_caps: capabilities for the contexts of mkeys
 * @max_page_shift: log2 of the largest page of a registration
 * @lists_lock: protects @list_pages
 * @list_pages: pages with space for short descriptor lists (verbs/mr_list.c)
 * @key_marks: marks of SG_GAPS keys that may be registered (wq/key_marks.c)
 * @event_nb: notifier of mlx5_core's events, called in hard interrupt context
 * @watch: checks for a fatal error, and reports CQs of QPs that are flushed in
 *	software (notifier.c)
 * @fatal_told: IB_EVENT_DEVICE_FATAL was dispatched
 * @stop_qps: stops QPs of CQs in error (notifier.c)
 * @port_link: entry in the list of ports whose netdevs are followed (verbs/port.c)
 * @event_wq: work queue that delivers events to consumers
 * @port_state: last port state reported to consumers, under rtnl
 * @counters: queue counters
 * @mmo: memory copies
 * @mkeys_lock: protects @mkeys
 * @mkeys: mkeys of <rdma/mlx5dv.h>
 * @layouts: number of layouts that exist (dv/layout.c)
 * @sig_caps: block signatures
 * @crypto_caps: encryption
 * @deks: serial number of each DEK, by its number in the device
 * @dek_serial: number of DEKs that were created so far
 * @logins: number of logins for wrapped DEKs, 0 or 1
 * @sigs_sem: held to create (shared) or destroy (exclusive) an mkey with
 *	signatures
 * @sigs: struct ibx_sig by index of the mkey; polling looks it up under RCU
 * @qp_inits: attributes of the QPs that mlx5dv_create_qp() is creating, under the lock of
 *	@qps
 * @mr_keys: mkeys that MRs of processes use one after the other (keys/mr_key.c)
 * @devx_events: subscriptions to events of DEVX (devx/event.c)
 * @closed_lock: protects @closed
 * @closed: closed contexts of processes, with their kept objects (abi/keep.c)
 * @xrc_lock: protects @xrc
 * @xrc: objects that XRC QPs name (xrc.h); NULL without XRC QPs
 * @debugfs: directory of the device, or an errno, which debugfs accepts (debugfs.c)
 */
struct ibx_dev {
	struct ib_device ibdev;
	struct ib_device *ib;
	const struct ibx_backend *backend;
	bool is_patched;
	struct mlx5_core_dev *mdev;
	unsigned int stage;
	struct mlx5_sq_bfreg bfreg;
	u8 umr_fence;
	__be32 term_lkey;
	bool active;
	struct xarray qps;
	struct xarray srqs;
	struct list_head qp_list;
	struct list_head draining;
	spinlock_t flush_lock;	/* lists of QPs, here and in the CQs */
	atomic_t mkey_variant;
	struct ibx_mkey_caps mkey_caps;
	u8 max_page_shift;
	spinlock_t lists_lock;	/* list_pages */
	struct list_head list_pages;
	struct ibx_key_marks key_marks;
	struct notifier_block event_nb;
	struct delayed_work watch;
	bool fatal_told;
	struct work_struct stop_qps;
	struct list_head port_link;
	struct workqueue_struct *event_wq;
	enum ib_port_state port_state;
	struct ibx_counters counters;
	struct ibx_mmo mmo;
	struct mutex mkeys_lock;	/* mkeys */
	struct list_head mkeys;
	atomic_t layouts;
	struct mlx5dv_sig_caps sig_caps;
	struct mlx5dv_crypto_caps crypto_caps;
	struct xarray deks;
	atomic_long_t dek_serial;
	atomic_t logins;
	struct rw_semaphore sigs_sem;
	struct xarray sigs;
	struct list_head qp_inits;
	struct ibx_mr_keys *mr_keys;
	struct ibx_devx_events *devx_events;
	struct mutex closed_lock;	/* closed */
	struct list_head closed;
	struct mutex xrc_lock;	/* xrc */
	struct ibx_xrc *xrc;
	struct dentry *debugfs;
};

/* true after a fatal error of the device: the device writes no more CQEs */
static inline bool ibx_dead(const struct ibx_dev *dev)
{
	return READ_ONCE(dev->mdev->state) == MLX5_DEVICE_STATE_INTERNAL_ERROR;
}

#endif /* MLX5_IBX_DEV_H */
