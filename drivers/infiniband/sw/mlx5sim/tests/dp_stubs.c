// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Stubs of the functions of other folders that the data path calls. See
 * dp_stubs.h.
 */
#include <linux/sched.h>

#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"
#include "tests/dp_stubs.h"

struct sim_dp_stub sim_dp_stub;
bool sim_atomic_messages;
enum sim_sig_count sim_sig_count;

/**
 * sim_dp_stub_reset() - clear all records and tables of the stubs
 */
void sim_dp_stub_reset(void)
{
	memset(&sim_dp_stub, 0, sizeof(sim_dp_stub));
	sim_atomic_messages = false;
	/* not the default value: byte counts in the suites count only data */
	sim_sig_count = SIM_SIG_COUNT_DATA;
	sim_dp_stub.mtu = 9000;
}

u32 sim_netdev_mtu(struct sim_dev *sdev)
{
	return sim_dp_stub.mtu;
}

u64 sim_hw_time(void)
{
	return sim_dp_stub.time;
}

void sim_hw_yield(void)
{
	cond_resched();
}

void sim_ignored(struct sim_dev *sdev, const char *fmt, ...)
{
	sim_dp_stub.ignored++;
}

void sim_violation(struct sim_dev *sdev, enum sim_vio vio, const char *fmt, ...)
{
	sim_dp_stub.vio[vio]++;
}

void sim_trace_add(struct sim_dev *sdev, const char *fmt, ...)
{
}

void *sim_obj_find(struct sim_dev *sdev, enum sim_obj_type type, u32 id)
{
	int i;

	for (i = 0; i < STUB_DEVS; i++)
		if (type == SIM_OBJ_QP && sim_dp_stub.dev[i] == sdev && sim_dp_stub.qp[i] &&
		    sim_dp_stub.qp[i]->obj.id == id)
			return sim_dp_stub.qp[i];
	if (type == SIM_OBJ_DCT && sim_dp_stub.dev[STUB_DEVS - 1] == sdev && sim_dp_stub.dct &&
	    sim_qp_qpn(&sim_dp_stub.dct->qp) == id)
		return sim_dp_stub.dct;
	if (type == SIM_OBJ_SRQ && sim_dp_stub.srq && sim_dp_stub.srq->obj.id == id)
		return sim_dp_stub.srq;
	if (type == SIM_OBJ_PD && sim_dp_stub.pd && sim_dp_stub.pd->obj.id == id)
		return sim_dp_stub.pd;
	for (i = 0; i < STUB_DEVS; i++)
		if (type == SIM_OBJ_QSET && sim_dp_stub.dev[i] == sdev)
			return &sim_dp_stub.qset[i];
	for (i = 0; i < STUB_PSVS; i++)
		if (type == SIM_OBJ_PSV && sim_dp_stub.psv[i] &&
		    sim_dp_stub.psv[i]->obj.id == id)
			return sim_dp_stub.psv[i];
	if (type == SIM_OBJ_DEK && sim_dp_stub.dek && sim_dp_stub.dek->obj.id == id)
		return sim_dp_stub.dek;
	for (i = 0; i < STUB_MKEYS; i++)
		if (type == SIM_OBJ_MKEY && sim_dp_stub.mkey[i] &&
		    sim_dp_stub.mkey[i]->obj.id == id)
			return sim_dp_stub.mkey[i];
	return NULL;
}

void *sim_dma_span(struct sim_dev *sdev, u64 addr, u32 *len, bool write)
{
	if (sim_dp_stub.hole && addr <= sim_dp_stub.hole && addr + *len > sim_dp_stub.hole) {
		if (addr == sim_dp_stub.hole)
			return ERR_PTR(-EFAULT);
		*len = sim_dp_stub.hole - addr;
	}
	return (void *)(uintptr_t)addr;
}

void sim_dma_account(struct sim_dev *sdev, u64 addr, u32 len, bool write)
{
}

/* A queue buffer is contiguous. */
int sim_buf_read(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, void *dst, u32 len)
{
	if (!buf->pas)
		return -EFAULT;
	memcpy(dst, (u8 *)(uintptr_t)buf->pas[0] + off, len);
	return 0;
}

int sim_cq_post(struct sim_dev *sdev, struct sim_cq *cq, struct mlx5_cqe64 *cqe, bool solicited)
{
	if (sim_dp_stub.cqes == STUB_CQES)
		return -EIO;
	sim_dp_stub.cqe_cq[sim_dp_stub.cqes] = cq;
	sim_dp_stub.solicited[sim_dp_stub.cqes] = solicited;
	sim_dp_stub.cqe[sim_dp_stub.cqes++] = *cqe;
	return 0;
}

void sim_event_qp(struct sim_dev *sdev, u8 type, u8 queue_type, u32 num)
{
	sim_dp_stub.events++;
	sim_dp_stub.event = type;
}

int sim_num_devs(void)
{
	return STUB_DEVS;
}

struct sim_dev *sim_get_dev(int index)
{
	return sim_dp_stub.dev[index];
}
