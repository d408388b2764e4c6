/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * referee: a driver in user space for one PCI function of an mlx5 device, by vfio without an IOMMU.
 * It starts the function, moves data by an RC QP in force loopback, waits for an interrupt, and
 * stops the function. It uses no code of the kernel's mlx5 drivers.
 *
 * The order and the fields of the commands are those of a driver that runs on ConnectX: "vfio:
 * selftests: Add mlx5 driver" (kvm and linux-rdma lists, 2026). A failed check prints a line and
 * ends the program (die()).
 *
 * Files, each above those that follow: main.c (cases), queues.c (CQ, QP), hca.c (bring up and shut
 * down), events.c (EQs), pages.c (pages of the firmware), cmd.c (command queue), pci.c (vfio),
 * memory.c, die.c.
 */
#ifndef VFIO_REFEREE_H
#define VFIO_REFEREE_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "bits.h"

#define HW_PAGE		4096u
#define BLOCKS		8u		/* mailboxes of a slot in each direction */
#define EQ_ENTRIES	64u
#define CQ_ENTRIES	16u
#define SQ_ENTRIES	16u
#define LOG_EQ_ENTRIES	6
#define LOG_CQ_ENTRIES	4
#define LOG_SQ_ENTRIES	4
#define MSI_VECTOR	1

/**
 * struct slot - an entry of the command queue with its mailboxes
 * @index: place in the queue, and bit in the doorbell
 * @entry: the entry
 * @in: mailboxes for input, one per KiB
 * @out: mailboxes for output
 */
struct slot {
	unsigned int index;
	u8 *entry;
	u8 *in;
	u8 *out;
};

/**
 * struct eq - an event queue
 * @eqn: number of the EQ; 0 if the EQ does not exist
 * @ci: consumer index
 * @buf: EQ_ENTRIES entries
 */
struct eq {
	u32 eqn;
	u32 ci;
	u8 *buf;
};

/**
 * struct referee - one function
 * @device: vfio's file descriptor of the function
 * @config: offset of the function's config space in @device
 * @bar: BAR 0; the init segment is at its start
 * @idle: called while a command waits for its response; NULL until an EQ exists
 * @cmds: slot 0, and the slot of MANAGE_PAGES commands
 * @token: token of the last command
 * @checksums: the device computes checksums of its responses
 * @pages_busy: a MANAGE_PAGES is outstanding in the second slot
 * @pages_taking: the outstanding MANAGE_PAGES reclaims pages
 * @pages_wanted: pages that the device has requested and not received yet
 * @pages_surplus: offered pages that were not reclaimed yet
 * @pages_given: pages that the device has
 * @page_requests: events that requested pages
 * @function_id: function_id in page requests of the device
 * @uar: number of the UAR page
 * @events: EQ of commands and page requests, polled
 * @msi: EQ of completions, raises MSI_VECTOR
 * @eventfd: signalled by the interrupt MSI_VECTOR
 * @pdn: protection domain
 * @mkey: mkey of all memory, by physical address
 * @cqn: completion queue
 * @cq: entries of the CQ
 * @cq_record: doorbell record of the CQ: consumer index, arm word
 * @cq_ci: consumer index of the CQ
 * @cq_sn: number of times that the CQ was armed
 * @qpn: queue pair, connected to itself
 * @sq: send queue of the QP
 * @qp_record: doorbell record of the QP: receive counter, send counter
 * @sq_pi: send WQEs posted
 * @bf: offset of the next doorbell register in the UAR page
 * @log_max_msg: capability log_max_msg of the device
 */
struct referee {
	int device;
	u64 config;
	u8 *bar;
	void (*idle)(struct referee *r);
	struct slot cmds[2];
	u8 token;
	bool checksums;
	bool pages_busy;
	bool pages_taking;
	unsigned int pages_wanted;
	unsigned int pages_surplus;
	unsigned int pages_given;
	unsigned int page_requests;
	u16 function_id;
	u32 uar;
	struct eq events;
	struct eq msi;
	int eventfd;
	u32 pdn;
	u32 mkey;
	u32 cqn;
	u8 *cq;
	u32 *cq_record;
	u32 cq_ci;
	u32 cq_sn;
	u32 qpn;
	u8 *sq;
	u32 *qp_record;
	u16 sq_pi;
	unsigned int bf;
	unsigned int log_max_msg;
};

/* Return: offset in the BAR of a register at @offset of the UAR page */
static inline unsigned int uar_reg(struct referee *r, unsigned int offset)
{
	return r->uar * HW_PAGE + offset;
}

/* Reads a byte that the device writes. */
static inline u8 load_byte(const u8 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* die.c */
void case_begin(const char *name);
noreturn void die(const char *fmt, ...);

/* memory.c */
void memory_open(void);
void *memory_get(unsigned int size, unsigned int align);
u64 memory_bus(const void *p);
void *memory_page_get(void);
void memory_page_put(u64 bus);
u64 now_ms(void);

/* pci.c */
void pci_open(struct referee *r, const char *address);
void pci_bus_master(struct referee *r, bool on);
void pci_interrupt(struct referee *r);
bool pci_interrupted(struct referee *r, int ms);
void reg_write32(struct referee *r, unsigned int at, u32 v);
void reg_write64(struct referee *r, unsigned int at, u64 v);
u32 reg_read32(struct referee *r, unsigned int at);

/* cmd.c */
void cmd_open(struct referee *r);
void cmd_post(struct referee *r, struct slot *s, const void *in, unsigned int ilen,
	      unsigned int olen);
bool cmd_owned(struct slot *s);
void cmd_read(struct referee *r, struct slot *s, void *out, unsigned int olen);
void cmd_exec(struct referee *r, const void *in, unsigned int ilen, void *out, unsigned int olen);

/* pages.c */
void pages_boot(struct referee *r, unsigned int op_mod);
void pages_request(struct referee *r, u16 function_id, int n);
void pages_done(struct referee *r);
void pages_take_all(struct referee *r);

/* events.c */
void events_create(struct referee *r);
void events_poll(struct referee *r);
void msi_create(struct referee *r);
unsigned int msi_poll(struct referee *r, bool arm);

/* hca.c */
void hca_start(struct referee *r);
void hca_capabilities(struct referee *r);
void hca_init(struct referee *r);
void hca_stop(struct referee *r);

/* queues.c */
void datapath_create(struct referee *r);
void datapath_destroy(struct referee *r);
void cq_arm(struct referee *r);
void post_write(struct referee *r, const void *from, void *to, u32 len, bool signaled);
void wait_completion(struct referee *r, u16 index);

#endif /* VFIO_REFEREE_H */
