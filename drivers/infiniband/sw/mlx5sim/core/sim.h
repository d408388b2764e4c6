/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5sim: simulated ConnectX functions.
 *
 * One kernel thread, the hardware thread, runs every simulated function: it
 * polls command doorbells, doorbell records and UAR pages, executes commands
 * and WQEs, and moves data between simulated functions. Everything in struct
 * sim_dev and in the objects that it points to belongs to the hardware thread
 * and needs no lock, except
 *
 *  - config space (host/pci.c) and MSI-X masking (host/msix.c): any context, own locks;
 *  - DMA mappings (host/dma.c): any context, own lock;
 *  - the netdev (net/netdev.c): networking context;
 *  - counters and violations: see core/stats.h.
 *
 * Other contexts (debugfs, module parameters, plug and unplug, netdev address
 * changes) read and change device state with sim_hw_call(), which runs a
 * function on the thread.
 *
 * The source is in folders. A file calls and includes its folder and the
 * folders below it in this list:
 *
 *	main.c	load and unload
 *	fs/	debugfs
 *	device/	a pass of the hardware thread, reset, power, plug and unplug
 *	cmd/	firmware commands
 *	dp/	the data path: from a doorbell record to bytes in a peer's memory
 *	net/	the netdev, and the fabric between simulated functions
 *	obj/	objects that commands create, and the entries the device writes to queues
 *	host/	the PCI host's side: registers, DMA, interrupts, config space
 *	core/	the hardware thread, the list of simulated functions,
 *		counters, violations, faults
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

#include "core/stats.h"

#define SIM_NAME		"mlx5sim"
#define SIM_MAX_DEVS		8
#define SIM_BAR_SIZE		SZ_16M
#define SIM_UAR_SIZE		PAGE_SIZE	/* set as log_uar_page_sz */
#define SIM_MAX_VECTORS		64
/* BAR: init segment in the first UARs, MSI-X table and pending bits in the last two pages */
#define SIM_FIRST_UAR		8
#define SIM_NUM_UARS		(SIM_BAR_SIZE / SIM_UAR_SIZE - 2)

struct sim_dma;
struct sim_msix;
struct sim_pci;
struct sim_cmdq;
struct sim_caps;
struct sim_pages;
struct sim_faults;
struct sim_netdev;
struct dentry;

/**
 * struct sim_model - a ConnectX model
 * @name: value of the module parameter "model"
 * @device_id: PCI device ID
 * @fw_major: major firmware version, in the init segment
 * @fw_minor: minor firmware version
 * @fw_sub: subminor firmware version
 * @board_id: PSID, as QUERY_ADAPTER returns it
 * @boot_pages: pages of the host that the device needs before SET_HCA_CAP
 * @init_pages: further pages that the device needs before INIT_HCA
 * @spare_pages: number of pages in @init_pages that are for objects
 */
struct sim_model {
	const char *name;
	u16 device_id;
	u16 fw_major;
	u16 fw_minor;
	u16 fw_sub;
	const char *board_id;
	u32 boot_pages;
	u32 init_pages;
	u32 spare_pages;
};

#define SIM_TRACE_LINES		1024
#define SIM_TRACE_LEN		192

/**
 * struct sim_trace_ring - lines of text about the actions of the device
 * @on: lines are recorded
 * @head: number of lines written so far
 * @line: the last SIM_TRACE_LINES lines; line n is element n % SIM_TRACE_LINES
 */
struct sim_trace_ring {
	bool on;
	u64 head;
	char (*line)[SIM_TRACE_LEN];
};

#define SIM_VIO_LINES		64

/**
 * struct sim_vio_log - violations: their number per class, and the last lines
 * @lock: protects the other members; taken with interrupts disabled
 * @total: number of violations so far; the next line goes to element @total
 *	modulo SIM_VIO_LINES
 * @count: number of violations so far, per class
 * @vio: class of each element of @line
 * @line: the last SIM_VIO_LINES lines
 */
struct sim_vio_log {
	spinlock_t lock;		/* protects the rest */
	u64 total;
	u64 count[SIM_VIO_MAX];
	u8 vio[SIM_VIO_LINES];
	char line[SIM_VIO_LINES][SIM_TRACE_LEN];
};

#define SIM_IGNORED_LINES	16

/**
 * struct sim_ignored_log - reserved fields that were set, and ignored
 * @total: number of lines so far; the next line goes to element @total modulo
 *	SIM_IGNORED_LINES
 * @line: the last SIM_IGNORED_LINES lines
 */
struct sim_ignored_log {
	u64 total;
	char line[SIM_IGNORED_LINES][SIM_TRACE_LEN];
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

/* Power states; device/power.c describes them */
enum sim_power {
	SIM_POWER_ON,
	SIM_POWER_STALLED,
	SIM_POWER_DEAD,
	SIM_POWER_GONE,
};

/* In health_buffer.rfr_severity: the severity is valid */
#define SIM_SEVERITY_VALID	BIT(3)

/**
 * struct sim_officer - state of the import KEK and the credential, which the
 * crypto officer deletes and stores (debugfs "officer")
 * @deleted: import KEK and credential do not exist
 * @deletions: number of deletions of import KEK and credential
 */
struct sim_officer {
	bool deleted;
	u32 deletions;
};

/**
 * struct sim_dev - one simulated function
 * @index: number, 0 to devices-1, fixed for the life of the module
 * @present: plugged; cleared by unplug
 * @power: power state
 * @stopped: the device does nothing: @power is not SIM_POWER_ON, or bus
 *	mastering is off
 * @link_down: a fault keeps the link down
 * @hca_enabled: between ENABLE_HCA and DISABLE_HCA
 * @hca_inited: between INIT_HCA and TEARDOWN_HCA
 * @fast_teardown: a command has prepared a fast teardown, which ends when the
 *	driver disables the interface
 * @port_up: the netdev is up and has a link; not updated while @stopped
 * @roce_enabled: RoCE is enabled in the NIC vport context
 * @issi: interface step sequence ID that the driver selected
 * @mac: permanent address of the netdev
 * @node_guid: node GUID, which the NIC vport context reports
 * @sys_image_guid: GUID of the whole adapter
 * @bar: the BAR, SIM_BAR_SIZE bytes, mapped with ioremap()
 * @pci: config space (host/cfg.h)
 * @msix: vectors (host/msix.c)
 * @dma: bus address space (host/dma.c)
 * @cmdq: command queue (cmd/ring.c)
 * @caps: capabilities (obj/caps.c)
 * @pages: pages of the host (cmd/pages.c)
 * @faults: armed faults (core/fault.h)
 * @net: the netdev, NULL while there is none (net/netdev.c)
 * @debugfs: debugfs directory
 * @objs: all objects, by type, then by number (obj/objects.h)
 * @qps: QPs that may have work, linked by sim_qp.active
 * @all_qps: all QPs and DCTs, linked by sim_qp_dp.all
 * @cqs_pending: CQs with CQEs that no event has reported, linked by
 *	sim_cq.pending
 * @xlt_buf: contiguous copy of the translations of one UMR (dp/umr.c)
 * @bsf_mkeys: number of existing mkeys whose BSF a UMR has written
 * @deks: number of DEKs created so far
 * @officer: import KEK and credential (cmd/login.c)
 * @gid: GID table
 * @trace: trace ring
 * @vio: violations
 * @ignored: reserved fields that were set, and ignored
 * @ctr: counters, by enum sim_counter
 * @cmd_count: number of commands executed, per opcode
 */
struct sim_dev {
	int index;
	bool present;
	enum sim_power power;
	bool stopped;
	bool link_down;
	bool hca_enabled;
	bool hca_inited;
	bool fast_teardown;
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
	struct sim_pages *pages;
	struct sim_faults *faults;
	struct sim_netdev *net;
	struct dentry *debugfs;

	struct sim_objs *objs;
	struct list_head qps;
	struct list_head all_qps;
	struct list_head cqs_pending;
	u8 *xlt_buf;
	u32 bsf_mkeys;
	u64 deks;
	struct sim_officer officer;
	struct sim_gid gid[SIM_GID_TABLE_LEN];

	struct sim_trace_ring trace;
	struct sim_vio_log vio;
	struct sim_ignored_log ignored;
	u64 ctr[SIM_CTR_MAX];
	u64 cmd_count[0x1000];
};

/* For sim_count() and sim_count_add(). Hardware thread. */
static inline void sim_ctr_add(struct sim_dev *sdev, enum sim_counter ctr, u64 n)
{
	WRITE_ONCE(sdev->ctr[ctr], sdev->ctr[ctr] + n);
}

#endif /* MLX5SIM_SIM_H */
