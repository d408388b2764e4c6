// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of the kernel for objects of DEVX: <rdma/mlx5dv_devx_umem.h>. The objects of
 * the example samples/devx_writer.c move data in this memory.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../../../../samples/devx_writer.h"
#include "dv.h"

#define PAGES	4
#define ALL	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)

/* runs a case with a writer on the first device, whose memory is @bytes at @off of @buf */
static int with_writer(struct t_pair *p, void *buf, u32 off, u32 bytes,
		       int (*run)(struct devx_writer *w, struct t_pair *p))
{
	struct devx_writer *w = kzalloc(sizeof(*w), GFP_KERNEL);
	int ret;

	T_EXPECT(!w || !buf, 0);
	ret = devx_writer_open(w, p->end[0].dev, buf + off, bytes);
	if (!ret) {
		ret = run(w, p);
		devx_writer_close(w);
	} else {
		ret = T_FAIL("no writer: %d", ret);
	}
	kfree(w);
	return ret;
}

/* copies the second half of the memory to the first half */
static int copy_half(struct devx_writer *w, struct t_pair *p)
{
	u32 half = w->bytes / 2;
	u8 *mem = w->mem;

	get_random_bytes(mem, w->bytes);
	T_EXPECT(!memcmp(mem, mem + half, half), 0);
	T_EXPECT(devx_writer_write(w, (uintptr_t)mem, w->key, mem + half, half), 0);
	T_EXPECT(memcmp(mem, mem + half, half), 0);
	return 0;
}

/* memory of kmalloc() and of vmalloc(), at any offset; bytes around the UMEM do not change */
static int devx_umem_copies(struct t_pair *p)
{
	static const struct { u32 off, bytes; } parts[] = {
		{ 0, PAGES * PAGE_SIZE }, { 8, 64 }, { PAGE_SIZE - 16, 32 }, { 100, 3 * PAGE_SIZE },
	};
	const u32 size = PAGES * PAGE_SIZE;
	u8 *bufs[2] = { kzalloc(size, GFP_KERNEL), vzalloc(size) };
	int i, j, ret = 0;
	u32 k;

	for (i = 0; i < 2; i++)
		for (j = 0; j < ARRAY_SIZE(parts) && !ret; j++) {
			memset(bufs[i], 0xa5, size);
			ret = with_writer(p, bufs[i], parts[j].off, parts[j].bytes, copy_half);
			for (k = 0; k < size && !ret; k++)
				if ((k < parts[j].off || k >= parts[j].off + parts[j].bytes) &&
				    bufs[i][k] != 0xa5)
					ret = T_FAIL("buffer %d part %d byte %u", i, j, k);
		}
	kfree(bufs[0]);
	vfree(bufs[1]);
	return ret;
}

/* a UMEM of pages in any order: each page receives the first bytes of the writer's memory */
static int fill_pages(struct devx_writer *w, struct page **pages)
{
	struct mlx5dv_devx_umem_in in = {
		.size = PAGES * PAGE_SIZE, .access = ALL, .pgsz_bitmap = SZ_4K,
		.comp_mask = MLX5DV_UMEM_MASK_PAGES, .pages = pages,
	};
	struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg_ex(w->ctx, &in);
	struct mlx5dv_devx_obj *mkey;
	u32 key, i;
	u8 *mem = w->mem;

	T_EXPECT(PTR_ERR_OR_ZERO(umem), 0);
	mkey = devx_writer_map(w, umem, SZ_1M, PAGES * PAGE_SIZE, &key);
	T_EXPECT(PTR_ERR_OR_ZERO(mkey), 0);
	for (i = 0; i < PAGES; i++) {
		mem[0] = i + 1;
		T_EXPECT(devx_writer_write(w, SZ_1M + i * PAGE_SIZE + i, key, mem, 1), 0);
	}
	T_EXPECT(mlx5dv_devx_umem_dereg(umem), -EBUSY);
	T_EXPECT(mlx5dv_devx_obj_destroy(mkey), 0);
	T_EXPECT(mlx5dv_devx_umem_dereg(umem), 0);
	for (i = 0; i < PAGES; i++)
		T_EXPECT(((u8 *)page_address(pages[i]))[i], i + 1);
	return 0;
}

static int run_pages(struct devx_writer *w, struct t_pair *p)
{
	struct page *pages[PAGES] = {};
	int i, ret = 0;

	for (i = 0; i < PAGES; i++) {
		pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!pages[i])
			ret = T_FAIL("no page");
	}
	/*
	 * the pages are then not in the order of their addresses, in whatever
	 * order the allocator returned them
	 */
	swap(pages[0], pages[1]);
	if (!ret)
		ret = fill_pages(w, pages);
	for (i = 0; i < PAGES; i++)
		if (pages[i])
			__free_page(pages[i]);
	return ret;
}

static int devx_umem_pages(struct t_pair *p)
{
	void *mem = kzalloc(PAGE_SIZE, GFP_KERNEL);
	int ret = with_writer(p, mem, 0, PAGE_SIZE, run_pages);

	kfree(mem);
	return ret;
}

/* CQ and QP use the UMEM of the writer's rings: it cannot be deregistered, and still works */
static int run_in_use(struct devx_writer *w, struct t_pair *p)
{
	T_EXPECT(mlx5dv_devx_umem_dereg(w->ring_umem), -EBUSY);
	return copy_half(w, p);
}

static int devx_umem_in_use(struct t_pair *p)
{
	void *mem = vzalloc(PAGE_SIZE);
	int ret = with_writer(p, mem, 0, PAGE_SIZE, run_in_use);

	vfree(mem);
	return ret;
}

/* an mkey cannot be longer than its UMEM */
static int run_bounds(struct devx_writer *w, struct t_pair *p)
{
	struct mlx5dv_devx_obj *mkey;
	u32 key;

	mkey = devx_writer_map(w, w->data_umem, (uintptr_t)w->mem, 2 * PAGE_SIZE, &key);
	T_EXPECT(PTR_ERR_OR_ZERO(mkey), -EREMOTEIO);
	return copy_half(w, p);
}

static int devx_umem_bounds(struct t_pair *p)
{
	void *mem = vzalloc(PAGE_SIZE);
	int ret = with_writer(p, mem, 0, PAGE_SIZE, run_bounds);

	vfree(mem);
	return ret;
}

/* the errno of registering @size bytes at @addr */
static int reg(struct mlx5dv_devx_ctx *ctx, const void *addr, size_t size, u32 access)
{
	return PTR_ERR_OR_ZERO(mlx5dv_devx_umem_reg(ctx, (void *)addr, size, access));
}

static int reg_ex(struct mlx5dv_devx_ctx *ctx, void *addr, u64 sizes, u64 mask,
		  struct page **pages)
{
	const struct mlx5dv_devx_umem_in in = {
		.addr = addr, .size = 3 * PAGE_SIZE, .access = IB_ACCESS_LOCAL_WRITE,
		.pgsz_bitmap = sizes, .comp_mask = mask, .pages = pages,
	};

	return PTR_ERR_OR_ZERO(mlx5dv_devx_umem_reg_ex(ctx, &in));
}

static int run_bad(struct mlx5dv_devx_ctx *ctx, struct mlx5dv_devx_uar *uar, u8 *mem)
{
	const u32 lw = IB_ACCESS_LOCAL_WRITE;
	struct page *pages[1];
	u8 on_stack[16];

	T_EXPECT(reg(ctx, mem, 0, lw), -EINVAL);
	T_EXPECT(reg(ctx, (void *)-PAGE_SIZE, PAGE_SIZE + 1, lw), -EINVAL);
	T_EXPECT(reg(ctx, mem, SIZE_MAX, lw), -EINVAL);
	T_EXPECT(reg(ctx, mem, PAGE_SIZE, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	T_EXPECT(reg(ctx, mem, PAGE_SIZE, lw | IB_ACCESS_MW_BIND), -EINVAL);
	T_EXPECT(reg(ctx, mem, PAGE_SIZE, lw | IB_ACCESS_ON_DEMAND), -EINVAL);
	/*
	 * a NULL pointer; memory of a process; memory beyond the end of @mem;
	 * registers; the stack; memory of a module
	 */
	T_EXPECT(reg(ctx, NULL, PAGE_SIZE, lw), -EFAULT);
	T_EXPECT(reg(ctx, (void *)SZ_4M, PAGE_SIZE, lw), -EFAULT);
	T_EXPECT(reg(ctx, mem, PAGES * PAGE_SIZE + 1, lw), -EFAULT);
	T_EXPECT(reg(ctx, mem, SZ_1G, lw), -EFAULT);
	T_EXPECT(reg(ctx, (__force void *)uar->base_addr, 64, lw), -EFAULT);
	T_EXPECT(reg(ctx, on_stack, sizeof(on_stack), lw), -EFAULT);
	T_EXPECT(reg(ctx, dv_devx_umem_cases, 64, 0), -EFAULT);
	T_EXPECT(reg_ex(ctx, mem, 2048, 0, NULL), -EINVAL);
	T_EXPECT(reg_ex(ctx, mem, 0, 0, NULL), -EINVAL);
	T_EXPECT(reg_ex(ctx, mem, SZ_4M, 0, NULL), -EINVAL);
	T_EXPECT(reg_ex(ctx, mem, SZ_4K, 1, NULL), -EOPNOTSUPP);
	T_EXPECT(reg_ex(ctx, NULL, SZ_4K, MLX5DV_UMEM_MASK_PAGES, NULL), -EINVAL);
	T_EXPECT(reg_ex(ctx, mem, SZ_4K, MLX5DV_UMEM_MASK_PAGES, pages), -EINVAL);
	return 0;
}

static int devx_umem_bad(struct t_pair *p)
{
	struct mlx5dv_devx_ctx *ctx = mlx5dv_devx_open(p->end[0].dev);
	struct mlx5dv_devx_uar *uar;
	u8 *mem = vzalloc(PAGES * PAGE_SIZE);
	int ret;

	T_EXPECT(PTR_ERR_OR_ZERO(ctx), 0);
	T_EXPECT(!mem, 0);
	uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	T_EXPECT(PTR_ERR_OR_ZERO(uar), 0);
	ret = run_bad(ctx, uar, mem);
	vfree(mem);
	mlx5dv_devx_free_uar(ctx, uar);
	mlx5dv_devx_close(ctx);
	return ret;
}

/* a UMEM of another context cannot be used: the device refuses its number */
static int run_isolated(struct devx_writer *w, struct t_pair *p)
{
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_ctx *other;
	struct mlx5dv_devx_obj *mkey;
	u32 key;

	other = mlx5dv_devx_open(p->end[0].dev);
	T_EXPECT(PTR_ERR_OR_ZERO(other), 0);
	umem = mlx5dv_devx_umem_reg(other, w->mem, w->bytes, ALL);
	T_EXPECT(PTR_ERR_OR_ZERO(umem), 0);
	mkey = devx_writer_map(w, umem, (uintptr_t)w->mem, w->bytes, &key);
	T_EXPECT(PTR_ERR_OR_ZERO(mkey), -EREMOTEIO);
	T_EXPECT(mlx5dv_devx_umem_dereg(umem), 0);
	mlx5dv_devx_close(other);
	return copy_half(w, p);
}

static int devx_umem_isolated(struct t_pair *p)
{
	void *mem = vzalloc(PAGE_SIZE);
	int ret = with_writer(p, mem, 0, PAGE_SIZE, run_isolated);

	vfree(mem);
	return ret;
}

const struct t_case dv_devx_umem_cases[] = {
	{ "devx_umem_copies", devx_umem_copies },
	{ "devx_umem_pages", devx_umem_pages },
	{ "devx_umem_in_use", devx_umem_in_use },
	{ "devx_umem_bounds", devx_umem_bounds },
	{ "devx_umem_isolated", devx_umem_isolated },
	{ "devx_umem_bad", devx_umem_bad },
	{ }
};
