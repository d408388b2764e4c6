// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The work request API: each generic builder and setter moves data, alone, in chains, and between
 * calls of ib_post_send().
 */
#include "../ibx_test/on_cq.h"
#include "dv.h"

#define IMM	cpu_to_be32(0xc0ffee11)

/* each opcode, with a length of 0, and lengths around packets and pages */
static int wr_messages(struct t_pair *p)
{
	static const u32 lens[] = { 0, 1, 64, 1023, 1024, 4096, 9000 };
	static const enum ib_wr_opcode ops[] = {
		IB_WR_SEND, IB_WR_SEND_WITH_IMM, IB_WR_RDMA_WRITE, IB_WR_RDMA_WRITE_WITH_IMM,
		IB_WR_RDMA_READ,
	};
	int i, k;

	T_TRY(t_open(p, DV_REMOTE_RW));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(lens); k++) {
			struct t_msg m = {
				.op = ops[i], .len = lens[k], .seed = i + k, .imm = IMM,
			};

			T_TRY(t_message(p, &m));
		}
	}
	return 0;
}

static int wr_inline(struct t_pair *p)
{
	static const enum ib_wr_opcode ops[] = {
		IB_WR_SEND, IB_WR_SEND_WITH_IMM, IB_WR_RDMA_WRITE, IB_WR_RDMA_WRITE_WITH_IMM,
	};
	u32 len;
	int i;

	T_TRY(t_open(p, DV_REMOTE_RW));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (len = 0; len <= 60; len += 5) {
			struct t_msg m = {
				.op = ops[i], .len = len, .seed = len, .imm = IMM,
				.flags = IB_SEND_INLINE,
			};

			T_TRY(t_message(p, &m));
		}
	}
	return 0;
}

/* SEND with invalidate invalidates the owner's key */
static int wr_send_inv(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct t_msg m = { .op = IB_WR_SEND_WITH_INV, .len = 100, .seed = 3 };
	struct ib_sge sge = t_sge(e, 0, 8);

	T_TRY(t_open(p, DV_REMOTE_RW));
	m.inv_rkey = owner->mr[0]->rkey;
	T_TRY(t_message(p, &m));
	T_EXPECT(dv_rdma(e, 1, IB_WR_RDMA_WRITE, &sge, owner->mr[0]->iova, m.inv_rkey),
		 IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* the owner invalidates its key with LOCAL_INV */
static int wr_local_inv(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 8);

	T_TRY(t_open(p, DV_REMOTE_RW));
	T_EXPECT(dv_rdma(e, 0, IB_WR_RDMA_WRITE, &sge, owner->mr[0]->iova, owner->mr[0]->rkey),
		 IB_WC_SUCCESS);
	T_TRY(dv_start(owner, 1, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(owner), owner->mr[0]->rkey);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(owner->sq.wc[1].opcode, IB_WC_LOCAL_INV);
	T_EXPECT(dv_rdma(e, 2, IB_WR_RDMA_WRITE, &sge, owner->mr[0]->iova, owner->mr[0]->rkey),
		 IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* maps @bytes of each of two pages to the MR, and registers the MR with a new key */
static int reg_parts(struct t_end *e, u64 id, u32 bytes)
{
	struct ib_mr *mr = e->mr[0];
	struct scatterlist sgl[2];
	struct ib_reg_wr wr = {
		.wr = { .wr_id = id, .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = mr, .access = DV_REMOTE_RW,
	};
	int i;

	sg_init_table(sgl, 2);
	for (i = 0; i < 2; i++) {
		sg_dma_address(&sgl[i]) = e->dma + 2 * i * PAGE_SIZE;
		sg_dma_len(&sgl[i]) = bytes;
	}
	T_EXPECT(ib_map_mr_sg(mr, sgl, 2, NULL, PAGE_SIZE), 2);
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.key = mr->rkey;
	return ib_post_send(e->qp, &wr.wr, NULL);
}

/*
 * An SG_GAPS MR has a key for pages and a key for pieces. While one key is registered, the other
 * can be registered only after an invalidation was posted; an aborted invalidation does not count.
 */
static int wr_inv_gaps(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	u32 pieces;

	T_TRY(reg_parts(owner, 0, 100));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	pieces = owner->mr[0]->rkey;
	T_TRY(dv_start(owner, 1, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(owner), pieces);
	ib_wr_abort(dv_qpx(owner));
	T_EXPECT(reg_parts(owner, 2, PAGE_SIZE), -EBUSY);
	T_EXPECT(owner->mr[0]->rkey >> 8 != pieces >> 8, 1);

	T_TRY(dv_start(owner, 1, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(owner), pieces);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_TRY(reg_parts(owner, 2, PAGE_SIZE));
	T_EXPECT(t_wait(&owner->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&owner->sq, 2), IB_WC_SUCCESS);
	return 0;
}

#define WORD_AT	1000	/* offset of a word in the owner's buffer, a multiple of 8 */
#define FOUND_AT	64	/* offset of the result in the requester's buffer */

/* an atomic on the owner's word, posted by a builder or by ib_post_send() */
struct atomic {
	u64 compare;
	u64 operand;
	bool add;
	bool posted;
};

static int build_atomic(struct t_end *e, u64 addr, u32 rkey, const struct atomic *a)
{
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	if (a->add)
		ib_wr_atomic_fetch_add(dv_qpx(e), rkey, addr, a->operand);
	else
		ib_wr_atomic_cmp_swp(dv_qpx(e), rkey, addr, a->compare, a->operand);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma + FOUND_AT, 8);
	return ib_wr_complete(dv_qpx(e));
}

static int post_atomic(struct t_end *e, u64 addr, u32 rkey, const struct atomic *a)
{
	struct ib_sge sge = { e->dma + FOUND_AT, 8, e->pd->local_dma_lkey };
	struct ib_atomic_wr wr = {
		.wr = {
			.opcode = a->add ? IB_WR_ATOMIC_FETCH_AND_ADD : IB_WR_ATOMIC_CMP_AND_SWP,
			.send_flags = IB_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1,
		},
		.remote_addr = addr, .rkey = rkey, .swap = a->operand,
		.compare_add = a->add ? a->operand : a->compare,
	};

	return ib_post_send(e->qp, &wr.wr, NULL);
}

/* executes an atomic; *found receives the value that the word had before */
static int run_atomic(struct t_pair *p, const struct atomic *a, u64 *found)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	const u64 addr = owner->mr[0]->iova + WORD_AT;
	const u32 rkey = owner->mr[0]->rkey;

	t_clear_counts(&e->sq);
	T_EXPECT(a->posted ? post_atomic(e, addr, rkey, a) : build_atomic(e, addr, rkey, a), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(e->sq.wc[0].opcode, a->add ? IB_WC_FETCH_ADD : IB_WC_COMP_SWAP);
	T_EXPECT(e->sq.wc[0].byte_len, 8);
	t_sync(e);
	t_sync(owner);
	memcpy(found, e->buf + FOUND_AT, 8);
	return 0;
}

static int run_atomics(struct t_pair *p, bool posted)
{
	const struct atomic add = { .operand = 0x1000000000000001, .add = true, .posted = posted };
	struct atomic swap = { 0x0102030405060708, 5, .posted = posted };
	struct t_path path = t_default_path;
	struct t_end *owner = &p->end[0];
	u64 *word = owner->buf + WORD_AT, found;

	path.access |= IB_ACCESS_REMOTE_ATOMIC;
	T_TRY(t_pair_connect_path(p, &path));
	t_set(owner, T_GUARD);
	*word = 0x0102030405060708;
	T_TRY(t_open(p, DV_REMOTE_RW | IB_ACCESS_REMOTE_ATOMIC));
	T_TRY(run_atomic(p, &add, &found));
	T_EXPECT(found, 0x0102030405060708);
	T_EXPECT(*word, 0x1102030405060709);
	/* the compare value differs from the word: the word does not change */
	T_TRY(run_atomic(p, &swap, &found));
	T_EXPECT(found, 0x1102030405060709);
	T_EXPECT(*word, 0x1102030405060709);
	swap.compare = 0x1102030405060709;
	T_TRY(run_atomic(p, &swap, &found));
	T_EXPECT(found, 0x1102030405060709);
	T_EXPECT(*word, 5);
	T_EXPECT(word[-1] == word[1] && (word[1] & 0xff) == T_GUARD, 1);
	return 0;
}

static int wr_atomics(struct t_pair *p)
{
	return run_atomics(p, false);
}

static int wr_atomics_posted(struct t_pair *p)
{
	return run_atomics(p, true);
}

/* both setters of lists: the data come from several places */
static int wr_sge_list(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_data_buf bufs[2] = { { e->buf, 20 }, { e->buf + 20, 30 } };
	struct ib_sge sges[2] = { t_sge(e, 0, 20), t_sge(e, 20, 30) };
	struct ib_sge into = t_sge(to, 500, 100);

	t_set(to, T_GUARD);
	t_fill(e, 0, 50, 9);
	T_TRY(t_post_recv_sges(to, 0, &into, 1));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge_list(dv_qpx(e), 2, sges);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check_only(to, 500, 50, 9));

	t_set(to, T_GUARD);
	T_TRY(t_post_recv_sges(to, 1, &into, 1));
	T_TRY(dv_start(e, 1, IB_SEND_SIGNALED));
	ib_wr_send(dv_qpx(e));
	ib_wr_set_inline_data_list(dv_qpx(e), 2, bufs);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&to->rq, 1), IB_WC_SUCCESS);
	return t_check_only(to, 500, 50, 9);
}

/* builds @nr SENDs of 8 bytes with wr_ids from @from, after dv_start() */
static void build_sends(struct t_end *e, u64 from, int nr)
{
	for (; nr--; from++) {
		dv_next(e, from, IB_SEND_SIGNALED);
		ib_wr_send(dv_qpx(e));
		ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
	}
}

static int post_recvs(struct t_end *e, u64 from, int nr)
{
	for (; nr--; from++)
		T_TRY(t_post_recv(e, from));
	return 0;
}

/* a chain that is posted with one call completes in order */
static int wr_chain(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];

	T_TRY(post_recvs(to, 0, 16));
	T_TRY(dv_start(e, 0, 0));
	build_sends(e, 0, 16);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_TRY(dv_expect_only(&e->sq, 0, 15));
	return dv_expect_only(&to->rq, 0, 15);
}

/* an empty chain can be completed too */
static int wr_empty(struct t_pair *p)
{
	T_TRY(dv_start(&p->end[1], 0, 0));
	T_EXPECT(ib_wr_complete(dv_qpx(&p->end[1])), 0);
	return wr_chain(p);
}

/* builders and ib_post_send() post to one QP in turn */
static int wr_mixed(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 8);
	struct ib_send_wr wr;
	u64 id = 0;
	int i;

	for (i = 0; i < 30; i++) {
		T_TRY(post_recvs(to, id, 4));
		T_TRY(dv_start(e, 0, 0));
		build_sends(e, id, i % 3 + 1);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		for (id += i % 3 + 1; id % 4; id++) {
			t_send_wr(&wr, &sge, id);
			T_TRY(ib_post_send(e->qp, &wr, NULL));
		}
		T_EXPECT(t_wait(&e->sq, id - 1), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&to->rq, id - 1), IB_WC_SUCCESS);
	}
	T_TRY(dv_expect_only(&e->sq, 0, id - 1));
	return dv_expect_only(&to->rq, 0, id - 1);
}

/* an aborted chain is not posted and does not affect later chains */
static int wr_abort(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	int i;

	T_TRY(post_recvs(to, 0, 12));
	for (i = 0; i < 12; i += 2) {
		T_TRY(dv_start(e, 0, 0));
		build_sends(e, 100, i);
		ib_wr_abort(dv_qpx(e));
		T_TRY(dv_start(e, 0, 0));
		build_sends(e, i, 2);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	}
	T_TRY(dv_expect_only(&e->sq, 0, 11));
	T_TRY(dv_expect_only(&to->rq, 0, 11));

	/* no chain was started, so ib_wr_abort() has no effect */
	ib_wr_abort(dv_qpx(e));
	return 0;
}

static int wr_unsignaled(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	int i;

	T_TRY(post_recvs(to, 0, 8));
	T_TRY(dv_start(e, 0, 0));
	for (i = 0; i < 8; i++) {
		dv_next(e, i, i == 7 ? IB_SEND_SIGNALED : 0);
		ib_wr_send(dv_qpx(e));
		ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
	}
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_TRY(dv_expect_only(&e->sq, 7, 7));
	return dv_expect_only(&to->rq, 0, 7);
}

static int post_ud(struct t_pair *p, u64 id, bool imm)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 200), into = t_sge(to, 0, 1024);
	struct ib_ud_wr wr = {
		.wr = { .wr_id = id, .opcode = imm ? IB_WR_SEND_WITH_IMM : IB_WR_SEND,
			.send_flags = IB_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1,
			.ex.imm_data = IMM },
		.ah = e->ah,
		.remote_qpn = to->qp->qp_num,
		.remote_qkey = T_QKEY,
	};

	t_set(to, T_GUARD);
	t_fill(e, 0, 200, id);
	T_TRY(t_post_recv_sges(to, id, &into, 1));
	T_TRY(dv_post(e->qp, &wr.wr));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&to->rq, id), IB_WC_SUCCESS);
	T_EXPECT(to->rq.wc[id].byte_len, 240);
	T_EXPECT(to->rq.wc[id].src_qp, e->qp->qp_num);
	T_EXPECT(to->rq.wc[id].wc_flags & IB_WC_WITH_IMM ? 1 : 0, imm);
	return t_check(to, 40, 200, id);
}

/* the address is set before the data and after the data, see dv_build() */
static int wr_ud(struct t_pair *p)
{
	u64 id;

	for (id = 0; id < 8; id++)
		T_TRY(post_ud(p, id, id & 2));
	return 0;
}

/* a WRITE has no completion at the peer, so a message after it shows that the WRITE has arrived */
static int write_uc(struct t_pair *p, u64 at, u32 seed)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];

	t_set(to, T_GUARD);
	t_fill(e, 0, 1000, seed);
	T_TRY(t_post_recv_sges(to, 0, NULL, 0));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dv_qpx(e), to->mr[0]->rkey, to->mr[0]->iova + at);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 1000);
	dv_next(e, 1, IB_SEND_SIGNALED);
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge_list(dv_qpx(e), 0, NULL);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_TRY(dv_expect_only(&e->sq, 0, 1));
	T_TRY(dv_expect_only(&to->rq, 0, 0));
	T_TRY(t_check_only(to, at, 1000, seed));
	t_clear_counts(&e->sq);
	t_clear_counts(&to->rq);
	return 0;
}

static int wr_uc(struct t_pair *p)
{
	static const enum ib_wr_opcode ops[] = {
		IB_WR_SEND, IB_WR_SEND_WITH_IMM, IB_WR_RDMA_WRITE_WITH_IMM,
	};
	int i;

	T_TRY(t_open_uc(p, DV_REMOTE_RW));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct t_msg m = { .op = ops[i], .len = 3000, .seed = i, .imm = IMM };

		T_TRY(t_message(p, &m));
		T_TRY(write_uc(p, 500 * i, i));
	}
	return 0;
}

struct done {
	struct ib_cqe cqe;
	enum ib_wc_status status;
	struct completion called;
};

static void count_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct done *d = container_of(wc->wr_cqe, struct done, cqe);

	d->status = wc->status;
	complete(&d->called);
}

/* a builder sends 100 bytes on a CQ that calls back; returns the status of the completion */
static int send_cqe(struct t_end *e, struct ib_qp *qp, unsigned int flags)
{
	struct ib_qp_ex *qpx = &mlx5dv_qp_ex_from_ib_qp(qp)->qp_ex;
	/* after a failure, done() may be called until the QP is destroyed */
	static struct done d = { .cqe.done = count_done };

	init_completion(&d.called);
	T_TRY(ib_wr_start(qpx));
	qpx->wr_cqe = &d.cqe;
	qpx->wr_flags = flags;
	ib_wr_send(qpx);
	ib_wr_set_sge(qpx, e->pd->local_dma_lkey, e->dma, 100);
	T_TRY(ib_wr_complete(qpx));
	if (!wait_for_completion_timeout(&d.called, msecs_to_jiffies(T_TIMEOUT_MS)))
		return T_FAIL("not called");
	return d.status;
}

/* an unsignaled SEND has a completion too when it fails */
static int wr_cqe(struct t_pair *p, struct ib_qp *qp)
{
	struct t_end *e = &p->end[0], *to = &p->end[1];
	struct ib_sge into = t_sge(to, 0, 100);

	T_TRY(t_qp_connect(e, qp, to, to->qp->qp_num, &t_default_path));
	T_TRY(t_qp_connect(to, to->qp, e, qp->qp_num, &t_default_path));
	t_set(to, T_GUARD);
	t_fill(e, 0, 100, 1);
	T_TRY(t_post_recv_sges(to, 0, &into, 1));
	T_EXPECT(send_cqe(e, qp, IB_SEND_SIGNALED), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check_only(to, 0, 100, 1));
	T_TRY(t_move(qp, IB_QPS_ERR));
	T_EXPECT(send_cqe(e, qp, 0), IB_WC_WR_FLUSH_ERR);
	return 0;
}

static const struct t_opts ud_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .type = IB_QPT_UD,
};

/* the case connects the QPs */
static const struct t_opts reset_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .unconnected = true,
};

static const struct t_opts uc_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .type = IB_QPT_UC,
};

static const struct t_opts gaps_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .mr_type = IB_MR_TYPE_SG_GAPS,
};

const struct t_case dv_wr_cases[] = {
	{ "wr_messages", wr_messages, &dv_opts },
	{ "wr_inline", wr_inline, &dv_opts },
	{ "wr_send_inv", wr_send_inv, &dv_opts },
	{ "wr_local_inv", wr_local_inv, &dv_opts },
	{ "wr_inv_gaps", wr_inv_gaps, &gaps_opts },
	{ "wr_atomics", wr_atomics, &reset_opts },
	{ "wr_atomics_posted", wr_atomics_posted, &reset_opts },
	{ "wr_sge_list", wr_sge_list, &dv_opts },
	{ "wr_chain", wr_chain, &dv_opts },
	{ "wr_empty", wr_empty, &dv_opts },
	{ "wr_mixed", wr_mixed, &dv_opts },
	{ "wr_abort", wr_abort, &dv_opts },
	{ "wr_unsignaled", wr_unsignaled, &dv_opts },
	{ "wr_ud", wr_ud, &ud_opts },
	{ "wr_uc", wr_uc, &uc_opts },
	T_ON_CQ(wr_cqe, .opts = &reset_opts),
	{ }
};
