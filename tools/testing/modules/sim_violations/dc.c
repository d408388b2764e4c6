// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Dynamically connected transport and memory copies: operations that work, then violations.
 *
 * The QP of these cases is a DCI that may post memory copies. It sends to a DCT, which receives
 * from the set's SRQ; one WQE is posted in the SRQ. The consumer index of the send CQ is not
 * updated, so a case may have at most four send completions.
 */
#include <linux/completion.h>
#include <linux/notifier.h>

#include "sim_violations.h"

#define V_DC_KEY	0x1122334455667788ULL
#define V_OPCODE_MMO	0x2f

static void v_dct_in(struct v_set *s, void *in)
{
	void *dctc = MLX5_ADDR_OF(create_dct_in, in, dct_context_entry);

	MLX5_SET(create_dct_in, in, opcode, MLX5_CMD_OP_CREATE_DCT);
	MLX5_SET(dctc, dctc, pd, s->pdn);
	MLX5_SET(dctc, dctc, cqn, s->rcq.num);
	MLX5_SET(dctc, dctc, srqn_xrqn, s->srq.num);
	MLX5_SET(dctc, dctc, user_index, 0xffffff);
	MLX5_SET64(dctc, dctc, dc_access_key, V_DC_KEY);
	MLX5_SET(dctc, dctc, rwe, 1);
	MLX5_SET(dctc, dctc, port, 1);
	MLX5_SET(dctc, dctc, mtu, MLX5_DCTC_MTU_1K_BYTES);
	MLX5_SET(dctc, dctc, min_rnr_nak, 1);
	MLX5_SET(dctc, dctc, hop_limit, 64);
}

static int v_create_dct(struct v_set *s, u32 *dctn)
{
	u32 in[MLX5_ST_SZ_DW(create_dct_in)] = {};
	u32 out[MLX5_ST_SZ_DW(create_dct_out)] = {};
	int ret;

	v_dct_in(s, in);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	*dctn = MLX5_GET(create_dct_out, out, dctn);
	return ret;
}

/* DRAIN_DCT and DESTROY_DCT have the number of the DCT at the same place. */
static void v_dct_cmd(u16 opcode, u32 dctn, void *in)
{
	MLX5_SET(drain_dct_in, in, opcode, opcode);
	MLX5_SET(drain_dct_in, in, dctn, dctn);
}

struct v_drain {
	struct mlx5_nb nb;
	u32 dctn;
	struct completion done;
};

static int v_drained(struct notifier_block *nb, unsigned long type, void *data)
{
	struct v_drain *drain = container_of(nb, struct v_drain, nb.nb);
	struct mlx5_eqe *eqe = data;

	if (be32_to_cpu(eqe->data.dct.dctn) == drain->dctn)
		complete(&drain->done);
	return NOTIFY_OK;
}

/* Drains a DCT, waits for its DCT_DRAINED event, and destroys the DCT. */
static int v_destroy_dct(struct v_set *s, u32 dctn)
{
	u32 in[MLX5_ST_SZ_DW(drain_dct_in)] = {};
	u32 out[MLX5_ST_SZ_DW(drain_dct_out)] = {};
	struct v_drain drain = { .dctn = dctn };
	int ret;

	init_completion(&drain.done);
	MLX5_NB_INIT(&drain.nb, v_drained, DCT_DRAINED);
	mlx5_eq_notifier_register(s->mdev, &drain.nb);
	v_dct_cmd(MLX5_CMD_OP_DRAIN_DCT, dctn, in);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (!ret && !wait_for_completion_timeout(&drain.done, msecs_to_jiffies(V_TIMEOUT_MS)))
		ret = -ETIMEDOUT;
	mlx5_eq_notifier_unregister(s->mdev, &drain.nb);
	if (ret)
		return ret;
	v_dct_cmd(MLX5_CMD_OP_DESTROY_DCT, dctn, in);
	return v_cmd(s, in, sizeof(in), out, sizeof(out));
}

struct v_dct_case {
	int (*run)(struct v_set *s, u32 dctn);
};

/* A case with a DCT: after the violation, the DCT must still be destroyable. */
static int v_with_dct(struct v_set *s)
{
	const struct v_dct_case *c = s->arg;
	u32 dctn;
	int ret, err;

	ret = v_create_dct(s, &dctn);
	if (ret)
		return ret;
	ret = c->run(s, dctn);
	err = v_destroy_dct(s, dctn);
	if (err)
		v_log("the DCT did not go: %d\n", err);
	return ret ?: err;
}

/* entry of the table of cases */
#define V_DCT(name, run)	{ name, v_with_dct, V_DCI, &(const struct v_dct_case){ run } }

/* Begins a WQE with an address vector. Return: address of the next @ds units of 16 bytes */
static void *v_dc_wqe(struct v_set *s, u8 opcode, u16 stream, u8 ds, u32 dctn)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, opcode, 4 + ds);
	struct mlx5_av *av = (struct mlx5_av *)(ctrl + 1);

	ctrl->rsvd[0] = stream >> 8;
	ctrl->rsvd[1] = stream;
	v_av(s, av, dctn, V_DC_KEY);
	return av + 1;
}

static void v_dc_send(struct v_set *s, u32 dctn)
{
	v_data_seg(v_dc_wqe(s, MLX5_OPCODE_SEND, 0, 1, dctn), 64, s->mkey, s->dma + 1024);
	v_ring_sq(s);
}

static void v_dc_write(struct v_set *s, u32 dctn, u16 stream, u32 rkey)
{
	struct mlx5_wqe_raddr_seg *rseg = v_dc_wqe(s, MLX5_OPCODE_RDMA_WRITE, stream, 2, dctn);

	rseg->raddr = cpu_to_be64(s->dma + 2048);
	rseg->rkey = cpu_to_be32(rkey);
	v_data_seg(rseg + 1, 64, s->mkey, s->dma);
	v_ring_sq(s);
}

static int v_expect_good(struct v_set *s)
{
	struct mlx5_cqe64 cqe;
	int ret;

	ret = v_wait_cqe(s, &cqe);
	if (!ret && cqe.op_own >> 4 != MLX5_CQE_REQ) {
		v_log("completion %#x syndrome %#x\n", cqe.op_own >> 4,
		      ((struct mlx5_err_cqe *)&cqe)->syndrome);
		ret = -EPROTO;
	}
	return ret;
}

/* A message arrives in the SRQ. Then DESTROY_DCT is refused, because the DCT is not drained. */
static int expect_undrained(struct v_set *s, u32 dctn)
{
	u32 in[MLX5_ST_SZ_DW(destroy_dct_in)] = {};
	u32 out[MLX5_ST_SZ_DW(destroy_dct_out)] = {};
	struct mlx5_cqe64 *cqe = s->rcq.va;
	int ret;

	memset(s->data + 1024, 0xa5, 64);
	v_dc_send(s, dctn);
	ret = v_expect_good(s);
	if (ret)
		return ret;
	if (cqe->op_own >> 4 != MLX5_CQE_RESP_SEND || be32_to_cpu(cqe->byte_cnt) != 64 ||
	    memcmp(s->data, s->data + 1024, 64)) {
		v_log("the message did not arrive: completion %#x, %u bytes\n",
		      cqe->op_own >> 4, be32_to_cpu(cqe->byte_cnt));
		return -EPROTO;
	}
	v_dct_cmd(MLX5_CMD_OP_DESTROY_DCT, dctn, in);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int srq_in_use(struct v_set *s, u32 dctn)
{
	u32 in[MLX5_ST_SZ_DW(destroy_rmp_in)] = {};
	u32 out[MLX5_ST_SZ_DW(destroy_rmp_out)] = {};

	MLX5_SET(destroy_rmp_in, in, opcode, MLX5_CMD_OP_DESTROY_RMP);
	MLX5_SET(destroy_rmp_in, in, rmpn, s->srq.num);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_bad_param_dct_mtu(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(create_dct_in)] = {};
	u32 out[MLX5_ST_SZ_DW(create_dct_out)] = {};

	v_dct_in(s, in);
	MLX5_SET(create_dct_in, in, dct_context_entry.mtu, 6);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_bad_resource_dct_srq(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(create_dct_in)] = {};
	u32 out[MLX5_ST_SZ_DW(create_dct_out)] = {};

	v_dct_in(s, in);
	MLX5_SET(create_dct_in, in, dct_context_entry.srqn_xrqn, 0xfffff0);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* 2ERR_QP for the number of a DCT, which is no QP */
static int not_a_qp(struct v_set *s, u32 dctn)
{
	u32 in[MLX5_ST_SZ_DW(qp_2err_in)] = {};
	u32 out[MLX5_ST_SZ_DW(qp_2err_out)] = {};

	MLX5_SET(qp_2err_in, in, opcode, MLX5_CMD_OP_2ERR_QP);
	MLX5_SET(qp_2err_in, in, qpn, dctn);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/*
 * A WRITE that the peer refuses puts its stream in error, and no other stream.
 * The stream can be reset once: a stream that is not in error cannot be reset.
 */
static int reset_twice(struct v_set *s, u32 dctn)
{
	u32 in[V_EXT_IN_LEN / 4];
	u32 out[MLX5_ST_SZ_DW(rts2rts_qp_out)] = {};
	int ret;

	v_dc_write(s, dctn, 1, s->mkey ^ 1);
	v_dc_write(s, dctn, 1, s->mkey);
	v_dc_write(s, dctn, 2, s->mkey);
	ret = v_expect_error(s, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	if (!ret)
		ret = v_expect_error(s, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	if (!ret)
		ret = v_expect_good(s);
	if (ret)
		return ret;
	v_ext(s, MLX5_CMD_OP_RTS2RTS_QP, V_EXT_STREAM, 1, in);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (ret)
		return ret;
	v_dc_write(s, dctn, 1, s->mkey);
	ret = v_expect_good(s);
	return ret ?: v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_bad_param_ext_mask(struct v_set *s)
{
	u32 in[V_EXT_IN_LEN / 4];
	u32 out[MLX5_ST_SZ_DW(rts2rts_qp_out)] = {};

	v_ext(s, MLX5_CMD_OP_RTS2RTS_QP, BIT(1), 0, in);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_reserved_ext(struct v_set *s)
{
	u32 in[V_EXT_IN_LEN / 4];
	u32 out[MLX5_ST_SZ_DW(rts2rts_qp_out)] = {};

	v_ext(s, MLX5_CMD_OP_RTS2RTS_QP, V_EXT_STREAM, BIT(31), in);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* the command announces an extension, and is too short for an extension */
static int cmd_size_ext(struct v_set *s)
{
	u32 in[V_EXT_IN_LEN / 4];
	u32 out[MLX5_ST_SZ_DW(rts2rts_qp_out)] = {};

	v_ext(s, MLX5_CMD_OP_RTS2RTS_QP, V_EXT_STREAM, 0, in);
	return v_refused(s, in, MLX5_ST_SZ_BYTES(rts2rts_qp_in), out, sizeof(out));
}

static int wqe_reserved_stream(struct v_set *s)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, MLX5_OPCODE_NOP, 1);

	ctrl->rsvd[1] = 1;
	v_ring_sq(s);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static int wqe_segment_short_av(struct v_set *s)
{
	void *data = v_dc_wqe(s, MLX5_OPCODE_SEND, 0, 1, 0);
	struct mlx5_av *av = (struct mlx5_av *)data - 1;

	av->dqp_dct = 0;
	v_ring_sq(s);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

/* ---- memory copies ---- */

/* Copies @len bytes to the second half of the data page; @lkey is the lkey of the destination. */
static void v_copy(struct v_set *s, u32 len, u32 lkey)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, V_OPCODE_MMO, 4);
	__be32 *opaque = (__be32 *)(ctrl + 1);
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)(ctrl + 2);

	ctrl->opmod_idx_opcode |= cpu_to_be32(1 << 24);
	opaque[1] = cpu_to_be32(s->mkey);
	*(__be64 *)&opaque[2] = cpu_to_be64(s->dma + PAGE_SIZE - 64);
	v_data_seg(&data[0], len, s->mkey, s->dma);
	v_data_seg(&data[1], len, lkey, s->dma + PAGE_SIZE / 2);
	v_ring_sq(s);
}

/* a memory copy on a QP that was created without memory copies */
static int wqe_opcode_copy(struct v_set *s)
{
	v_copy(s, 64, s->mkey);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static int wqe_segment_copy(struct v_set *s)
{
	v_copy(s, MLX5_INLINE_SEG | 64, s->mkey);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

/* A copy with an mkey that does not allow local writes fails, and changes no data. */
static int mkey_access_copy(struct v_set *s)
{
	u8 *from = s->data, *to = s->data + PAGE_SIZE / 2;
	u32 mkey;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_PA, V_RIGHTS_ALL & ~2, s->pdn);
	if (ret)
		return ret;
	memset(from, 0x3c, 512);
	v_copy(s, 512, s->mkey);
	ret = v_expect_good(s);
	memset(from, 0, 512);
	if (!ret && (memchr_inv(to, 0x3c, 512) || to[512])) {
		v_log("the copy is not what it should be\n");
		ret = -EPROTO;
	}
	if (!ret) {
		v_copy(s, 512, mkey);
		ret = v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	}
	if (!ret && memchr_inv(to, 0x3c, 512))
		ret = -EPROTO;
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

const struct v_case v_dc_cases[] = {
	V_DCT("cmd_bad_state-undrained", expect_undrained),
	V_DCT("cmd_bad_state-stream", reset_twice),
	V_DCT("cmd_in_use-srq_of_dct", srq_in_use),
	{ "cmd_bad_param-dct_mtu", cmd_bad_param_dct_mtu, V_DCI },
	{ "cmd_bad_param-ext_mask", cmd_bad_param_ext_mask, V_DCI },
	{ "cmd_bad_resource-dct_srq", cmd_bad_resource_dct_srq, V_DCI },
	V_DCT("cmd_bad_resource-dct_as_qp", not_a_qp),
	{ "cmd_reserved-ext", cmd_reserved_ext, V_DCI },
	{ "cmd_size-ext", cmd_size_ext, V_DCI },
	{ "wqe_reserved-stream", wqe_reserved_stream },
	{ "wqe_segment-short_av", wqe_segment_short_av, V_DCI },
	{ "wqe_opcode-copy", wqe_opcode_copy },
	{ "wqe_segment-copy", wqe_segment_copy, V_DCI },
	{ "mkey_access-copy", mkey_access_copy, V_DCI },
	{ }
};
