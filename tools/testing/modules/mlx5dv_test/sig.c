// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Block signatures: the examples of mlx5dv_wr_set_mkey_sig_block(3), and each combination of
 * types, block sizes and operations. Software in plain C calculates the expected bytes.
 */
#include "sig.h"

#define DIF_CRC(size_, app, ref)	{					\
	.on = true, .type = MLX5DV_SIG_TYPE_T10DIF, .size = MLX5DV_BLOCK_SIZE_##size_,	\
	.dif = { MLX5DV_SIG_T10DIF_CRC, 0xffff, app, ref,			\
		 MLX5DV_SIG_T10DIF_FLAG_REF_REMAP } }
#define CRC_DOM(size_, crc_, seed_)	{					\
	.on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_##size_,	\
	.crc = { MLX5DV_SIG_CRC_TYPE_##crc_, seed_ } }

static int run_ops(struct sig_run *r, u32 ops, u32 seed)
{
	enum move_op op;

	for (op = 0; op < MOVE_OPS; op++) {
		if (!(ops & BIT(op)))
			continue;
		T_TRY(sig_configure(r));
		sig_make(r, move_to_memory(op), seed + op);
		T_TRY(sig_move(r, op));
		T_TRY(sig_compare(r, op));
		T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
	}
	return 0;
}

/* examples 1 and 1.1: CRC32 of 512 bytes in memory, no signatures on the wire */
static int sig_example_1(struct sig_run *r)
{
	r->c = (struct sig_case){
		.mem = CRC_DOM(512, CRC32, U32_MAX), .check_mask = MLX5DV_SIG_MASK_CRC32,
		.data = 5 * 512,
	};
	return run_ops(r, BIT(MOVE_SEND) | BIT(MOVE_RECV), 1);
}

/* examples 2 and 2.1: no signatures in memory, T10-DIF of 4 KiB on the wire */
static int sig_example_2(struct sig_run *r)
{
	r->c = (struct sig_case){
		.wire = DIF_CRC(4096, 0x1234, 7), .check_mask = 0xff, .data = 3 * 4096,
	};
	return run_ops(r, BIT(MOVE_READ_BY_PEER) | BIT(MOVE_WRITE_BY_PEER), 2);
}

/* ---- all combinations ---- */

/* domains of all types; the cases set the block sizes */
static const struct sig_dom kinds[] = {
	{ },
	DIF_CRC(512, 0xabcd, 0xfffffffe),
	{ .on = true, .type = MLX5DV_SIG_TYPE_T10DIF,
	  .dif = { MLX5DV_SIG_T10DIF_CSUM, 0, 0x0102, 0x03040506 } },
	CRC_DOM(512, CRC32, U32_MAX),
	CRC_DOM(512, CRC32C, U32_MAX),
	CRC_DOM(512, CRC64_XP10, U64_MAX),
	CRC_DOM(512, CRC32C, 0),
	CRC_DOM(512, CRC64_XP10, 0),
};

static int sig_product(struct sig_run *r)
{
	unsigned int n, cases = 0;

	for (n = 0; n < ARRAY_SIZE(kinds) * ARRAY_SIZE(kinds) * 5 * MOVE_OPS; n++) {
		const u32 mem = n % ARRAY_SIZE(kinds), wire = n / ARRAY_SIZE(kinds) %
				ARRAY_SIZE(kinds);
		const u32 size = n / ARRAY_SIZE(kinds) / ARRAY_SIZE(kinds) % 5;

		if ((!kinds[mem].on && !kinds[wire].on) || n % sig_stride())
			continue;
		r->c = (struct sig_case){
			.mem = kinds[mem], .wire = kinds[wire], .check_mask = 0xff,
		};
		r->c.mem.size = size;
		r->c.wire.size = size;
		r->c.data = 3 * sig_block(&r->c.mem);
		T_TRY(run_ops(r, BIT(n / ARRAY_SIZE(kinds) / ARRAY_SIZE(kinds) / 5), n));
		cases++;
	}
	t_log("cases %u mismatches 0\n", cases);
	return 0;
}

/* each pair of block sizes, with lengths of data that leave an incomplete block */
static int sig_sizes(struct sig_run *r)
{
	static const u16 tails[] = { 0, 1, 511, 513 };
	int mem, wire, i;

	for (mem = 0; mem < 5; mem++) {
		for (wire = 0; wire < 5; wire++) {
			r->c = (struct sig_case){
				.mem = CRC_DOM(512, CRC32C, 0), .wire = DIF_CRC(512, 1, 2),
				.check_mask = 0xff,
			};
			r->c.mem.size = mem;
			r->c.wire.size = wire;
			for (i = 0; i < ARRAY_SIZE(tails); i++) {
				r->c.data = 8320 + tails[i];
				T_TRY(run_ops(r, BIT(MOVE_READ_BY_PEER) | BIT(MOVE_WRITE_BY_PEER),
					      i));
			}
		}
	}
	return 0;
}

/* ---- lengths in work requests of users in the kernel ---- */

#define RW_BLOCKS	3

/*
 * A WRITE of three blocks, with the length in the SGE that rdma_rw_ctx_signature_init()
 * uses; and the number of bytes that arrive, for each value of sig_count.
 */
static const struct {
	const char *name;
	bool mem, wire;
	u32 length;
	u32 arrive[SIG_READINGS];
} rw_rows[] = {
	{ "T10-DIF to T10-DIF", true, true, 1560, { 1560, 1560, 1560 } },
	{ "T10-DIF to nothing", true, false, 1536, { 1536, 1536, 1520 } },
	{ "nothing to T10-DIF", false, true, 1536, { 1560, 1536, 1560 } },
};

static int run_rw_row(struct sig_run *r, int i)
{
	static const struct sig_dom none, dif = DIF_CRC(512, 1, 2);
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	struct ib_sge sge = { 0, rw_rows[i].length, r->mkey->lkey };
	u32 n, want = rw_rows[i].arrive[sig_reading()];

	r->c = (struct sig_case){
		.mem = rw_rows[i].mem ? dif : none, .wire = rw_rows[i].wire ? dif : none,
		.check_mask = 0xff, .data = RW_BLOCKS * 512,
	};
	T_TRY(sig_configure(r));
	sig_make(r, false, i);
	T_TRY(sig_move(r, MOVE_WRITE));
	T_TRY(sig_compare(r, MOVE_WRITE));
	/* the signatures in memory are valid, so the memory can be sent again */
	t_set(e, T_GUARD);
	T_EXPECT(dv_rdma(owner, 0, IB_WR_RDMA_WRITE, &sge, e->mr[0]->iova, e->mr[0]->rkey),
		 IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	t_sync(e);
	T_EXPECT(memcmp(e->buf, r->out, want), 0);
	for (n = want; n < want + 64; n++)
		T_EXPECT(((u8 *)e->buf)[n], T_GUARD);
	t_log("rw.c, %s: %u bytes of %u arrive\n", rw_rows[i].name, want, r->out_len);
	return sig_check(r, MLX5DV_MKEY_NO_ERR, NULL);
}

static int sig_lengths(struct sig_run *r)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rw_rows); i++)
		T_TRY(run_rw_row(r, i));
	return 0;
}

/* one configuration is used by many transfers: each starts with the same values */
static int sig_again(struct sig_run *r)
{
	int i;

	r->c = (struct sig_case){
		.mem = DIF_CRC(512, 3, 4), .wire = CRC_DOM(512, CRC32C, U32_MAX),
		.check_mask = 0xff, .data = 4 * 512,
	};
	T_TRY(sig_configure(r));
	for (i = 0; i < 3 * MOVE_OPS; i++) {
		const enum move_op op = i % MOVE_OPS;

		sig_make(r, move_to_memory(op), i);
		T_TRY(sig_move(r, op));
		T_TRY(sig_compare(r, op));
		T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
	}
	return 0;
}

/* ---- attributes that are kept or dropped ---- */

static int configure_plain(struct sig_run *r, u32 conf_flags)
{
	const struct mlx5dv_mkey_conf_attr attr = { .conf_flags = conf_flags };
	struct t_end *e = &r->p->end[0];

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 0, &attr);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* the peer READs with the attributes of r->c, or if !@on without signatures */
static int read_both_ways(struct sig_run *r, bool on)
{
	const struct sig_case c = r->c;

	if (!on) {
		/* the memory has the same length, and consists of data only */
		r->c.data = sig_bytes(&c.mem, c.data);
		r->c.mem.on = false;
		r->c.wire.on = false;
	}
	sig_make(r, false, 3);
	T_TRY(sig_move(r, MOVE_READ_BY_PEER));
	T_TRY(sig_compare(r, MOVE_READ_BY_PEER));
	r->c = c;
	return 0;
}

static int sig_reset(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	const struct mlx5dv_mkey_conf_attr reset = {
		.conf_flags = MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR,
	};

	r->c = (struct sig_case){
		.mem = CRC_DOM(512, CRC32, U32_MAX), .check_mask = 0xff, .data = 4 * 512,
	};
	T_TRY(sig_configure(r));
	T_TRY(configure_plain(r, 0));
	T_TRY(read_both_ways(r, true));
	/* an aborted chain does not reset the attributes */
	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 0, &reset);
	ib_wr_abort(dv_qpx(e));
	T_TRY(configure_plain(r, 0));
	T_TRY(read_both_ways(r, true));
	T_TRY(configure_plain(r, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR));
	T_TRY(read_both_ways(r, false));
	T_TRY(configure_plain(r, 0));
	T_TRY(read_both_ways(r, false));
	/* an aborted chain does not set the attributes */
	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 1, &(struct mlx5dv_mkey_conf_attr){});
	sig_build(e, &r->c);
	ib_wr_abort(dv_qpx(e));
	T_TRY(configure_plain(r, 0));
	return read_both_ways(r, false);
}

/*
 * Begins a configuration of two setters, and calls only the signature setter. Ends the
 * configuration by ib_wr_abort() if @abort, else by ib_wr_complete(), which fails.
 */
static int stop_halfway(struct sig_run *r, const struct sig_case *c, bool abort)
{
	struct t_end *e = &r->p->end[0];

	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 2, &(struct mlx5dv_mkey_conf_attr){});
	sig_build(e, c);
	if (abort)
		ib_wr_abort(dv_qpx(e));
	else
		T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	return 0;
}

/*
 * An incomplete configuration changes no attribute: the next configuration keeps the
 * attributes from before, with or without signatures.
 */
static int sig_halfway(struct sig_run *r)
{
	const struct sig_case other = {
		.mem = DIF_CRC(520, 0x1111, 0x2222), .wire = DIF_CRC(520, 0x1111, 0x2222),
		.check_mask = 0xff,
	};
	int on, abort;

	for (on = 0; on < 2; on++) {
		for (abort = 0; abort < 2; abort++) {
			r->c = (struct sig_case){
				.mem = CRC_DOM(512, CRC32, U32_MAX), .check_mask = 0xff,
				.data = 4 * 512,
			};
			T_TRY(sig_configure(r));
			if (!on)
				T_TRY(configure_plain(r, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR));
			T_TRY(stop_halfway(r, &other, abort));
			T_TRY(configure_plain(r, 0));
			T_TRY(read_both_ways(r, on));
			T_TRY(sig_check(r, MLX5DV_MKEY_NO_ERR, NULL));
		}
	}
	return 0;
}

/* ---- data and their signatures in separate memory ---- */

#define APART_BLOCKS	6
#define APART_AT	16384	/* offset of the signatures */

static int configure_apart(struct sig_run *r)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *owner = &r->p->end[0];
	const u32 block = sig_block(&r->c.mem);
	const struct mlx5dv_mr_interleaved data[] = {
		{ owner->dma, block, 0, owner->pd->local_dma_lkey },
		{ owner->dma + APART_AT, sig_len(&r->c.mem), 0, owner->pd->local_dma_lkey },
	};

	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(owner), r->mkey, 3, &attr);
	sig_build(owner, &r->c);
	mlx5dv_wr_set_mkey_layout_interleaved(dv_of(owner), APART_BLOCKS, 2, data);
	mlx5dv_wr_set_mkey_access_flags(dv_of(owner), DV_REMOTE_RW);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	return 0;
}

/* writes the bytes of @stream to the owner's memory, or compares them with it */
static int memory_apart(struct sig_run *r, u8 *stream, bool write)
{
	const u32 block = sig_block(&r->c.mem), len = sig_len(&r->c.mem), step = block + len;
	u8 *mem = r->p->end[0].buf;
	u32 i;

	for (i = 0; i < APART_BLOCKS; i++) {
		if (write) {
			memcpy(mem + i * block, stream + i * step, block);
			memcpy(mem + APART_AT + i * len, stream + i * step + block, len);
			continue;
		}
		T_EXPECT(memcmp(mem + i * block, stream + i * step, block), 0);
		T_EXPECT(memcmp(mem + APART_AT + i * len, stream + i * step + block, len), 0);
	}
	return 0;
}

/* the peer READs or WRITEs @bytes bytes of the mkey, at the start of its buffer */
static int peer_rdma(struct sig_run *r, enum ib_wr_opcode op, u32 bytes)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	struct ib_sge sge = t_sge(e, 0, bytes);

	T_EXPECT(dv_rdma(e, 0, op, &sge, 0, r->mkey->rkey), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	t_sync(e);
	t_sync(owner);
	t_collect(&owner->rq);
	return 0;
}

/*
 * The peer READs the mkey. If @bad is less than APART_BLOCKS, the signature of block
 * @bad has a wrong byte.
 */
static int read_apart(struct sig_run *r, u32 bad)
{
	struct t_end *e = &r->p->end[1];
	const u32 step = sig_block(&r->c.mem) + sig_len(&r->c.mem);
	struct mlx5dv_sig_err err;

	T_TRY(configure_apart(r));
	sig_make(r, false, bad);
	if (bad < APART_BLOCKS)
		r->in[bad * step + sig_block(&r->c.mem)] ^= 1;
	T_TRY(memory_apart(r, r->in, true));
	t_set(e, T_GUARD);
	T_TRY(peer_rdma(r, IB_WR_RDMA_READ, r->out_len));
	T_EXPECT(memcmp(e->buf, r->out, r->out_len), 0);
	if (bad == APART_BLOCKS)
		return sig_check(r, MLX5DV_MKEY_NO_ERR, NULL);
	T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, &err));
	T_EXPECT(err.offset, bad * step);
	return 0;
}

/* the peer WRITEs, and the signatures arrive in their separate memory */
static int write_apart(struct sig_run *r)
{
	T_TRY(configure_apart(r));
	sig_make(r, true, 3);
	t_set(&r->p->end[0], T_GUARD);
	memcpy(r->p->end[1].buf, r->in, r->in_len);
	T_TRY(peer_rdma(r, IB_WR_RDMA_WRITE, r->in_len));
	T_TRY(memory_apart(r, r->out, false));
	return sig_check(r, MLX5DV_MKEY_NO_ERR, NULL);
}

static bool is_copied(const struct sig_case *c)
{
	return c->wire.on && c->mem.type == c->wire.type && c->mem.size == c->wire.size;
}

static int sig_interleaved(struct sig_run *r)
{
	static const struct sig_dom wires[] = { { }, CRC_DOM(512, CRC32, 0),
						DIF_CRC(512, 0x1111, 0x2222) };
	static const struct sig_dom mems[] = { DIF_CRC(512, 0x1111, 0x2222),
					       CRC_DOM(520, CRC32C, U32_MAX) };
	u32 bad;
	int i;

	for (i = 0; i < ARRAY_SIZE(mems) * ARRAY_SIZE(wires); i++) {
		r->c = (struct sig_case){
			.mem = mems[i % 2], .wire = wires[i / 2], .check_mask = 0xff,
		};
		sig_fit_case(r);
		r->c.data = APART_BLOCKS * sig_block(&r->c.mem);
		T_TRY(write_apart(r));
		T_TRY(read_apart(r, APART_BLOCKS));
		/* a wrong guard that is copied is wrong in the output too */
		for (bad = 0; bad < APART_BLOCKS && !is_copied(&r->c); bad += 2)
			T_TRY(read_apart(r, bad));
	}
	return 0;
}

const struct t_case dv_sig_cases[] = {
	DV_SIG(sig_example_1, sig_with_peer, &dv_opts),
	DV_SIG(sig_example_2, sig_with_peer, &dv_opts),
	DV_SIG(sig_product, sig_with_peer, &dv_opts),
	DV_SIG(sig_sizes, sig_with_peer, &dv_opts),
	DV_SIG(sig_lengths, sig_with_peer, &dv_opts),
	DV_SIG(sig_again, sig_with_peer, &dv_opts),
	DV_SIG(sig_reset, sig_with_peer, &dv_opts),
	DV_SIG(sig_halfway, sig_with_peer, &dv_opts),
	DV_SIG(sig_interleaved, sig_with_peer, &dv_opts),
	{ }
};
