// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A block device with inline encryption (Documentation/block/inline-encryption.rst) over RDMA,
 * with <rdma/mlx5dv_blk_crypto.h>. For a kernel with CONFIG_BLK_INLINE_ENCRYPTION.
 *
 * Sectors are memory of a peer, which RDMA WRITEs and READs access. The data of
 * a request whose bios have an encryption context move through an mkey with
 * crypto attributes: the keyslot of the request has the DEK, and the tweak is
 * the data unit number. So the host's memory holds plaintext; the wire and the
 * peer's memory hold the ciphertext that blk-crypto-fallback would produce, too. A
 * request without an encryption context, for example for metadata of a file
 * system, is not encrypted.
 *
 * crypto_disk_create() fails on a device that cannot encrypt. The block layer
 * refuses bios with a key that this disk does not support, or encrypts them
 * itself if the kernel has the fallback. Data with an encryption context never
 * move on the wire in plaintext.
 *
 * A request has three steps: the mkey is configured, data move through the
 * mkey, and the mkey is invalidated. Then the memory is unmapped.
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "compat.h"
#include "crypto_disk.h"

/* bytes of an inline layout with crypto attributes */
#define LAYOUT_BYTES	((CRYPTO_DISK_SEGMENTS + 4) * 16)

#define MAX_BYTES	(CRYPTO_DISK_SEGMENTS * PAGE_SIZE)

/* a request; the private data of struct request */
struct crypto_disk_request {
	struct ib_cqe configured;
	struct ib_cqe moved;
	struct ib_cqe invalidated;
	struct scatterlist sgl[CRYPTO_DISK_SEGMENTS];
	int nents;			/* of @sgl */
	struct ib_sge sge[CRYPTO_DISK_SEGMENTS];
	int num_sge;
	blk_status_t status;
};

static struct crypto_disk *crypto_disk_of(const struct request *rq)
{
	return rq->q->queuedata;
}

static bool crypto_disk_encrypts(const struct request *rq)
{
	return rq->crypt_ctx;
}

/* ---- keys ---- */

/* Empty a keyslot whose key no request uses. */
static void crypto_disk_clear(struct crypto_disk *d, unsigned int slot)
{
	struct mlx5dv_dek *dek = xchg(&d->dek[slot], NULL);

	if (dek)
		mlx5dv_dek_destroy(dek);
}

/* Put a key into a keyslot. After an error the slot keeps its key, as the block layer expects. */
static int crypto_disk_program(struct blk_crypto_profile *profile,
			       const struct blk_crypto_key *key, unsigned int slot)
{
	struct crypto_disk *d = container_of(profile, struct crypto_disk, profile);
	struct mlx5dv_dek *dek = mlx5dv_dek_create_blk(d->pd, key);

	if (IS_ERR(dek))
		return PTR_ERR(dek);
	crypto_disk_clear(d, slot);
	d->dek[slot] = dek;
	return 0;
}

static int crypto_disk_evict(struct blk_crypto_profile *profile,
			     const struct blk_crypto_key *key, unsigned int slot)
{
	crypto_disk_clear(container_of(profile, struct crypto_disk, profile), slot);
	return 0;
}

static int crypto_disk_init_profile(struct blk_crypto_profile *profile)
{
	int err = blk_crypto_profile_init(profile, CRYPTO_DISK_SLOTS);

	if (err)
		return err;
	profile->ll_ops.keyslot_program = crypto_disk_program;
	profile->ll_ops.keyslot_evict = crypto_disk_evict;
	profile->max_dun_bytes_supported = 16;
	crypto_disk_take_raw_keys(profile);
	profile->modes_supported[BLK_ENCRYPTION_MODE_AES_256_XTS] = SZ_512 | SZ_4K;
	return 0;
}

/* ---- requests ---- */

static void crypto_disk_unmap(struct crypto_disk_request *cr)
{
	struct request *rq = blk_mq_rq_from_pdu(cr);

	ib_dma_unmap_sg(crypto_disk_of(rq)->pd->device, cr->sgl, cr->nents, rq_dma_dir(rq));
}

static void crypto_disk_end(struct crypto_disk_request *cr)
{
	crypto_disk_unmap(cr);
	blk_mq_end_request(blk_mq_rq_from_pdu(cr), cr->status);
}

/*
 * Called only if the configuration fails. The RDMA WRITE or READ that follows is
 * flushed then, and its completion ends the request.
 */
static void crypto_disk_configured(struct ib_cq *cq, struct ib_wc *wc)
{
}

/*
 * End the request, also if the invalidation was flushed: a QP in ERR does not use
 * the mkey, and the mkey gives the peer no access.
 */
static void crypto_disk_invalidated(struct ib_cq *cq, struct ib_wc *wc)
{
	crypto_disk_end(container_of(wc->wr_cqe, struct crypto_disk_request, invalidated));
}

static int crypto_disk_invalidate(struct crypto_disk_request *cr)
{
	struct request *rq = blk_mq_rq_from_pdu(cr);
	struct crypto_disk *d = crypto_disk_of(rq);
	struct ib_qp_ex *qpx = &mlx5dv_qp_ex_from_ib_qp(d->qp)->qp_ex;
	int err;

	err = ib_wr_start(qpx);
	if (err)
		return err;
	cr->invalidated.done = crypto_disk_invalidated;
	qpx->wr_cqe = &cr->invalidated;
	qpx->wr_flags = IB_SEND_SIGNALED;
	ib_wr_local_inv(qpx, d->mkey[rq->tag]->rkey);
	return ib_wr_complete(qpx);
}

static void crypto_disk_moved(struct ib_cq *cq, struct ib_wc *wc)
{
	struct crypto_disk_request *cr = container_of(wc->wr_cqe, struct crypto_disk_request,
						      moved);

	if (wc->status)
		cr->status = BLK_STS_IOERR;
	/*
	 * the post fails if the QP is in ERR: the mkey needs no invalidation
	 * then, see crypto_disk_invalidated()
	 */
	if (!crypto_disk_encrypts(blk_mq_rq_from_pdu(cr)) || crypto_disk_invalidate(cr))
		crypto_disk_end(cr);
}

static int crypto_disk_map(struct crypto_disk_request *cr)
{
	struct request *rq = blk_mq_rq_from_pdu(cr);
	struct crypto_disk *d = crypto_disk_of(rq);
	struct scatterlist *sg;
	int i;

	sg_init_table(cr->sgl, CRYPTO_DISK_SEGMENTS);
	cr->nents = blk_rq_map_sg(rq, cr->sgl);
	cr->num_sge = ib_dma_map_sg(d->pd->device, cr->sgl, cr->nents, rq_dma_dir(rq));
	if (!cr->num_sge)
		return -EIO;
	for_each_sg(cr->sgl, sg, cr->num_sge, i)
		cr->sge[i] = (struct ib_sge){
			.addr = sg_dma_address(sg),
			.length = sg_dma_len(sg),
			.lkey = d->pd->local_dma_lkey,
		};
	return 0;
}

/* set crypto attributes: plaintext in memory, ciphertext on the wire */
static int crypto_disk_attr(const struct request *rq, struct mlx5dv_crypto_attr *attr)
{
	const struct bio_crypt_ctx *ctx = rq->crypt_ctx;
	unsigned int slot = blk_crypto_keyslot_index(rq->crypt_keyslot);
	int err;

	err = mlx5dv_crypto_attr_blk(attr, crypto_disk_of(rq)->dek[slot], ctx->bc_key,
				     ctx->bc_dun);
	attr->encrypt_on_tx = true;
	return err;
}

/* configure the mkey of a request; the mkey permits no remote access */
static void crypto_disk_configure(struct crypto_disk_request *cr,
				  const struct mlx5dv_crypto_attr *attr)
{
	struct request *rq = blk_mq_rq_from_pdu(cr);
	struct crypto_disk *d = crypto_disk_of(rq);
	struct mlx5dv_qp_ex *mqpx = mlx5dv_qp_ex_from_ib_qp(d->qp);
	const struct mlx5dv_mkey_conf_attr conf = {};

	cr->configured.done = crypto_disk_configured;
	mqpx->qp_ex.wr_cqe = &cr->configured;
	mqpx->qp_ex.wr_flags = IB_SEND_INLINE;
	mlx5dv_wr_mkey_configure(mqpx, d->mkey[rq->tag], 3, &conf);
	mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_LOCAL_WRITE);
	mlx5dv_wr_set_mkey_layout_list(mqpx, cr->num_sge, cr->sge);
	mlx5dv_wr_set_mkey_crypto(mqpx, attr);
}

static void crypto_disk_move(struct crypto_disk_request *cr)
{
	struct request *rq = blk_mq_rq_from_pdu(cr);
	struct crypto_disk *d = crypto_disk_of(rq);
	struct ib_qp_ex *qpx = &mlx5dv_qp_ex_from_ib_qp(d->qp)->qp_ex;
	u64 addr = d->peer.addr + (blk_rq_pos(rq) << SECTOR_SHIFT);

	cr->moved.done = crypto_disk_moved;
	qpx->wr_cqe = &cr->moved;
	qpx->wr_flags = IB_SEND_SIGNALED;
	if (rq_data_dir(rq) == WRITE)
		ib_wr_rdma_write(qpx, d->peer.rkey, addr);
	else
		ib_wr_rdma_read(qpx, d->peer.rkey, addr);
	if (crypto_disk_encrypts(rq))
		ib_wr_set_sge(qpx, d->mkey[rq->tag]->lkey, 0, blk_rq_bytes(rq));
	else
		ib_wr_set_sge_list(qpx, cr->num_sge, cr->sge);
}

static int crypto_disk_post(struct crypto_disk_request *cr)
{
	struct request *rq = blk_mq_rq_from_pdu(cr);
	struct ib_qp_ex *qpx = &mlx5dv_qp_ex_from_ib_qp(crypto_disk_of(rq)->qp)->qp_ex;
	struct mlx5dv_crypto_attr attr;
	int err;

	err = crypto_disk_encrypts(rq) ? crypto_disk_attr(rq, &attr) : 0;
	if (!err)
		err = ib_wr_start(qpx);
	if (err)
		return err;
	if (crypto_disk_encrypts(rq))
		crypto_disk_configure(cr, &attr);
	crypto_disk_move(cr);
	return ib_wr_complete(qpx);
}

static blk_status_t crypto_disk_queue_rq(struct blk_mq_hw_ctx *hctx,
					 const struct blk_mq_queue_data *bd)
{
	struct crypto_disk_request *cr = blk_mq_rq_to_pdu(bd->rq);
	int err;

	if (req_op(bd->rq) != REQ_OP_READ && req_op(bd->rq) != REQ_OP_WRITE)
		return BLK_STS_NOTSUPP;
	blk_mq_start_request(bd->rq);
	cr->status = BLK_STS_OK;
	err = crypto_disk_map(cr);
	if (err)
		return BLK_STS_IOERR;
	err = crypto_disk_post(cr);
	if (!err)
		return BLK_STS_OK;
	/* the block layer must not retry after any of these errors */
	crypto_disk_unmap(cr);
	return BLK_STS_IOERR;
}

static const struct blk_mq_ops crypto_disk_mq_ops = {
	.queue_rq = crypto_disk_queue_rq,
};

/* ---- the disk ---- */

/* the device must accept DEKs in plaintext: the keys of the block layer are not wrapped */
static int crypto_disk_check(struct ib_device *device)
{
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };
	const struct mlx5dv_crypto_caps *caps = &ctx.crypto_caps;
	int err;

	err = mlx5dv_query_device(device, &ctx);
	if (err)
		return err;
	return caps->crypto_engines & MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK &&
	       !caps->wrapped_import_method && !caps->failed_selftests ? 0 : -EOPNOTSUPP;
}

static int crypto_disk_create_qp(struct crypto_disk *d)
{
	struct ib_qp_init_attr_ex attr = {
		.base = {
			.send_cq = d->cq,
			.recv_cq = d->cq,
			.cap = {
				.max_send_wr = 2 * CRYPTO_DISK_DEPTH,
				.max_recv_wr = 1,
				.max_send_sge = CRYPTO_DISK_SEGMENTS,
				.max_recv_sge = 1,
				.max_inline_data = LAYOUT_BYTES,
			},
			.sq_sig_type = IB_SIGNAL_REQ_WR,
			.qp_type = IB_QPT_RC,
		},
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IB_QP_EX_WITH_RDMA_WRITE | IB_QP_EX_WITH_RDMA_READ |
				  IB_QP_EX_WITH_LOCAL_INV,
	};
	const struct mlx5dv_qp_init_attr attr_dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
	};

	d->qp = mlx5dv_create_qp(d->pd, &attr, &attr_dv);
	return PTR_ERR_OR_ZERO(d->qp);
}

static void crypto_disk_destroy_mkeys(struct crypto_disk *d)
{
	int i;

	for (i = 0; i < CRYPTO_DISK_DEPTH && d->mkey[i]; i++)
		mlx5dv_destroy_mkey(d->mkey[i]);
}

static int crypto_disk_create_mkeys(struct crypto_disk *d)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = d->pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
	};
	struct mlx5dv_mkey *mkey;
	int i;

	for (i = 0; i < CRYPTO_DISK_DEPTH; i++) {
		attr.max_entries = CRYPTO_DISK_SEGMENTS;
		mkey = mlx5dv_create_mkey(&attr);
		if (IS_ERR(mkey)) {
			crypto_disk_destroy_mkeys(d);
			return PTR_ERR(mkey);
		}
		d->mkey[i] = mkey;
	}
	return 0;
}

/**
 * crypto_disk_create() - create the RDMA objects of a disk
 * @pd: PD of a device that mlx5_ibx drives
 *
 * Context: process context, may sleep.
 * Return:
 * * the disk; its QP is in RESET, and the caller connects it to the peer
 * * ERR_PTR(-EOPNOTSUPP): the device does not encrypt several data units per
 *   mkey, or requires wrapped keys
 * * ERR_PTR(-ENOMEM)
 * * ERR_PTR() of the errno of the verb that failed
 */
struct crypto_disk *crypto_disk_create(struct ib_pd *pd)
{
	struct crypto_disk *d;
	int err;

	err = crypto_disk_check(pd->device);
	if (err)
		return ERR_PTR(err);
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	d->pd = pd;
	/* an unsignaled work request that fails takes an entry of the CQ, too */
	d->cq = ib_alloc_cq(pd->device, d, 2 * CRYPTO_DISK_DEPTH + 1, 0, IB_POLL_SOFTIRQ);
	if (IS_ERR(d->cq)) {
		err = PTR_ERR(d->cq);
		goto free;
	}
	err = crypto_disk_create_qp(d);
	if (err)
		goto free_cq;
	err = crypto_disk_create_mkeys(d);
	if (err)
		goto destroy_qp;
	err = crypto_disk_init_profile(&d->profile);
	if (err)
		goto destroy_mkeys;
	return d;

destroy_mkeys:
	crypto_disk_destroy_mkeys(d);
destroy_qp:
	mlx5dv_destroy_qp(d->qp);
free_cq:
	ib_free_cq(d->cq);
free:
	kfree(d);
	return ERR_PTR(err);
}

static void crypto_disk_free(struct crypto_disk *d)
{
	blk_crypto_profile_destroy(&d->profile);
	kfree(d);
}

/* called after the last close: until then, a process that has the disk open may evict keys */
static void crypto_disk_free_disk(struct gendisk *disk)
{
	crypto_disk_free(disk->private_data);
}

static const struct block_device_operations crypto_disk_ops = {
	.owner = THIS_MODULE,
	.free_disk = crypto_disk_free_disk,
};

/*
 * The physical block size is the size of a sector, so that the block layer splits a
 * long bio after MAX_BYTES, a multiple of 4096. With a physical block size of 4096, it
 * would split at a multiple of 4096 of the disk, which is inside a data unit if the bio
 * begins at another sector.
 */
static struct gendisk *crypto_disk_alloc_disk(struct crypto_disk *d, const char *name)
{
	struct queue_limits lim = {
		.logical_block_size = SECTOR_SIZE,
		.max_segments = CRYPTO_DISK_SEGMENTS,
		.max_hw_sectors = MAX_BYTES >> SECTOR_SHIFT,
	};
	struct gendisk *disk = blk_mq_alloc_disk(&d->tags, &lim, d);

	if (IS_ERR(disk))
		return disk;
	strscpy(disk->disk_name, name, sizeof(disk->disk_name));
	disk->fops = &crypto_disk_ops;
	disk->private_data = d;
	disk->flags |= GENHD_FL_NO_PART;
	set_capacity(disk, d->peer.size >> SECTOR_SHIFT);
	blk_crypto_register(&d->profile, disk->queue);
	return disk;
}

/**
 * crypto_disk_add() - add the block device
 * @d: disk from crypto_disk_create(), whose QP is in RTS
 * @name: name of the block device
 * @peer: memory of the peer, valid until crypto_disk_destroy()
 *
 * Context: process context, may sleep.
 * Return: 0, or an errno of the block layer. The caller calls
 * crypto_disk_destroy() in both cases.
 */
int crypto_disk_add(struct crypto_disk *d, const char *name, const struct crypto_disk_peer *peer)
{
	struct gendisk *disk;
	int err;

	d->peer = *peer;
	d->tags = (struct blk_mq_tag_set){
		.ops = &crypto_disk_mq_ops,
		.nr_hw_queues = 1,
		.queue_depth = CRYPTO_DISK_DEPTH,
		.numa_node = NUMA_NO_NODE,
		.cmd_size = sizeof(struct crypto_disk_request),
		.flags = CRYPTO_DISK_TAG_FLAGS,
	};
	err = blk_mq_alloc_tag_set(&d->tags);
	if (err)
		return err;
	disk = crypto_disk_alloc_disk(d, name);
	if (IS_ERR(disk)) {
		err = PTR_ERR(disk);
		goto free_tags;
	}
	err = add_disk(disk);
	if (err)
		goto put_disk;
	d->disk = disk;
	return 0;

put_disk:
	put_disk(disk);
free_tags:
	blk_mq_free_tag_set(&d->tags);
	return err;
}

/**
 * crypto_disk_destroy() - remove the block device, and destroy its RDMA objects
 * @d: disk from crypto_disk_create(), added or not
 *
 * Outstanding requests complete first, so the caller must not move the QP to
 * RESET before the call. A file system that is still mounted gets errors.
 *
 * Context: process context, may sleep.
 */
void crypto_disk_destroy(struct crypto_disk *d)
{
	struct gendisk *disk = d->disk;
	int i;

	if (disk)
		del_gendisk(disk);
	for (i = 0; i < CRYPTO_DISK_SLOTS; i++)
		crypto_disk_clear(d, i);
	mlx5dv_destroy_qp(d->qp);
	crypto_disk_destroy_mkeys(d);
	ib_free_cq(d->cq);
	if (disk) {
		blk_mq_free_tag_set(&d->tags);
		put_disk(disk);
	} else {
		crypto_disk_free(d);
	}
}
