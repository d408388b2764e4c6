// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of registering memory, for the CPU. tools/testing/bench runs the cases in a VM of one CPU
 * whose time stamp counter counts instructions; on other machines the figures are cycles.
 *
 * A measurement is one operation with interrupts off, so that no other code runs. The result is the
 * best of a few runs. The code around an operation, with a call through a pointer, is measured with
 * an operation that does nothing; this cost is subtracted.
 *
 * Lines in the log: "bench OPERATION SHAPE LENGTH INSTRUCTIONS".
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <rdma/ib_frwr.h>

#include "ibx_test.h"

#define T_MAX		512		/* longest list */
#define T_ORDER		10		/* order of the pages for scattered lists: 2 * T_MAX */
#define T_ROUNDS	8
#define T_BATCH		16
#define T_HOLE		256		/* bytes, in a list with gaps */

enum t_shape {
	T_SCATTERED,		/* pages that are not adjacent */
	T_CONTIGUOUS,		/* adjacent pages, an element each */
	T_ONE,			/* adjacent pages, one element */
	T_GAPPY,		/* pages with holes between them */
	T_SHAPES
};

static const char *const t_shapes[T_SHAPES] = { "scattered", "contiguous", "one", "gappy" };
static const int t_lengths[] = { 1, 8, 64, 256, 512 };

struct t_bench {
	struct t_pair *p;
	struct t_end *e;
	int arg;			/* t_bench_case.arg */
	enum t_shape shape;
	int n;				/* pages */
	int nents;			/* elements of the list of these pages */
	struct page *block;
	struct page *pages[T_MAX];
	struct bio_vec bv[T_MAX];
	struct scatterlist sg[T_MAX];
	struct ib_mr *mr;		/* MR of ib_alloc_mr() */
	struct ib_mr *frwr;		/* MR of ib_create_mr() */
	struct ib_mr *pi;		/* MR of ib_alloc_mr_integrity(), or NULL */
	struct scatterlist meta;	/* protection information of the list */
	struct ib_reg_wr reg;
	struct ib_send_wr inv;
	struct ib_wc wc[T_BATCH];
	int err;			/* 0, or the errno of an operation; none may fail */
};

struct t_op {
	const char *name;
	void (*prepare)(struct t_bench *b);
	void (*run)(struct t_bench *b);
	void (*undo)(struct t_bench *b);
};

static void t_nothing(struct t_bench *b)
{
}

static u64 t_once(struct t_bench *b, void (*run)(struct t_bench *b))
{
	unsigned long flags;
	u64 start, end;

	local_irq_save(flags);
	start = get_cycles();
	run(b);
	end = get_cycles();
	local_irq_restore(flags);
	return end - start;
}

static int t_measure(struct t_bench *b, const struct t_op *op, int n)
{
	u64 best = U64_MAX, none = U64_MAX;
	int i;

	for (i = 0; i < T_ROUNDS; i++) {
		if (op->prepare)
			op->prepare(b);
		none = min(none, t_once(b, t_nothing));
		best = min(best, t_once(b, op->run));
		if (op->undo)
			op->undo(b);
		if (b->err)
			return T_FAIL("%s %s %d: %d", op->name, t_shapes[b->shape], n, b->err);
	}
	t_log("bench %s %s %d %llu\n", op->name, t_shapes[b->shape], n, best - none);
	return 0;
}

/* ---- lists ---- */

static void t_piece(struct t_bench *b, int i, struct page *page, unsigned int len)
{
	bvec_set_page(&b->bv[i], page, len, 0);
	sg_set_page(&b->sg[i], page, len, 0);
	sg_dma_address(&b->sg[i]) = page_to_phys(page);
	sg_dma_len(&b->sg[i]) = len;
}

static void t_shape(struct t_bench *b, enum t_shape shape, int n)
{
	int i;

	b->shape = shape;
	b->n = n;
	b->nents = shape == T_ONE ? 1 : n;
	sg_init_table(b->sg, b->nents);
	for (i = 0; i < n; i++)
		b->pages[i] = b->block + (shape == T_SCATTERED ? 2 * i : i);
	if (shape == T_ONE)
		t_piece(b, 0, b->block, n * PAGE_SIZE);
	for (i = 0; shape != T_ONE && i < n; i++)
		t_piece(b, i, b->pages[i], PAGE_SIZE - (shape == T_GAPPY ? T_HOLE : 0));
}

/* ---- attaching lists ---- */

/* the MR is never posted: the addresses are invalid */
static void t_map_sg(struct t_bench *b)
{
	if (ib_map_mr_sg(b->mr, b->sg, b->nents, NULL, PAGE_SIZE) != b->nents)
		b->err = -EIO;
}

static void t_set_sg(struct t_bench *b)
{
	b->err = ib_mr_set_sg(b->frwr, b->sg, b->nents);
}

static void t_set_pages(struct t_bench *b)
{
	b->err = ib_mr_set_pages(b->frwr, b->pages, b->n, 0, b->n * PAGE_SIZE, DMA_TO_DEVICE);
}

static void t_set_bvec(struct t_bench *b)
{
	b->err = ib_mr_set_biovec(b->frwr, b->bv, b->nents, DMA_TO_DEVICE);
}

static void t_unset(struct t_bench *b)
{
	b->err = b->err ?: ib_mr_unset(b->frwr);
}

/* the steps of a ULP that has bio_vecs and calls ib_map_mr_sg() */
static void t_bvec_by_sg(struct t_bench *b)
{
	int i, n;

	sg_init_table(b->sg, b->nents);
	for (i = 0; i < b->nents; i++)
		sg_set_page(&b->sg[i], b->bv[i].bv_page, b->bv[i].bv_len, b->bv[i].bv_offset);
	n = ib_dma_map_sg(b->e->dev, b->sg, b->nents, DMA_TO_DEVICE);
	if (n <= 0 || ib_map_mr_sg(b->mr, b->sg, n, NULL, PAGE_SIZE) != n)
		b->err = -EIO;
}

/* one step of t_bvec_by_sg(): the mapping for DMA */
static void t_dma_sg(struct t_bench *b)
{
	if (ib_dma_map_sg(b->e->dev, b->sg, b->nents, DMA_TO_DEVICE) <= 0)
		b->err = -EIO;
}

static void t_undo_dma_sg(struct t_bench *b)
{
	ib_dma_unmap_sg(b->e->dev, b->sg, b->nents, DMA_TO_DEVICE);
}

static const struct t_op t_attach_ops[] = {
	{ "map_sg", NULL, t_map_sg },
	{ "set_sg", NULL, t_set_sg, t_unset },
	{ "set_pages", NULL, t_set_pages, t_unset },
	{ "set_bvec", NULL, t_set_bvec, t_unset },
	{ "bvec_by_sg", NULL, t_bvec_by_sg, t_undo_dma_sg },
	{ "dma_sg", NULL, t_dma_sg, t_undo_dma_sg },
	{ }
};

/* ---- posting and polling, with a list that was mapped ---- */

static void t_finish(struct t_bench *b)
{
	if (!b->err && t_wait(&b->e->sq, T_BATCH - 1))
		b->err = -EIO;
	t_clear_counts(&b->e->sq);
}

/* prepares REG_MR and LOCAL_INV */
static void t_wrs(struct t_bench *b, bool reg_signaled)
{
	ib_update_fast_reg_key(b->mr, ib_inc_rkey(b->mr->rkey));
	b->reg = (struct ib_reg_wr) {
		.wr = {
			.wr_id = T_BATCH - 1,
			.opcode = IB_WR_REG_MR,
			.send_flags = reg_signaled ? IB_SEND_SIGNALED : 0,
		},
		.mr = b->mr,
		.key = b->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	b->inv = (struct ib_send_wr) {
		.wr_id = T_BATCH - 1,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = b->mr->rkey,
	};
}

static void t_post_one_reg(struct t_bench *b)
{
	b->err = ib_post_send(b->e->qp, &b->reg.wr, NULL);
}

static void t_post_one_inv(struct t_bench *b)
{
	b->err = b->err ?: ib_post_send(b->e->qp, &b->inv, NULL);
}

static void t_prepare_reg(struct t_bench *b)
{
	t_wrs(b, true);
}

static void t_undo_reg(struct t_bench *b)
{
	t_finish(b);
	t_post_one_inv(b);
	t_finish(b);
}

static void t_prepare_inv(struct t_bench *b)
{
	t_wrs(b, true);
	t_post_one_reg(b);
	t_finish(b);
}

static void t_prepare_both(struct t_bench *b)
{
	t_wrs(b, false);
	b->reg.wr.next = &b->inv;
}

/* after the sleep, the device has written all completions */
static void t_prepare_poll(struct t_bench *b)
{
	int i;

	for (i = 0; i < T_BATCH / 2; i++) {
		t_wrs(b, true);
		b->reg.wr.next = &b->inv;
		b->err = b->err ?: ib_post_send(b->e->qp, &b->reg.wr, NULL);
	}
	msleep(50);
}

static void t_poll_one(struct t_bench *b)
{
	if (ib_poll_cq(b->e->sq.cq, 1, b->wc) != 1)
		b->err = -EIO;
}

static void t_poll_batch(struct t_bench *b)
{
	if (ib_poll_cq(b->e->sq.cq, T_BATCH, b->wc) != T_BATCH)
		b->err = -EIO;
}

static void t_undo_poll(struct t_bench *b)
{
	while (ib_poll_cq(b->e->sq.cq, T_BATCH, b->wc) > 0)
		;
}

static const struct t_op t_post_ops[] = {
	{ "post_reg", t_prepare_reg, t_post_one_reg, t_undo_reg },
	{ "post_inv", t_prepare_inv, t_post_one_inv, t_finish },
	{ "post_both", t_prepare_both, t_post_one_reg, t_finish },
	{ }
};

static const struct t_op t_poll_ops[] = {
	{ "poll_one", t_prepare_poll, t_poll_one, t_undo_poll },
	{ "poll_batch", t_prepare_poll, t_poll_batch, t_undo_poll },
	{ }
};

/* ---- registering integrity MRs ---- */

static void t_map_pi(struct t_bench *b)
{
	b->err = ib_map_mr_sg_pi(b->pi, b->sg, b->nents, NULL, &b->meta, 1, NULL, PAGE_SIZE);
}

static void t_prepare_pi(struct t_bench *b)
{
	t_map_pi(b);
	ib_update_fast_reg_key(b->pi, ib_inc_rkey(b->pi->rkey));
	b->reg = (struct ib_reg_wr) {
		.wr = {
			.wr_id = T_BATCH - 1,
			.opcode = IB_WR_REG_MR_INTEGRITY,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = b->pi,
		.key = b->pi->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	b->inv = (struct ib_send_wr) {
		.wr_id = T_BATCH - 1,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = b->pi->rkey,
	};
}

/* mlx5_ib registers an MR again only after ib_check_mr_status() */
static void t_undo_pi(struct t_bench *b)
{
	struct ib_mr_status status;

	t_undo_reg(b);
	b->err = b->err ?: ib_check_mr_status(b->pi, IB_MR_CHECK_SIG_STATUS, &status);
}

static const struct t_op t_pi_ops[] = {
	{ "map_pi", NULL, t_map_pi },
	{ "post_pi", t_prepare_pi, t_post_one_reg, t_undo_pi },
	{ }
};

static void t_shape_pi(struct t_bench *b, enum t_shape shape, int n)
{
	const u32 blocks = n * (PAGE_SIZE - (shape == T_GAPPY ? T_HOLE : 0)) / 512;
	const struct ib_sig_domain dif = {
		.sig_type = IB_SIG_TYPE_T10_DIF,
		.sig.dif = {
			.bg_type = IB_T10DIF_CRC, .pi_interval = 512, .ref_remap = true,
			.apptag_check_mask = 0xffff,
		},
	};
	int i;

	t_shape(b, shape, n);
	for (i = 0; i < b->nents; i++)
		sg_dma_address(&b->sg[i]) = b->e->dma + i % T_PAGES * PAGE_SIZE;
	sg_init_table(&b->meta, 1);
	sg_dma_address(&b->meta) = b->e->dma;
	sg_dma_len(&b->meta) = blocks * 8;
	b->pi->sig_attrs->check_mask = 0xff;
	b->pi->sig_attrs->mem = dif;
	b->pi->sig_attrs->wire = dif;
}

/* memory in one piece, lists of pages, and a list of ranges */
static int t_pi_all(struct t_bench *b)
{
	static const struct { enum t_shape shape; int n; } lists[] = {
		{ T_ONE, 1 }, { T_SCATTERED, 8 }, { T_SCATTERED, 64 }, { T_GAPPY, 8 },
	};
	const struct t_op *op;
	int i;

	b->pi = ib_alloc_mr_integrity(b->e->pd, T_MAX, T_MAX);
	if (IS_ERR(b->pi))
		return T_FAIL("ib_alloc_mr_integrity(): %ld", PTR_ERR(b->pi));
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (op = t_pi_ops; op->name; op++) {
			t_shape_pi(b, lists[i].shape, lists[i].n);
			if (t_measure(b, op, lists[i].n)) {
				ib_dereg_mr(b->pi);
				return -EIO;
			}
		}
	}
	ib_dereg_mr(b->pi);
	return 0;
}

/* ---- cases ---- */

static struct ib_mr *t_frwr_mr(struct ib_pd *pd, bool gaps)
{
	const struct ib_mr_init_attr attr = {
		.mr_type = IB_MR_TYPE_FAST_REG,
		.max_reg_descs = T_MAX,
		.create_flags = gaps ? IB_MR_REG_ARB_SG : 0,
	};

	return ib_create_mr(pd, &attr);
}

/**
 * struct t_bench_case - a case with memory and MRs
 * @run: runs the case
 * @arg: shape or length of the lists, for @run
 * @gaps: the lists have gaps
 */
struct t_bench_case {
	int (*run)(struct t_bench *b);
	int arg;
	bool gaps;
};

static int t_with_bench(struct t_pair *p)
{
	const struct t_bench_case *c = p->arg;
	struct t_bench *b = kvzalloc(sizeof(*b), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!b)
		return ret;
	b->p = p;
	b->e = &p->end[0];
	b->arg = c->arg;
	b->block = alloc_pages(GFP_KERNEL, T_ORDER);
	if (!b->block)
		goto free;
	b->mr = ib_alloc_mr(b->e->pd, c->gaps ? IB_MR_TYPE_SG_GAPS : IB_MR_TYPE_MEM_REG, T_MAX);
	ret = PTR_ERR_OR_ZERO(b->mr);
	if (ret)
		goto free_pages;
	b->frwr = t_frwr_mr(b->e->pd, c->gaps);
	ret = PTR_ERR_OR_ZERO(b->frwr);
	if (ret)
		goto dereg;
	ret = c->run(b);
	ib_destroy_mr(b->frwr);
dereg:
	ib_dereg_mr(b->mr);
free_pages:
	__free_pages(b->block, T_ORDER);
free:
	kvfree(b);
	return ret;
}

/* T_BENCH(name, opts, run, ...): entry of the table of cases */
#define T_BENCH(name, opts, run, ...)					\
	{ #name, t_with_bench, opts, &(const struct t_bench_case){ run, ##__VA_ARGS__ } }

static int t_attach(struct t_bench *b)
{
	const enum t_shape shape = b->arg;
	const struct t_op *op;
	int i;

	for (i = 0; i < ARRAY_SIZE(t_lengths); i++) {
		for (op = t_attach_ops; op->name; op++) {
			/* ib_mr_set_pages() takes neither lists with gaps nor one long element */
			if (op->run == t_set_pages && (shape == T_GAPPY || shape == T_ONE))
				continue;
			t_shape(b, shape, t_lengths[i]);
			T_TRY(t_measure(b, op, t_lengths[i]));
		}
	}
	return 0;
}

/* attaches a list that the device can read: its @n addresses repeat the T_PAGES real pages */
static int t_map_real(struct t_bench *b, int n)
{
	int i;

	t_shape(b, T_SCATTERED, n);
	for (i = 0; i < n; i++)
		sg_dma_address(&b->sg[i]) = b->e->dma + i % T_PAGES * PAGE_SIZE;
	t_map_sg(b);
	return b->err;
}

static int t_post_all(struct t_bench *b)
{
	/* lists of up to 32 pages are in the WQE on mlx5_ibx, of up to 8 pages on mlx5_ib */
	static const int lengths[] = { 8, 9, 16, 32, 256 };
	const struct t_op *op;
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (op = t_post_ops; op->name; op++) {
			T_TRY(t_map_real(b, lengths[i]));
			T_TRY(t_measure(b, op, lengths[i]));
		}
	}
	T_TRY(t_map_real(b, 8));
	T_TRY(t_measure(b, &t_poll_ops[0], 1));
	return t_measure(b, &t_poll_ops[1], T_BATCH);
}

/* registers lists of some pages a hundred times; a script reads the counters of the device */
static int t_lines(struct t_bench *b)
{
	int i, n = b->arg;

	for (i = 0; i < 100; i++) {
		T_TRY(t_map_real(b, n));
		t_prepare_both(b);
		t_post_one_reg(b);
		t_finish(b);
		if (b->err)
			return T_FAIL("%d pages: %d", n, b->err);
	}
	return 0;
}

static const struct t_opts bench = { .sq_depth = 64, .cqe = 256 };
static const struct t_opts bench_of_pi = {
	.sq_depth = 64, .cqe = 256, .create_qp = t_create_pi_qp,
};

const struct t_case t_bench_cases[] = {
	T_BENCH(bench_scattered, &bench, t_attach, T_SCATTERED),
	T_BENCH(bench_contiguous, &bench, t_attach, T_CONTIGUOUS),
	T_BENCH(bench_one, &bench, t_attach, T_ONE),
	T_BENCH(bench_gappy, &bench, t_attach, T_GAPPY, .gaps = true),
	T_BENCH(bench_post, &bench, t_post_all),
	T_BENCH(bench_pi, &bench_of_pi, t_pi_all),
	T_BENCH(bench_lines_1, &bench, t_lines, 1),
	T_BENCH(bench_lines_8, &bench, t_lines, 8),
	T_BENCH(bench_lines_9, &bench, t_lines, 9),
	T_BENCH(bench_lines_16, &bench, t_lines, 16),
	T_BENCH(bench_lines_32, &bench, t_lines, 32),
	T_BENCH(bench_lines_33, &bench, t_lines, 33),
	T_BENCH(bench_lines_64, &bench, t_lines, 64),
	T_BENCH(bench_lines_256, &bench, t_lines, 256),
	{ }
};
