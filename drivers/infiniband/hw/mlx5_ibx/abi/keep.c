// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kept objects: objects of processes that stay in the device, although the verb
 * that created them has failed or the verb that destroyed them has returned 0.
 *
 * A verb that creates an object fails if its response cannot be written. The
 * device already has the object then, and refuses to destroy it if another
 * thread has guessed the number of the object and named it in a command of
 * DEVX. Such an object is kept: its memory stays pinned, and counted against
 * RLIMIT_MEMLOCK, until the device has destroyed the object. The driver retries
 * the destruction when the device refuses to destroy another object of the
 * context, when the process destroys an object of DEVX, when the context is
 * closed, when another context of the device is closed later, and when the
 * device is removed.
 *
 * A command that the device has not answered may be executed at any time. The
 * object of such a command is kept as well. After a command that creates an
 * object, the number of the object is unknown; after one that destroys an
 * object, the number may belong to another object. So no further command names
 * the object, and its memory stays pinned until the device is in fatal error or
 * has been unplugged. Until then, the user context of the process stays, too
 * (ibx_uctx.lost): if the number of the user context (uid) were used again, the
 * late command could be executed with the uid of another process.
 *
 * The device may refuse to destroy an object that is in use by a kept object,
 * or by an object of a lost context whose number is unknown. Then the verb
 * succeeds, and the object is kept.
 *
 * When a context is closed, its kept objects and its user context move to an
 * ibx_uctx that the core has no reference to (ibx_dev.closed).
 */
#include <linux/kmemleak.h>
#include <linux/slab.h>

#include "abi/keep.h"
#include "devx/obj.h"

/**
 * struct ibx_kept - a kept object
 * @link: entry in ibx_uctx.kept
 * @undo: command that destroys the object; all 0 without a command
 * @pins: rings, doorbell records and UAR; empty without them
 * @next: second ring of a CQ; empty without one
 * @unpin: unpins @mem; NULL without other memory
 * @mem: other memory
 */
struct ibx_kept {
	struct list_head link;
	u32 undo[IBX_UNDO_DW];
	struct ibx_pins pins;
	struct ibx_rings next;
	void (*unpin)(void *mem);
	void *mem;
};

static struct ibx_dev *dev_of(const struct ibx_uctx *uctx)
{
	return to_idev(uctx->ibuc.device);
}

static void free_kept(struct ibx_kept *kept)
{
	ibx_rings_unpin(&kept->next);
	ibx_pins_put(&kept->pins);
	if (kept->unpin)
		kept->unpin(kept->mem);
	kfree(kept);
}

/* put the resources of an object that the device does not have */
static void put_resources(const struct ibx_keep *keep)
{
	if (keep->next)
		ibx_rings_unpin(keep->next);
	if (keep->pins)
		ibx_pins_put(keep->pins);
	if (keep->unpin)
		keep->unpin(keep->mem);
}

/*
 * buf.pages may point into @from: ibx_rings_settle() sets it to NULL
 */
static void move_rings(struct ibx_rings *from, struct ibx_rings *to)
{
	ibx_rings_settle(from);
	*to = *from;
	memset(from, 0, sizeof(*from));
}

static void move_pins(struct ibx_pins *from, struct ibx_pins *to)
{
	ibx_rings_settle(&from->rings);
	*to = *from;
	memset(from, 0, sizeof(*from));
}

static struct ibx_kept *make_kept(const struct ibx_keep *keep)
{
	struct ibx_kept *kept;

	/* must not fail: without a record, the memory is never unpinned */
	kept = kzalloc(sizeof(*kept), GFP_KERNEL | __GFP_NOFAIL);
	if (keep->pins)
		move_pins(keep->pins, &kept->pins);
	if (keep->next)
		move_rings(keep->next, &kept->next);
	kept->unpin = keep->unpin;
	kept->mem = keep->mem;
	return kept;
}

static void report_kept(struct ibx_dev *dev, const struct ibx_keep *keep, int err)
{
	if (keep->undo[0])
		ibdev_err_ratelimited(&dev->ibdev, "%s 0x%x stays in the device: error %d\n",
				      keep->what, ibx_undo_nr(keep->undo), err);
	else
		ibdev_err_ratelimited(&dev->ibdev, "the device may have %s: error %d\n",
				      keep->what, err);
}

static bool has_resources(const struct ibx_keep *keep)
{
	return keep->pins || keep->next || keep->unpin;
}

/* @err: errno of the last command that named the object */
static void keep_object(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err)
{
	struct ibx_dev *dev = dev_of(uctx);
	struct ibx_kept *kept;

	if (ibx_cmd_is_over(dev)) {
		put_resources(keep);
		return;
	}
	report_kept(dev, keep, err);
	ibx_keep_note(uctx, err);
	/* no record: there is no command to retry and no memory to unpin */
	if ((ibx_cmd_lost(err) || !keep->undo[0]) && !has_resources(keep))
		return;
	kept = make_kept(keep);
	if (!ibx_cmd_lost(err))
		memcpy(kept->undo, keep->undo, sizeof(kept->undo));
	mutex_lock(&uctx->keep_lock);
	list_add_tail(&kept->link, &uctx->kept);
	mutex_unlock(&uctx->keep_lock);
}

/*
 * Return: true if the device does not have the object. A command that was not
 * answered is not retried: the number may belong to another object.
 */
static bool destroy_kept(struct ibx_dev *dev, struct ibx_kept *kept)
{
	int err;

	if (ibx_cmd_is_over(dev))
		return true;
	if (!kept->undo[0])
		return false;
	err = ibx_cmd_undo(dev, kept->undo);
	if (ibx_cmd_lost(err))
		memset(kept->undo, 0, sizeof(kept->undo));
	return !err;
}

/*
 * Destroy kept objects, in passes until the device refuses all that are left,
 * because kept objects may use one another. Return: true if one was destroyed.
 */
static bool retry_kept(struct ibx_uctx *uctx)
{
	struct ibx_dev *dev = dev_of(uctx);
	struct ibx_kept *kept, *next;
	LIST_HEAD(done);
	bool again;

	mutex_lock(&uctx->keep_lock);
	do {
		again = false;
		list_for_each_entry_safe(kept, next, &uctx->kept, link) {
			if (destroy_kept(dev, kept)) {
				list_move(&kept->link, &done);
				again = true;
			}
		}
	} while (again);
	mutex_unlock(&uctx->keep_lock);

	again = !list_empty(&done);
	list_for_each_entry_safe(kept, next, &done, link)
		free_kept(kept);
	return again;
}

/**
 * ibx_keep_uncreated() - handle the failure of a command that creates an object
 * @uctx: context of the process
 * @keep: the object, without a number
 * @err: errno of the command
 *
 * The resources are put, or kept if the device may still create the object.
 *
 * Context: may sleep.
 */
void ibx_keep_uncreated(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err)
{
	if (ibx_cmd_lost(err))
		keep_object(uctx, keep, err);
	else
		put_resources(keep);
}

/**
 * ibx_keep_undestroyed() - end an object whose verb fails after the device has created it
 * @uctx: context of the process
 * @keep: the object
 * @err: result of the command that destroys the object
 *
 * The resources are put, or kept if the device still has the object.
 *
 * Context: may sleep.
 */
void ibx_keep_undestroyed(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err)
{
	if (err)
		keep_object(uctx, keep, err);
	else
		put_resources(keep);
}

/*
 * May other objects of the context be in use by objects that the process cannot
 * destroy?
 */
static bool has_others(const struct ibx_uctx *uctx)
{
	return READ_ONCE(uctx->lost) || !list_empty(&uctx->kept);
}

/**
 * ibx_keep_refused() - handle the failure of a command that destroys an object
 * @uctx: context of the process
 * @keep: the object
 * @err: errno of the command
 *
 * The object may be in use by kept objects. So the driver retries to destroy
 * these, and then the object.
 *
 * Context: may sleep.
 * Return:
 * * 0: the resources are put or kept, and the verb succeeds
 * * the errno of the command: the object is unchanged
 */
int ibx_keep_refused(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err)
{
	if (keep->undo[0] && !ibx_cmd_lost(err) && retry_kept(uctx)) {
		err = ibx_cmd_undo(dev_of(uctx), keep->undo);
		if (!err) {
			put_resources(keep);
			return 0;
		}
	}
	if (!ibx_cmd_lost(err) && !keep->must && !has_others(uctx))
		return err;
	keep_object(uctx, keep, err);
	return 0;
}

/**
 * ibx_keep_retry() - retry to destroy kept objects, after another object was destroyed
 * @uctx: context of the process
 *
 * Context: may sleep.
 */
void ibx_keep_retry(struct ibx_uctx *uctx)
{
	if (!list_empty(&uctx->kept))
		retry_kept(uctx);
}

/**
 * ibx_keep_open() - initialize the lists and locks of the resources of a context
 * @uctx: new context; its uid is set
 *
 * Context: may sleep.
 */
void ibx_keep_open(struct ibx_uctx *uctx)
{
	mutex_init(&uctx->db_lock);
	INIT_LIST_HEAD(&uctx->db_pages);
	mutex_init(&uctx->keep_lock);
	INIT_LIST_HEAD(&uctx->kept);
}

static void fini_uctx(struct ibx_uctx *uctx)
{
	WARN_ON(!list_empty(&uctx->db_pages));
	mutex_destroy(&uctx->keep_lock);
	mutex_destroy(&uctx->db_lock);
}

/* destroy the user context of a context for DEVX */
static int destroy_uid(struct ibx_uctx *uctx)
{
	struct ibx_dev *dev = dev_of(uctx);
	int err;

	if (!uctx->uid || ibx_cmd_is_over(dev))
		return 0;
	if (uctx->lost)
		return -EBUSY;
	err = ibx_cmd_try_destroy_uctx(dev, uctx->uid);
	if (ibx_cmd_lost(err))
		uctx->lost = true;
	return err;
}

/*
 * Add a UAR to the kept objects, at the end of the list, so that the objects
 * that use the UAR are destroyed first.
 */
static void keep_uar(struct ibx_uctx *uctx, struct ibx_uar *uar)
{
	struct ibx_kept *kept = kzalloc(sizeof(*kept), GFP_KERNEL | __GFP_NOFAIL);

	ibx_cmd_fill_undo(kept->undo, MLX5_CMD_OP_DEALLOC_UAR, uctx->uid, uar->index);
	list_add_tail(&kept->link, &uctx->kept);
	uar->keep = true;
}

/*
 * The mmap table of the context must be empty when the core frees it. So the
 * UARs of kept objects are put, and become kept objects themselves.
 */
static void drop_uars(struct ibx_uctx *uctx)
{
	struct ibx_kept *kept;

	list_for_each_entry(kept, &uctx->kept, link) {
		struct ibx_uar *uar = kept->pins.uar;

		if (!uar)
			continue;
		if (!uar->keep)
			keep_uar(uctx, uar);
		kept->pins.uar = NULL;
		ibx_uar_put(uar);
	}
}

static void leave_to_closed(struct ibx_uctx *uctx)
{
	struct ibx_dev *dev = dev_of(uctx);
	struct ibx_uctx *closed;
	struct ibx_kept *kept;

	closed = kzalloc(sizeof(*closed), GFP_KERNEL | __GFP_NOFAIL);
	closed->ibuc.device = uctx->ibuc.device;
	closed->uid = uctx->uid;
	closed->lost = uctx->lost;
	ibx_keep_open(closed);
	list_splice_init(&uctx->db_pages, &closed->db_pages);
	list_splice_init(&uctx->kept, &closed->kept);
	list_for_each_entry(kept, &closed->kept, link)
		kept->pins.uctx = closed;
	mutex_lock(&dev->closed_lock);
	list_add_tail(&closed->link, &dev->closed);
	mutex_unlock(&dev->closed_lock);
}

/* retry to destroy the objects of closed contexts, and the contexts */
static void retry_closed(struct ibx_dev *dev)
{
	struct ibx_uctx *closed, *next;

	mutex_lock(&dev->closed_lock);
	list_for_each_entry_safe(closed, next, &dev->closed, link) {
		retry_kept(closed);
		if (!list_empty(&closed->kept) || destroy_uid(closed))
			continue;
		list_del(&closed->link);
		fini_uctx(closed);
		kfree(closed);
	}
	mutex_unlock(&dev->closed_lock);
}

/**
 * ibx_keep_close() - close a context after the core has destroyed its objects
 * @uctx: context
 *
 * The user context is destroyed, unless kept objects stay in the user context,
 * a command of the context is lost (ibx_uctx.lost), or the device refuses.
 *
 * Context: may sleep.
 */
void ibx_keep_close(struct ibx_uctx *uctx)
{
	int err;

	retry_closed(dev_of(uctx));
	ibx_keep_retry(uctx);
	drop_uars(uctx);
	err = list_empty(&uctx->kept) ? destroy_uid(uctx) : 0;
	if (err)
		ibdev_err_ratelimited(uctx->ibuc.device,
				      "user context 0x%x stays in the device: error %d\n",
				      uctx->uid, err);
	if (err || !list_empty(&uctx->kept))
		leave_to_closed(uctx);
	fini_uctx(uctx);
}

/**
 * ibx_keep_exit() - free the closed contexts of a device without open contexts
 * @dev: device
 *
 * Memory that the device may still use is never unpinned: the driver gets no
 * event when the device is reset later.
 *
 * Context: may sleep.
 * Return: true if kept objects stay in the device.
 */
bool ibx_keep_exit(struct ibx_dev *dev)
{
	struct ibx_uctx *closed, *next;
	bool left = false;

	retry_closed(dev);
	list_for_each_entry_safe(closed, next, &dev->closed, link) {
		list_del_init(&closed->link);
		if (list_empty(&closed->kept)) {
			fini_uctx(closed);
			kfree(closed);
		} else {
			kmemleak_not_leak(closed);
			left = true;
		}
	}
	if (left)
		ibx_err(dev, "the device keeps objects of processes: their memory stays pinned\n");
	return left;
}
