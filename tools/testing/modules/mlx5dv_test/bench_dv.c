// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of configuring an mkey, for the CPU, from ib_wr_start() to ib_wr_complete().
 * tools/testing/programs/libmlx5/probe.c makes the same calls. They are measured as
 * in ibx_test/bench.c.
 *
 * The last measurements are WRITEs of blocks with CRC32Cs of the device, and of
 * blocks that the device encrypts. In ibx_test/bench_crc.c and bench_xts.c the CPU
 * calculates and encrypts.
 *
 * Lines in the log: "bench OPERATION dv LENGTH INSTRUCTIONS"; for the WRITEs "bench write_crc32c
 * ulp BYTES INSTRUCTIONS" and "bench write_xts ulp BYTES INSTRUCTIONS". On mlx5_ib, which has no
 * CRCs, "dvib" stands for "dv", and the WRITEs are left out.
 */
#include <linux/slab.h>
#include <linux/timex.h>

#include "../ibx_test/crc.h"
#include "dv.h"

#define ROUNDS		16
#define MAX_ENTRIES	48

struct dv_bench {
	struct t_end *e;
	struct mlx5dv_qp_ex *mqp;
	struct mlx5dv_mkey *mkey;
	struct mlx5dv_mkey *sig;
	struct mlx5dv_mkey *crypto;
	struct mlx5dv_dek *dek;
	struct ib_sge sge[MAX_ENTRIES];
	struct mlx5dv_mr_interleaved data[MAX_ENTRIES];
	struct t_crc crc;
};

typedef void (*builder)(struct dv_bench *b, int n);

static void conf_list(struct dv_bench *b, int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(b->mqp, b->mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(b->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(b->mqp, n, b->sge);
}

static void conf_interleaved(struct dv_bench *b, int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(b->mqp, b->mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(b->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_interleaved(b->mqp, 2, n, b->data);
}

static const struct mlx5dv_sig_t10dif dif = {
	.bg_type = MLX5DV_SIG_T10DIF_CRC, .app_tag = 0x1234, .ref_tag = 5,
	.flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP,
};

static const struct mlx5dv_sig_crc crc32c = { .type = MLX5DV_SIG_CRC_TYPE_CRC32C };

static const struct mlx5dv_sig_crc crc64 = {
	.type = MLX5DV_SIG_CRC_TYPE_CRC64_XP10, .seed = U64_MAX,
};

static const struct mlx5dv_sig_block_domain dif_512 = {
	.sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = &dif, .block_size = MLX5DV_BLOCK_SIZE_512,
};

static const struct mlx5dv_sig_block_domain crc32c_4048 = {
	.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc32c, .block_size = MLX5DV_BLOCK_SIZE_4048,
};

static const struct mlx5dv_sig_block_domain crc64_4160 = {
	.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc64, .block_size = MLX5DV_BLOCK_SIZE_4160,
};

/* indexes of the attributes of conf_sig() in sigs[] of probe.c, and number of SGEs */
#define SIG_DIF		2
#define SIG_CRCS	5
#define SIG_SGES	5

static void conf_sig(struct dv_bench *b, int n)
{
	const struct mlx5dv_sig_block_attr sig = {
		.mem = n == SIG_DIF ? &dif_512 : &crc32c_4048,
		.wire = n == SIG_DIF ? &dif_512 : &crc64_4160,
		.check_mask = n == SIG_DIF ? 0x50 : 0xff,
	};
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(b->mqp, b->sig, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(b->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(b->mqp, SIG_SGES, b->sge);
	mlx5dv_wr_set_mkey_sig_block(b->mqp, &sig);
}

/* configures encryption with the attributes of cryptos[0] in probe.c */
static void conf_crypto(struct dv_bench *b, int n)
{
	const struct mlx5dv_crypto_attr crypto = {
		.encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_512, .dek = b->dek,
		.keytag = "keytag!",
		.initial_tweak = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	};
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(b->mqp, b->crypto, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(b->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(b->mqp, SIG_SGES, b->sge);
	mlx5dv_wr_set_mkey_crypto(b->mqp, &crypto);
}

/* configures an mkey for @bytes of data, which the device encrypts, and posts the WRITE */
static void write_xts(struct dv_bench *b, int bytes)
{
	const struct ib_sge sge = {
		.addr = b->crc.dma, .length = bytes, .lkey = b->e->pd->local_dma_lkey,
	};
	const struct mlx5dv_crypto_attr crypto = {
		.encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_4096, .dek = b->dek,
		.keytag = "keytag!",
	};
	const struct ib_mr *to = b->crc.remote;
	struct mlx5dv_mkey_conf_attr attr = {};
	struct ib_qp_ex *qpx = &b->mqp->qp_ex;

	qpx->wr_flags = IB_SEND_INLINE;
	mlx5dv_wr_mkey_configure(b->mqp, b->crypto, 2, &attr);
	mlx5dv_wr_set_mkey_layout_list(b->mqp, 1, &sge);
	mlx5dv_wr_set_mkey_crypto(b->mqp, &crypto);
	qpx->wr_flags = IB_SEND_SIGNALED;
	ib_wr_rdma_write(qpx, to->rkey, to->iova);
	ib_wr_set_sge(qpx, b->crypto->lkey, 0, bytes);
}

static const struct mlx5dv_sig_block_domain crc32c_4096 = {
	.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc32c, .block_size = MLX5DV_BLOCK_SIZE_4096,
};

/* configures an mkey for @bytes of data, whose CRCs the device adds, and posts the WRITE */
static void write_crc(struct dv_bench *b, int bytes)
{
	const struct ib_sge sge = {
		.addr = b->crc.dma, .length = bytes, .lkey = b->e->pd->local_dma_lkey,
	};
	const struct mlx5dv_sig_block_attr sig = { .wire = &crc32c_4096 };
	const struct ib_mr *to = b->crc.remote;
	/* the length on the wire includes a CRC behind each block */
	const u32 length = bytes + bytes / 4096 * sizeof(__le32);
	struct mlx5dv_mkey_conf_attr attr = {};
	struct ib_qp_ex *qpx = &b->mqp->qp_ex;

	qpx->wr_flags = IB_SEND_INLINE;
	mlx5dv_wr_mkey_configure(b->mqp, b->sig, 2, &attr);
	mlx5dv_wr_set_mkey_layout_list(b->mqp, 1, &sge);
	mlx5dv_wr_set_mkey_sig_block(b->mqp, &sig);
	qpx->wr_flags = IB_SEND_SIGNALED;
	ib_wr_rdma_write(qpx, to->rkey, to->iova);
	ib_wr_set_sge(qpx, b->sig->lkey, 0, length);
}

static int measure_once(struct dv_bench *b, builder build, int n, u64 *cost)
{
	struct ib_qp_ex *qpx = &b->mqp->qp_ex;
	u64 start;
	int ret;

	start = get_cycles();
	ret = ib_wr_start(qpx);
	qpx->wr_id = 0;
	qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	build(b, n);
	ret = ib_wr_complete(qpx);
	*cost = get_cycles() - start;
	T_EXPECT(ret, 0);
	T_EXPECT(t_wait(&b->e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&b->e->sq);
	return 0;
}

static int measure(struct dv_bench *b, builder build, int n, u64 *result)
{
	u64 best = U64_MAX, none = U64_MAX, cost;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		cost = get_cycles();
		cost = get_cycles() - cost;
		none = min(none, cost);
		T_TRY(measure_once(b, build, n, &cost));
		best = min(best, cost);
	}
	*result = best - none;
	return 0;
}

static int measure_builder(struct dv_bench *b, const char *name, builder build, int n)
{
	u64 cost;

	T_TRY(measure(b, build, n, &cost));
	t_log("bench %s %s %d %llu\n", name, dv_on_mlx5_ib(b->e->dev) ? "dvib" : "dv", n, cost);
	return 0;
}

static int measure_write(struct dv_bench *b, const char *name, builder build)
{
	static const int lengths[] = T_CRC_LENGTHS;
	u64 cost;
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		T_TRY(measure(b, build, lengths[i], &cost));
		t_log("bench %s ulp %d %llu\n", name, lengths[i], cost);
	}
	return 0;
}

static int measure_writes(struct t_pair *p, struct dv_bench *b)
{
	int ret;

	T_TRY(t_crc_open(p, &b->crc));
	ret = measure_write(b, "write_crc32c", write_crc) ?:
	      measure_write(b, "write_xts", write_xts);
	t_crc_close(&b->crc);
	return ret;
}

static int bench_builders(struct dv_bench *b)
{
	static const int lengths[] = { 1, 4, 16, MAX_ENTRIES };
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		T_TRY(measure_builder(b, "mkey_configure_list", conf_list, lengths[i]));
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		T_TRY(measure_builder(b, "mkey_configure_interleaved", conf_interleaved,
				      min(lengths[i], MAX_ENTRIES - 1)));
	T_TRY(measure_builder(b, "mkey_configure_sig", conf_sig, SIG_DIF));
	if (!dv_on_mlx5_ib(b->e->dev))
		T_TRY(measure_builder(b, "mkey_configure_sig", conf_sig, SIG_CRCS));
	return measure_builder(b, "mkey_configure_crypto", conf_crypto, 0);
}

static int create_dek(struct dv_bench *b)
{
	struct mlx5dv_dek_init_attr attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_256,
		.has_keytag = true,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.pd = b->e->pd,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};
	int i;

	for (i = 0; i < 64; i++)
		attr.key[i] = i;
	memcpy(attr.key + 64, "keytag!", 8);
	b->dek = mlx5dv_dek_create(b->e->dev, &attr);
	return PTR_ERR_OR_ZERO(b->dek);
}

static int create_objects(struct dv_bench *b)
{
	int ret;

	ret = create_dek(b);
	if (ret)
		return ret;
	b->mkey = dv_mkey(b->e, 0, MAX_ENTRIES);
	ret = PTR_ERR_OR_ZERO(b->mkey);
	if (ret)
		goto destroy_dek;
	b->sig = dv_mkey(b->e, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, MAX_ENTRIES);
	ret = PTR_ERR_OR_ZERO(b->sig);
	if (ret)
		goto destroy_mkey;
	b->crypto = dv_mkey(b->e, MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO, MAX_ENTRIES);
	ret = PTR_ERR_OR_ZERO(b->crypto);
	if (!ret)
		return 0;
	mlx5dv_destroy_mkey(b->sig);
destroy_mkey:
	mlx5dv_destroy_mkey(b->mkey);
destroy_dek:
	mlx5dv_dek_destroy(b->dek);
	return ret;
}

static void destroy_objects(struct dv_bench *b)
{
	mlx5dv_destroy_mkey(b->crypto);
	mlx5dv_destroy_mkey(b->sig);
	mlx5dv_destroy_mkey(b->mkey);
	mlx5dv_dek_destroy(b->dek);
}

static int bench_dv(struct t_pair *p)
{
	struct dv_bench *b;
	int i, ret;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->e = &p->end[0];
	b->mqp = dv_of(b->e);
	ret = create_objects(b);
	if (ret)
		goto free;
	for (i = 0; i < MAX_ENTRIES; i++) {
		b->sge[i] = t_sge(b->e, 512 * i, 64 + i);
		b->data[i] = (struct mlx5dv_mr_interleaved){
			.addr = b->e->dma + 512 * i, .bytes_count = 128 + i,
			.bytes_skip = i, .lkey = b->e->pd->local_dma_lkey,
		};
	}
	ret = bench_builders(b);
	if (!ret && !dv_on_mlx5_ib(b->e->dev))
		ret = measure_writes(p, b);
	destroy_objects(b);
free:
	kfree(b);
	return ret;
}

static const struct t_opts bench_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .inline_size = MAX_ENTRIES * 16,
};

const struct t_case dv_bench_dv_cases[] = {
	{ "bench_dv", bench_dv, &bench_opts },
	{ }
};
