// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Wrong block signatures: which bytes are checked, how an error is reported, and
 * the state of the mkey after an error.
 */
#include <linux/delay.h>
#include <linux/unaligned.h>

#include "sig.h"

#define BLOCKS	3

#define DIF_GUARD(size_, guard, bg_, app, ref, flags_)	{			\
	.on = true, .type = MLX5DV_SIG_TYPE_T10DIF, .size = MLX5DV_BLOCK_SIZE_##size_,	\
	.dif = { MLX5DV_SIG_T10DIF_##guard, bg_, app, ref, flags_ } }
#define DIF(size_, app, ref, flags_)	DIF_GUARD(size_, CRC, 0, app, ref, flags_)
#define CRC(size_, crc_)	{						\
	.on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_##size_,	\
	.crc = { MLX5DV_SIG_CRC_TYPE_##crc_, U64_MAX } }
#define REMAP	MLX5DV_SIG_T10DIF_FLAG_REF_REMAP

static const struct sig_dom kinds[] = {
	DIF(512, 0x1234, 0x56789abc, REMAP), CRC(520, CRC32), CRC(4096, CRC32C),
	CRC(512, CRC64_XP10), DIF_GUARD(512, CSUM, 0xffff, 0x1234, 0x56789abc, REMAP),
	DIF_GUARD(4160, CSUM, 0, 0x1234, 0x56789abc, REMAP), CRC(4048, CRC32C),
};

static const struct sig_dom *input(const struct sig_run *r, enum move_op op)
{
	return move_to_memory(op) ? &r->c.wire : &r->c.mem;
}

/* sets signatures in the domain that is the input of @op, and no signatures in the other domain */
static void one_domain(struct sig_run *r, const struct sig_dom *d, enum move_op op)
{
	r->c = (struct sig_case){ .check_mask = 0xff };
	if (move_to_memory(op))
		r->c.wire = *d;
	else
		r->c.mem = *d;
	r->c.data = BLOCKS * sig_block(d);
}

/* the type of error that a wrong byte at @byte of a block causes */
static enum mlx5dv_mkey_err_type type_of(const struct sig_dom *d, u32 byte)
{
	const u32 in_sig = byte - sig_block(d);

	if (d->type == MLX5DV_SIG_TYPE_CRC || byte < sig_block(d) || in_sig < 2)
		return MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD;
	return in_sig < 4 ? MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG : MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG;
}

/* the value that the device calculates for the changed data; only the guard can differ */
static u64 actual_value(const struct sig_dom *d, const u8 *block, u32 index,
			enum mlx5dv_mkey_err_type type)
{
	static u8 again[4160 + SIG_MAX_LEN];
	struct sig_dom at = *d;

	if (d->type == MLX5DV_SIG_TYPE_T10DIF && d->dif.flags & REMAP)
		at.dif.ref_tag += index;
	sig_encode(&at, block, sig_block(d), again);
	return sig_value(d, again + sig_block(d), type);
}

/*
 * Changes byte @byte of block @index of the input. The transfer succeeds, and the error
 * is reported once.
 */
static int spoil(struct sig_run *r, enum move_op op, u32 index, u32 byte)
{
	const struct sig_dom *d = input(r, op);
	const u32 step = sig_block(d) + sig_len(d);
	const enum mlx5dv_mkey_err_type type = type_of(d, byte);
	struct mlx5dv_sig_err err;
	u64 expected, actual;

	T_TRY(sig_configure(r));
	sig_make(r, move_to_memory(op), index + byte);
	r->in[index * step + byte] ^= 0x10;
	if (byte < sig_block(d))
		r->out[index * sig_block(d) + byte] ^= 0x10;
	expected = sig_value(d, r->in + index * step + sig_block(d), type);
	actual = actual_value(d, r->in + index * step, index, type);
	T_TRY(sig_move(r, op));
	T_TRY(sig_compare(r, op));
	T_TRY(sig_check(r, type, &err));
	T_EXPECT(err.offset, index * step);
	T_EXPECT(err.expected_value, expected);
	T_EXPECT(err.actual_value, actual);
	return sig_check_stopped(r);
}

static int sig_spoiled(struct sig_run *r)
{
	int i, n = 0;
	enum move_op op;
	u32 index, byte;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct sig_dom kind = sig_fit(r, &kinds[i]);

		for (op = 0; op < MOVE_OPS; op++) {
			one_domain(r, &kind, op);
			for (index = 0; index < BLOCKS; index++) {
				T_TRY(spoil(r, op, index, 0));
				T_TRY(spoil(r, op, index, sig_block(&kind) - 1));
				n += 2;
				for (byte = 0; byte < sig_len(&kind); byte++, n++)
					T_TRY(spoil(r, op, index, sig_block(&kind) + byte));
			}
		}
	}
	t_log("cases %d mismatches 0\n", n);
	return 0;
}

/* changes each byte of data, or with sig_every each 61st byte */
static int spoil_bytes(struct sig_run *r, const struct sig_dom *kind, enum move_op op, int *n)
{
	const u32 stride = sig_stride() > 1 ? 61 : 1;
	u32 index, byte;

	one_domain(r, kind, op);
	for (index = 0; index < BLOCKS; index++) {
		/* the first byte that is changed differs from block to block */
		for (byte = index % stride; byte < sig_block(kind); byte += stride, ++*n)
			T_TRY(spoil(r, op, index, byte));
		cond_resched();
	}
	return 0;
}

/* wrong bytes of data in the first, the middle and the last block */
static int sig_each_byte(struct sig_run *r)
{
	int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct sig_dom kind = sig_fit(r, &kinds[i]);

		T_TRY(spoil_bytes(r, &kind, MOVE_READ, &n));
		T_TRY(spoil_bytes(r, &kind, MOVE_WRITE, &n));
	}
	t_log("cases %d mismatches 0\n", n);
	return 0;
}

/*
 * The reference tag wraps after the first block; the last block has a wrong reference tag.
 */
static int sig_wraps(struct sig_run *r)
{
	const struct sig_dom dom = DIF(512, 0x1234, U32_MAX, REMAP);
	struct mlx5dv_sig_err err;
	enum move_op op;

	for (op = 0; op < MOVE_OPS; op++) {
		one_domain(r, &dom, op);
		T_TRY(sig_configure(r));
		sig_make(r, move_to_memory(op), op);
		T_EXPECT(get_unaligned_be32(r->in + 512 + 4), U32_MAX);
		T_EXPECT(get_unaligned_be32(r->in + 520 + 512 + 4), 0);
		T_TRY(sig_move(r, op));
		T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
		sig_make(r, move_to_memory(op), op);
		put_unaligned_be32(2, r->in + 2 * 520 + 512 + 4);
		T_TRY(sig_move(r, op));
		T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG, &err));
		T_EXPECT(err.expected_value, 2);
		T_EXPECT(err.actual_value, 1);
		T_EXPECT(err.offset, 2 * 520);
	}
	return 0;
}

/*
 * Of several errors in a block and in a transfer, the first error is reported. If
 * both tags are wrong, an unchanged mlx5_ib reports the reference tag.
 */
static int sig_several(struct sig_run *r)
{
	const enum mlx5dv_mkey_err_type tag = dv_on_unchanged(r->p->end[0].dev) ?
		MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG : MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG;
	struct mlx5dv_sig_err err;
	int i;

	one_domain(r, &kinds[0], MOVE_WRITE);
	for (i = 0; i < 2; i++) {
		T_TRY(sig_configure(r));
		sig_make(r, false, i);
		/*
		 * both tags of the second block, and the guard of the third
		 * block
		 */
		r->in[520 + 512 + 2] ^= 1;
		r->in[520 + 512 + 7] ^= 1;
		r->in[2 * 520 + 512] ^= 1;
		/* in round 1, also the guard of the second block */
		if (i)
			r->in[520 + 512] ^= 1;
		T_TRY(sig_move(r, MOVE_WRITE));
		T_TRY(sig_check(r, i ? MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD : tag, &err));
		T_EXPECT(err.offset, 520);
		T_TRY(sig_check_stopped(r));
	}
	return 0;
}

/*
 * After an error, the mkey reports no error until it is configured again. That
 * configuration may keep the attributes.
 */
static int sig_after(struct sig_run *r)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *e = &r->p->end[0];
	int i;

	one_domain(r, &kinds[1], MOVE_WRITE);
	T_TRY(sig_configure(r));
	for (i = 0; i < 5; i++) {
		sig_make(r, false, i);
		r->in[3] ^= 1;
		T_TRY(sig_move(r, MOVE_WRITE));
		T_TRY(sig_move(r, MOVE_WRITE));
		T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
		T_TRY(sig_check_stopped(r));
		T_TRY(sig_move(r, MOVE_WRITE));
		T_TRY(sig_check_stopped(r));

		T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
		mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 0, &attr);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
		t_clear_counts(&e->sq);
		sig_make(r, false, i);
		T_TRY(sig_move(r, MOVE_WRITE));
		T_TRY(sig_compare(r, MOVE_WRITE));
		T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
	}
	return 0;
}

/* creates another mkey, and destroys r->mkey */
static int replace_mkey(struct sig_run *r)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&r->p->end[0],
					   MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 8);

	if (IS_ERR(mkey))
		return T_FAIL("no other mkey: %ld", PTR_ERR(mkey));
	mlx5dv_destroy_mkey(r->mkey);
	r->mkey = mkey;
	return 0;
}

/*
 * Starts a transfer with a wrong byte on an mkey that has no error. The error is
 * not checked yet.
 */
static int first_error(struct sig_run *r, u32 seed)
{
	T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
	T_TRY(sig_configure(r));
	sig_make(r, false, seed);
	r->in[3] ^= 1;
	T_TRY(sig_move(r, MOVE_READ_BY_PEER));
	return 0;
}

/* the peer READs the mkey of a key once more */
static int read_again(struct sig_run *r, u32 rkey)
{
	struct t_end *e = &r->p->end[1];
	const struct ib_sge sge = t_sge(e, MOVE_FAR, r->c.data);

	T_EXPECT(dv_rdma(e, 0, IB_WR_RDMA_READ, &sge, 0, rkey), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/*
 * Configures r->mkey, whose memory has a wrong signature since first_error(), and
 * lets the peer READ it. The error is not polled.
 */
static int unpolled_error(struct sig_run *r)
{
	T_TRY(sig_configure(r));
	return read_again(r, r->mkey->rkey);
}

/*
 * An mkey is destroyed with an error whose CQE was polled but not checked, or was not
 * polled. The next mkey does not have this error.
 */
static int sig_destroyed(struct sig_run *r)
{
	struct t_end *owner = &r->p->end[0];

	one_domain(r, &kinds[0], MOVE_READ_BY_PEER);
	T_TRY(first_error(r, 1));
	T_TRY(replace_mkey(r));
	T_TRY(first_error(r, 2));
	T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));

	T_TRY(unpolled_error(r));
	T_TRY(replace_mkey(r));
	T_EXPECT(t_collect(&owner->rq), 0);
	T_TRY(first_error(r, 3));
	return sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL);
}

/* the QP of an error that was not polled is destroyed: the mkey still has the error */
static int sig_qp_destroyed(struct sig_run *r)
{
	struct t_end *owner = &r->p->end[0];

	one_domain(r, &kinds[0], MOVE_READ_BY_PEER);
	T_TRY(first_error(r, 1));
	T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
	T_TRY(unpolled_error(r));
	T_TRY(mlx5dv_destroy_qp(owner->qp));
	owner->qp = NULL;
	return sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL);
}

/* wait until the script has unplugged the device */
static int wait_until_lost(struct ib_device *dev)
{
	struct ib_port_attr attr;
	int tries = 6000;

	while (!ib_query_port(dev, 1, &attr))
		if (tries--)
			msleep(100);
		else
			return T_FAIL("the device is not lost");
	return 0;
}

/*
 * The script makes the device refuse DESTROY_MKEY. The mkey still exists, and
 * reports an error when its peer READs it: mlx5_ib must find the mkey. The other
 * objects exist until the device is lost.
 */
static int run_left(struct sig_run *r)
{
	struct t_end *owner = &r->p->end[0];
	const u32 rkey = r->mkey->rkey;

	one_domain(r, &kinds[0], MOVE_READ_BY_PEER);
	T_TRY(first_error(r, 1));
	T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
	T_TRY(sig_configure(r));
	mlx5dv_destroy_mkey(r->mkey);
	r->mkey = ERR_PTR(-ENOENT);
	T_TRY(read_again(r, rkey));
	T_EXPECT(t_collect(&owner->rq), 0);
	T_EXPECT(t_collect(&owner->sq), 0);
	return wait_until_lost(owner->dev);
}

/**
 * sig_left() - case of the suite "backend"
 * @p: the pair
 *
 * Return: 0 or a negative errno.
 */
int sig_left(struct t_pair *p)
{
	return sig_with_peer(p, run_left);
}

#define AMID_ROUNDS	40	/* the CQ of the receives wraps */
#define AMID_BEFORE	3	/* receives before the error */
#define AMID_AFTER	2

static int send_to_owner(struct sig_run *r, u64 first, u64 nr)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	const struct ib_sge sge = t_sge(e, MOVE_FAR, 8);
	u64 id;

	for (id = first; id < first + nr; id++) {
		T_TRY(t_post_recv(owner, id));
		T_TRY(dv_start(e, id, IB_SEND_SIGNALED));
		ib_wr_send(dv_qpx(e));
		ib_wr_set_sge_list(dv_qpx(e), 1, &sge);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	}
	return 0;
}

/*
 * An error that was not polled is between completions of receives when its mkey
 * is destroyed. The receives complete in their order, also where the CQ wraps.
 */
static int sig_amid(struct sig_run *r)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	int round, i;

	one_domain(r, &kinds[0], MOVE_READ_BY_PEER);
	T_TRY(first_error(r, 1));
	T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
	for (round = 0; round < AMID_ROUNDS; round++) {
		T_TRY(send_to_owner(r, 0, AMID_BEFORE));
		T_TRY(unpolled_error(r));
		T_TRY(send_to_owner(r, AMID_BEFORE, AMID_AFTER));
		T_TRY(replace_mkey(r));
		for (i = 0; i < AMID_BEFORE + AMID_AFTER; i++) {
			T_EXPECT(t_wait(&owner->rq, i), IB_WC_SUCCESS);
			T_EXPECT(owner->rq.order[i], i);
		}
		T_EXPECT(t_collect(&owner->rq), 0);
		t_clear_counts(&owner->rq);
		t_clear_counts(&e->sq);
	}
	return 0;
}

/*
 * Creates an mkey with signatures and with this index, or returns ERR_PTR(). The device
 * assigns the lowest free index.
 */
static struct mlx5dv_mkey *mkey_of_index(struct t_end *e, u32 index)
{
	struct mlx5dv_mkey *others[16], *mkey, *found = NULL;
	int n = 0;

	while (!found && n < ARRAY_SIZE(others)) {
		mkey = dv_mkey(e, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 8);
		if (IS_ERR(mkey) || mkey->lkey >> 8 == index)
			found = mkey;
		else
			others[n++] = mkey;
	}
	while (n)
		mlx5dv_destroy_mkey(others[--n]);
	return found ?: ERR_PTR(-ENOENT);
}

/*
 * An mkey is destroyed with an error that was not polled, and another mkey gets its
 * index. The script loads a simulator that assigns the lowest free index.
 */
static int sig_index_again(struct sig_run *r)
{
	struct t_end *owner = &r->p->end[0];
	const u32 index = r->mkey->lkey >> 8;

	one_domain(r, &kinds[0], MOVE_READ_BY_PEER);
	T_TRY(first_error(r, 1));
	T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
	T_TRY(unpolled_error(r));
	mlx5dv_destroy_mkey(r->mkey);
	r->mkey = mkey_of_index(owner, index);
	T_EXPECT(PTR_ERR_OR_ZERO(r->mkey), 0);
	/*
	 * the CQE of the error is of no mkey, and is not reported as a receive
	 */
	T_EXPECT(t_collect(&owner->rq), 0);
	T_TRY(first_error(r, 3));
	return sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL);
}

/* for each bit of check_mask: a wrong byte is reported if, and only if, its bit is set */
static int run_check_mask_bits(struct sig_run *r, const struct sig_dom *kind, enum move_op op)
{
	u32 byte;
	int bit;

	one_domain(r, kind, op);
	for (bit = 0; bit < 8; bit++) {
		for (byte = 0; byte < sig_len(kind); byte++) {
			const u32 at = sig_block(kind) + byte;

			r->c.check_mask = BIT(bit);
			T_TRY(sig_configure(r));
			sig_make(r, move_to_memory(op), bit);
			r->in[at] ^= 0xff;
			T_TRY(sig_move(r, op));
			T_TRY(sig_check(r, sig_mask_bit(kind, byte) == BIT(bit) ?
					   type_of(kind, at) : MLX5DV_MKEY_NO_ERR, NULL));
		}
	}
	return 0;
}

static int sig_check_mask(struct sig_run *r)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct sig_dom kind = sig_fit(r, &kinds[i]);

		T_TRY(run_check_mask_bits(r, &kind, MOVE_READ));
		T_TRY(run_check_mask_bits(r, &kind, MOVE_WRITE));
	}
	return 0;
}

/* for each bit of copy_mask: its byte is copied, and all other bytes are generated */
static int sig_copy_mask(struct sig_run *r)
{
	int i, bit;
	u32 byte, at;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct sig_dom kind = sig_fit(r, &kinds[i]);

		for (bit = 0; bit < 8; bit++) {
			r->c = (struct sig_case){
				.mem = kind, .wire = kind, .copy_mask = BIT(bit),
				.flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK,
				.data = BLOCKS * sig_block(&kind),
			};
			r->c.wire.dif.app_tag = 0xdddd;
			T_TRY(sig_configure(r));
			sig_make(r, false, bit);
			for (byte = 0; byte < sig_len(&kind); byte++) {
				at = sig_block(&kind) + byte;
				r->in[at] = 0x5a + byte;
				if (sig_mask_bit(&kind, byte) == BIT(bit))
					r->out[at] = 0x5a + byte;
			}
			/*
			 * in all other blocks, the copied bytes are those in memory
			 */
			for (at = sig_block(&kind) + sig_len(&kind); at < r->in_len; at++)
				if (at % (sig_block(&kind) + sig_len(&kind)) >=
				    sig_block(&kind) &&
				    sig_mask_bit(&kind, at % (sig_block(&kind) +
						 sig_len(&kind)) - sig_block(&kind)) ==
				    BIT(bit))
					r->out[at] = r->in[at];
			T_TRY(sig_move(r, MOVE_WRITE));
			T_TRY(sig_compare(r, MOVE_WRITE));
			T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
		}
	}
	return 0;
}

/* a block whose tags have the escape values is not checked */
static int sig_escapes(struct sig_run *r)
{
	static const struct {
		u16 flags;
		u16 app;
		u32 ref;
		bool escapes;
	} rows[] = {
		{ 0, 0xffff, 0xffffffff },
		{ MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE, 0xffff, 7, true },
		{ MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE, 0xfffe, 0xffffffff },
		{ MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE, 0xffff, 0xffffffff, true },
		{ MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE, 0xffff, 0xfffffffe },
		{ MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE, 0xfffe, 0xffffffff },
	};
	const struct sig_dom dom = DIF(512, 0x1234, 7, 0);
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		one_domain(r, &dom, MOVE_WRITE_BY_PEER);
		r->c.wire.dif.flags = rows[i].flags;
		T_TRY(sig_configure(r));
		sig_make(r, true, i);
		put_unaligned_be16(rows[i].app, r->in + 512 + 2);
		put_unaligned_be32(rows[i].ref, r->in + 512 + 4);
		r->in[0] ^= 1;
		r->out[0] ^= 1;
		T_TRY(sig_move(r, MOVE_WRITE_BY_PEER));
		T_TRY(sig_compare(r, MOVE_WRITE_BY_PEER));
		T_TRY(sig_check(r, rows[i].escapes ? MLX5DV_MKEY_NO_ERR :
						     MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
	}
	return 0;
}

/* an mkey from a pool does not have the error of its previous owner */
static int sig_pool(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	const struct mlx5dv_mkey_init_attr attr = {
		.pd = p->end[0].pd, .max_entries = 8,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
	};
	struct mlx5dv_mkey_pool *pool = mlx5dv_create_mkey_pool(&attr, 1, 1);
	struct sig_run r = { .p = p };
	static u8 in[4096], out[4096];
	int ret;

	if (IS_ERR(pool))
		return T_FAIL("no pool: %ld", PTR_ERR(pool));
	r.in = in;
	r.out = out;
	r.mkey = mlx5dv_get_mkey(pool);
	one_domain(&r, &kinds[0], MOVE_READ_BY_PEER);
	ret = sig_configure(&r);
	sig_make(&r, false, 1);
	in[0] ^= 1;
	ret = ret ?: sig_move(&r, MOVE_READ_BY_PEER);
	mlx5dv_put_mkey(pool, r.mkey);
	r.mkey = mlx5dv_get_mkey(pool);
	ret = ret ?: sig_check(&r, MLX5DV_MKEY_NO_ERR, NULL);
	/* the next error is reported */
	ret = ret ?: sig_configure(&r);
	sig_make(&r, false, 2);
	in[0] ^= 1;
	ret = ret ?: sig_move(&r, MOVE_READ_BY_PEER);
	ret = ret ?: sig_check(&r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL);
	mlx5dv_put_mkey(pool, r.mkey);
	mlx5dv_destroy_mkey_pool(pool);
	t_clear_counts(&e->sq);
	return ret;
}

const struct t_case dv_sig_err_cases[] = {
	DV_SIG(sig_spoiled, sig_with_peer, &dv_opts),
	DV_SIG(sig_each_byte, sig_with_peer, &dv_opts),
	DV_SIG(sig_wraps, sig_with_peer, &dv_opts),
	DV_SIG(sig_several, sig_with_peer, &dv_opts),
	DV_SIG(sig_after, sig_with_peer, &dv_opts),
	DV_SIG(sig_destroyed, sig_with_peer, &dv_opts),
	DV_SIG(sig_qp_destroyed, sig_with_peer, &dv_opts),
	DV_SIG(sig_amid, sig_with_peer, &dv_opts),
	DV_SIG(sig_index_again, sig_with_peer, &dv_opts),
	DV_SIG(sig_check_mask, sig_with_peer, &dv_opts),
	DV_SIG(sig_copy_mask, sig_with_peer, &dv_opts),
	DV_SIG(sig_escapes, sig_with_peer, &dv_opts),
	{ "sig_pool", sig_pool, &dv_opts },
	{ }
};
