// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys in use: as local memory of RDMA operations and as memory of atomics, with each kind of
 * access present and absent, and with as many entries as a work request holds.
 */
#include "dv.h"

#define AT	512	/* offset of the first piece in the owner's buffer */
#define GAP	32	/* bytes between two pieces */
#define FAR	4096	/* offset of the peer's memory in its buffer */
#define WORD_AT	64	/* offset of a word in a piece, for atomics */

typedef int (*use_case)(struct t_pair *p, struct mlx5dv_mkey *mkey);

static int with_mkey(struct t_pair *p, u16 entries, use_case run)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], 0, entries);
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = run(p, mkey);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

struct mkey_arg {
	use_case run;
	u16 entries;
};

static int run_mkey(struct t_pair *p)
{
	const struct mkey_arg *arg = p->arg;

	return with_mkey(p, arg->entries, arg->run);
}

/* entry of the table of cases, for the function @name, with an mkey of @entries entries */
#define DV_MKEY(name, entries, opts)					\
	{ #name, run_mkey, opts, &(const struct mkey_arg){ name, entries } }

/* cuts @n pieces of @len bytes, from offset @at of the buffer, with gaps between the pieces */
static void cut_pieces(const struct t_end *e, struct ib_sge *sge, int n, u32 at, u32 len)
{
	int i;

	for (i = 0; i < n; i++)
		sge[i] = t_sge(e, at + i * (len + GAP), len);
}

/* builds a configuration of @mkey with @n pieces */
static void build_conf(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access,
		       const struct ib_sge *sge, u16 n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), access);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), n, sge);
}

static void build_access(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 1, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), access);
}

/*
 * post the work requests that were built since dv_start(e, 0, ...), and wait until they complete
 */
static int post_conf(struct t_end *e)
{
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

static int configure_pieces(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access, int n, u32 len)
{
	struct ib_sge sge[4];

	cut_pieces(e, sge, n, AT, len);
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	build_conf(e, mkey, access, sge, n);
	return post_conf(e);
}

static int configure_access(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access)
{
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	build_access(e, mkey, access);
	return post_conf(e);
}

/* end 1 WRITEs or READs @len bytes at @addr of the mkey; returns the status of the completion */
static int peer_rdma(struct t_pair *p, enum ib_wr_opcode op, u32 rkey, u64 addr, u32 len)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, FAR, len);
	int ret = dv_rdma(e, 0, op, &sge, addr, rkey);

	t_clear_counts(&e->sq);
	return ret;
}

/* connects both QPs again after a remote access error */
static int reconnect(struct t_pair *p)
{
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_TRY(t_move(p->end[1].qp, IB_QPS_RESET));
	T_TRY(t_pair_connect_path(p, &t_default_path));
	t_clear_counts(&p->end[0].sq);
	t_clear_counts(&p->end[1].sq);
	return 0;
}

/* registers end 1's memory for operations of end 0 */
static int open_far(struct t_end *e)
{
	T_TRY(t_post_reg(e, 0, e->mr[0], DV_REMOTE_RW));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

#define PIECE	300

/* checks that each piece is equal to its part of @all */
static int compare_pieces(const struct t_end *e, u32 at, const u8 *all)
{
	int i;

	for (i = 0; i < 3; i++)
		T_EXPECT(memcmp(e->buf + at + i * (PIECE + GAP), all + i * PIECE, PIECE), 0);
	return 0;
}

/*
 * One chain: the mkey is configured, a WRITE reads its pieces, the mkey is
 * configured with other pieces, and a READ writes the data of the WRITE to these.
 */
static int mkey_local_rdma(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge from[3], to[3];
	const u32 to_at = 8192;
	u64 far;

	T_TRY(open_far(e));
	far = e->mr[0]->iova + FAR;
	t_set(e, T_GUARD);
	t_set(owner, T_GUARD);
	t_fill(owner, AT, 3 * (PIECE + GAP), 7);
	cut_pieces(owner, from, 3, AT, PIECE);
	cut_pieces(owner, to, 3, to_at, PIECE);
	T_TRY(dv_start(owner, 0, IB_SEND_INLINE));
	build_conf(owner, mkey, 0, from, 3);
	dv_next(owner, 1, 0);
	ib_wr_rdma_write(dv_qpx(owner), e->mr[0]->rkey, far);
	ib_wr_set_sge(dv_qpx(owner), mkey->lkey, 0, 3 * PIECE);
	dv_next(owner, 2, IB_SEND_INLINE);
	build_conf(owner, mkey, IB_ACCESS_LOCAL_WRITE, to, 3);
	dv_next(owner, 3, IB_SEND_SIGNALED);
	ib_wr_rdma_read(dv_qpx(owner), e->mr[0]->rkey, far);
	ib_wr_set_sge(dv_qpx(owner), mkey->lkey, 0, 3 * PIECE);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_TRY(dv_expect_only(&owner->sq, 3, 3));

	t_sync(e);
	t_sync(owner);
	T_TRY(compare_pieces(owner, AT, e->buf + FAR));
	T_TRY(compare_pieces(owner, to_at, e->buf + FAR));
	T_EXPECT(memchr_inv(e->buf + FAR + 3 * PIECE, T_GUARD, 100) ? 1 : 0, 0);
	T_EXPECT(memchr_inv(owner->buf + to_at + PIECE, T_GUARD, GAP) ? 1 : 0, 0);
	T_EXPECT(memchr_inv(owner->buf + to_at + 3 * PIECE + 2 * GAP, T_GUARD, 100) ? 1 : 0, 0);
	return 0;
}

/* an atomic of end 1 on a word of the mkey's second piece; @found receives the previous value */
static int run_atomic(struct t_pair *p, const struct mlx5dv_mkey *mkey, bool add, u64 operand,
		      u64 *found)
{
	struct t_end *e = &p->end[1];
	const u64 addr = 128 + WORD_AT;
	int ret;

	t_clear_counts(&e->sq);
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	if (add)
		ib_wr_atomic_fetch_add(dv_qpx(e), mkey->rkey, addr, operand);
	else
		ib_wr_atomic_cmp_swp(dv_qpx(e), mkey->rkey, addr, 5, operand);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	ret = t_wait(&e->sq, 0);
	t_sync(e);
	t_sync(&p->end[0]);
	memcpy(found, e->buf, 8);
	return ret;
}

static int do_atomics(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	u64 *word = owner->buf + AT + 128 + GAP + WORD_AT, found;

	t_set(owner, T_GUARD);
	*word = 2;
	T_TRY(configure_pieces(owner, mkey, DV_REMOTE_RW | IB_ACCESS_REMOTE_ATOMIC, 3, 128));
	T_EXPECT(run_atomic(p, mkey, true, 3, &found), IB_WC_SUCCESS);
	T_EXPECT(found, 2);
	T_EXPECT(*word, 5);
	T_EXPECT(run_atomic(p, mkey, false, 0x0102030405060708, &found), IB_WC_SUCCESS);
	T_EXPECT(found, 5);
	T_EXPECT(*word, 0x0102030405060708);
	T_EXPECT((word[-1] & 0xff) == T_GUARD && (word[1] & 0xff) == T_GUARD, 1);
	/* access flags for READ and WRITE do not allow atomics */
	T_TRY(configure_access(owner, mkey, DV_REMOTE_RW));
	T_EXPECT(run_atomic(p, mkey, true, 3, &found), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(*word, 0x0102030405060708);
	return 0;
}

static int mkey_atomics(struct t_pair *p)
{
	struct t_path path = t_default_path;

	path.access |= IB_ACCESS_REMOTE_ATOMIC;
	T_TRY(t_pair_connect_path(p, &path));
	return with_mkey(p, 4, do_atomics);
}

/* with access flags 0, the owner can read the mkey, and all other accesses are refused */
static int mkey_access_none(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	static const enum ib_wr_opcode ops[] = { IB_WR_RDMA_READ, IB_WR_RDMA_WRITE };
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge into = t_sge(e, 0, 200);
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		T_TRY(configure_pieces(owner, mkey, 0, 2, 100));
		t_set(owner, T_GUARD);
		T_EXPECT(peer_rdma(p, ops[i], mkey->rkey, 0, 8), IB_WC_REM_ACCESS_ERR);
		T_TRY(t_untouched(owner, T_GUARD));
		T_TRY(reconnect(p));
	}
	t_fill(owner, AT, 100, 1);
	t_fill(owner, AT + 100 + GAP, 100, 2);
	T_TRY(t_post_recv_sges(e, 0, &into, 1));
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED));
	ib_wr_send(dv_qpx(owner));
	ib_wr_set_sge(dv_qpx(owner), mkey->lkey, 0, 200);
	T_TRY(post_conf(owner));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check(e, 0, 100, 1));
	return t_check(e, 100, 100, 2);
}

/*
 * The example of mlx5dv_wr_mkey_configure(3). One chain configures an mkey with remote read, and
 * then with remote write. The mkey then allows only WRITEs.
 */
static int mkey_access_replaced(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	struct ib_sge sge = t_sge(owner, AT, 64);

	T_TRY(dv_start(owner, 1, IB_SEND_INLINE));
	build_conf(owner, mkey, IB_ACCESS_REMOTE_READ, &sge, 1);
	dv_next(owner, 0, IB_SEND_INLINE | IB_SEND_SIGNALED);
	build_access(owner, mkey, IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE);
	T_TRY(post_conf(owner));
	t_set(owner, T_GUARD);
	t_fill(&p->end[1], FAR, 64, 3);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, 64), IB_WC_SUCCESS);
	T_TRY(t_check_only(owner, AT, 64, 3));
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, 64), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* an mkey that never had a layout gives access to no memory, with any access flags */
static int mkey_no_layout_yet(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *owner = &p->end[0];

	T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, 8), IB_WC_REM_ACCESS_ERR);
	T_TRY(reconnect(p));
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED));
	mlx5dv_wr_mkey_configure(dv_of(owner), mkey, 0, &attr);
	T_TRY(post_conf(owner));
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, 8), IB_WC_REM_ACCESS_ERR);
	T_TRY(reconnect(p));
	T_TRY(configure_access(owner, mkey, DV_REMOTE_RW));
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, 8), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* the owner cannot write to an mkey without IB_ACCESS_LOCAL_WRITE */
static int mkey_local_write(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];

	T_TRY(open_far(e));
	T_TRY(configure_pieces(owner, mkey, IB_ACCESS_REMOTE_READ, 2, 100));
	t_set(owner, T_GUARD);
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED));
	ib_wr_rdma_read(dv_qpx(owner), e->mr[0]->rkey, e->mr[0]->iova);
	ib_wr_set_sge(dv_qpx(owner), mkey->lkey, 0, 200);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_LOC_PROT_ERR);
	return t_untouched(owner, T_GUARD);
}

/*
 * A SEND cannot invalidate an mkey that was created without remote invalidation: the SEND fails,
 * and the mkey still works.
 */
static int mkey_no_remote_inv(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];

	T_TRY(configure_pieces(owner, mkey, DV_REMOTE_RW, 2, 100));
	T_TRY(t_post_recv(owner, 0));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_send_inv(dv_qpx(e), mkey->rkey);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_REM_ACCESS_ERR);
	T_TRY(reconnect(p));
	t_clear_counts(&owner->rq);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_READ, mkey->rkey, 0, 200), IB_WC_SUCCESS);
	return 0;
}

/* ---- entries of a layout inside a work request ---- */

#define MOST		53	/* largest number of entries in a work request */
#define ENTRY		24	/* bytes of an entry */

/* end 1 WRITEs to the complete mkey; compares each piece, which @skip bytes follow */
static int check_entries(struct t_pair *p, const struct mlx5dv_mkey *mkey, int n, u32 skip)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	int i;

	t_set(owner, T_GUARD);
	t_fill(e, FAR, n * ENTRY, n);
	T_EXPECT(peer_rdma(p, IB_WR_RDMA_WRITE, mkey->rkey, 0, n * ENTRY), IB_WC_SUCCESS);
	t_sync(owner);
	for (i = 0; i < n; i++) {
		const u8 *at = owner->buf + AT + i * (ENTRY + skip);

		T_EXPECT(memcmp(at, e->buf + FAR + i * ENTRY, ENTRY), 0);
		T_EXPECT(memchr_inv(at + ENTRY, T_GUARD, skip) ? 1 : 0, 0);
	}
	return 0;
}

/* Return: 0, the errno of ib_wr_complete(), or -EIO. */
static int configure_list(struct t_end *e, struct mlx5dv_mkey *mkey, int n)
{
	struct ib_sge sge[MOST];
	int ret;

	cut_pieces(e, sge, n, AT, ENTRY);
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	build_conf(e, mkey, DV_REMOTE_RW, sge, n);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

static int configure_turns(struct t_end *e, struct mlx5dv_mkey *mkey, int n)
{
	static struct mlx5dv_mr_interleaved data[MOST];
	int i, ret;

	for (i = 0; i < n; i++)
		data[i] = (struct mlx5dv_mr_interleaved){
			.addr = e->dma + AT + i * (ENTRY + GAP), .bytes_count = ENTRY,
			.lkey = e->pd->local_dma_lkey,
		};
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mr_interleaved(dv_of(e), mkey, DV_REMOTE_RW, 1, n, data);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* the mkey can have more entries than fit in a work request of its QP */
static int check_most(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0];
	const int most = *(const int *)p->arg;
	int i;

	/* WQEs at different places of the ring */
	for (i = 0; i < 5; i++) {
		T_EXPECT(configure_list(owner, mkey, most), 0);
		T_TRY(check_entries(p, mkey, most, GAP));
		T_EXPECT(configure_list(owner, mkey, most + 1), -ENOMEM);
		T_EXPECT(configure_turns(owner, mkey, most), -ENOMEM);
		T_EXPECT(configure_turns(owner, mkey, most - 1), 0);
		T_TRY(check_entries(p, mkey, most - 1, GAP));
	}
	return 0;
}

static int mkey_most_entries(struct t_pair *p)
{
	return with_mkey(p, 64, check_most);
}

/*
 * the limits that <rdma/mlx5dv.h> documents: at least 16 entries, and max_inline_data / 16
 * entries for a QP with inline data
 */
static const int most_by_default = 16, most_at_all = 52;

static const struct t_opts longest_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .inline_size = 52 * 16,
};

static const struct t_opts reset_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .unconnected = true,
};

const struct t_case dv_mkey_use_cases[] = {
	DV_MKEY(mkey_local_rdma, 4, &dv_opts),
	{ "mkey_atomics", mkey_atomics, &reset_opts },
	DV_MKEY(mkey_access_none, 4, &dv_opts),
	DV_MKEY(mkey_access_replaced, 4, &dv_opts),
	DV_MKEY(mkey_no_layout_yet, 4, &dv_opts),
	DV_MKEY(mkey_local_write, 4, &dv_opts),
	DV_MKEY(mkey_no_remote_inv, 4, &dv_opts),
	{ "mkey_most_by_default", mkey_most_entries, &dv_opts, &most_by_default },
	{ "mkey_most_at_all", mkey_most_entries, &longest_opts, &most_at_all },
	{ }
};
