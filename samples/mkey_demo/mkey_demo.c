// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An initiator on <rdma/mlx5dv.h>: one mkey over 7 pieces of memory, which
 * contain 8 blocks of 512 bytes, each followed by its T10-DIF of 8 bytes. The
 * peer READs the data with one key. The device checks the T10-DIF, and does not
 * send it.
 *
 * The peer is first_ulp_peer.c, which needs no direct verbs. Its answer has a
 * CRC of the data, and invalidates the key.
 *
 * first_conn.h has the connection. conn.lock is held to open, use and close the
 * connection.
 */
#include <linux/crc-t10dif.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/t10-pi.h>
#include <rdma/mlx5dv.h>
#include "../first_ulp/first_conn.h"
#include "../first_ulp/first_ulp.h"

#define DEMO_BLOCKS	8
#define DEMO_DATA	512	/* bytes of data in a block */
#define DEMO_APP_TAG	0xb10c
#define DEMO_REF_TAG	100	/* of block 0; increases by 1 with each block */

static char *local = "";
module_param(local, charp, 0444);
MODULE_PARM_DESC(local, "IP address of the local device");

static char *peer = "";
module_param(peer, charp, 0444);
MODULE_PARM_DESC(peer, "IP address of the peer");

struct demo_block {
	u8 data[DEMO_DATA];
	struct t10_pi_tuple pi;
};

/* bytes of each piece: no piece ends with a block, except the last */
static const u16 demo_sizes[] = { 700, 333, 1, 1023, 519, 900, 684 };

static_assert(700 + 333 + 1 + 1023 + 519 + 900 + 684 == DEMO_BLOCKS * sizeof(struct demo_block));

/* a work request, and its completion */
struct demo_wr {
	struct ib_cqe cqe;
	struct ib_wc wc;
	bool done;
};

static int demo_open(struct first_conn *conn);
static void demo_lost(void);
static void demo_close(struct rdma_cm_id *id);

static struct mkey_demo {
	struct first_conn conn;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct mlx5dv_qp_ex *mqpx;	/* conn.id->qp, for builders and setters */
	struct mlx5dv_mkey *mkey;
	struct first_buf pieces[ARRAY_SIZE(demo_sizes)];
	struct first_buf answer;	/* a struct first_answer */
	struct demo_block blocks[DEMO_BLOCKS];	/* the same bytes as in the pieces */
	struct demo_wr configured;
	struct demo_wr sent;
	struct demo_wr answered;
	wait_queue_head_t wait;		/* for the completions, and for lost */
	bool lost;			/* the connection has ended */
	u32 peer_crc;			/* of the data that the peer has read */
	struct mlx5dv_mkey_err err;	/* result of the last read */
} demo = {
	.conn = FIRST_CONN_INIT(demo.conn, demo),
	.wait = __WAIT_QUEUE_HEAD_INITIALIZER(demo.wait),
};

/* ---- memory ---- */

static u32 demo_crc(void)
{
	u32 crc = ~0;
	int i;

	for (i = 0; i < DEMO_BLOCKS; i++)
		crc = crc32_le(crc, demo.blocks[i].data, DEMO_DATA);
	return crc;
}

/* copy the blocks to the pieces */
static void demo_scatter(void)
{
	const u8 *from = (const u8 *)demo.blocks;
	const struct first_buf *piece;

	for (piece = demo.pieces; piece < demo.pieces + ARRAY_SIZE(demo.pieces); piece++) {
		memcpy(piece->mem, from, piece->size);
		ib_dma_sync_single_for_device(demo.conn.id->device, piece->dma, piece->size,
					      DMA_TO_DEVICE);
		from += piece->size;
	}
}

static int demo_alloc(void)
{
	struct ib_device *dev = demo.conn.id->device;
	struct demo_block *block;
	int i, err;

	err = first_buf_alloc(dev, &demo.answer, sizeof(struct first_answer), DMA_FROM_DEVICE);
	for (i = 0; i < ARRAY_SIZE(demo.pieces) && !err; i++)
		err = first_buf_alloc(dev, &demo.pieces[i], demo_sizes[i], DMA_TO_DEVICE);
	if (err)
		return err;
	for (i = 0; i < DEMO_BLOCKS; i++) {
		block = &demo.blocks[i];
		get_random_bytes(block->data, DEMO_DATA);
		block->pi.guard_tag = cpu_to_be16(crc_t10dif(block->data, DEMO_DATA));
		block->pi.app_tag = cpu_to_be16(DEMO_APP_TAG);
		block->pi.ref_tag = cpu_to_be32(DEMO_REF_TAG + i);
	}
	demo_scatter();
	return 0;
}

/* ---- work requests ---- */

static void demo_completed(struct ib_cq *cq, struct ib_wc *wc)
{
	struct demo_wr *wr = container_of(wc->wr_cqe, struct demo_wr, cqe);

	wr->wc = *wc;
	/* pairs with demo_wait(), which reads wr->wc */
	smp_store_release(&wr->done, true);
	wake_up(&demo.wait);
}

/* called before the work request is posted */
static struct ib_cqe *demo_cqe(struct demo_wr *wr)
{
	wr->cqe.done = demo_completed;
	wr->done = false;
	return &wr->cqe;
}

static int demo_wait(struct demo_wr *wr)
{
	/* pairs with demo_completed() */
	if (wait_event_killable(demo.wait, smp_load_acquire(&wr->done) || READ_ONCE(demo.lost)))
		return -EINTR;
	return READ_ONCE(demo.lost) || wr->wc.status ? -ECONNRESET : 0;
}

/* one work request gives the mkey access rights, layout and signatures */
static int demo_configure(void)
{
	static const struct mlx5dv_sig_t10dif dif = {
		.bg_type = MLX5DV_SIG_T10DIF_CRC,
		.app_tag = DEMO_APP_TAG,
		.ref_tag = DEMO_REF_TAG,
		.flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP,
	};
	static const struct mlx5dv_sig_block_domain memory = {
		.sig_type = MLX5DV_SIG_TYPE_T10DIF,
		.sig.dif = &dif,
		.block_size = MLX5DV_BLOCK_SIZE_512,
	};
	static const struct mlx5dv_sig_block_attr sig = {
		.mem = &memory,		/* .wire is NULL: no signatures on the wire */
		.check_mask = MLX5DV_SIG_MASK_T10DIF_GUARD | MLX5DV_SIG_MASK_T10DIF_APPTAG |
			      MLX5DV_SIG_MASK_T10DIF_REFTAG,
	};
	struct mlx5dv_qp_ex *mqpx = demo.mqpx;
	const struct mlx5dv_mkey_conf_attr attr = {};
	struct ib_sge layout[ARRAY_SIZE(demo.pieces)];
	int i, err;

	for (i = 0; i < ARRAY_SIZE(layout); i++) {
		layout[i].addr = demo.pieces[i].dma;
		layout[i].length = demo.pieces[i].size;
		layout[i].lkey = demo.pd->local_dma_lkey;
	}
	err = ib_wr_start(&mqpx->qp_ex);
	if (err)
		return err;
	mqpx->qp_ex.wr_cqe = demo_cqe(&demo.configured);
	mqpx->qp_ex.wr_flags = IB_SEND_SIGNALED | IB_SEND_INLINE;
	mlx5dv_wr_mkey_configure(mqpx, demo.mkey, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_REMOTE_READ);
	mlx5dv_wr_set_mkey_layout_list(mqpx, ARRAY_SIZE(layout), layout);
	mlx5dv_wr_set_mkey_sig_block(mqpx, &sig);
	return ib_wr_complete(&mqpx->qp_ex) ?: demo_wait(&demo.configured);
}

static int demo_post_recv(void)
{
	struct ib_sge sge = { demo.answer.dma, demo.answer.size, demo.pd->local_dma_lkey };
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };

	wr.wr_cqe = demo_cqe(&demo.answered);
	ib_dma_sync_single_for_device(demo.conn.id->device, sge.addr, sge.length, DMA_FROM_DEVICE);
	return ib_post_recv(demo.conn.id->qp, &wr, NULL);
}

/* send the key to the peer. The mkey's addresses begin at 0 */
static int demo_send(void)
{
	struct ib_qp_ex *qpx = &demo.mqpx->qp_ex;
	const struct first_cmd cmd = {
		.rkey = cpu_to_be32(demo.mkey->rkey),
		.length = cpu_to_be32(DEMO_BLOCKS * DEMO_DATA),
		.op = cpu_to_be32(FIRST_STORE),
	};
	int err = ib_wr_start(qpx);

	if (err)
		return err;
	qpx->wr_cqe = demo_cqe(&demo.sent);
	qpx->wr_flags = IB_SEND_SIGNALED | IB_SEND_INLINE;
	ib_wr_send(qpx);
	ib_wr_set_inline_data(qpx, (void *)&cmd, sizeof(cmd));
	return ib_wr_complete(qpx) ?: demo_wait(&demo.sent);
}

/*
 * A wrong signature does not fail the peer's RDMA READ. The device reports the
 * error on the CQ of the receive, before the answer arrives there. So
 * mlx5dv_mkey_check() comes after the answer.
 */
static int demo_read(void)
{
	const struct first_answer *answer = demo.answer.mem;
	const struct ib_wc *wc = &demo.answered.wc;
	int err;

	err = demo_post_recv() ?: demo_send() ?: demo_wait(&demo.answered);
	if (err)
		return err;
	ib_dma_sync_single_for_cpu(demo.conn.id->device, demo.answer.dma, demo.answer.size,
				   DMA_FROM_DEVICE);
	if (wc->byte_len != sizeof(*answer) || !(wc->wc_flags & IB_WC_WITH_INVALIDATE) ||
	    wc->ex.invalidate_rkey != demo.mkey->rkey)
		return -EPROTO;
	demo.peer_crc = be32_to_cpu(answer->crc);
	if (demo.peer_crc != demo_crc())
		return -EBADMSG;
	/* make the key valid again, and restart the checks after an error */
	return mlx5dv_mkey_check(demo.mkey, &demo.err) ?: demo_configure();
}

/* ---- the connection ---- */

static int demo_create_qp(void)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			/* configuration, its signatures, command, ib_drain_qp() */
			.max_send_wr = 4,
			.max_recv_wr = 2,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			/* mlx5dv_qp_add_builders(): the layout is in the work request */
			.max_inline_data = 248,
		},
	};
	int err;

	/* a signature error takes one more entry */
	demo.cq = ib_alloc_cq_any(demo.conn.id->device, NULL,
				  init.cap.max_send_wr + init.cap.max_recv_wr + 1, IB_POLL_SOFTIRQ);
	if (IS_ERR(demo.cq))
		return PTR_ERR(demo.cq);
	init.send_cq = demo.cq;
	init.recv_cq = demo.cq;
	err = rdma_create_qp(demo.conn.id, demo.pd, &init);
	if (err)
		return err;
	err = mlx5dv_qp_add_builders(demo.conn.id->qp, IB_QP_EX_WITH_SEND,
				     MLX5DV_QP_EX_WITH_MKEY_CONFIGURE);
	if (!err)
		demo.mqpx = mlx5dv_qp_ex_from_ib_qp(demo.conn.id->qp);
	return err;
}

static int demo_prepare(void)
{
	struct mlx5dv_mkey_init_attr attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE,
		.max_entries = ARRAY_SIZE(demo.pieces),
	};
	int err;

	demo.pd = ib_alloc_pd(demo.conn.id->device, 0);
	if (IS_ERR(demo.pd))
		return PTR_ERR(demo.pd);
	err = demo_alloc() ?: demo_create_qp();
	if (err)
		return err;
	attr.pd = demo.pd;
	demo.mkey = mlx5dv_create_mkey(&attr);
	return PTR_ERR_OR_ZERO(demo.mkey);
}

static int demo_open(struct first_conn *conn)
{
	return first_resolve(conn, local, peer) ?:
	       demo_prepare() ?:
	       first_connect(conn, 1) ?:
	       demo_configure();
}

static void demo_lost(void)
{
	WRITE_ONCE(demo.lost, true);
	wake_up(&demo.wait);
}

/* undo demo_open(), which may have failed after any of its steps */
static void demo_close(struct rdma_cm_id *id)
{
	int i;

	if (id->qp) {
		rdma_disconnect(id);
		ib_drain_qp(id->qp);
	}
	if (!IS_ERR_OR_NULL(demo.mkey))
		mlx5dv_destroy_mkey(demo.mkey);
	if (id->qp) {
		mlx5dv_qp_remove_builders(id->qp);
		rdma_destroy_qp(id);
	}
	if (!IS_ERR_OR_NULL(demo.cq))
		ib_free_cq(demo.cq);
	for (i = ARRAY_SIZE(demo.pieces) - 1; i >= 0; i--)
		first_buf_free(id->device, &demo.pieces[i]);
	first_buf_free(id->device, &demo.answer);
	if (!IS_ERR_OR_NULL(demo.pd))
		ib_dealloc_pd(demo.pd);
}

/* ---- parameters in /sys/module/mkey_demo/parameters ---- */

/* @val: number of a block in which a bit is inverted before the read, or -1 */
static int demo_read_set(const char *val, const struct kernel_param *kp)
{
	int block, err;

	err = kstrtoint(val, 0, &block);
	if (err)
		return err;
	if (block < -1 || block >= DEMO_BLOCKS)
		return -EINVAL;
	mutex_lock(&demo.conn.lock);
	err = demo.conn.id ? 0 : -ENOTCONN;
	if (!err && block >= 0) {
		demo.blocks[block].data[DEMO_DATA / 2] ^= 1;
		demo_scatter();
	}
	err = err ?: demo_read();
	if (err)
		first_conn_close(&demo.conn);
	mutex_unlock(&demo.conn.lock);
	return err;
}

static const struct kernel_param_ops demo_read_ops = { .set = demo_read_set };
module_param_cb(read, &demo_read_ops, NULL, 0200);
MODULE_PARM_DESC(read, "invert a bit of this block, unless it is -1; then the peer reads");

static int demo_show_error(char *buf, int len)
{
	static const char *const types[] = { "none", "guard", "reference_tag", "application_tag" };
	const struct mlx5dv_sig_err *sig = &demo.err.err.sig;
	u32 block;

	len += sysfs_emit_at(buf, len, "error %s\n", types[demo.err.err_type]);
	if (demo.err.err_type == MLX5DV_MKEY_NO_ERR)
		return len;
	/* offsets count bytes in the mkey */
	block = min(div_u64(sig->offset, sizeof(struct demo_block)), DEMO_BLOCKS - 1);
	return len + sysfs_emit_at(buf, len, "block %u\noffset %llu\nexpected %#06llx\n"
				   "actual %#06llx\ncrc_t10dif %#06x\n", block, sig->offset,
				   sig->expected_value, sig->actual_value,
				   crc_t10dif(demo.blocks[block].data, DEMO_DATA));
}

static int demo_result_get(char *buf, const struct kernel_param *kp)
{
	int len = -ENOTCONN;

	mutex_lock(&demo.conn.lock);
	if (demo.conn.id) {
		len = sysfs_emit(buf, "mkey %#x\nbytes %u\ncrc %#010x\npeer_crc %#010x\n",
				 demo.mkey->lkey, DEMO_BLOCKS * DEMO_DATA, demo_crc(),
				 demo.peer_crc);
		len = demo_show_error(buf, len);
	}
	mutex_unlock(&demo.conn.lock);
	return len;
}

static const struct kernel_param_ops demo_result_ops = { .get = demo_result_get };
module_param_cb(result, &demo_result_ops, NULL, 0400);
MODULE_PARM_DESC(result, "the key; of the last read: CRCs of both ends, signature error");

static int __init demo_init(void)
{
	return first_conn_up(&demo.conn);
}

static void __exit demo_exit(void)
{
	first_conn_down(&demo.conn);
}

module_init(demo_init);
module_exit(demo_exit);
MODULE_DESCRIPTION("One mkey over scattered memory with T10-DIF");
MODULE_LICENSE("Dual BSD/GPL");
