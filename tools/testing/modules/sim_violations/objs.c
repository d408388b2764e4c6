// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of a case, and work requests on them.
 *
 * All objects are created by raw commands, in the smallest sizes, with one page for each ring.
 * Address vectors contain the address of the function itself, which is GID table entry 0; this
 * file sets that entry. v_set_destroy() destroys the objects that exist, in reverse order, so it
 * is the error path too.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "sim_violations.h"

static const u8 v_gid[16] = { [10] = 0xff, [11] = 0xff, 198, 51, 100, 7 };
static const u8 v_mac[ETH_ALEN] = { 0x02, 0x73, 0x76, 0x69, 0x6f, 0x01 };

/**
 * v_cmd() - execute a command
 * @s: the set
 * @in: input
 * @inlen: length of @in
 * @out: output
 * @outlen: length of @out
 *
 * Return: 0; -EREMOTEIO when the device refused the command; or another errno
 * when the command was not executed. Nothing is logged.
 */
int v_cmd(struct v_set *s, void *in, int inlen, void *out, int outlen)
{
	return mlx5_cmd_do(s->mdev, in, inlen, out, outlen);
}

static int v_alloc_ring(struct v_set *s, struct v_ring *r)
{
	r->va = dma_alloc_coherent(s->mdev->device, PAGE_SIZE, &r->dma, GFP_KERNEL);
	if (!r->va)
		return -ENOMEM;
	return mlx5_db_alloc(s->mdev, &r->db);
}

static void v_free_ring(struct v_set *s, struct v_ring *r)
{
	if (r->db.db)
		mlx5_db_free(s->mdev, &r->db);
	if (r->va)
		dma_free_coherent(s->mdev->device, PAGE_SIZE, r->va, r->dma);
}

static int v_create_cq(struct v_set *s, struct v_ring *r)
{
	u32 in[MLX5_ST_SZ_DW(create_cq_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(create_cq_out)] = {};
	void *cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	struct mlx5_cqe64 *cqe;
	int i, ret;

	ret = v_alloc_ring(s, r);
	if (ret)
		return ret;
	cqe = r->va;
	for (i = 0; i < 1 << V_LOG_CQ; i++)
		cqe[i].op_own = MLX5_CQE_INVALID << 4 | 1;
	MLX5_SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	MLX5_SET(cqc, cqc, log_cq_size, V_LOG_CQ);
	MLX5_SET(cqc, cqc, uar_page, s->uar->index);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, s->eqn);
	MLX5_SET64(cqc, cqc, dbr_addr, r->db.dma);
	*(__be64 *)MLX5_ADDR_OF(create_cq_in, in, pas) = cpu_to_be64(r->dma);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (ret)
		return ret;
	r->num = MLX5_GET(create_cq_out, out, cqn);
	r->made = true;
	return 0;
}

/* An SRQ of two WQEs that are chained to each other; the first is posted. */
static int v_create_srq(struct v_set *s, struct v_ring *r)
{
	u32 in[MLX5_ST_SZ_DW(create_rmp_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(create_rmp_out)] = {};
	void *rmpc = MLX5_ADDR_OF(create_rmp_in, in, ctx);
	void *wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	struct mlx5_wqe_srq_next_seg *next;
	int i, ret;

	ret = v_alloc_ring(s, r);
	if (ret)
		return ret;
	for (i = 0; i < 2; i++) {
		next = r->va + i * 64;
		next->next_wqe_index = cpu_to_be16(!i);
		v_data_seg(next + 1, 256, s->mkey, s->dma);
		v_data_seg((void *)(next + 1) + 16, 0, 0x100, 0);
	}
	r->db.db[0] = cpu_to_be32(1);
	MLX5_SET(create_rmp_in, in, opcode, MLX5_CMD_OP_CREATE_RMP);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(wq, wq, pd, s->pdn);
	MLX5_SET64(wq, wq, dbr_addr, r->db.dma);
	MLX5_SET(wq, wq, log_wq_stride, 6);
	MLX5_SET(wq, wq, log_wq_sz, 1);
	*(__be64 *)MLX5_ADDR_OF(wq, wq, pas) = cpu_to_be64(r->dma);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (ret)
		return ret;
	r->num = MLX5_GET(create_rmp_out, out, rmpn);
	r->made = true;
	return 0;
}

static int v_create_qp(struct v_set *s, struct v_ring *r, enum v_kind kind)
{
	u32 in[MLX5_ST_SZ_DW(create_qp_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(create_qp_out)] = {};
	void *qpc = MLX5_ADDR_OF(create_qp_in, in, qpc);
	int ret;

	ret = v_alloc_ring(s, r);
	if (ret)
		return ret;
	MLX5_SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	MLX5_SET(qpc, qpc, st, kind == V_DCI ? MLX5_QP_ST_DCI : MLX5_QP_ST_RC);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, s->pdn);
	MLX5_SET(qpc, qpc, uar_page, s->uar->index);
	MLX5_SET(qpc, qpc, user_index, 0xffffff);
	MLX5_SET(qpc, qpc, cqn_snd, s->scq.num);
	MLX5_SET(qpc, qpc, cqn_rcv, s->rcq.num);
	MLX5_SET(qpc, qpc, log_sq_size, V_LOG_SQ);
	/* the QP may register memory, as QPs of the kernel may */
	MLX5_SET(qpc, qpc, fre, kind != V_NO_FRE);
	/* the send ring comes after the receive ring, if there is one */
	s->sq_off = kind == V_SRQ || kind == V_DCI ? 0 : MLX5_SEND_WQE_BB << V_LOG_RQ;
	if (kind == V_DCI) {
		MLX5_SET(qpc, qpc, log_num_dci_stream_channels, 2);
		MLX5_SET(qpc, qpc, log_num_dci_errored_streams, 1);
	}
	if (kind == V_LOOP)
		MLX5_SET(qpc, qpc, log_msg_max, 30);
	if (kind == V_SRQ || kind == V_DCI) {
		MLX5_SET(qpc, qpc, rq_type, MLX5_SRQ_RQ);
		MLX5_SET(qpc, qpc, srqn_rmpn_xrqn, s->srq.num);
	} else {
		MLX5_SET(qpc, qpc, rq_type, MLX5_NON_ZERO_RQ);
		MLX5_SET(qpc, qpc, log_rq_size, V_LOG_RQ);
		MLX5_SET(qpc, qpc, log_rq_stride, 2);
	}
	MLX5_SET64(qpc, qpc, dbr_addr, r->db.dma);
	*(__be64 *)MLX5_ADDR_OF(create_qp_in, in, pas) = cpu_to_be64(r->dma);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (ret)
		return ret;
	r->num = MLX5_GET(create_qp_out, out, qpn);
	r->made = true;
	return 0;
}

/*
 * Fills in the address path of the QP to the function itself: with its address
 * or, for force loopback, without an address.
 */
static void v_path(struct v_set *s, void *ads, u16 opcode)
{
	MLX5_SET(ads, ads, vhca_port_num, 1);
	MLX5_SET(ads, ads, ack_timeout, 8);
	if (s->loop) {
		MLX5_SET(ads, ads, fl, opcode == MLX5_CMD_OP_INIT2RTR_QP);
		return;
	}
	MLX5_SET(ads, ads, hop_limit, 64);
	MLX5_SET(ads, ads, udp_sport, s->sport);
	memcpy(MLX5_ADDR_OF(ads, ads, rgid_rip), v_gid, sizeof(v_gid));
	ether_addr_copy(MLX5_ADDR_OF(ads, ads, rmac_47_32), v_mac);
}

/**
 * v_modify() - change the state of the QP
 * @s: the set; @s->loop and @s->sport apply
 * @opcode: MLX5_CMD_OP_RST2INIT_QP, INIT2RTR_QP or RTR2RTS_QP
 *
 * Return: as v_cmd().
 */
int v_modify(struct v_set *s, u16 opcode)
{
	u32 in[MLX5_ST_SZ_DW(rst2init_qp_in)] = {};
	u32 out[MLX5_ST_SZ_DW(rst2init_qp_out)] = {};
	void *qpc = MLX5_ADDR_OF(rst2init_qp_in, in, qpc);

	MLX5_SET(rst2init_qp_in, in, opcode, opcode);
	MLX5_SET(rst2init_qp_in, in, qpn, s->qp.num);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, rre, 1);
	MLX5_SET(qpc, qpc, rwe, 1);
	MLX5_SET(qpc, qpc, mtu, 3);
	MLX5_SET(qpc, qpc, log_msg_max, 30);
	MLX5_SET(qpc, qpc, remote_qpn, s->qp.num);
	MLX5_SET(qpc, qpc, retry_count, 1);
	MLX5_SET(qpc, qpc, rnr_retry, 1);
	MLX5_SET(qpc, qpc, min_rnr_nak, 1);
	v_path(s, MLX5_ADDR_OF(qpc, qpc, primary_address_path), opcode);
	return v_cmd(s, in, sizeof(in), out, sizeof(out));
}

/**
 * v_ext() - fill in a state change with an extension
 * @s: the set
 * @opcode: MLX5_CMD_OP_INIT2INIT_QP or MLX5_CMD_OP_RTS2RTS_QP
 * @mask: V_EXT_STREAM, V_EXT_MMO
 * @word: the first word of the extension
 * @in: receives the command, V_EXT_IN_LEN bytes
 *
 * <linux/mlx5/mlx5_ifc.h> has no extension; the offsets come from rdma-core.
 */
void v_ext(struct v_set *s, u16 opcode, u32 mask, u32 word, void *in)
{
	memset(in, 0, V_EXT_IN_LEN);
	MLX5_SET(rts2rts_qp_in, in, opcode, opcode);
	MLX5_SET(rts2rts_qp_in, in, qpn, s->qp.num);
	*(u8 *)(in + 8) = 0x80;
	*(__be32 *)(in + 0x10c) = cpu_to_be32(mask);
	*(__be32 *)(in + 0x110) = cpu_to_be32(word);
}

static int v_enable_copies(struct v_set *s)
{
	u32 in[V_EXT_IN_LEN / 4];
	u32 out[MLX5_ST_SZ_DW(init2init_qp_out)] = {};

	v_ext(s, MLX5_CMD_OP_INIT2INIT_QP, V_EXT_MMO, V_EXT_MMO_ON, in);
	return v_cmd(s, in, sizeof(in), out, sizeof(out));
}

static int v_connect(struct v_set *s, enum v_kind kind)
{
	int ret;

	ret = mlx5_core_roce_gid_set(s->mdev, 0, MLX5_ROCE_VERSION_2, MLX5_ROCE_L3_TYPE_IPV4,
				     v_gid, v_mac, false, 0, 1);
	if (!ret)
		ret = v_modify(s, MLX5_CMD_OP_RST2INIT_QP);
	if (!ret && kind == V_DCI)
		ret = v_enable_copies(s);
	if (!ret)
		ret = v_modify(s, MLX5_CMD_OP_INIT2RTR_QP);
	if (!ret)
		ret = v_modify(s, MLX5_CMD_OP_RTR2RTS_QP);
	return ret;
}

/**
 * v_create_mkey() - create an mkey
 * @s: the set
 * @mkey: receives the mkey
 * @mode: MLX5_MKC_ACCESS_MODE_PA (the complete address space) or
 *	MLX5_MKC_ACCESS_MODE_MTT (the data page, space for 4 octwords)
 * @rights: bits lr, lw, rr, rw
 * @pdn: protection domain
 *
 * The caller destroys the mkey with mlx5_core_destroy_mkey().
 *
 * Return: 0 or a negative errno.
 */
int v_create_mkey(struct v_set *s, u32 *mkey, u32 mode, u32 rights, u32 pdn)
{
	u32 in[MLX5_ST_SZ_DW(create_mkey_in) + 4] = {};
	void *mkc = MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry);
	int inlen = MLX5_ST_SZ_BYTES(create_mkey_in);

	MLX5_SET(mkc, mkc, access_mode_1_0, mode);
	MLX5_SET(mkc, mkc, lr, rights & 1);
	MLX5_SET(mkc, mkc, lw, rights >> 1 & 1);
	MLX5_SET(mkc, mkc, rr, rights >> 2 & 1);
	MLX5_SET(mkc, mkc, rw, rights >> 3 & 1);
	MLX5_SET(mkc, mkc, qpn, 0xffffff);
	MLX5_SET(mkc, mkc, pd, pdn);
	if (mode == MLX5_MKC_ACCESS_MODE_PA) {
		MLX5_SET(mkc, mkc, length64, 1);
	} else {
		MLX5_SET(mkc, mkc, umr_en, 1);
		MLX5_SET64(mkc, mkc, start_addr, s->dma);
		MLX5_SET64(mkc, mkc, len, PAGE_SIZE);
		MLX5_SET(mkc, mkc, log_page_size, PAGE_SHIFT);
		MLX5_SET(mkc, mkc, translations_octword_size, 4);
		MLX5_SET(create_mkey_in, in, translations_octword_actual_size, 1);
		*(__be64 *)MLX5_ADDR_OF(create_mkey_in, in, klm_pas_mtt) = cpu_to_be64(s->dma);
		inlen += 16;
	}
	return mlx5_core_create_mkey(s->mdev, mkey, in, inlen);
}

static int v_create_memory(struct v_set *s)
{
	int ret;

	s->data = dma_alloc_coherent(s->mdev->device, PAGE_SIZE, &s->dma, GFP_KERNEL);
	if (!s->data)
		return -ENOMEM;
	ret = mlx5_core_alloc_pd(s->mdev, &s->pdn);
	if (ret)
		return ret;
	s->pd_made = true;
	return v_create_mkey(s, &s->mkey, MLX5_MKC_ACCESS_MODE_PA, V_RIGHTS_ALL, s->pdn);
}

/**
 * v_set_create() - create the objects of a case
 * @s: zeroed; the caller calls v_set_destroy(), on failure too
 * @mdev: the function
 * @kind: kind of the QP
 *
 * Return: 0 or a negative errno.
 */
int v_set_create(struct v_set *s, struct mlx5_core_dev *mdev, enum v_kind kind)
{
	struct mlx5_uars_page *uar;
	int ret;

	s->mdev = mdev;
	s->loop = kind == V_LOOP;
	s->sport = 0xc000;
	uar = mlx5_get_uars_page(mdev);
	if (IS_ERR(uar))
		return PTR_ERR(uar);
	s->uar = uar;
	ret = mlx5_comp_eqn_get(mdev, 0, &s->eqn);
	if (!ret)
		ret = v_create_memory(s);
	if (!ret)
		ret = v_create_cq(s, &s->scq);
	if (!ret)
		ret = v_create_cq(s, &s->rcq);
	if (!ret)
		ret = v_create_srq(s, &s->srq);
	if (!ret)
		ret = v_create_qp(s, &s->qp, kind);
	return ret ? ret : v_connect(s, kind);
}

static void v_destroy(struct v_set *s, u16 opcode, struct v_ring *r)
{
	/* the four commands have the number of the object at the same place */
	u32 in[MLX5_ST_SZ_DW(destroy_qp_in)] = {};
	u32 out[MLX5_ST_SZ_DW(destroy_qp_out)] = {};

	MLX5_SET(destroy_qp_in, in, opcode, opcode);
	MLX5_SET(destroy_qp_in, in, qpn, r->num);
	if (r->made && v_cmd(s, in, sizeof(in), out, sizeof(out)))
		v_log("command %#x failed\n", opcode);
	r->made = false;
}

/**
 * v_set_destroy() - destroy the objects of a case that exist
 * @s: the set
 */
void v_set_destroy(struct v_set *s)
{
	v_destroy(s, MLX5_CMD_OP_2RST_QP, &(struct v_ring){ .num = s->qp.num, .made = s->qp.made });
	v_destroy(s, MLX5_CMD_OP_DESTROY_QP, &s->qp);
	v_free_ring(s, &s->qp);
	v_destroy(s, MLX5_CMD_OP_DESTROY_RMP, &s->srq);
	v_free_ring(s, &s->srq);
	v_destroy(s, MLX5_CMD_OP_DESTROY_CQ, &s->rcq);
	v_free_ring(s, &s->rcq);
	v_destroy(s, MLX5_CMD_OP_DESTROY_CQ, &s->scq);
	v_free_ring(s, &s->scq);
	if (s->mkey)
		mlx5_core_destroy_mkey(s->mdev, s->mkey);
	if (s->pd_made)
		mlx5_core_dealloc_pd(s->mdev, s->pdn);
	if (s->data)
		dma_free_coherent(s->mdev->device, PAGE_SIZE, s->data, s->dma);
	if (s->uar)
		mlx5_put_uars_page(s->mdev, s->uar);
}

/**
 * v_wqe() - begin a signaled send WQE
 * @s: the set
 * @opcode: MLX5_OPCODE_*
 * @ds: size in 16-byte units, at most up to the ring's end
 *
 * Adds the WQE to @s->pi, the number of basic blocks written.
 *
 * Return: the control segment of the WQE, filled in; the rest of the WQE is zero.
 */
void *v_wqe(struct v_set *s, u8 opcode, u8 ds)
{
	u32 idx = s->pi & ((1 << V_LOG_SQ) - 1);
	u32 bbs = max(1, DIV_ROUND_UP(ds, MLX5_SEND_WQEBB_NUM_DS));
	struct mlx5_wqe_ctrl_seg *ctrl = s->qp.va + s->sq_off + idx * MLX5_SEND_WQE_BB;

	memset(ctrl, 0, bbs * MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32(s->pi << 8 | opcode);
	ctrl->qpn_ds = cpu_to_be32(s->qp.num << 8 | ds);
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	s->pi += bbs;
	return ctrl;
}

/**
 * v_ring_sq() - ring the doorbell for the WQEs that were written
 * @s: the set
 */
void v_ring_sq(struct v_set *s)
{
	u32 idx = (s->pi - 1) & ((1 << V_LOG_SQ) - 1);
	__be32 *ctrl = s->qp.va + s->sq_off + idx * MLX5_SEND_WQE_BB;

	dma_wmb();
	s->qp.db.db[MLX5_SND_DBR] = cpu_to_be32(s->pi);
	wmb(); /* the record before the doorbell */
	mlx5_write64(ctrl, s->uar->map + MLX5_BF_OFFSET);
}

/**
 * v_av() - fill in the address vector of a message to the function itself
 * @s: the set
 * @av: address vector in the WQE, zeroed
 * @dctn: number of a DCT
 * @key: access key of the DCT
 */
void v_av(struct v_set *s, struct mlx5_av *av, u32 dctn, u64 key)
{
	av->key.dc_key = cpu_to_be64(key);
	av->dqp_dct = cpu_to_be32(MLX5_EXTENDED_UD_AV | dctn);
	ether_addr_copy(av->rmac, v_mac);
	av->hop_limit = 64;
	av->grh_gid_fl = cpu_to_be32(BIT(30));
	memcpy(av->rgid, v_gid, sizeof(v_gid));
}

/**
 * v_data_seg() - fill in a data segment
 * @seg: place of the segment in the WQE
 * @len: bytes
 * @lkey: key
 * @addr: address
 */
void v_data_seg(void *seg, u32 len, u32 lkey, u64 addr)
{
	struct mlx5_wqe_data_seg *dseg = seg;

	dseg->byte_count = cpu_to_be32(len);
	dseg->lkey = cpu_to_be32(lkey);
	dseg->addr = cpu_to_be64(addr);
}

/**
 * v_write_wqe() - write an RDMA WRITE of the QP to itself and ring the doorbell
 * @s: the set
 * @lkey: source key
 * @addr: source address
 * @len: bytes
 * @raddr: target address, accessed with @s->mkey
 */
void v_write_wqe(struct v_set *s, u32 lkey, u64 addr, u32 len, u64 raddr)
{
	void *wqe = v_wqe(s, MLX5_OPCODE_RDMA_WRITE, 3);
	struct mlx5_wqe_raddr_seg *rseg = wqe + 16;

	rseg->raddr = cpu_to_be64(raddr);
	rseg->rkey = cpu_to_be32(s->mkey);
	v_data_seg(wqe + 32, len, lkey, addr);
	v_ring_sq(s);
}

/**
 * v_wait_cqe() - wait for the next completion of a send, without consuming it
 * @s: the set; the consumer index of the CQ is not updated
 * @cqe: receives a copy of the CQE
 *
 * Return: 0 or -ETIMEDOUT.
 */
int v_wait_cqe(struct v_set *s, struct mlx5_cqe64 *cqe)
{
	unsigned long end = jiffies + msecs_to_jiffies(V_TIMEOUT_MS);
	struct mlx5_cqe64 *e;
	u8 own;

	e = s->scq.va + (s->scq_ci & ((1 << V_LOG_CQ) - 1)) * sizeof(*e);
	own = s->scq_ci >> V_LOG_CQ & 1;
	while (READ_ONCE(e->op_own) >> 4 == MLX5_CQE_INVALID ||
	       (READ_ONCE(e->op_own) & 1) != own) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		usleep_range(100, 200);
	}
	dma_rmb();
	*cqe = *e;
	s->scq_ci++;
	return 0;
}

/**
 * v_expect_error() - wait for an error completion
 * @s: the set
 * @syndrome: MLX5_CQE_SYNDROME_*
 *
 * Return: 0, -ETIMEDOUT, or -EPROTO for another completion.
 */
int v_expect_error(struct v_set *s, u8 syndrome)
{
	struct mlx5_err_cqe *err;
	struct mlx5_cqe64 cqe;
	int ret;

	ret = v_wait_cqe(s, &cqe);
	if (ret)
		return ret;
	err = (struct mlx5_err_cqe *)&cqe;
	if (cqe.op_own >> 4 == MLX5_CQE_REQ_ERR && err->syndrome == syndrome)
		return 0;
	v_log("completion %#x syndrome %#x, expected syndrome %#x\n",
	      cqe.op_own >> 4, err->syndrome, syndrome);
	return -EPROTO;
}
