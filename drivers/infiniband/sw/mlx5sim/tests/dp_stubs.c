// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Stand-ins for what the data path calls elsewhere in the device. See dp_stubs.h.
 */
#include "dp_stubs.h"

struct sim_dp_stub sim_dp_stub;

/**
 * sim_dp_stub_reset - forget keys and violations
 */
void sim_dp_stub_reset(void)
{
	memset(&sim_dp_stub, 0, sizeof(sim_dp_stub));
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

	for (i = 0; i < STUB_MKEYS; i++)
		if (type == SIM_OBJ_MKEY && sim_dp_stub.mkey[i] &&
		    sim_dp_stub.mkey[i]->obj.id == id)
			return sim_dp_stub.mkey[i];
	return NULL;
}

struct sim_mkey *sim_mkey_find(struct sim_dev *sdev, u32 key)
{
	struct sim_mkey *mkey = sim_obj_find(sdev, SIM_OBJ_MKEY, key >> 8);

	return mkey && mkey->variant == (key & 0xff) ? mkey : NULL;
}

int sim_mkey_set_mtt(struct sim_mkey *mkey, u32 first, const __be64 *ent, u32 nent)
{
	for (; nent; nent--)
		mkey->mtt[first++] = be64_to_cpu(*ent++) & ~0xfffULL;
	return 0;
}

int sim_mkey_set_klm(struct sim_mkey *mkey, u32 first, const struct mlx5_klm *ent, u32 nent)
{
	for (; nent; nent--, ent++, first++) {
		mkey->klm[first].byte_count = be32_to_cpu(ent->bcount);
		mkey->klm[first].key = be32_to_cpu(ent->key);
		mkey->klm[first].va = be64_to_cpu(ent->va);
	}
	return 0;
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

/* the suites hand in WQEs that are fetched already */
int sim_buf_read(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, void *dst, u32 len)
{
	return -EFAULT;
}

void sim_qp_acc(struct sim_acc *acc, struct sim_dev *sdev, const struct sim_qp *qp, u8 rights)
{
	memset(acc, 0, sizeof(*acc));
	acc->sdev = sdev;
	acc->qpn = sim_qp_qpn(qp);
	acc->rights = rights;
	acc->any_pd = true;
	acc->local = true;
}

int sim_num_devs(void)
{
	return 0;
}

struct sim_dev *sim_get_dev(int index)
{
	return NULL;
}

struct list_head *sim_dp_qps(struct sim_dev *sdev)
{
	static LIST_HEAD(none);

	return &none;
}

void sim_responder_ud(struct sim_msg *m, void *grh, u8 l3_type)
{
}
