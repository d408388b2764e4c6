// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Contents of buffers, and one message with all its checks.
 */
#include <linux/module.h>

#include "ibx_test.h"

static bool whole_messages;
module_param(whole_messages, bool, 0644);
MODULE_PARM_DESC(whole_messages, "no packet of a message that fails may arrive (default n)");

/* offsets of a message in both buffers: different, and not at a page boundary */
#define T_FROM	(PAGE_SIZE + 24)
#define T_TO	(2 * PAGE_SIZE - 104)

/**
 * t_sync() - make data that the device has written to an end's buffer visible
 * @e: the end
 */
void t_sync(struct t_end *e)
{
	ib_dma_sync_single_for_cpu(e->dev, e->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
}
EXPORT_SYMBOL_GPL(t_sync);

/**
 * t_set() - set an end's whole buffer to one byte
 * @e: the end
 * @byte: value of each byte
 */
void t_set(struct t_end *e, u8 byte)
{
	memset(e->buf, byte, T_BUF_SIZE);
	ib_dma_sync_single_for_device(e->dev, e->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
}
EXPORT_SYMBOL_GPL(t_set);

/**
 * t_untouched() - check that each byte of the buffer has one value
 * @e: the end
 * @byte: value of each byte
 *
 * Return: 0 or -EIO.
 */
int t_untouched(struct t_end *e, u8 byte)
{
	t_sync(e);
	T_EXPECT(memchr_inv(e->buf, byte, T_BUF_SIZE) ? 1 : 0, 0);
	return 0;
}
EXPORT_SYMBOL_GPL(t_untouched);

/* the period is no power of two, so that packets and pages have different bytes */
static u8 t_byte(u32 seed, u32 i)
{
	return seed * 37 + i % 251 + i / 251 * 3;
}

/**
 * t_fill() - write the bytes of a message
 * @e: the end
 * @offset: offset of the message in the buffer
 * @len: bytes
 * @seed: seed of the pattern
 */
void t_fill(struct t_end *e, u32 offset, u32 len, u32 seed)
{
	u8 *buf = e->buf + offset;
	u32 i;

	for (i = 0; i < len; i++)
		buf[i] = t_byte(seed, i);
	ib_dma_sync_single_for_device(e->dev, e->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
}
EXPORT_SYMBOL_GPL(t_fill);

/**
 * t_check() - check that bytes are those that t_fill() writes
 * @e: the end
 * @offset: offset of the message in the buffer
 * @len: number of bytes
 * @seed: seed of the pattern
 *
 * Return: 0 or -EIO.
 */
int t_check(struct t_end *e, u32 offset, u32 len, u32 seed)
{
	const u8 *buf = e->buf + offset;
	u32 i;

	t_sync(e);
	for (i = 0; i < len; i++)
		if (buf[i] != t_byte(seed, i))
			return T_FAIL("byte %u of %u is %#x, expected %#x", i, len, buf[i],
				      t_byte(seed, i));
	return 0;
}
EXPORT_SYMBOL_GPL(t_check);

/**
 * t_check_only() - check the pattern as t_check() does, and that all other bytes of the buffer are
 * T_GUARD
 * @e: the end
 * @offset: offset of the message in the buffer
 * @len: number of bytes
 * @seed: seed of the pattern
 *
 * Return: 0 or -EIO.
 */
int t_check_only(struct t_end *e, u32 offset, u32 len, u32 seed)
{
	const void *end = e->buf + offset + len;

	T_TRY(t_check(e, offset, len, seed));
	if (memchr_inv(e->buf, T_GUARD, offset))
		return T_FAIL("bytes before the message were written");
	if (memchr_inv(end, T_GUARD, T_BUF_SIZE - offset - len))
		return T_FAIL("bytes behind the message were written");
	return 0;
}
EXPORT_SYMBOL_GPL(t_check_only);

/**
 * t_check_packets() - check the bytes that packets of a failed message have written
 * @e: the end
 * @from: first byte of the buffer that is checked
 * @offset: offset of the message in the buffer, at least @from
 * @len: bytes in the packets before the one that fails, a multiple of T_MTU
 * @seed: seed of the pattern
 *
 * The device determines how many of these packets arrive: it may check each packet when it comes,
 * or the complete message first. With the parameter whole_messages, no packet may arrive. All other
 * bytes from @from on are T_GUARD.
 *
 * Return: 0 or -EIO.
 */
int t_check_packets(struct t_end *e, u32 from, u32 offset, u32 len, u32 seed)
{
	const u8 *buf = e->buf;
	u32 n = 0;

	t_sync(e);
	while (n < len && !whole_messages && memchr_inv(buf + offset + n, T_GUARD, T_MTU))
		n += T_MTU;
	T_TRY(t_check(e, offset, n, seed));
	if (memchr_inv(buf + from, T_GUARD, offset - from))
		return T_FAIL("bytes before the message were written");
	if (memchr_inv(buf + offset + n, T_GUARD, T_BUF_SIZE - offset - n))
		return T_FAIL("bytes behind the %u that arrived were written", n);
	return 0;
}
EXPORT_SYMBOL_GPL(t_check_packets);

/**
 * t_open() - register end 0's first MR, for t_message()
 * @p: the pair
 * @access: IB_ACCESS_*
 *
 * Return: 0 or -EIO.
 */
int t_open(struct t_pair *p, int access)
{
	struct t_end *owner = &p->end[0];

	T_TRY(t_post_reg(owner, 0, owner->mr[0], access));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	return 0;
}
EXPORT_SYMBOL_GPL(t_open);

static bool t_receives(enum ib_wr_opcode op)
{
	return op != IB_WR_RDMA_WRITE && op != IB_WR_RDMA_READ;
}

static int t_post_message(struct t_pair *p, const struct t_msg *m)
{
	struct t_end *e = &p->end[1];
	struct ib_mr *mr = p->end[0].mr[0];
	struct ib_sge sge = t_sge(e, m->op == IB_WR_RDMA_READ ? T_TO : T_FROM, m->len);
	struct ib_rdma_wr wr = {};

	t_send_wr(&wr.wr, &sge, 0);
	wr.wr.opcode = m->op;
	wr.wr.send_flags |= m->flags;
	wr.wr.num_sge = m->len ? 1 : 0;
	wr.wr.ex.imm_data = m->imm;
	if (m->op == IB_WR_SEND_WITH_INV)
		wr.wr.ex.invalidate_rkey = m->inv_rkey;
	if (m->flags & IB_SEND_INLINE)
		sge.addr = (uintptr_t)e->buf + T_FROM;
	wr.rkey = mr->rkey;
	wr.remote_addr = mr->iova + (m->op == IB_WR_RDMA_READ ? T_FROM : T_TO);
	T_TRY(p->opts->post ? p->opts->post(e->qp, &wr.wr) : ib_post_send(e->qp, &wr.wr, NULL));
	/* inline data were copied by the post, so the buffer may change; other data may not */
	if (m->flags & IB_SEND_INLINE)
		t_set(e, 0);
	return 0;
}

static int t_check_recv_wc(struct t_pair *p, const struct t_msg *m)
{
	struct t_end *e = &p->end[0];
	const struct ib_wc *wc = &e->rq.wc[0];
	bool imm = m->op == IB_WR_SEND_WITH_IMM || m->op == IB_WR_RDMA_WRITE_WITH_IMM;
	bool inv = m->op == IB_WR_SEND_WITH_INV;

	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(wc->opcode, m->op == IB_WR_RDMA_WRITE_WITH_IMM ?
		 IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV);
	T_EXPECT(wc->byte_len, m->len);
	T_EXPECT(wc->qp == e->qp, 1);
	T_EXPECT(wc->wc_flags & IB_WC_WITH_IMM ? 1 : 0, imm);
	T_EXPECT(wc->wc_flags & IB_WC_WITH_INVALIDATE ? 1 : 0, inv);
	if (imm)
		T_EXPECT(be32_to_cpu(wc->ex.imm_data), be32_to_cpu(m->imm));
	if (inv)
		T_EXPECT(wc->ex.invalidate_rkey, m->inv_rkey);
	return 0;
}

static enum ib_wc_opcode t_wc_opcode(enum ib_wr_opcode op)
{
	switch (op) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	default:
		return IB_WC_SEND;
	}
}

/**
 * t_message() - move one message and check its data and completions
 * @p: the pair, without outstanding work requests; for RDMA, t_open() was called
 * @m: the message
 *
 * All bytes arrive, no other byte is written, and both completions have the
 * expected values. Clears the counts of all queues.
 *
 * Return: 0 or -EIO.
 */
int t_message(struct t_pair *p, const struct t_msg *m)
{
	bool read = m->op == IB_WR_RDMA_READ;
	struct t_end *from = &p->end[!read], *to = &p->end[read];
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(to, T_TO, m->len);

	if (m->len > T_BUF_SIZE - T_TO)
		return T_FAIL("a message of %u bytes", m->len);
	t_set(to, T_GUARD);
	t_fill(from, T_FROM, m->len, m->seed);
	if (t_receives(m->op))
		T_TRY(t_post_recv_sges(to, 0, &sge, m->op != IB_WR_RDMA_WRITE_WITH_IMM &&
				       m->len ? 1 : 0));
	T_TRY(t_post_message(p, m));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(e->sq.wc[0].opcode, t_wc_opcode(m->op));
	T_EXPECT(e->sq.wc[0].qp == e->qp, 1);
	if (t_receives(m->op))
		T_TRY(t_check_recv_wc(p, m));
	T_TRY(t_check_only(to, T_TO, m->len, m->seed));
	t_clear_counts(&e->sq);
	t_clear_counts(&p->end[0].rq);
	return 0;
}
EXPORT_SYMBOL_GPL(t_message);
