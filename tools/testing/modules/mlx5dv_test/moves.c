// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transfers through an mkey, see moves.h.
 */
#include <linux/string.h>

#include "moves.h"

/**
 * move_register_peer() - register the peer's buffer for operations of the owner
 * @p: the pair
 *
 * Return: 0 or a negative errno.
 */
int move_register_peer(struct t_pair *p)
{
	struct t_end *e = &p->end[1];

	T_TRY(t_post_reg(e, 0, e->mr[0], DV_REMOTE_RW));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/**
 * move_cut() - cut the memory of the mkey into pieces that do not end at block boundaries
 * @e: end of the mkey
 * @pieces: 1 or MOVE_PIECES
 * @len: bytes of the memory
 * @sge: receives the pieces
 *
 * Return: @pieces.
 */
int move_cut(const struct t_end *e, u8 pieces, u32 len, struct ib_sge *sge)
{
	const u32 first = len / 3 + 1, second = len / 5 + 1;

	if (pieces == 1) {
		sge[0] = t_sge(e, MOVE_AT, len);
		return 1;
	}
	sge[0] = t_sge(e, MOVE_AT, first);
	sge[1] = t_sge(e, MOVE_AT + first + MOVE_GAP, second);
	sge[2] = t_sge(e, MOVE_AT + first + second + 2 * MOVE_GAP, len - first - second);
	return MOVE_PIECES;
}

/* writes the bytes of the input domain to memory of the owner or of the peer */
static void put_bytes(const struct move *m, bool to_memory, const u8 *in)
{
	const struct t_end *owner = &m->p->end[0];
	struct ib_sge sge[MOVE_PIECES];
	int i, n;

	if (to_memory) {
		memcpy(m->p->end[1].buf + MOVE_FAR, in, m->wire);
		return;
	}
	n = move_cut(owner, m->pieces, m->mem, sge);
	for (i = 0; i < n; i++) {
		memcpy(owner->buf + (sge[i].addr - owner->dma), in, sge[i].length);
		in += sge[i].length;
	}
}

static int by_message(const struct move *m, bool to_memory)
{
	struct t_end *owner = &m->p->end[0], *e = &m->p->end[1];
	struct t_end *from = to_memory ? e : owner, *to = to_memory ? owner : e;
	struct ib_sge plain = t_sge(e, MOVE_FAR, m->wire);
	struct ib_sge key = { 0, m->local, m->mkey->lkey };

	T_TRY(t_post_recv_sges(to, 0, to_memory ? &key : &plain, 1));
	T_TRY(dv_start(from, 0, IB_SEND_SIGNALED));
	ib_wr_send(dv_qpx(from));
	ib_wr_set_sge_list(dv_qpx(from), 1, to_memory ? &plain : &key);
	T_EXPECT(ib_wr_complete(dv_qpx(from)), 0);
	T_EXPECT(t_wait(&from->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
	t_clear_counts(&from->sq);
	t_clear_counts(&to->rq);
	return 0;
}

static int by_rdma(const struct move *m, enum move_op op)
{
	struct t_end *owner = &m->p->end[0], *e = &m->p->end[1];
	struct ib_sge plain = t_sge(e, MOVE_FAR, m->wire);
	struct ib_sge key = { 0, m->local, m->mkey->lkey };
	const enum ib_wr_opcode code = op == MOVE_READ || op == MOVE_READ_BY_PEER ?
				       IB_WR_RDMA_READ : IB_WR_RDMA_WRITE;

	if (op == MOVE_READ || op == MOVE_WRITE) {
		T_EXPECT(dv_rdma(owner, 0, code, &key, e->mr[0]->iova + MOVE_FAR, e->mr[0]->rkey),
			 IB_WC_SUCCESS);
		t_clear_counts(&owner->sq);
		return 0;
	}
	T_EXPECT(dv_rdma(e, 0, code, &plain, 0, m->mkey->rkey), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	/* polls the receive CQ: it contains the signature error of a responder */
	t_collect(&owner->rq);
	return 0;
}

/**
 * move_bytes() - write bytes to the input domain, and transfer them
 * @m: transfer
 * @op: the operation
 * @in: bytes of the input domain: m->wire or m->mem bytes
 *
 * All other bytes of both buffers are T_GUARD.
 *
 * Return: 0, or a negative errno if the transfer does not succeed.
 */
int move_bytes(const struct move *m, enum move_op op, const u8 *in)
{
	struct t_end *owner = &m->p->end[0], *e = &m->p->end[1];
	const bool to_memory = move_to_memory(op);

	t_set(owner, T_GUARD);
	t_set(e, T_GUARD);
	put_bytes(m, to_memory, in);
	if (op == MOVE_SEND || op == MOVE_RECV)
		T_TRY(by_message(m, to_memory));
	else
		T_TRY(by_rdma(m, op));
	t_sync(owner);
	t_sync(e);
	return 0;
}

/*
 * Compares @len bytes at @buf with @len bytes of the output domain, from byte @at on. Overwrites
 * the bytes at @buf with T_GUARD.
 */
static int compare_part(u8 *buf, const u8 *out, u32 at, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (buf[i] != out[at + i])
			return T_FAIL("byte %u is %02x, expected %02x", at + i, buf[i],
				      out[at + i]);
	memset(buf, T_GUARD, len);
	return 0;
}

/**
 * move_compare() - compare received bytes, and check that all other bytes are
 * unchanged
 * @m: transfer, after move_bytes()
 * @op: the operation
 * @out: m->mem or m->wire bytes of the output domain
 *
 * Return: 0 or -EIO.
 */
int move_compare(const struct move *m, enum move_op op, const u8 *out)
{
	struct t_end *to = &m->p->end[move_to_memory(op) ? 0 : 1];
	struct ib_sge sge[MOVE_PIECES] = { t_sge(to, MOVE_FAR, m->wire) };
	int i, n = 1;
	u32 at = 0;

	if (move_to_memory(op))
		n = move_cut(to, m->pieces, m->mem, sge);
	for (i = 0; i < n; i++) {
		T_TRY(compare_part(to->buf + (sge[i].addr - to->dma), out, at, sge[i].length));
		at += sge[i].length;
	}
	return t_untouched(to, T_GUARD);
}
