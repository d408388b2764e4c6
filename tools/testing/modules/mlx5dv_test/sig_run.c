// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the suites of block signatures have in common.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "sig.h"

/**
 * sig_with() - run a case with an mkey and two buffers
 * @p: the pair
 * @run: the case
 *
 * Return: that of @run, or a negative errno.
 */
int sig_with(struct t_pair *p, int (*run)(struct sig_run *r))
{
	struct sig_run r = { .p = p };
	int ret = -ENOMEM;

	r.mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 8);
	if (IS_ERR(r.mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(r.mkey));
	r.in = kvzalloc(T_BUF_SIZE, GFP_KERNEL);
	r.out = kvzalloc(T_BUF_SIZE, GFP_KERNEL);
	if (r.in && r.out)
		ret = run(&r);
	kvfree(r.out);
	kvfree(r.in);
	mlx5dv_destroy_mkey(r.mkey);
	return ret;
}

/**
 * sig_with_peer() - sig_with(), and the peer's buffer is registered for operations of the owner
 * @p: the pair
 * @run: the case
 *
 * Return: that of @run, or a negative errno.
 */
int sig_with_peer(struct t_pair *p, int (*run)(struct sig_run *r))
{
	struct t_end *e = &p->end[1];

	T_TRY(t_post_reg(e, 0, e->mr[0], DV_REMOTE_RW));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_forget(&e->sq);
	return sig_with(p, run);
}

static void set_domain(struct mlx5dv_sig_block_domain *to, const struct sig_dom *from)
{
	to->sig_type = from->type;
	to->block_size = from->size;
	if (from->type == MLX5DV_SIG_TYPE_T10DIF)
		to->sig.dif = &from->dif;
	else
		to->sig.crc = &from->crc;
}

/**
 * sig_build() - the setter of the signature attributes
 * @e: the end whose send queue is open
 * @c: the attributes
 */
void sig_build(struct t_end *e, const struct sig_case *c)
{
	struct mlx5dv_sig_block_domain mem = {}, wire = {};
	const struct mlx5dv_sig_block_attr attr = {
		.mem = c->mem.on ? &mem : NULL,
		.wire = c->wire.on ? &wire : NULL,
		.flags = c->flags,
		.check_mask = c->check_mask,
		.copy_mask = c->copy_mask,
	};

	set_domain(&mem, &c->mem);
	set_domain(&wire, &c->wire);
	mlx5dv_wr_set_mkey_sig_block(dv_of(e), &attr);
}

/**
 * sig_try() - post a configuration of signature attributes alone, and wait
 * @e: end whose QP configures
 * @mkey: mkey
 * @c: the attributes
 *
 * Return: the errno of ib_wr_complete().
 */
int sig_try(struct t_end *e, struct mlx5dv_mkey *mkey, const struct sig_case *c)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	int ret;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 1, &attr);
	sig_build(e, c);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_forget(&e->sq);
	return 0;
}

/* the three pieces of @len bytes of memory, whose borders fit no block */
static void cut_memory(const struct t_end *e, u32 len, struct ib_sge *sge)
{
	const u32 first = len / 3 + 1, second = len / 5 + 1;

	sge[0] = t_sge(e, SIG_AT, first);
	sge[1] = t_sge(e, SIG_AT + first + SIG_GAP, second);
	sge[2] = t_sge(e, SIG_AT + first + second + 2 * SIG_GAP, len - first - second);
}

/**
 * sig_set_layout() - the setters of access and layout
 * @r: the run, whose owner's send queue is open
 */
void sig_set_layout(const struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct ib_sge sge[3];

	cut_memory(e, sig_bytes(&r->c.mem, r->c.data), sge);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), DV_REMOTE_RW);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), 3, sge);
}

/**
 * sig_configure() - configure the mkey by r->c
 * @r: the run
 *
 * Return: 0 or a negative errno.
 */
int sig_configure(struct sig_run *r)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *e = &r->p->end[0];

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 3, &attr);
	/* the order of setters does not matter */
	if (r->c.data & 1)
		sig_build(e, &r->c);
	sig_set_layout(r);
	if (!(r->c.data & 1))
		sig_build(e, &r->c);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_forget(&e->sq);
	return 0;
}

/**
 * sig_make() - fill r->in and r->out
 * @r: the run
 * @to_memory: the wire is the input domain
 * @seed: of the data
 */
void sig_make(struct sig_run *r, bool to_memory, u32 seed)
{
	const struct sig_dom *in = to_memory ? &r->c.wire : &r->c.mem;
	const struct sig_dom *out = to_memory ? &r->c.mem : &r->c.wire;
	/* the data is made in the peer's buffer, and overwritten later */
	struct t_end *e = &r->p->end[1];

	t_fill(e, 0, r->c.data, seed);
	r->in_len = sig_encode(in, e->buf, r->c.data, r->in);
	r->out_len = sig_encode(out, e->buf, r->c.data, r->out);
}

/* the memory of the mkey, in one piece: from it, or to it */
static void copy_memory(struct sig_run *r, u8 *flat, u32 len, bool to_memory)
{
	struct t_end *e = &r->p->end[0];
	struct ib_sge sge[3];
	int i;

	cut_memory(e, len, sge);
	for (i = 0; i < 3; i++) {
		u8 *at = e->buf + (sge[i].addr - e->dma);

		if (to_memory)
			memcpy(at, flat, sge[i].length);
		else
			memcpy(flat, at, sge[i].length);
		flat += sge[i].length;
	}
}

/* the length that a work request of the owner has */
static u32 local_len(const struct sig_case *c)
{
	return c->mem.on && c->wire.on ? sig_bytes(&c->mem, c->data) : c->data;
}

static int move_by_message(struct sig_run *r, bool to_memory, u32 wire)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	struct t_end *from = to_memory ? e : owner, *to = to_memory ? owner : e;
	struct ib_sge plain = t_sge(e, SIG_FAR, wire);
	struct ib_sge key = { 0, local_len(&r->c), r->mkey->lkey };

	T_TRY(t_post_recv_sges(to, 0, to_memory ? &key : &plain, 1));
	T_TRY(dv_start(from, 0, IB_SEND_SIGNALED));
	ib_wr_send(dv_qpx(from));
	ib_wr_set_sge_list(dv_qpx(from), 1, to_memory ? &plain : &key);
	T_EXPECT(ib_wr_complete(dv_qpx(from)), 0);
	T_EXPECT(t_wait(&from->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
	t_forget(&from->sq);
	t_forget(&to->rq);
	return 0;
}

static int move_by_rdma(struct sig_run *r, enum sig_op op, u32 wire)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	struct ib_sge plain = t_sge(e, SIG_FAR, wire);
	struct ib_sge key = { 0, local_len(&r->c), r->mkey->lkey };
	const enum ib_wr_opcode code = op == SIG_READ || op == SIG_READ_BY_PEER ?
				       IB_WR_RDMA_READ : IB_WR_RDMA_WRITE;

	if (op == SIG_READ || op == SIG_WRITE) {
		T_EXPECT(dv_rdma(owner, 0, code, &key, e->mr[0]->iova + SIG_FAR, e->mr[0]->rkey),
			 IB_WC_SUCCESS);
		t_forget(&owner->sq);
		return 0;
	}
	T_EXPECT(dv_rdma(e, 0, code, &plain, 0, r->mkey->rkey), IB_WC_SUCCESS);
	t_forget(&e->sq);
	/* an error of the responder is on the CQ of its receives */
	t_collect(&owner->rq);
	return 0;
}

/**
 * sig_move() - put r->in into the input domain, and transfer it
 * @r: the run; the peer's MR is registered
 * @op: the operation
 *
 * Return: 0, or a negative errno if the transfer does not succeed.
 */
int sig_move(struct sig_run *r, enum sig_op op)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	const u32 wire = sig_bytes(&r->c.wire, r->c.data);

	t_set(owner, T_GUARD);
	t_set(e, T_GUARD);
	if (sig_to_memory(op))
		memcpy(e->buf + SIG_FAR, r->in, r->in_len);
	else
		copy_memory(r, r->in, r->in_len, true);
	if (op == SIG_SEND || op == SIG_RECV)
		T_TRY(move_by_message(r, op == SIG_RECV, wire));
	else
		T_TRY(move_by_rdma(r, op, wire));
	t_sync(owner);
	t_sync(e);
	return 0;
}

/**
 * sig_compare() - compare what arrived with r->out, and the rest with what was there
 * @r: the run after sig_move(); r->in is not valid afterwards
 * @op: the operation
 *
 * Return: 0 or -EIO.
 */
int sig_compare(struct sig_run *r, enum sig_op op)
{
	struct t_end *to = &r->p->end[sig_to_memory(op) ? 0 : 1];
	struct ib_sge sge[3];
	u32 i;

	if (sig_to_memory(op)) {
		copy_memory(r, r->in, r->out_len, false);
		cut_memory(to, r->out_len, sge);
		for (i = 0; i < 3; i++)
			memset(to->buf + (sge[i].addr - to->dma), T_GUARD, sge[i].length);
	} else {
		memcpy(r->in, to->buf + SIG_FAR, r->out_len);
		memset(to->buf + SIG_FAR, T_GUARD, r->out_len);
	}
	for (i = 0; i < r->out_len; i++)
		if (r->in[i] != r->out[i])
			return T_FAIL("byte %u of %u is %02x, expected %02x", i, r->out_len,
				      r->in[i], r->out[i]);
	return t_untouched(to, T_GUARD);
}

/**
 * sig_check() - mlx5dv_mkey_check(), which must find an error of that type, or none
 * @r: the run
 * @type: type of the error
 * @err: receives the error; may be NULL
 *
 * Return: 0 or -EIO.
 */
int sig_check(struct sig_run *r, enum mlx5dv_mkey_err_type type, struct mlx5dv_sig_err *err)
{
	struct mlx5dv_mkey_err found;

	T_EXPECT(mlx5dv_mkey_check(r->mkey, &found), 0);
	T_EXPECT(found.err_type, type);
	if (err)
		*err = found.err.sig;
	return 0;
}
