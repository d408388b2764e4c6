// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keys: which memory a key gives access to, how long, and how a refused access fails.
 *
 * End 0 owns the memory, end 1 accesses it. A refused access must complete with the right error and
 * move the accessing QP to ERR. The QP must flush each later work request exactly once, in order,
 * even if it was posted after the error. The memory must be untouched, except by packets before the
 * refused one.
 */
#include "ibx_test.h"

#define T_REMOTE_RW (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/**
 * struct t_access - an access of end 1 to memory of end 0
 * @op: IB_WR_RDMA_WRITE or IB_WR_RDMA_READ, one page
 * @rkey: the key
 * @addr: address of the memory
 */
struct t_access {
	enum ib_wr_opcode op;
	u32 rkey;
	u64 addr;
};

static int t_register(struct t_end *e, u64 id, int access)
{
	T_TRY(t_post_reg(e, id, e->mr[0], access));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return 0;
}

static int t_invalidate(struct t_end *e, u64 id)
{
	T_TRY(t_post_inv(e, id, e->mr[0]->rkey));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return 0;
}

static int t_access(struct t_end *e, u64 id, const struct t_access *acc)
{
	struct ib_sge sge = t_sge(e, 0, PAGE_SIZE);

	return t_rdma(e, id, acc->op, &sge, acc->addr, acc->rkey);
}

/* posts one chain: SEND (wr_id 10), the access (11), the same access (12-15), SEND (16) */
static int t_post_refused(struct t_end *e, const struct t_access *acc)
{
	struct ib_rdma_wr wr[7];
	struct ib_sge sge;
	int i;

	for (i = 0; i < ARRAY_SIZE(wr); i++) {
		t_write_wr(&wr[i], &sge, e, 10 + i);
		wr[i].wr.opcode = acc->op;
		wr[i].rkey = acc->rkey;
		wr[i].remote_addr = acc->addr;
		wr[i].wr.next = i + 1 < ARRAY_SIZE(wr) ? &wr[i + 1].wr : NULL;
	}
	wr[0].wr.opcode = IB_WR_SEND;
	wr[6].wr.opcode = IB_WR_SEND;
	return ib_post_send(e->qp, &wr[0].wr, NULL);
}

static int t_refused(struct t_pair *p, const struct t_access *acc)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_rdma_wr late;
	struct ib_sge sge;
	int i;

	for (i = 0; i < 4; i++)
		T_TRY(t_post_recv(owner, i));
	T_TRY(t_post_refused(e, acc));
	T_EXPECT(t_wait(&e->sq, 10), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&owner->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&e->sq, 11), IB_WC_REM_ACCESS_ERR);
	T_TRY(t_expect_flushed(&e->sq, 12, 16));
	T_EXPECT(e->sq.seen[11], 1);
	T_EXPECT(t_state(e), IB_QPS_ERR);

	t_write_wr(&late, &sge, e, 17);
	T_TRY(ib_post_send(e->qp, &late.wr, NULL));
	T_TRY(t_expect_flushed(&e->sq, 12, 17));
	T_TRY(t_post_recv(e, 5));
	T_TRY(t_expect_flushed(&e->rq, 5, 5));

	T_TRY(t_move(owner->qp, IB_QPS_ERR));
	T_TRY(t_expect_flushed(&owner->rq, 1, 3));
	return 0;
}

/*
 * A refused access to byte @at of the owner's buffer, or to other memory. Packets in the first
 * @packets bytes are not refused. The SEND of t_refused() writes to the first page.
 */
static int t_refused_at(struct t_pair *p, const struct t_access *acc, u32 at, u32 packets)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];

	t_set(owner, T_GUARD);
	t_set(e, T_GUARD);
	t_fill(e, 0, PAGE_SIZE, 1);
	T_TRY(t_refused(p, acc));
	T_TRY(t_check(owner, 0, PAGE_SIZE, 1));
	T_TRY(t_check_packets(owner, PAGE_SIZE, at, packets, 1));
	/* a refused READ writes no data to the buffer of end 1 */
	return t_check_only(e, 0, PAGE_SIZE, 1);
}

static int t_refused_untouched(struct t_pair *p, const struct t_access *acc)
{
	return t_refused_at(p, acc, PAGE_SIZE, 0);
}

/* WRITE and READ with a registered key move the data */
static int key_opens(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct t_access acc = { .op = IB_WR_RDMA_WRITE };

	memset(e->buf, 0x5a, PAGE_SIZE);
	T_TRY(t_register(owner, 0, T_REMOTE_RW));
	acc.rkey = owner->mr[0]->rkey;
	acc.addr = owner->mr[0]->iova + 3 * PAGE_SIZE + 40;
	T_EXPECT(t_access(e, 0, &acc), IB_WC_SUCCESS);
	t_sync(owner);
	T_EXPECT(memchr_inv(owner->buf + 3 * PAGE_SIZE + 40, 0x5a, PAGE_SIZE) ? 1 : 0, 0);
	T_EXPECT(memchr_inv(owner->buf, 0, 3 * PAGE_SIZE + 40) ? 1 : 0, 0);
	T_EXPECT(memchr_inv(owner->buf + 4 * PAGE_SIZE + 40, 0, 4 * PAGE_SIZE - 40) ? 1 : 0, 0);

	memset(e->buf, 0, PAGE_SIZE);
	acc.op = IB_WR_RDMA_READ;
	T_EXPECT(t_access(e, 1, &acc), IB_WC_SUCCESS);
	t_sync(e);
	T_EXPECT(memchr_inv(e->buf, 0x5a, PAGE_SIZE) ? 1 : 0, 0);
	return t_invalidate(owner, 1);
}

/* the ULP chooses the address of the first byte, after the map */
static int iova_is_chosen(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_reg_wr reg = {
		.wr = {
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = owner->mr[0],
		.access = T_REMOTE_RW,
	};
	struct t_access acc = { .op = IB_WR_RDMA_WRITE, .addr = 0x7000 };

	memset(e->buf, 0xa5, PAGE_SIZE);
	T_EXPECT(ib_map_mr_sg(owner->mr[0], owner->sgl, T_PAGES, NULL, PAGE_SIZE), T_PAGES);
	owner->mr[0]->iova = 0x4000;
	ib_update_fast_reg_key(owner->mr[0], ib_inc_rkey(owner->mr[0]->rkey));
	reg.key = owner->mr[0]->rkey;
	T_TRY(ib_post_send(owner->qp, &reg.wr, NULL));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	acc.rkey = owner->mr[0]->rkey;
	T_EXPECT(t_access(e, 0, &acc), IB_WC_SUCCESS);
	t_sync(owner);
	T_EXPECT(memchr_inv(owner->buf + 3 * PAGE_SIZE, 0xa5, PAGE_SIZE) ? 1 : 0, 0);
	T_EXPECT(memchr_inv(owner->buf, 0, 3 * PAGE_SIZE) ? 1 : 0, 0);
	return 0;
}

static int refused_never_registered(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	struct t_access acc = { IB_WR_RDMA_WRITE, owner->mr[0]->rkey, owner->dma };

	return t_refused_untouched(p, &acc);
}

/**
 * struct t_refusal - an access with a key that is not valid for it
 * @op: the access that is refused
 * @access: access rights of the registered key
 * @offset: offset of the access from the first byte of the MR
 * @packets: bytes in the packets before the first packet that is refused
 * @change: changes the key before the access, or NULL
 */
struct t_refusal {
	enum ib_wr_opcode op;
	int access;
	s64 offset;
	u32 packets;
	int (*change)(struct t_end *owner, struct t_end *e);
};

static int t_refused_after(struct t_pair *p, const struct t_refusal *r)
{
	struct t_end *owner = &p->end[0];
	struct t_access acc = { .op = r->op };

	T_TRY(t_register(owner, 0, r->access));
	acc.rkey = owner->mr[0]->rkey;
	acc.addr = owner->mr[0]->iova + r->offset;
	if (r->change)
		T_TRY(r->change(owner, &p->end[1]));
	if (!r->packets)
		return t_refused_untouched(p, &acc);
	return t_refused_at(p, &acc, r->offset, r->packets);
}

static int t_change_invalidate(struct t_end *owner, struct t_end *e)
{
	return t_invalidate(owner, 1);
}

static int refused_invalidated(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = T_REMOTE_RW, .change = t_change_invalidate,
	};

	return t_refused_after(p, &r);
}

static int t_change_again(struct t_end *owner, struct t_end *e)
{
	u32 old = owner->mr[0]->rkey;

	T_TRY(t_invalidate(owner, 1));
	T_TRY(t_register(owner, 2, T_REMOTE_RW));
	T_EXPECT(owner->mr[0]->rkey != old, 1);
	return 0;
}

/* the MR is registered again with a new key: the old key stays invalid */
static int refused_old_variant(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = T_REMOTE_RW, .change = t_change_again,
	};

	return t_refused_after(p, &r);
}

static int t_change_deregister(struct t_end *owner, struct t_end *e)
{
	T_TRY(ib_dereg_mr(owner->mr[0]));
	owner->mr[0] = NULL;
	return 0;
}

static int refused_deregistered(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = T_REMOTE_RW, .change = t_change_deregister,
	};

	return t_refused_after(p, &r);
}

static int refused_past_the_end(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = T_REMOTE_RW,
		.offset = T_BUF_SIZE - PAGE_SIZE + 1, .packets = PAGE_SIZE - T_MTU,
	};

	return t_refused_after(p, &r);
}

static int refused_before_the_start(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = T_REMOTE_RW, .offset = -1,
	};

	return t_refused_after(p, &r);
}

static int refused_write_to_readable(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = IB_ACCESS_REMOTE_READ,
	};

	return t_refused_after(p, &r);
}

static int refused_read_of_writable(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_READ, .access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	return t_refused_after(p, &r);
}

static int t_foreign(struct t_pair *p, struct t_pair *other)
{
	struct t_access acc = { IB_WR_RDMA_WRITE };

	T_TRY(t_pair_connect(other));
	T_TRY(t_register(&other->end[0], 0, T_REMOTE_RW));
	acc.rkey = other->end[0].mr[0]->rkey;
	acc.addr = other->end[0].mr[0]->iova;
	T_TRY(t_refused_untouched(p, &acc));
	T_TRY(t_untouched(&other->end[0], 0));
	/* the key is still valid in the other PD */
	T_EXPECT(t_access(&other->end[1], 0, &acc), IB_WC_SUCCESS);
	return 0;
}

/* a key that is valid, but belongs to another PD of the same device */
static int refused_foreign_pd(struct t_pair *p)
{
	struct t_pair *other;
	int ret;

	other = kvzalloc(sizeof(*other), GFP_KERNEL);
	if (!other)
		return -ENOMEM;
	ret = t_pair_create(other, p->end[0].dev, p->end[1].dev, p->opts);
	if (!ret) {
		ret = t_foreign(p, other);
		t_pair_destroy(other);
	}
	kvfree(other);
	return ret;
}

static int t_change_remote_inv(struct t_end *owner, struct t_end *e)
{
	u32 rkey = owner->mr[0]->rkey;
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	T_TRY(t_post_recv(owner, 20));
	t_write_wr(&wr, &sge, e, 0);
	wr.wr.opcode = IB_WR_SEND_WITH_INV;
	wr.wr.ex.invalidate_rkey = rkey;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&owner->rq, 20), IB_WC_SUCCESS);
	T_EXPECT(owner->rq.wc[20].wc_flags & IB_WC_WITH_INVALIDATE, IB_WC_WITH_INVALIDATE);
	T_EXPECT(owner->rq.wc[20].ex.invalidate_rkey, rkey);
	return 0;
}

/* the peer has invalidated the key with SEND_WITH_INV */
static int refused_after_remote_inv(struct t_pair *p)
{
	const struct t_refusal r = {
		.op = IB_WR_RDMA_WRITE, .access = T_REMOTE_RW, .change = t_change_remote_inv,
	};

	return t_refused_after(p, &r);
}

/*
 * An invalid lkey is an error of the sender: its QP completes the work request with a protection
 * error, and sends nothing. A simulated device counts one violation.
 */
static int local_stale(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_rdma_wr wr[3];
	struct ib_sge sge[3];
	int i;

	T_TRY(t_register(e, 0, IB_ACCESS_LOCAL_WRITE));
	T_TRY(t_invalidate(e, 1));
	T_TRY(t_post_recv(&p->end[0], 0));
	for (i = 0; i < 3; i++) {
		t_write_wr(&wr[i], &sge[i], e, 10 + i);
		wr[i].wr.opcode = IB_WR_SEND;
		sge[i].lkey = e->mr[0]->lkey;
		sge[i].addr = e->mr[0]->iova;
		wr[i].wr.next = i < 2 ? &wr[i + 1].wr : NULL;
	}
	T_TRY(ib_post_send(e->qp, &wr[0].wr, NULL));
	T_EXPECT(t_wait(&e->sq, 10), IB_WC_LOC_PROT_ERR);
	T_TRY(t_expect_flushed(&e->sq, 11, 12));
	T_EXPECT(t_state(e), IB_QPS_ERR);
	T_TRY(t_settle(&p->end[0].rq));
	T_EXPECT(p->end[0].rq.nr, 0);
	return 0;
}

/*
 * The lkey of the second element is invalid. Bytes of the first element may have been sent in
 * earlier packets. A simulated device counts one violation.
 */
static int local_stale_late(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *e = &p->end[1];
	struct ib_sge sge[2] = { t_sge(e, 0, 1500), t_sge(e, 1500, 1500) };
	struct ib_send_wr wr;

	t_set(rx, T_GUARD);
	t_fill(e, 0, 3000, 2);
	T_TRY(t_register(e, 0, IB_ACCESS_LOCAL_WRITE));
	T_TRY(t_invalidate(e, 1));
	T_TRY(t_post_recv(rx, 0));
	t_send_wr(&wr, sge, 10);
	wr.num_sge = 2;
	sge[1].lkey = e->mr[0]->lkey;
	sge[1].addr = e->mr[0]->iova + 1500;
	T_TRY(ib_post_send(e->qp, &wr, NULL));
	T_EXPECT(t_wait(&e->sq, 10), IB_WC_LOC_PROT_ERR);
	T_EXPECT(t_state(e), IB_QPS_ERR);
	T_TRY(t_settle(&rx->rq));
	T_EXPECT(rx->rq.nr, 0);
	return t_check_packets(rx, 0, 0, T_MTU, 2);
}

const struct t_case t_keys_cases[] = {
	{ "key_opens", key_opens },
	{ "iova_is_chosen", iova_is_chosen },
	{ "refused_never_registered", refused_never_registered },
	{ "refused_invalidated", refused_invalidated },
	{ "refused_old_variant", refused_old_variant },
	{ "refused_deregistered", refused_deregistered },
	{ "refused_past_the_end", refused_past_the_end },
	{ "refused_before_the_start", refused_before_the_start },
	{ "refused_write_to_readable", refused_write_to_readable },
	{ "refused_read_of_writable", refused_read_of_writable },
	{ "refused_foreign_pd", refused_foreign_pd },
	{ "refused_after_remote_inv", refused_after_remote_inv },
	{ "local_stale", local_stale },
	{ "local_stale_late", local_stale_late },
	{ }
};
