// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The disk of a case: memory of the peer, a connection to the peer, and the block device.
 */
#include <linux/gfp.h>

#include "blk_crypto_test.h"

#define STORE_PAGE	SZ_64K		/* page size of the MR */

const struct t_opts bt_opts = { .unconnected = true };

static int alloc_store(struct bt_run *r)
{
	struct t_end *e = &r->p->end[1];

	r->store = alloc_pages_exact(BT_STORE, GFP_KERNEL | __GFP_ZERO);
	if (!r->store)
		return -ENOMEM;
	sg_init_one(&r->sg, r->store, BT_STORE);
	if (ib_dma_map_sg(e->dev, &r->sg, 1, DMA_BIDIRECTIONAL) != 1) {
		free_pages_exact(r->store, BT_STORE);
		r->store = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int connect_disk(struct bt_run *r)
{
	struct t_end *a = &r->p->end[0], *b = &r->p->end[1];

	T_TRY(t_qp_connect(a, r->d->qp, b, b->qp->qp_num, &t_default_path));
	T_TRY(t_qp_connect(b, b->qp, a, r->d->qp->qp_num, &t_default_path));
	return 0;
}

/* registers the store; after connect_disk(), because REG_MR needs a connected QP */
static int register_store(struct bt_run *r)
{
	struct t_end *e = &r->p->end[1];
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	};
	struct ib_mr *mr;

	mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, BT_STORE / STORE_PAGE);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	r->mr = mr;
	T_EXPECT(ib_map_mr_sg(mr, &r->sg, 1, NULL, STORE_PAGE), 1);
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.mr = mr;
	wr.key = mr->rkey;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

static int add_disk_of(struct bt_run *r)
{
	struct crypto_disk_peer peer;

	T_TRY(alloc_store(r));
	T_TRY(connect_disk(r));
	T_TRY(register_store(r));
	peer = (struct crypto_disk_peer){
		.addr = r->mr->iova, .size = BT_STORE, .rkey = r->mr->rkey,
	};
	T_TRY(crypto_disk_add(r->d, BT_DISK, &peer));
	/* the case owns the disk, and does not open the block device */
	r->bdev = r->d->disk->part0;
	return 0;
}

static void remove_disk_of(struct bt_run *r)
{
	struct t_end *e = &r->p->end[1];

	crypto_disk_destroy(r->d);
	if (r->mr)
		ib_dereg_mr(r->mr);
	if (r->store) {
		ib_dma_unmap_sg(e->dev, &r->sg, 1, DMA_BIDIRECTIONAL);
		free_pages_exact(r->store, BT_STORE);
	}
}

/**
 * bt_with() - run a case with a disk
 * @p: the pair, with bt_opts
 * @run: the case, which must wait for all of its bios before it returns
 *
 * Return: the result of @run, or a negative errno.
 */
int bt_with(struct t_pair *p, int (*run)(struct bt_run *r))
{
	struct bt_run r = { .p = p, .d = crypto_disk_create(p->end[0].pd) };
	int ret;

	if (IS_ERR(r.d))
		return T_FAIL("no disk: %ld", PTR_ERR(r.d));
	ret = add_disk_of(&r) ?: run(&r);
	remove_disk_of(&r);
	return ret;
}

/**
 * bt_case_run() - run a case with a disk
 * @p: pair of the case, whose @arg is a struct bt_case
 *
 * Return: as bt_with().
 */
int bt_case_run(struct t_pair *p)
{
	return bt_with(p, ((const struct bt_case *)p->arg)->run);
}
