// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys: random layouts against a reference in plain C.
 *
 * The case makes a layout of disjoint pieces of the owner's buffer. The layout is a list
 * or interleaved, and is in the work request or read by the device. In some rounds, a
 * second mkey is a list of pieces of the first mkey. @map contains, for each byte of the
 * mkey, the offset of this byte in the buffer. The peer WRITEs a random part of the mkey
 * and READs another part. Both buffers must agree with @map, and all other bytes must be
 * unchanged.
 *
 * Parameters of the module: random_cases, random_seed.
 */
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "dv.h"

#define MAX_ENTRIES	48
#define MAX_INLINE	40
#define MAX_STRIDE	2000

static unsigned int random_cases = 200;
module_param(random_cases, uint, 0644);
MODULE_PARM_DESC(random_cases, "layouts that mkey_random tries");

static unsigned long random_seed = 1;
module_param(random_seed, ulong, 0644);
MODULE_PARM_DESC(random_seed, "what they begin with");

/**
 * struct dv_random - a random layout
 * @rnd: random numbers
 * @map: offset in the owner's buffer of each byte of the mkey
 * @len: bytes of the mkey
 * @n: number of entries
 * @repeat: repeat count of an interleaved layout; 0 for a list
 * @sge: entries of a list
 * @data: entries of an interleaved layout
 * @expected: expected contents of the owner's buffer
 */
struct dv_random {
	struct rnd_state rnd;
	u16 map[T_BUF_SIZE];
	u32 len;
	u32 n;
	u32 repeat;
	struct ib_sge sge[MAX_ENTRIES];
	struct mlx5dv_mr_interleaved data[MAX_ENTRIES];
	u8 expected[T_BUF_SIZE];
};

static_assert(T_BUF_SIZE <= SZ_64K);

/* a random number from 0 to @below - 1 */
static u32 random_below(struct dv_random *r, u32 below)
{
	return prandom_u32_state(&r->rnd) % below;
}

/* makes a list: as many pieces as fit, each behind a gap, in a random order */
static void make_list(struct dv_random *r, const struct t_end *owner)
{
	u32 max = 1 + random_below(r, MAX_ENTRIES), limit = 1 + random_below(r, 3000), at = 0;
	u32 i, k;

	r->n = 0;
	while (r->n < max) {
		u32 gap = random_below(r, 2) ? random_below(r, 300) : 0;
		u32 len = 1 + random_below(r, limit);

		if (at + gap + len > T_BUF_SIZE)
			break;
		at += gap;
		r->sge[r->n++] = t_sge(owner, at, len);
		at += len;
	}
	for (i = r->n - 1; i; i--) {
		k = random_below(r, i + 1);
		swap(r->sge[i], r->sge[k]);
	}
	r->repeat = 0;
	r->len = 0;
	for (i = 0; i < r->n; i++)
		for (k = 0; k < r->sge[i].length; k++)
			r->map[r->len++] = r->sge[i].addr - owner->dma + k;
}

/* an entry that needs at most @space bytes for all rounds of the layout */
static struct mlx5dv_mr_interleaved make_entry(struct dv_random *r, const struct t_end *owner,
					       u32 at, u32 space)
{
	u32 stride = min_t(u32, space / r->repeat, MAX_STRIDE);
	u32 count = 1 + random_below(r, stride);

	return (struct mlx5dv_mr_interleaved){
		.addr = owner->dma + at,
		.bytes_count = count,
		.bytes_skip = random_below(r, stride - count + 1),
		.lkey = owner->pd->local_dma_lkey,
	};
}

static void make_interleaved(struct dv_random *r, const struct t_end *owner)
{
	u32 space, turn, i, k;

	r->n = 1 + random_below(r, random_below(r, 2) ? 3 : MAX_ENTRIES - 1);
	space = T_BUF_SIZE / r->n;
	r->repeat = 1 + random_below(r, random_below(r, 2) ? 4 : space);
	for (i = 0; i < r->n; i++)
		r->data[i] = make_entry(r, owner, i * space, space);
	r->len = 0;
	for (turn = 0; turn < r->repeat; turn++)
		for (i = 0; i < r->n; i++)
			for (k = 0; k < r->data[i].bytes_count; k++)
				r->map[r->len++] = r->data[i].addr - owner->dma + k +
						   turn * (r->data[i].bytes_count +
							   r->data[i].bytes_skip);
}

/* configures @mkey with the random layout */
static int configure_random(struct dv_random *r, struct t_end *owner, struct mlx5dv_mkey *mkey,
			    struct mlx5dv_layout *lay)
{
	u32 entries = r->n + !!r->repeat;
	struct mlx5dv_mkey_conf_attr attr = {};
	bool prepared = entries > MAX_INLINE || random_below(r, 3) == 0;
	bool fetch = entries > MAX_INLINE || random_below(r, 2);

	if (prepared && r->repeat)
		T_TRY(mlx5dv_layout_interleaved(lay, r->repeat, r->n, r->data));
	else if (prepared)
		T_TRY(mlx5dv_layout_list(lay, r->n, r->sge));
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED | (prepared && fetch ? 0 : IB_SEND_INLINE)));
	mlx5dv_wr_mkey_configure(dv_of(owner), mkey, 2, &attr);
	if (prepared)
		mlx5dv_wr_set_mkey_layout(dv_of(owner), lay);
	else if (r->repeat)
		mlx5dv_wr_set_mkey_layout_interleaved(dv_of(owner), r->repeat, r->n, r->data);
	else
		mlx5dv_wr_set_mkey_layout_list(dv_of(owner), r->n, r->sge);
	mlx5dv_wr_set_mkey_access_flags(dv_of(owner), DV_REMOTE_RW);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	return 0;
}

/* makes @outer a list of pieces of @mkey, in ascending order, so that no byte is used twice */
static int nest_mkey(struct dv_random *r, struct t_end *owner, const struct mlx5dv_mkey *mkey,
		     struct mlx5dv_mkey *outer, struct mlx5dv_layout *lay)
{
	u32 at = 0, total = 0, k, n = 0;

	while (n < MAX_ENTRIES && at < r->len) {
		u32 from = at + (random_below(r, 2) ? random_below(r, r->len - at) : 0);
		u32 len = 1 + random_below(r, min_t(u32, r->len - from, 2000));

		r->sge[n++] = (struct ib_sge){
			.addr = from, .length = len, .lkey = mkey->lkey,
		};
		for (k = 0; k < len; k++)
			r->map[total++] = r->map[from + k];
		at = from + len;
	}
	r->n = n;
	r->repeat = 0;
	r->len = total;
	return configure_random(r, owner, outer, lay);
}

static int write_part(struct dv_random *r, struct t_pair *p, const struct mlx5dv_mkey *mkey,
		      u32 seed)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	u32 off = random_below(r, r->len), len = 1 + random_below(r, r->len - off), i;
	struct ib_sge sge = t_sge(e, 0, len);
	const u8 *from = e->buf;

	t_fill(e, 0, len, seed);
	t_set(owner, T_GUARD);
	memset(r->expected, T_GUARD, T_BUF_SIZE);
	for (i = 0; i < len; i++)
		r->expected[r->map[off + i]] = from[i];
	T_EXPECT(dv_rdma(e, 0, IB_WR_RDMA_WRITE, &sge, off, mkey->rkey), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	t_sync(owner);
	if (memcmp(owner->buf, r->expected, T_BUF_SIZE))
		return T_FAIL("%u bytes written at %u of %u: the owner's buffer is wrong", len,
			      off, r->len);
	return 0;
}

static int read_part(struct dv_random *r, struct t_pair *p, const struct mlx5dv_mkey *mkey,
		     u32 seed)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	u32 off = random_below(r, r->len), len = 1 + random_below(r, r->len - off), i;
	struct ib_sge sge = t_sge(e, 0, len);
	const u8 *from = owner->buf;

	t_fill(owner, 0, T_BUF_SIZE, seed);
	t_set(e, T_GUARD);
	memset(r->expected, T_GUARD, T_BUF_SIZE);
	for (i = 0; i < len; i++)
		r->expected[i] = from[r->map[off + i]];
	T_EXPECT(dv_rdma(e, 0, IB_WR_RDMA_READ, &sge, off, mkey->rkey), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	t_sync(e);
	if (memcmp(e->buf, r->expected, T_BUF_SIZE))
		return T_FAIL("%u bytes read at %u of %u: the reader's buffer is wrong", len, off,
			      r->len);
	return 0;
}

static int run_one(struct dv_random *r, struct t_pair *p, struct mlx5dv_mkey *mkey[2],
		   struct mlx5dv_layout *lay)
{
	struct t_end *owner = &p->end[0];
	struct mlx5dv_mkey *top = mkey[0];
	u32 seed = random_below(r, 250);

	if (random_below(r, 2))
		make_list(r, owner);
	else
		make_interleaved(r, owner);
	T_TRY(configure_random(r, owner, mkey[0], lay));
	if (random_below(r, 4) == 0) {
		T_TRY(nest_mkey(r, owner, mkey[0], mkey[1], lay));
		top = mkey[1];
	}
	T_TRY(write_part(r, p, top, seed));
	return read_part(r, p, top, seed + 1);
}

static int run_many(struct dv_random *r, struct t_pair *p, struct mlx5dv_mkey *mkey[2],
		    struct mlx5dv_layout *lay)
{
	unsigned int i;
	int ret;

	for (i = 0; i < random_cases; i++) {
		/* the seed depends on the round, so that one round can be repeated */
		prandom_seed_state(&r->rnd, random_seed + i);
		ret = run_one(r, p, mkey, lay);
		if (ret) {
			t_log("seed %lu: %u entries, %u turns, %u bytes\n", random_seed + i, r->n,
			      r->repeat, r->len);
			return ret;
		}
	}
	t_log("%u layouts, seeds from %lu on\n", random_cases, random_seed);
	return 0;
}

static int mkey_random(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey[2] = {};
	struct mlx5dv_layout *lay;
	struct dv_random *r;
	int ret = -ENOMEM;

	r = kvzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	mkey[0] = dv_mkey(&p->end[0], 0, MAX_ENTRIES);
	mkey[1] = dv_mkey(&p->end[0], 0, MAX_ENTRIES);
	lay = mlx5dv_alloc_layout(p->end[0].dev, MAX_ENTRIES, GFP_KERNEL);
	if (!IS_ERR(mkey[0]) && !IS_ERR(mkey[1]) && !IS_ERR(lay))
		ret = run_many(r, p, mkey, lay);
	if (!IS_ERR(lay))
		mlx5dv_free_layout(lay);
	if (!IS_ERR(mkey[1]))
		mlx5dv_destroy_mkey(mkey[1]);
	if (!IS_ERR(mkey[0]))
		mlx5dv_destroy_mkey(mkey[0]);
	kvfree(r);
	return ret;
}

const struct t_case dv_mkey_random_cases[] = {
	{ "mkey_random", mkey_random, &dv_wide_opts },
	{ }
};
