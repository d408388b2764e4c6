// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys: the memory to which a configured mkey gives access, used by the peer and by
 * the owner, and the effects of a further configuration, of an invalidation and of
 * ib_wr_abort().
 */
#include <linux/slab.h>

#include "../../../../samples/mkey_layouts.h"
#include "dv.h"

/* offset of the pieces in the owner's buffer, and of the data in the peer's buffer */
#define AT	512
#define DATA	0

/* configures access flags and a list, and waits */
static int conf_list(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access,
		     const struct ib_sge *sge, u16 n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), access);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), n, sge);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(e->sq.wc[0].opcode, dv_wc_umr(e));
	t_clear_counts(&e->sq);
	return 0;
}

/* configures only access flags (conf_access) or only a list (conf_layout), and waits */
static int conf_access(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 1, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), access);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

static int conf_layout(struct t_end *e, struct mlx5dv_mkey *mkey, const struct ib_sge *sge,
		       u16 n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 1, &attr);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), n, sge);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* end 1 WRITEs or READs @len bytes with @rkey; returns the status of the completion */
static int peer_rdma(struct t_pair *p, enum ib_wr_opcode op, u32 rkey, u64 addr, u32 len)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, DATA, len);
	int ret = dv_rdma(e, 0, op, &sge, addr, rkey);

	t_clear_counts(&e->sq);
	return ret;
}

/* @n pieces of @len bytes, with gaps between them */
static void fill_pieces(const struct t_end *e, struct ib_sge *sge, int n, u32 len)
{
	int i;

	for (i = 0; i < n; i++)
		sge[i] = t_sge(e, AT + i * (len + 32), len);
}

/* checks that the pieces have the bytes of the message, and that no other byte changed */
static int check_pieces(struct t_pair *p, int n, u32 len, u32 seed)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	u8 *expected = kmalloc(T_BUF_SIZE, GFP_KERNEL);
	int i, diff;

	if (!expected)
		return -ENOMEM;
	memset(expected, T_GUARD, T_BUF_SIZE);
	t_fill(e, DATA, n * len, seed);
	for (i = 0; i < n; i++)
		memcpy(expected + AT + i * (len + 32), e->buf + DATA + i * len, len);
	t_sync(owner);
	diff = memcmp(expected, owner->buf, T_BUF_SIZE);
	kfree(expected);
	T_EXPECT(diff, 0);
	return 0;
}

static int write_pieces(struct t_pair *p, const struct mlx5dv_mkey *mkey, int n, u32 len,
			u32 seed)
{
	t_set(&p->end[0], T_GUARD);
	t_fill(&p->end[1], DATA, n * len, seed);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, n * len), IB_WC_SUCCESS);
	return check_pieces(p, n, len, seed);
}

typedef int (*mkey_case)(struct t_pair *p, struct mlx5dv_mkey *mkey);

static int with_mkey(struct t_pair *p, u32 flags, u16 entries, mkey_case run)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], flags, entries);
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = run(p, mkey);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

struct mkey_arg {
	mkey_case run;
	u32 flags;
	u16 entries;
};

static int run_mkey(struct t_pair *p)
{
	const struct mkey_arg *arg = p->arg;

	return with_mkey(p, arg->flags, arg->entries, arg->run);
}

/* entry of the table of cases, for the function @name, with an mkey of these flags and entries */
#define DV_MKEY(name, flags, entries)					\
	{ #name, run_mkey, &dv_opts, &(const struct mkey_arg){ name, flags, entries } }

/* lists of 1 to 4 pieces, written and read by the peer */
static int mkey_list(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge sge[4];
	int n;

	for (n = 1; n <= 4; n++) {
		fill_pieces(owner, sge, n, 700);
		T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, n));
		T_TRY(write_pieces(p, mkey, n, 700, n));
		t_set(e, T_GUARD);
		T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, n * 700), IB_WC_SUCCESS);
		T_TRY(t_check_only(e, DATA, n * 700, n));
	}
	return 0;
}

/* the lkey of an mkey with a list: a SEND reads the list, and a receive writes it */
static int mkey_as_lkey(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge sge[3], whole = { .addr = 0, .length = 900, .lkey = mkey->lkey };
	struct ib_sge from = t_sge(e, DATA, 900), into = t_sge(e, 8192, 900);
	struct ib_send_wr wr;

	fill_pieces(owner, sge, 3, 300);
	T_TRY(conf_list(owner, mkey, IB_ACCESS_LOCAL_WRITE, sge, 3));
	t_set(owner, T_GUARD);
	t_fill(e, DATA, 900, 5);
	T_TRY(t_post_recv_sges(owner, 1, &whole, 1));
	t_send_wr(&wr, &from, 1);
	T_TRY(ib_post_send(e->qp, &wr, NULL));
	T_EXPECT(t_wait(&owner->rq, 1), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
	T_TRY(check_pieces(p, 3, 300, 5));

	T_TRY(t_post_recv_sges(e, 2, &into, 1));
	t_send_wr(&wr, &whole, 2);
	T_TRY(dv_post(owner->qp, &wr));
	T_EXPECT(t_wait(&owner->sq, 2), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&e->rq, 2), IB_WC_SUCCESS);
	return t_check(e, 8192, 900, 5);
}

/*
 * Sends an empty message to the peer. Later work requests of the same QP need not wait for a
 * configuration, but the peer must wait for a message before it uses the mkey.
 */
static int check_tell(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_send_wr wr = { .wr_id = 1, .opcode = IB_WR_SEND };

	T_TRY(t_post_recv_sges(e, 0, NULL, 0));
	T_TRY(ib_post_send(owner->qp, &wr, NULL));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	return 0;
}

/* the examples of the manual page */
static int mkey_example_list(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge mr1 = t_sge(owner, 0, 64), mr2 = t_sge(owner, 8192, 4096);

	T_TRY(mkey_layouts_list(owner->qp, mkey, &mr1, &mr2));
	T_TRY(check_tell(p));
	t_set(owner, T_GUARD);
	t_fill(e, DATA, 4160, 7);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 4160), IB_WC_SUCCESS);
	t_sync(owner);
	T_EXPECT(memcmp(owner->buf, e->buf, 64), 0);
	T_EXPECT(memcmp(owner->buf + 8192, e->buf + 64, 4096), 0);
	T_EXPECT(memchr_inv(owner->buf + 64, T_GUARD, 8192 - 64) ? 1 : 0, 0);
	return 0;
}

static int mkey_example_interleaved(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge mr1 = t_sge(owner, 0, 1028), mr2 = t_sge(owner, 8192, 16);
	const u8 *to = owner->buf, *from = e->buf;

	T_TRY(mkey_layouts_interleaved(owner->qp, mkey, &mr1, &mr2));
	T_TRY(check_tell(p));
	t_set(owner, T_GUARD);
	t_fill(e, DATA, 1040, 7);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 1040), IB_WC_SUCCESS);
	t_sync(owner);
	T_EXPECT(memcmp(to, from, 512), 0);
	T_EXPECT(memcmp(to + 8192, from + 512, 8), 0);
	T_EXPECT(memchr_inv(to + 512, T_GUARD, 4) ? 1 : 0, 0);
	T_EXPECT(memcmp(to + 516, from + 520, 512), 0);
	T_EXPECT(memcmp(to + 8200, from + 1032, 8), 0);
	T_EXPECT(memchr_inv(to + 1028, T_GUARD, 8192 - 1028) ? 1 : 0, 0);
	return 0;
}

/* a further configuration of access replaces the access flags, and keeps the layout */
static int mkey_access(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	struct ib_sge sge[2];

	fill_pieces(owner, sge, 2, 100);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 2));
	T_TRY(conf_access(owner, mkey, IB_ACCESS_REMOTE_READ));
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, 200), IB_WC_SUCCESS);
	T_TRY(conf_access(owner, mkey, DV_REMOTE_RW));
	T_TRY(write_pieces(p, mkey, 2, 100, 3));
	T_TRY(conf_access(owner, mkey, IB_ACCESS_REMOTE_READ));
	t_set(owner, T_GUARD);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 200), IB_WC_REM_ACCESS_ERR);
	return t_untouched(owner, T_GUARD);
}

/* a second layout replaces the first layout, and keeps the access flags */
static int mkey_layout(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	struct ib_sge sge[4];

	fill_pieces(owner, sge, 4, 100);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 4));
	fill_pieces(owner, sge, 2, 50);
	T_TRY(conf_layout(owner, mkey, sge, 2));
	T_TRY(write_pieces(p, mkey, 2, 50, 3));
	/* the mkey has the length of the second layout */
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 101), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* an invalidation clears access flags and layout: setting one does not restore the other */
static int check_invalidated(struct t_pair *p, struct mlx5dv_mkey *mkey, bool inherit_layout)
{
	struct t_end *owner = &p->end[0];
	struct ib_sge sge[2];

	fill_pieces(owner, sge, 2, 100);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 2));
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(owner), mkey->lkey);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	if (inherit_layout)
		T_TRY(conf_access(owner, mkey, DV_REMOTE_RW));
	else
		T_TRY(conf_layout(owner, mkey, sge, 2));
	t_set(owner, T_GUARD);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 8), IB_WC_REM_ACCESS_ERR);
	return t_untouched(owner, T_GUARD);
}

static int mkey_inv_clears_access(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	return check_invalidated(p, mkey, false);
}

static int mkey_inv_clears_layout(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	return check_invalidated(p, mkey, true);
}

/* after an invalidation, access flags and layout can be set again */
static int mkey_inv_and_again(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	struct ib_sge sge[3];

	fill_pieces(owner, sge, 2, 100);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 2));
	T_TRY(t_post_inv(owner, 0, mkey->lkey));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	fill_pieces(owner, sge, 3, 50);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 3));
	return write_pieces(p, mkey, 3, 50, 6);
}

/* the peer invalidates the mkey, which was created with that right */
static int mkey_remote_inv(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	struct t_msg m = { .op = IB_WR_SEND_WITH_INV, .len = 20, .inv_rkey = mkey->rkey };
	struct ib_sge sge[2];

	fill_pieces(owner, sge, 2, 100);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 2));
	T_TRY(write_pieces(p, mkey, 2, 100, 1));
	T_TRY(t_message(p, &m));
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 8), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* a configuration that is aborted changes nothing */
static int mkey_aborted(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *owner = &p->end[0];
	struct ib_sge sge[4];

	fill_pieces(owner, sge, 4, 100);
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 4));
	T_TRY(dv_start(owner, 0, IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(owner), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(owner), 0);
	mlx5dv_wr_set_mkey_layout_list(dv_of(owner), 1, sge);
	ib_wr_abort(dv_qpx(owner));
	return write_pieces(p, mkey, 4, 100, 3);
}

/* posts receives of one page each, in separate pages */
static int post_recvs(struct t_end *e, u64 nr)
{
	struct ib_sge sge;
	u64 id;

	for (id = 0; id < nr; id++) {
		sge = t_sge(e, id * PAGE_SIZE, PAGE_SIZE);
		T_TRY(t_post_recv_sges(e, id, &sge, 1));
	}
	return 0;
}

/* one chain configures the mkey three times and uses each configuration; there is one doorbell */
static int mkey_one_chain(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge sge[3];
	u32 i;

	t_fill(owner, 0, 3000, 1);
	T_TRY(post_recvs(e, 3));
	T_TRY(dv_start(owner, 0, 0));
	for (i = 0; i < 3; i++) {
		fill_pieces(owner, sge, 3, 40 + i);
		dv_next(owner, 10 + i, IB_SEND_INLINE);
		mlx5dv_wr_mr_list(dv_of(owner), mkey, IB_ACCESS_LOCAL_WRITE, 3, sge);
		dv_next(owner, i, IB_SEND_SIGNALED);
		ib_wr_send(dv_qpx(owner));
		ib_wr_set_sge(dv_qpx(owner), mkey->lkey, 0, 3 * (40 + i));
	}
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_TRY(dv_expect_only(&owner->sq, 0, 2));
	T_TRY(dv_expect_only(&e->rq, 0, 2));
	for (i = 0; i < 3; i++) {
		const u8 *got = e->buf + PAGE_SIZE * i, *all = owner->buf + AT;
		u32 k, len = 40 + i;

		T_EXPECT(e->rq.wc[i].byte_len, 3 * len);
		for (k = 0; k < 3; k++)
			T_EXPECT(memcmp(got + k * len, all + k * (len + 32), len), 0);
	}
	return 0;
}

/* an interleaved layout of three rounds of three entries */
static int mkey_interleaved(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct mlx5dv_mr_interleaved data[3];
	const u8 *from = e->buf;
	u32 i, turn;

	for (i = 0; i < 3; i++)
		data[i] = (struct mlx5dv_mr_interleaved){
			.addr = owner->dma + 8192 * i, .bytes_count = 100 + i,
			.bytes_skip = 30 * i, .lkey = owner->pd->local_dma_lkey,
		};
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mr_interleaved(dv_of(owner), mkey, DV_REMOTE_RW, 3, 3, data);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(owner->sq.wc[0].opcode, dv_wc_umr(owner));

	t_set(owner, T_GUARD);
	t_fill(e, DATA, 909, 2);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 909), IB_WC_SUCCESS);
	t_sync(owner);
	for (turn = 0; turn < 3; turn++)
		for (i = 0; i < 3; i++) {
			u32 at = 8192 * i + turn * (100 + i + 30 * i);

			T_EXPECT(memcmp(owner->buf + at, from, 100 + i), 0);
			from += 100 + i;
		}
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 910), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* a layout of 3000 pieces, which the device reads from memory */
static int check_fetched(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge *sge = kvcalloc(3000, sizeof(*sge), GFP_KERNEL);
	int i, ret;

	if (!sge)
		return -ENOMEM;
	/* every second 4 bytes, in descending order of addresses */
	for (i = 0; i < 3000; i++)
		sge[i] = t_sge(owner, 8 * (2999 - i), 4);
	ret = mlx5dv_layout_list(lay, 3000, sge);
	kvfree(sge);
	T_EXPECT(ret, 0);
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED));
	mlx5dv_wr_mkey_configure(dv_of(owner), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_layout(dv_of(owner), lay);
	mlx5dv_wr_set_mkey_access_flags(dv_of(owner), DV_REMOTE_RW);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);

	t_set(owner, T_GUARD);
	t_fill(e, DATA, 12000, 2);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 12000), IB_WC_SUCCESS);
	t_sync(owner);
	for (i = 0; i < 3000; i++) {
		const u8 *at = owner->buf + 8 * (2999 - i);

		T_EXPECT(memcmp(at, e->buf + 4 * i, 4), 0);
		T_EXPECT(memchr_inv(at + 4, T_GUARD, 4) ? 1 : 0, 0);
	}
	return 0;
}

static int mkey_fetched(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], 0, 3000);
	struct mlx5dv_layout *lay;
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	lay = mlx5dv_alloc_layout(p->end[0].dev, 3000, GFP_KERNEL);
	if (IS_ERR(lay)) {
		mlx5dv_destroy_mkey(mkey);
		return T_FAIL("no layout: %ld", PTR_ERR(lay));
	}
	ret = check_fetched(p, mkey, lay);
	mlx5dv_free_layout(lay);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

/* a configuration can change the tag of the key; the old key is then invalid */
static int mkey_tag(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	const u32 old = mkey->rkey;
	struct ib_sge sge[2];

	fill_pieces(owner, sge, 2, 100);
	mkey->lkey = (old & ~0xff) | ((old + 1) & 0xff);
	mkey->rkey = mkey->lkey;
	T_TRY(conf_list(owner, mkey, DV_REMOTE_RW, sge, 2));
	T_TRY(write_pieces(p, mkey, 2, 100, 4));
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, old, 0, 8), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* the reset of signature attributes changes neither access nor layout of an mkey without them */
static int mkey_reset_signature(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	const struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR,
	};
	struct t_end *e = &p->end[0];
	struct ib_sge sge[2];

	fill_pieces(e, sge, 2, 100);
	T_TRY(conf_list(e, mkey, DV_REMOTE_RW, sge, 2));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 0, &attr);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return write_pieces(p, mkey, 2, 100, 6);
}

const struct t_case dv_mkey_cases[] = {
	DV_MKEY(mkey_list, 0, 4),
	DV_MKEY(mkey_as_lkey, 0, 4),
	DV_MKEY(mkey_interleaved, 0, 4),
	DV_MKEY(mkey_example_list, 0, 4),
	DV_MKEY(mkey_example_interleaved, 0, 4),
	DV_MKEY(mkey_access, 0, 4),
	DV_MKEY(mkey_layout, 0, 4),
	DV_MKEY(mkey_inv_clears_access, 0, 4),
	DV_MKEY(mkey_inv_clears_layout, 0, 4),
	DV_MKEY(mkey_inv_and_again, 0, 4),
	DV_MKEY(mkey_remote_inv, MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE, 4),
	DV_MKEY(mkey_aborted, 0, 4),
	DV_MKEY(mkey_one_chain, 0, 4),
	{ "mkey_fetched", mkey_fetched, &dv_opts },
	DV_MKEY(mkey_tag, MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG, 4),
	DV_MKEY(mkey_reset_signature, 0, 4),
	{ }
};
