// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * nvme_cost: the module, and the requests that are measured.
 *
 * The memory of a request consists of pages that are not adjacent, as in most files. When a request
 * completes, the task submits another one, so that DEPTH requests are in flight until the last
 * ones.
 */
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/wait.h>

#include "compat.h"
#include "find_device.h"
#include "nvme_cost.h"

#define C_MAX_DEPTH	64
#define C_MAX_PAGES	32
#define C_ORDER		6		/* order of the pages for one request: 2 * C_MAX_PAGES */

struct c_io {
	struct bio *bio;
	struct page *block;
	struct llist_node node;
	struct c_load *load;
	sector_t sector;
};

struct c_load {
	struct block_device *bdev;
	blk_opf_t opf;			/* operation and flags of the bios */
	unsigned int bytes;
	unsigned int depth;
	wait_queue_head_t wait;
	struct llist_head done;
	int err;
	struct c_io io[C_MAX_DEPTH];
};

static void c_bio_done(struct bio *bio)
{
	struct c_io *io = bio->bi_private;
	u64 start = get_cycles();

	llist_add(&io->node, &io->load->done);
	wake_up(&io->load->wait);
	c_hooks_take_off(get_cycles() - start);
}

static void c_submit(struct c_io *io)
{
	struct c_load *l = io->load;
	unsigned int i;

	bio_init(io->bio, l->bdev, bio_inline_vecs(io->bio), C_MAX_PAGES, l->opf);
	for (i = 0; i < l->bytes / PAGE_SIZE; i++)
		__bio_add_page(io->bio, io->block + 2 * i, PAGE_SIZE, 0);
	io->bio->bi_iter.bi_sector = io->sector;
	io->bio->bi_private = io;
	io->bio->bi_end_io = c_bio_done;
	submit_bio(io->bio);
}

/* executes @n requests, at most l->depth at a time; @n is at least l->depth */
static int c_run_requests(struct c_load *l, unsigned int n)
{
	unsigned int submitted, done = 0;
	struct c_io *io, *next;

	for (submitted = 0; submitted < l->depth; submitted++)
		c_submit(&l->io[submitted]);
	while (done < submitted) {
		wait_event(l->wait, !llist_empty(&l->done));
		llist_for_each_entry_safe(io, next, llist_reverse_order(llist_del_all(&l->done)),
					  node) {
			done++;
			if (io->bio->bi_status && !l->err) {
				l->err = blk_status_to_errno(io->bio->bi_status);
				c_log("a request failed: %d\n", l->err);
			}
			bio_uninit(io->bio);
			if (submitted < n && !l->err) {
				submitted++;
				c_submit(io);
			}
		}
	}
	return l->err;
}

static void c_free_load(struct c_load *l)
{
	int i;

	for (i = 0; i < C_MAX_DEPTH; i++) {
		kfree(l->io[i].bio);
		if (l->io[i].block)
			__free_pages(l->io[i].block, C_ORDER);
	}
	kvfree(l);
}

static struct c_load *c_new_load(struct block_device *bdev, unsigned int bytes, unsigned int depth)
{
	struct c_load *l = kvzalloc(sizeof(*l), GFP_KERNEL);
	struct c_io *io;

	if (!l)
		return NULL;
	l->bdev = bdev;
	l->bytes = bytes;
	l->depth = depth;
	init_waitqueue_head(&l->wait);
	init_llist_head(&l->done);
	for (io = l->io; io < l->io + depth; io++) {
		io->load = l;
		io->sector = (io - l->io) * (bytes >> SECTOR_SHIFT);
		io->block = alloc_pages(GFP_KERNEL | __GFP_ZERO, C_ORDER);
		io->bio = bio_kmalloc(C_MAX_PAGES, GFP_KERNEL);
		if (!io->block || !io->bio) {
			c_free_load(l);
			return NULL;
		}
	}
	return l;
}

static void c_log_sums(unsigned int n)
{
	static const char *const parts[] = { "queue", "irq", "poll" };
	const struct c_sums *s = c_hooks_sums();
	int i;

	for (i = 0; i < C_PARTS; i++)
		c_log("%s %llu %s_runs %llu ", parts[i], s->cost[i], parts[i], s->runs[i]);
	c_log("requests %u\n", n);
}

static void c_log_calls(unsigned int n)
{
	static const char *const calls[] = {
		"post_send", "post_recv", "notify", "registrations", "completions"
	};
	const struct c_sums *s = c_hooks_sums();
	int i;

	for (i = 0; i < C_CALLS; i++)
		c_log("%s %llu ", calls[i], s->calls[i]);
	c_log("requests %u\n", n);
}

/*
 * The first run warms caches of the kernel. The costs of the second run are
 * measured. The calls of the third run are counted.
 */
static int c_measure(struct c_load *l, unsigned int n)
{
	int err = c_run_requests(l, n);

	if (err)
		return err;
	c_hooks_reset();
	err = c_run_requests(l, n);
	if (err)
		return err;
	c_log_sums(n);
	if (c_hooks_sums()->disturbed) {
		c_log("interrupts were enabled in a part that is measured\n");
		return -EIO;
	}
	c_hooks_count_calls(true);
	c_hooks_reset();
	err = c_run_requests(l, n);
	if (!err)
		c_log_calls(n);
	return err;
}

static int c_measure_on(struct ib_device *dev, struct block_device *bdev, blk_opf_t opf,
			const unsigned int arg[3])
{
	struct c_load *l;
	int err;

	l = c_new_load(bdev, arg[0], arg[1]);
	if (!l)
		return -ENOMEM;
	l->opf = opf | REQ_SYNC | REQ_IDLE;
	err = c_hooks_attach(dev, bdev_get_queue(bdev));
	if (!err) {
		err = c_measure(l, arg[2]);
		c_hooks_detach();
	}
	c_free_load(l);
	return err;
}

static int c_run_on(const char *ib_name, const char *path, blk_opf_t opf,
		    const unsigned int arg[3])
{
	struct ib_device *dev = t_find_device(ib_name);
	struct file *file;
	int err;

	if (!dev)
		return -ENODEV;
	file = bdev_file_open_by_path(path, BLK_OPEN_READ | BLK_OPEN_WRITE, NULL, NULL);
	err = PTR_ERR_OR_ZERO(file);
	if (!err) {
		err = c_measure_on(dev, file_bdev(file), opf, arg);
		fput(file);
	}
	ib_device_put(dev);
	return err;
}

static const struct {
	const char *name;
	blk_opf_t opf;
} c_cases[] = {
	{ "read", REQ_OP_READ },
	{ "write", REQ_OP_WRITE },
};

static const char *c_case_name(unsigned int nth, const char **suite)
{
	*suite = "nvme_cost";
	return nth < ARRAY_SIZE(c_cases) ? c_cases[nth].name : NULL;
}

static int c_run(unsigned int nth, char *args)
{
	char *name = strsep(&args, " "), *path = strsep(&args, " ");
	unsigned int arg[3];

	if (!path || !args || sscanf(args, "%u %u %u", &arg[0], &arg[1], &arg[2]) != 3)
		return -EINVAL;
	if (!arg[0] || arg[0] % PAGE_SIZE || arg[0] > C_MAX_PAGES * PAGE_SIZE || !arg[1] ||
	    arg[1] > C_MAX_DEPTH || arg[2] < arg[1])
		return -EINVAL;
	return c_run_on(name, path, c_cases[nth].opf, arg);
}

static int __init c_init(void)
{
	test_debugfs_open(&c_debugfs, c_case_name, c_run);
	return 0;
}

static void __exit c_exit(void)
{
	test_debugfs_close(&c_debugfs);
}

module_init(c_init);
module_exit(c_exit);

MODULE_DESCRIPTION("Cost of requests of an NVMe over RDMA host");
MODULE_LICENSE("Dual BSD/GPL");
