// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signature mkeys that are configured again before an error was polled or checked. The first
 * mlx5dv_mkey_check() after the completion of a transfer was polled judges this transfer. In any
 * order of posting, polling and checking, a transfer with a wrong signature is never judged good.
 */
#include <linux/prandom.h>
#include <linux/slab.h>

#include "sig.h"

#define LATE_GOOD	0	/* offset of a good block and its signature in the owner's buffer */
#define LATE_BAD	1024	/* offset of a block with a wrong signature */
#define LATE_BLOCK	512
#define LATE_MOST	8	/* largest number of transfers in progress */
#define LATE_ROUNDS	64
#define LATE_STEPS	200

#define CRC_MEM	{								\
	.mem = { .on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512,	\
		 .crc = { MLX5DV_SIG_CRC_TYPE_CRC32, U32_MAX } },		\
	.check_mask = 0xff, .data = LATE_BLOCK }
#define DIF_MEM	{								\
	.mem = { .on = true, .type = MLX5DV_SIG_TYPE_T10DIF, .size = MLX5DV_BLOCK_SIZE_512,	\
		 .dif = { MLX5DV_SIG_T10DIF_CRC, 0, 0x1234, 7 } },		\
	.check_mask = 0xff, .data = LATE_BLOCK }

static const struct sig_case late_crc = CRC_MEM;
static const struct sig_case late_dif = DIF_MEM;

static const struct sig_case *late_case(const struct sig_run *r)
{
	return r->no_crc ? &late_dif : &late_crc;
}

/* result of mlx5dv_mkey_check() for a transfer */
enum verdict {
	LATE_IS_GOOD,
	LATE_IS_BAD,		/* with type, offset and values of the error */
	LATE_UNKNOWN,		/* mlx5dv_mkey_check() returned -EIO */
};

static enum verdict judge(const struct sig_run *r, struct mlx5dv_mkey_err *err)
{
	if (mlx5dv_mkey_check(r->mkey, err))
		return LATE_UNKNOWN;
	return err->err_type == MLX5DV_MKEY_NO_ERR ? LATE_IS_GOOD : LATE_IS_BAD;
}

/* fills in the same block at both offsets; the block at LATE_BAD has a wrong byte of data */
static void fill(const struct sig_run *r, const struct sig_case *c)
{
	struct t_end *e = &r->p->end[0], *peer = &r->p->end[1];

	t_fill(peer, 0, LATE_BLOCK, 5);
	sig_encode(&c->mem, peer->buf, LATE_BLOCK, e->buf + LATE_GOOD);
	sig_encode(&c->mem, peer->buf, LATE_BLOCK, e->buf + LATE_BAD);
	((u8 *)e->buf)[LATE_BAD + 17] ^= 1;
	t_sync(e);
}

static void build_conf(const struct sig_run *r, const struct sig_case *c, bool bad)
{
	struct t_end *e = &r->p->end[0];
	const struct ib_sge sge = t_sge(e, bad ? LATE_BAD : LATE_GOOD,
					sig_bytes(&c->mem, LATE_BLOCK));
	struct mlx5dv_mkey_conf_attr attr = {};

	dv_next(e, T_WRS - 1, IB_SEND_INLINE);
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 2, &attr);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), 1, &sge);
	sig_build(e, c);
}

static void build_write(const struct sig_run *r, const struct sig_case *c, u64 id)
{
	struct t_end *e = &r->p->end[0], *peer = &r->p->end[1];

	dv_next(e, id, IB_SEND_SIGNALED);
	ib_wr_rdma_write(dv_qpx(e), peer->mr[0]->rkey, peer->mr[0]->iova + 4096);
	ib_wr_set_sge(dv_qpx(e), r->mkey->lkey, 0, sig_local_len(c));
}

/* posts a configuration and a WRITE as one chain */
static int post_pair(const struct sig_run *r, const struct sig_case *c, u64 id, bool bad)
{
	struct t_end *e = &r->p->end[0];

	T_TRY(dv_start(e, id, 0));
	build_conf(r, c, bad);
	build_write(r, c, id);
	return ib_wr_complete(dv_qpx(e));
}

static int replace(struct sig_run *r)
{
	mlx5dv_destroy_mkey(r->mkey);
	r->mkey = dv_mkey(&r->p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 8);
	return IS_ERR(r->mkey) ? T_FAIL("no mkey: %ld", PTR_ERR(r->mkey)) : 0;
}

/* three bad transfers in one chain: each is polled and then judged, or all are polled first */
static int sig_late_chain(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_mkey_err err;
	int way, i;

	for (way = 0; way < 2; way++) {
		fill(r, late_case(r));
		T_TRY(dv_start(e, 0, 0));
		for (i = 0; i < 3; i++) {
			build_conf(r, late_case(r), true);
			build_write(r, late_case(r), i);
		}
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		if (way)
			T_EXPECT(t_wait(&e->sq, 2), IB_WC_SUCCESS);
		for (i = 0; i < 3; i++) {
			T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
			if (judge(r, &err) == LATE_IS_GOOD)
				return T_FAIL("bad transfer %d of 3 was judged good", i);
		}
		t_clear_counts(&e->sq);
		/* errors may have been lost, so configuring the mkey again is refused */
		T_EXPECT(post_pair(r, late_case(r), 3, false), -EIO);
		T_EXPECT(judge(r, &err), LATE_UNKNOWN);
		T_TRY(replace(r));
	}
	return 0;
}

/* several transfers with a wrong signature use one configuration: only the first is reported */
static int sig_late_again(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_mkey_err err;
	int i;

	fill(r, late_case(r));
	T_EXPECT(post_pair(r, late_case(r), 0, true), 0);
	for (i = 0; i < 3; i++) {
		if (i) {
			T_TRY(dv_start(e, i, 0));
			build_write(r, late_case(r), i);
			T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		}
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
		T_EXPECT(judge(r, &err), i ? LATE_UNKNOWN : LATE_IS_BAD);
	}
	/* the next configuration arms the mkey again */
	for (i = 3; i < 5; i++) {
		T_EXPECT(post_pair(r, late_case(r), i, i == 4), 0);
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
		T_EXPECT(judge(r, &err), i == 4 ? LATE_IS_BAD : LATE_IS_GOOD);
	}
	return 0;
}

/* a configuration is refused until the error of the previous configuration was checked */
static int sig_late_unread(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_mkey_err err;
	int i;

	fill(r, late_case(r));
	for (i = 0; i < 4; i += 2) {
		T_EXPECT(post_pair(r, late_case(r), i, true), 0);
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
		T_EXPECT(post_pair(r, late_case(r), i + 1, true), -EBUSY);
		T_EXPECT(judge(r, &err), LATE_IS_BAD);
	}
	return 0;
}

/*
 * Before the error is polled, the mkey gets attributes of another kind, if the device has another
 * kind, or no attributes. The values of the error must not be decoded as those of the new kind.
 */
static int sig_late_kinds(struct sig_run *r)
{
	struct mlx5dv_mkey_conf_attr reset = { .conf_flags = MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR };
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_mkey_err err;
	enum verdict found;
	u64 guard;
	int way;

	for (way = 0; way < 2; way++) {
		fill(r, &late_dif);
		guard = sig_value(&late_dif.mem, e->buf + LATE_BAD + LATE_BLOCK,
				  MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
		T_TRY(dv_start(e, 0, 0));
		build_conf(r, &late_dif, true);
		build_write(r, &late_dif, 0);
		dv_next(e, 1, IB_SEND_SIGNALED | IB_SEND_INLINE);
		mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, !way, &reset);
		if (!way)
			sig_build(e, late_case(r));
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
		found = judge(r, &err);
		T_EXPECT(found == LATE_IS_GOOD, false);
		if (found == LATE_IS_BAD)
			T_EXPECT(err.err.sig.expected_value, guard);
		t_clear_counts(&e->sq);
		T_TRY(replace(r));
	}
	return 0;
}

/**
 * struct late - transfers in a random order
 * @r: the run
 * @rnd: random numbers
 * @bad: for each transfer, whether its signature is wrong; indices from @done are in progress
 * @posted: number of transfers posted
 * @done: number of judged transfers
 * @wrong: number of judged transfers with a wrong signature
 * @alarms: number of good transfers that were not judged good
 * @refused: number of refused configurations
 */
struct late {
	struct sig_run *r;
	struct rnd_state rnd;
	bool bad[T_WRS];
	u32 posted;
	u32 done;
	u32 wrong;
	u32 alarms;
	u32 refused;
};

static int late_judge(struct late *l)
{
	struct t_queue *q = &l->r->p->end[0].sq;
	struct mlx5dv_mkey_err err;
	enum verdict found;

	T_EXPECT(t_wait(q, l->done), IB_WC_SUCCESS);
	found = judge(l->r, &err);
	if (l->bad[l->done] && found == LATE_IS_GOOD)
		return T_FAIL("transfer %u of %u was judged good", l->done, l->posted);
	l->wrong += l->bad[l->done];
	l->alarms += !l->bad[l->done] && found != LATE_IS_GOOD;
	l->done++;
	return 0;
}

static int late_post(struct late *l)
{
	const bool bad = !(prandom_u32_state(&l->rnd) % 6);
	int ret;

	ret = post_pair(l->r, late_case(l->r), l->posted, bad);
	if (!ret) {
		l->bad[l->posted++] = bad;
		return 0;
	}
	l->refused++;
	T_EXPECT(ret == -EBUSY || ret == -EIO, true);
	while (l->done < l->posted)
		T_TRY(late_judge(l));
	return ret == -EIO ? replace(l->r) : 0;
}

/* posts and judges in a random order, with at most @most transfers in progress */
static int late_round(struct late *l, u32 most)
{
	const u32 until = l->posted + LATE_STEPS;

	while (l->posted < until) {
		if (l->posted - l->done < most && prandom_u32_state(&l->rnd) & 1)
			T_TRY(late_post(l));
		else if (l->done < l->posted)
			T_TRY(late_judge(l));
	}
	while (l->done < l->posted)
		T_TRY(late_judge(l));
	return 0;
}

static int sig_late_random(struct sig_run *r)
{
	struct late *l;
	int ret = 0, i;
	u32 wrong = 0, alarms = 0, refused = 0;

	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	l->r = r;
	fill(r, late_case(r));
	for (i = 0; i < LATE_ROUNDS && !ret; i++) {
		prandom_seed_state(&l->rnd, i + 1);
		l->posted = 0;
		l->done = 0;
		l->alarms = 0;
		/*
		 * with one transfer in progress, no configuration is refused, and each good
		 * transfer is judged good
		 */
		ret = late_round(l, 1 + i % LATE_MOST);
		if (!ret && !(i % LATE_MOST) && l->alarms)
			ret = T_FAIL("%u good transfers were not judged good", l->alarms);
		alarms += l->alarms;
		t_clear_counts(&r->p->end[0].sq);
	}
	wrong = l->wrong;
	refused = l->refused;
	kfree(l);
	if (!ret)
		t_log("bad %u, judged good 0; good ones in doubt %u; configurations refused %u\n",
		      wrong, alarms, refused);
	return ret;
}

const struct t_case dv_sig_late_cases[] = {
	DV_SIG(sig_late_chain, sig_with_peer, &dv_opts),
	DV_SIG(sig_late_again, sig_with_peer, &dv_opts),
	DV_SIG(sig_late_unread, sig_with_peer, &dv_opts),
	DV_SIG(sig_late_kinds, sig_with_peer, &dv_opts),
	DV_SIG(sig_late_random, sig_with_peer, &dv_opts),
	{ }
};
