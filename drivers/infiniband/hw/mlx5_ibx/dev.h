/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types of a device. Types only.
 */
#ifndef MLX5_IBX_DEV_H
#define MLX5_IBX_DEV_H

#include <linux/mlx5/driver.h>
#include <linux/notifier.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#define IBX_PORT		1	/* a function has one port */
#define IBX_PKEY_DEFAULT	0xffff
#define IBX_PAGE_SHIFT		12	/* of the page lists in commands */
#define IBX_DESC_ALIGN		2048	/* of a descriptor list a UMR fetches */

struct dma_pool;

/**
 * struct ibx_buf - a ring's memory
 * @va: virtually contiguous, zeroed at allocation
 * @dma: bus address, contiguous too
 * @size: in bytes, a multiple of the adapter page (1 << IBX_PAGE_SHIFT)
 */
struct ibx_buf {
	void *va;
	dma_addr_t dma;
	size_t size;
};

#define IBX_MAX_COUNTERS	32

/**
 * struct ibx_counters - queue counters (verbs/counters.c)
 * @set: the port's set, which QPs count into unless they were bound to another;
 *	0 when the device has no sets
 * @num: counters it has
 * @desc: their names
 * @offset: where they are in the answer to QUERY_Q_COUNTER
 */
struct ibx_counters {
	u8 set;
	u8 num;
	struct rdma_stat_desc desc[IBX_MAX_COUNTERS];
	u16 offset[IBX_MAX_COUNTERS];
};

/**
 * struct ibx_mmo - memory copies (dv/memcpy.c)
 * @max: bytes of the longest; 0, the device makes none
 * @per_qp: a QP must be given leave
 * @opaque: IBX_OPAQUE_LEN bytes that belong to the device while it copies, or NULL
 * @opaque_dma: their bus address
 */
struct ibx_mmo {
	u64 max;
	bool per_qp;
	void *opaque;
	dma_addr_t opaque_dma;
};

/* a key is 24 bits of index and 8 of variant */
#define IBX_KEY_MARK_SHIFT		15	/* keys in a piece: a page of 4 KiB */
#define IBX_KEY_MARK_PIECES		BIT(24 - IBX_KEY_MARK_SHIFT)

/**
 * struct ibx_key_marks - the marks of a function's keys
 * @piece: bits by index; NULL where no key of an SG_GAPS MR is. Comes once,
 *	stays until ibx_key_marks_exit()
 */
struct ibx_key_marks {
	unsigned long *piece[IBX_KEY_MARK_PIECES];
};

/**
 * struct ibx_dev - a claimed function
 * @ibdev: what the RDMA core sees
 * @mdev: mlx5_core's device
 * @stage: probe stages done, for the exact reverse
 * @bfreg: doorbell register of all kernel QPs; its page arms the CQs
 * @umr_fence: MLX5_FENCE_MODE_*: fence a registration carries (from cap umr_fence)
 * @term_lkey: ends the list of a receive WQE that is not full
 * @active: registered and not yet going away; events are passed on
 * @qps: QPs by hardware number
 * @srqs: SRQs by hardware number
 * @qp_list: all QPs, under @flush_lock
 * @draining: DCTs that are to take nothing any more, under the lock of @qps
 * @flush_lock: see the order of locks
 * @mkey_variant: low byte for the next mkey
 * @desc_pool: descriptor lists of up to IBX_DESC_ALIGN bytes
 * @key_marks: which keys of SG_GAPS MRs may be registered
 * @event_nb: events of mlx5_core, in hard interrupt context
 * @watch: checks whether the device died, and reports CQs then (notifier.c)
 * @fatal_told: consumers know that it died
 * @cqs_failed: CQs that did, and were not destroyed
 * @netdev_nb: follows the netdev of our port
 * @event_wq: delivers events to consumers in process context
 * @port_state: last state told to consumers, under rtnl
 * @counters: queue counters
 * @mmo: memory copies
 * @mkeys_lock: protects @mkeys
 * @mkeys: those of <rdma/mlx5dv.h>
 * @debugfs: our directory
 */
struct ibx_dev {
	struct ib_device ibdev;
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
	struct dma_pool *desc_pool;
	struct ibx_key_marks key_marks;
	struct notifier_block event_nb;
	struct delayed_work watch;
	bool fatal_told;
	atomic_t cqs_failed;
	struct notifier_block netdev_nb;
	struct workqueue_struct *event_wq;
	enum ib_port_state port_state;
	struct ibx_counters counters;
	struct ibx_mmo mmo;
	struct mutex mkeys_lock;	/* mkeys */
	struct list_head mkeys;
	struct dentry *debugfs;
};

#endif /* MLX5_IBX_DEV_H */
