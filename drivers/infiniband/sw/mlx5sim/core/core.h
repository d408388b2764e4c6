/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Exports of core/: the hardware thread, the list of simulated functions,
 * counters, violations, the trace, faults, and bit fields of big-endian
 * structures.
 */
#ifndef MLX5SIM_CORE_CORE_H
#define MLX5SIM_CORE_CORE_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

#include "core/bits.h"
#include "core/fault.h"
#include "core/sim.h"
#include "core/stats.h"

/**
 * struct sim_hw_ops - the work of the hardware thread
 * @pass: polls each simulated function once; returns true if it found work
 * @beat: called about once a millisecond, also in the middle of a pass
 * @tick: called about once a millisecond, between two passes
 */
struct sim_hw_ops {
	bool (*pass)(void);
	void (*beat)(void);
	void (*tick)(void);
};

/**
 * struct sim_hw_stats - counters of the hardware thread
 * @sleeps: voluntary context switches during passes
 * @longest_sleep: longest pass with a voluntary context switch, ns
 * @longest_gap: longest time from one call of sim_hw_ops.beat to the next, ns
 */
struct sim_hw_stats {
	u64 sleeps;
	u64 longest_sleep;
	u64 longest_gap;
};

extern bool sim_strict_dma;	/* the device may access mapped memory only */
extern bool sim_atomic_messages;	/* a message that fails moves no data */
extern bool sim_reuse;		/* a new object gets the lowest free number */
extern unsigned int sim_cmd_timeout;	/* command timeout, s; 0: no timeout */

/*
 * The bytes that the byte count of a work request on an mkey with signatures
 * includes. DATA is equal to MEMORY if both memory and wire have signatures.
 */
enum sim_sig_count {
	SIM_SIG_COUNT_DATA,	/* bytes of data, without signatures */
	SIM_SIG_COUNT_WIRE,	/* bytes on the wire */
	SIM_SIG_COUNT_MEMORY,	/* bytes in memory */
};

extern enum sim_sig_count sim_sig_count;

#define SIM_MAX_PSVS	65536		/* no capability reports this limit */
extern unsigned int sim_max_psvs;	/* limit of PSVs, up to SIM_MAX_PSVS */

/* ---- bits.c ---- */

u8 sim_xor8(const void *buf, size_t len);
bool sim_fields_only(const u8 *p, u32 len, const struct sim_field *fields);
u32 sim_bits_get(const void *p, struct sim_field f);
void sim_bits_set(void *p, struct sim_field f, u32 val);

/* ---- devs.c ---- */

int sim_devs_check(void);
void sim_set_dev(int index, struct sim_dev *sdev);
struct sim_dev *sim_get_dev(int index);
int sim_num_devs(void);
const struct sim_model *sim_model(void);

/* ---- fault.c ---- */

int sim_fault_arm(struct sim_faults *faults, const struct sim_fault_cmd *f);
enum sim_fault_kind sim_fault_match(struct sim_faults *faults, u16 op, u32 *arg);
bool sim_fault_irq_drops(struct sim_fault_irq *irq, u32 vector);

/* ---- stats.c ---- */

const char *sim_counter_name(enum sim_counter ctr);
const char *sim_vio_name(enum sim_vio vio);
__printf(3, 4)
void sim_violation(struct sim_dev *sdev, enum sim_vio vio, const char *fmt, ...);
__printf(2, 3)
void sim_ignored(struct sim_dev *sdev, const char *fmt, ...);
__printf(2, 3)
void sim_trace_add(struct sim_dev *sdev, const char *fmt, ...);

/* ---- thread.c ---- */

void sim_hw_kick(void);
int sim_hw_call(int (*fn)(void *arg), void *arg);
void sim_hw_yield(void);
void sim_hw_get_stats(struct sim_hw_stats *stats);
u64 sim_hw_time(void);
int sim_hw_start(const struct sim_hw_ops *ops);
void sim_hw_stop(void);

/**
 * sim_trace() - add a line to the trace ring of a simulated function
 * @sdev: simulated function
 * @fmt: printf format of one line of decoded fields, without newline
 *
 * This costs one test while the trace is off (debugfs "trace_on").
 *
 * Context: hardware thread.
 */
#define sim_trace(sdev, fmt, ...)					\
	do {								\
		struct sim_dev *__sdev = (sdev);			\
									\
		if (unlikely(READ_ONCE(__sdev->trace.on)))		\
			sim_trace_add(__sdev, fmt, ##__VA_ARGS__);	\
	} while (0)

#endif /* MLX5SIM_CORE_CORE_H */
