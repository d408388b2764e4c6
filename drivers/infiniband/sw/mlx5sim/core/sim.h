/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5sim: a simulated ConnectX function.
 *
 * One kernel thread, "the hardware", runs every simulated function: it polls
 * command doorbells, doorbell records and UAR pages, executes commands and
 * WQEs, and moves data between functions. Everything in struct sim_dev and in
 * the objects hanging off it belongs to that thread and needs no lock, except
 *
 *  - config space (pci.c) and MSI-X masking (msix.c): any context, own locks;
 *  - DMA mappings (dma.c): any context, own lock;
 *  - the netdev (netdev.c): networking context;
 *  - counters and violations: written as stats.h says.
 *
 * Whoever else wants to look at or change device state (debugfs, module
 * parameters, plug and unplug, netdev address changes) asks the thread to do it
 * with sim_hw_call().
 */
#ifndef MLX5SIM_SIM_H
#define MLX5SIM_SIM_H

#include <linux/if_ether.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "host/dma.h"
#include "core/stats.h"

/* (the KUnit suites need no device) */
#if !defined(CONFIG_ARCH_HAS_DMA_OPS) && !IS_ENABLED(CONFIG_MLX5SIM_KUNIT_TEST)
#error "mlx5sim needs a kernel with CONFIG_ARCH_HAS_DMA_OPS (on x86: GART_IOMMU or XEN)"
#endif

#define SIM_NAME		"mlx5sim"
#define SIM_MAX_DEVS		8
#define SIM_BAR_SIZE		SZ_16M
#define SIM_UAR_SIZE		SZ_4K
#define SIM_MAX_VECTORS		64
/* BAR: init segment in the first UARs, MSI-X table and pending bits in the last two pages */
#define SIM_FIRST_UAR		8
#define SIM_NUM_UARS		(SIM_BAR_SIZE / SIM_UAR_SIZE - 2)

struct sim_dma;
struct sim_msix;
struct sim_pci;
struct sim_cmdq;
struct sim_caps;
struct sim_faults;
struct sim_netdev;
struct dentry;
struct device;
struct net_device;

/**
 * struct sim_model - which ConnectX is simulated
 * @name: value of the module parameter "model"
 * @device_id: PCI device ID
 * @fw_major: firmware version shown in the init segment
 * @fw_minor: of it
 * @fw_sub: of it
 * @board_id: PSID, as QUERY_ADAPTER gives it
 */
struct sim_model {
	const char *name;
	u16 device_id;
	u16 fw_major;
	u16 fw_minor;
	u16 fw_sub;
	const char *board_id;
};

#define SIM_TRACE_LINES		1024
#define SIM_TRACE_LEN		192

/**
 * struct sim_trace_ring - readable lines about what the device did
 * @on: recording
 * @head: number of lines ever written
 * @line: the last lines
 */
struct sim_trace_ring {
	bool on;
	u64 head;
	char (*line)[SIM_TRACE_LEN];
};

#define SIM_VIO_LINES		64

/**
 * struct sim_vio_log - violations: how many of each class, and the last lines
 * @lock: protects the rest, irqs off
 * @total: ever recorded; the next line goes to @total modulo SIM_VIO_LINES
 * @count: of each class
 * @vio: class of each line
 * @line: the last lines
 */
struct sim_vio_log {
	spinlock_t lock;		/* protects the rest */
	u64 total;
	u64 count[SIM_VIO_MAX];
	u8 vio[SIM_VIO_LINES];
	char line[SIM_VIO_LINES][SIM_TRACE_LEN];
};

/* GID table entry, set by SET_ROCE_ADDRESS */
#define SIM_GID_TABLE_LEN	128
struct sim_gid {
	u8 raw[16];
	u8 mac[ETH_ALEN];
	u8 roce_version;	/* as in the command: 0 = v1, 2 = v2 */
	u8 l3_type;		/* 0 = IPv4, 1 = IPv6 */
	u16 vlan_id;
	bool vlan_valid;
	bool valid;
};

/* Whether the device works (power.c) */
enum sim_power {
	SIM_POWER_ON,
	SIM_POWER_STALLED,
	SIM_POWER_DEAD,
	SIM_POWER_GONE,
};

/* In health_buffer.rfr_severity: the severity is meant */
#define SIM_SEVERITY_VALID	BIT(3)

/**
 * struct sim_dev - one simulated function
 * @index: 0 .. devices-1, fixed for the life of the module
 * @present: plugged; cleared by unplug
 * @power: whether it works
 * @stopped: it does nothing: it does not work, or may not be bus master
 * @link_down: a fault keeps the link down
 * @hca_enabled: between ENABLE_HCA and DISABLE_HCA
 * @hca_inited: between INIT_HCA and TEARDOWN_HCA
 * @port_up: follows the netdev's carrier and IFF_UP, while the device works
 * @roce_enabled: in the NIC vport context
 * @issi: interface step that the driver chose
 * @mac: permanent address of the netdev
 * @node_guid: from the NIC vport context
 * @sys_image_guid: of the whole adapter
 * @bar: the mapped BAR, SIM_BAR_SIZE bytes, memory type as ioremap()
 * @pci: the PCI function (cfg.h)
 * @msix: vectors (msix.c)
 * @dma: bus address space (dma.c)
 * @cmdq: command queue (cmdq.c)
 * @caps: capabilities (caps.c)
 * @faults: what it is told to do wrong (fault.h)
 * @net: the netdev, NULL while there is none (netdev.c)
 * @debugfs: its directory
 * @objs: every object by type, then by number (objects.h)
 * @qps: QPs that may have work, by sim_qp.active
 * @all_qps: every QP and DCT, by sim_qp_dp.all
 * @cqs_pending: CQs with CQEs that no event has reported, by sim_cq.pending
 * @xlt_buf: translations of the UMR at hand, contiguous (umr.c)
 * @gid: GID table
 * @trace: what happened
 * @vio: rules broken
 * @ctr: counters
 * @cmd_count: commands executed, per opcode
 */
struct sim_dev {
	int index;
	bool present;
	enum sim_power power;
	bool stopped;
	bool link_down;
	bool hca_enabled;
	bool hca_inited;
	bool port_up;
	bool roce_enabled;
	u8 issi;
	u8 mac[ETH_ALEN];
	u64 node_guid;
	u64 sys_image_guid;

	void __iomem *bar;
	struct sim_pci *pci;
	struct sim_msix *msix;
	struct sim_dma *dma;
	struct sim_cmdq *cmdq;
	struct sim_caps *caps;
	struct sim_faults *faults;
	struct sim_netdev *net;
	struct dentry *debugfs;

	struct sim_objs *objs;
	struct list_head qps;
	struct list_head all_qps;
	struct list_head cqs_pending;
	u8 *xlt_buf;
	struct sim_gid gid[SIM_GID_TABLE_LEN];

	struct sim_trace_ring trace;
	struct sim_vio_log vio;
	u64 ctr[SIM_CTR_MAX];
	u64 cmd_count[0x1000];
};

/* Hardware thread: use sim_count() and sim_count_add() */
static inline void sim_ctr_add(struct sim_dev *sdev, enum sim_counter ctr, u64 n)
{
	WRITE_ONCE(sdev->ctr[ctr], sdev->ctr[ctr] + n);
}

/* ---- devs.c ---- */

struct sim_dev *sim_get_dev(int index);
int sim_num_devs(void);
const struct sim_model *sim_model(void);
extern bool sim_strict_dma;

int sim_devs_check(void);
void sim_set_dev(int index, struct sim_dev *sdev);

/* ---- device.c / pass.c ---- */

void sim_dev_reset(struct sim_dev *sdev);
bool sim_pass(void);
void sim_tick(void);

/* ---- hw.c ---- */

/**
 * struct sim_hw_ops - the work of the hardware thread
 * @pass: polls each function once; returns true if there was something to do
 * @tick: called about once a millisecond
 */
struct sim_hw_ops {
	bool (*pass)(void);
	void (*tick)(void);
};

int sim_hw_call(int (*fn)(void *arg), void *arg);
void sim_hw_kick(void);
int sim_hw_start(const struct sim_hw_ops *ops);
void sim_hw_stop(void);

/* ---- bar.c ---- */

int sim_bar_init(void);
void sim_bar_exit(void);
int sim_bar_dev_init(struct sim_dev *sdev);
void sim_bar_dev_exit(struct sim_dev *sdev);
phys_addr_t sim_bar_phys(const struct sim_dev *sdev);
void sim_bar_reset(struct sim_dev *sdev);
void sim_bar_tick(struct sim_dev *sdev);
void sim_bar_gone(struct sim_dev *sdev);
u32 sim_bar_read_be32(struct sim_dev *sdev, u32 off);
void sim_bar_write_be32(struct sim_dev *sdev, u32 off, u32 val);

/* ---- cfg.c / pci.c ---- */

int sim_pci_dev_init(struct sim_dev *sdev);
void sim_pci_dev_exit(struct sim_dev *sdev);
bool sim_pci_master(struct sim_dev *sdev);
struct sim_dev *sim_dev_of(struct device *dev);

int sim_pci_init(void (*removed)(struct sim_dev *sdev));
void sim_pci_exit(void);
void sim_pci_lock(void);
void sim_pci_unlock(void);
bool sim_pci_present(const struct sim_dev *sdev);
struct device *sim_pci_device(const struct sim_dev *sdev);
int sim_pci_insert(struct sim_dev *sdev);
void sim_pci_bind(struct sim_dev *sdev);
void sim_pci_vanish(struct sim_dev *sdev);
void sim_pci_delete(struct sim_dev *sdev, bool surprise);
bool sim_pci_reset_wanted(const struct sim_dev *sdev);
void sim_pci_reset(struct sim_dev *sdev);
const char *sim_pci_name(struct sim_dev *sdev, char *buf, size_t len);

/* ---- msix.c ---- */

int sim_msix_dev_init(struct sim_dev *sdev);
void sim_msix_dev_exit(struct sim_dev *sdev);
void sim_msix_raise(struct sim_dev *sdev, u32 vector);
u32 sim_msix_nvec(struct sim_dev *sdev);

/* ---- power.c / plug.c ---- */

bool sim_power_wants_reset(struct sim_dev *sdev);
bool sim_power_poll(struct sim_dev *sdev);
void sim_power_reset(struct sim_dev *sdev);
int sim_power_stall(struct sim_dev *sdev);
int sim_power_resume(struct sim_dev *sdev);
int sim_power_fatal(struct sim_dev *sdev);
void sim_power_gone(struct sim_dev *sdev);
const char *sim_power_name(struct sim_dev *sdev);

int sim_plug_init(void);
int sim_plug(struct sim_dev *sdev);
int sim_unplug(struct sim_dev *sdev, u32 ms);
void sim_plug_close(void);

/* ---- netdev.c / debugfs.c ---- */

int sim_netdev_init(struct sim_dev *sdev);
void sim_netdev_exit(struct sim_dev *sdev);
u32 sim_netdev_mtu(struct sim_dev *sdev);
void sim_netdev_poll(struct sim_dev *sdev);	/* hardware thread: port up or down */
void sim_netdev_stats(struct sim_dev *sdev, u64 *tx, u64 *rx);
struct net_device *sim_netdev_get(struct sim_dev *sdev);	/* with a reference, or NULL */
int sim_uplink_init(void);
void sim_uplink_exit(void);

int sim_debugfs_init(void);
void sim_debugfs_exit(void);

/* ---- polled by the hardware thread; each returns true if it did anything ---- */

bool sim_cmdq_poll(struct sim_dev *sdev);	/* cmdq.c */
bool sim_uar_poll(struct sim_dev *sdev);	/* uar.c: observes and clears doorbell registers */
bool sim_cq_poll_pending(struct sim_dev *sdev);	/* cq.c: fire completion events now armed */
bool sim_qp_poll(struct sim_dev *sdev);		/* requester.c: execute send queues */

/* Device life cycle, hardware thread: allocate at load, reset at plug, FLR and teardown */
int sim_cmdq_init(struct sim_dev *sdev);
void sim_cmdq_exit(struct sim_dev *sdev);
void sim_cmdq_reset(struct sim_dev *sdev);
int sim_caps_init(struct sim_dev *sdev);
void sim_caps_exit(struct sim_dev *sdev);
void sim_caps_reset(struct sim_dev *sdev);
int sim_objs_init(struct sim_dev *sdev);
void sim_objs_exit(struct sim_dev *sdev);
void sim_objs_reset(struct sim_dev *sdev);	/* drops every object without complaint */

#endif /* MLX5SIM_SIM_H */
