// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The UMR QP: a QP of the driver itself. Its UMRs set and free the mkeys of MRs
 * of processes, without firmware commands. It sends nothing. The UMR QP, its PD
 * and its CQ are not registered with the core, so rdma(8) does not list them.
 *
 * Each change posts one WR and waits for its completion, at most as long as
 * mlx5_core waits for a command. The interrupt of the CQ polls the completions.
 *
 * A WR that fails moves the QP to ERR, where the WRs of other callers fail too.
 * Their callers then use commands. Before the next change, once all WRs have
 * completed, the QP is moved to RESET and then to RTS.
 *
 * A WR that does not complete in time, although its caller has polled the CQ at
 * the end, is lost. Its caller moves the QP to RESET, so that the device no
 * longer executes the WR, and then uses a command. If the reset fails, the
 * device may still execute the WR: changes of its mkey fail with -ETIMEDOUT,
 * its memory stays pinned, its mkey is not destroyed, and the list of the WR
 * stays mapped until the WR completes or the QP is in RESET. Other mkeys are
 * not concerned: their callers get -EIO and use commands.
 *
 * After a reset without an answer the QP gets no more WRs: MRs use commands
 * until the device is bound to the driver again. The same is true after two
 * failures without a successful WR in between. A failure is a reset that the
 * device refuses, a reset with lost WRs, or a WR whose interrupt is lost.
 *
 * A CQ in error cannot be repaired: the QP is moved to ERR, so that its WRs are
 * flushed in software (notifier.c), and all MRs use commands until the device
 * is bound to the driver again.
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/kmemleak.h>
#include <linux/rcupdate.h>
#include <linux/semaphore.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "keys/umr_qp.h"
#include "verbs/verbs.h"

#define SLOTS		16	/* WRs that can be outstanding */
#define POLLED		4	/* completions that are polled together */
#define STOP_AGAIN	(HZ / 10)
#define WR_TIMEOUT	(60 * HZ)	/* the timeout of commands in mlx5_core */
#define MAX_FAILURES	2

enum slot_state {
	SLOT_FREE,
	SLOT_POSTED,
	SLOT_LOST,
};

/**
 * struct umr_slot - a WR
 * @cqe: its done() is called at the completion
 * @umr: UMR QP
 * @state: free; posted, with a waiting caller; or lost
 * @index: index of the mkey that the WR changes
 * @missed: the CQE was polled by a caller after its timeout, and not by the
 *	interrupt
 * @done: the WR has completed
 * @status: status of the completion
 * @list: kmalloc()ed list that the device reads, or NULL
 * @list_dma: bus address of @list if @list_bytes is not 0
 * @list_bytes: bytes of @list that are mapped; 0 for a list inside the WQE
 */
struct umr_slot {
	struct ib_cqe cqe;
	struct ibx_umr_qp *umr;
	enum slot_state state;
	u32 index;
	bool missed;
	struct completion done;
	enum ib_wc_status status;
	const void *list;
	dma_addr_t list_dma;
	u32 list_bytes;
};

/**
 * struct ibx_umr_qp - the UMR QP of a device
 * @dev: device
 * @pd: PD of the QP, and of free mkeys
 * @dma: MR with which the device reads lists
 * @cq: CQ of the QP
 * @qp: the QP
 * @free_slots: number of WRs that may be posted
 * @lock: protects @slots
 * @slots: WRs
 * @repair_lock: one repair at a time
 * @stop: stops the QP when its CQ is in error
 * @broken: a WR has failed or is lost: the QP must be moved to RTS again
 * @failures: number of failures since a WR has succeeded
 * @given_up: no more WRs are posted
 */
struct ibx_umr_qp {
	struct ibx_dev *dev;
	struct ibx_pd pd;
	struct ib_mr *dma;
	struct ibx_cq cq;
	struct ibx_qp qp;
	struct semaphore free_slots;
	spinlock_t lock;	/* slots */
	struct umr_slot slots[SLOTS];
	struct mutex repair_lock;	/* broken */
	struct delayed_work stop;
	bool broken;
	atomic_t failures;
	bool given_up;
};

/* free the slot of a WR that the device will not execute any more */
static void free_slot(struct umr_slot *slot)
{
	struct ibx_umr_qp *umr = slot->umr;

	lockdep_assert_held(&umr->lock);
	if (slot->list_bytes)
		dma_unmap_single(umr->dev->mdev->device, slot->list_dma, slot->list_bytes,
				 DMA_TO_DEVICE);
	kfree(slot->list);
	slot->list = NULL;
	slot->list_bytes = 0;
	slot->state = SLOT_FREE;
}

static void wr_done(struct ib_cq *ibcq, struct ib_wc *wc)
{
	struct umr_slot *slot = container_of(wc->wr_cqe, struct umr_slot, cqe);
	unsigned long flags;

	spin_lock_irqsave(&slot->umr->lock, flags);
	slot->status = wc->status;
	if (slot->state == SLOT_LOST)
		free_slot(slot);
	else
		complete(&slot->done);
	spin_unlock_irqrestore(&slot->umr->lock, flags);
}

/*
 * @index: index of the mkey that the WR changes. Return: a free slot, or NULL
 * if lost WRs occupy all slots
 */
static struct umr_slot *get_slot(struct ibx_umr_qp *umr, u32 index)
{
	struct umr_slot *slot = NULL;
	int i;

	spin_lock_irq(&umr->lock);
	for (i = 0; i < SLOTS && !slot; i++)
		if (umr->slots[i].state == SLOT_FREE)
			slot = &umr->slots[i];
	if (slot) {
		slot->state = SLOT_POSTED;
		slot->index = index;
		slot->missed = false;
		reinit_completion(&slot->done);
	}
	spin_unlock_irq(&umr->lock);
	return slot;
}

static void put_slot(struct umr_slot *slot)
{
	spin_lock_irq(&slot->umr->lock);
	free_slot(slot);
	spin_unlock_irq(&slot->umr->lock);
}

/* free the slots of lost WRs of a QP in RESET. Return: number of lost WRs */
static unsigned int put_lost_slots(struct ibx_umr_qp *umr)
{
	unsigned int n = 0;
	int i;

	spin_lock_irq(&umr->lock);
	for (i = 0; i < SLOTS; i++) {
		if (umr->slots[i].state == SLOT_LOST) {
			free_slot(&umr->slots[i]);
			n++;
		}
	}
	spin_unlock_irq(&umr->lock);
	return n;
}

static bool has_lost_slots(struct ibx_umr_qp *umr)
{
	bool lost = false;
	int i;

	spin_lock_irq(&umr->lock);
	for (i = 0; i < SLOTS; i++)
		lost |= umr->slots[i].state == SLOT_LOST;
	spin_unlock_irq(&umr->lock);
	return lost;
}

/* may the device still execute a lost WR that changes the mkey? */
static bool key_has_lost_wr(struct ibx_umr_qp *umr, u32 index)
{
	bool lost = false;
	int i;

	if (ibx_dead(umr->dev))
		return false;
	spin_lock_irq(&umr->lock);
	for (i = 0; i < SLOTS; i++)
		lost |= umr->slots[i].state == SLOT_LOST &&
			umr->slots[i].index == index;
	spin_unlock_irq(&umr->lock);
	return lost;
}

static void init_slots(struct ibx_umr_qp *umr)
{
	int i;

	sema_init(&umr->free_slots, SLOTS);
	spin_lock_init(&umr->lock);
	for (i = 0; i < SLOTS; i++) {
		umr->slots[i].umr = umr;
		umr->slots[i].cqe.done = wr_done;
		init_completion(&umr->slots[i].done);
	}
}

/*
 * poll until the CQ is empty and armed. @missed: the caller polls after a
 * timeout, without an interrupt
 */
static void poll_wrs(struct ib_cq *ibcq, bool missed)
{
	struct ib_wc wc[POLLED];
	struct umr_slot *slot;
	int i, n;

	do {
		while ((n = ibx_poll_cq(ibcq, POLLED, wc)) > 0) {
			for (i = 0; i < n; i++) {
				slot = container_of(wc[i].wr_cqe,
						    struct umr_slot, cqe);
				slot->missed = missed;
				slot->cqe.done(ibcq, &wc[i]);
			}
		}
	} while (ibx_req_notify_cq(ibcq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

/* called in hard interrupts */
static void cq_event(struct ib_cq *ibcq, void *context)
{
	poll_wrs(ibcq, false);
}

static void stop_soon(struct ibx_umr_qp *umr, unsigned long delay)
{
	queue_delayed_work(system_long_wq, &umr->stop, delay);
}

static void cq_error(struct ib_event *event, void *context)
{
	stop_soon(context, 0);
}

/* move the QP to ERR; repeated after a failure, because callers wait for WRs */
static void stop_work(struct work_struct *work)
{
	struct ibx_umr_qp *umr = container_of(to_delayed_work(work), struct ibx_umr_qp, stop);
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	if (READ_ONCE(umr->qp.stopped) || ibx_dead(umr->dev))
		return;
	ibx_modify_qp(&umr->qp.ibqp, &attr, IB_QP_STATE, NULL);
	/* a QP in RESET is being repaired; the repair checks the CQ again */
	if (READ_ONCE(umr->qp.state) != IB_QPS_RESET && !READ_ONCE(umr->qp.stopped))
		stop_soon(umr, STOP_AGAIN);
}

/*
 * stop the QP if its CQ is in error: the error may be older than the handler of
 * the CQ, or than the QP's state RTS
 */
static bool stop_if_failed(struct ibx_umr_qp *umr)
{
	if (!READ_ONCE(umr->cq.failed))
		return false;
	stop_soon(umr, 0);
	return true;
}

static int umr_create_pd(struct ibx_umr_qp *umr)
{
	int err;

	umr->pd.ibpd.device = &umr->dev->ibdev;
	err = ibx_cmd_alloc_pd(umr->dev, &umr->pd);
	if (err)
		return err;
	/* with the access flags that the core uses for the DMA MRs of PDs */
	umr->dma = ibx_get_dma_mr(&umr->pd.ibpd, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(umr->dma)) {
		ibx_cmd_dealloc_pd(umr->dev, &umr->pd);
		return PTR_ERR(umr->dma);
	}
	umr->dma->device = &umr->dev->ibdev;
	umr->pd.ibpd.local_dma_lkey = umr->dma->lkey;
	return 0;
}

static void umr_destroy_pd(struct ibx_umr_qp *umr)
{
	ibx_dereg_mr(umr->dma, NULL);
	ibx_cmd_left(umr->dev, "PD", umr->pd.pdn, ibx_cmd_dealloc_pd(umr->dev, &umr->pd));
}

static int umr_create_cq(struct ibx_umr_qp *umr)
{
	const struct ib_cq_init_attr attr = { .cqe = SLOTS };
	struct ib_cq *ibcq = &umr->cq.ibcq;
	int err;

	ibcq->device = &umr->dev->ibdev;
	ibcq->comp_handler = cq_event;
	ibcq->cq_context = umr;
	err = ibx_create_cq(ibcq, &attr, NULL);
	if (!err)
		ibx_req_notify_cq(ibcq, IB_CQ_NEXT_COMP);
	return err;
}

static int umr_create_qp(struct ibx_umr_qp *umr)
{
	struct ibx_qp_init init = {
		.base = {
			.send_cq = &umr->cq.ibcq,
			.recv_cq = &umr->cq.ibcq,
			.qp_type = IB_QPT_DRIVER,
			.sq_sig_type = IB_SIGNAL_ALL_WR,
			.cap = { .max_send_wr = SLOTS, .max_inline_data = IBX_UMR_INLINE_MIN },
		},
		.layouts = true,	/* max_inline_data is for lists */
		.umr = true,
	};
	struct ib_qp *ibqp = &umr->qp.ibqp;

	ibqp->device = &umr->dev->ibdev;
	ibqp->qp_type = init.base.qp_type;
	ibqp->pd = &umr->pd.ibpd;
	ibqp->send_cq = init.base.send_cq;
	ibqp->recv_cq = init.base.recv_cq;
	return ibx_create_umr_qp(ibqp, &init);
}

static int move_to_rts(struct ibx_umr_qp *umr)
{
	static const struct {
		enum ib_qp_state state;
		int mask;
	} steps[] = {
		{ IB_QPS_INIT, IB_QP_PORT },
		{ IB_QPS_RTR, 0 },
		{ IB_QPS_RTS, 0 },
	};
	struct ib_qp_attr attr = { .port_num = IBX_PORT };
	int i, err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		attr.qp_state = steps[i].state;
		err = ibx_modify_qp(&umr->qp.ibqp, &attr, IB_QP_STATE | steps[i].mask, NULL);
	}
	return err;
}

static int create_objects(struct ibx_umr_qp *umr)
{
	int err;

	err = umr_create_pd(umr);
	if (err)
		return err;
	err = umr_create_cq(umr);
	if (err)
		goto destroy_pd;
	err = umr_create_qp(umr);
	if (err)
		goto destroy_cq;
	err = move_to_rts(umr);
	if (err)
		goto destroy_qp;
	return 0;

destroy_qp:
	ibx_destroy_qp(&umr->qp.ibqp, NULL);
destroy_cq:
	ibx_destroy_cq(&umr->cq.ibcq, NULL);
destroy_pd:
	umr_destroy_pd(umr);
	return err;
}

/**
 * ibx_umr_qp_create() - create the UMR QP of a device
 * @dev: device with events
 *
 * Context: may sleep.
 * Return: the QP; or an ERR_PTR() of -ENOMEM or of an errno from cmd.h.
 */
struct ibx_umr_qp *ibx_umr_qp_create(struct ibx_dev *dev)
{
	struct ibx_umr_qp *umr;
	int err;

	umr = kzalloc(sizeof(*umr), GFP_KERNEL);
	if (!umr)
		return ERR_PTR(-ENOMEM);
	umr->dev = dev;
	init_slots(umr);
	mutex_init(&umr->repair_lock);
	INIT_DELAYED_WORK(&umr->stop, stop_work);
	err = create_objects(umr);
	if (err) {
		kfree(umr);
		return ERR_PTR(err);
	}
	/* the handler stops the QP, so it is set once the QP exists */
	WRITE_ONCE(umr->cq.ibcq.event_handler, cq_error);
	/*
	 * the handler is set before cq.failed is read: pairs with smp_mb() in
	 * cq_async_event(), which stores failed and then reads the handler
	 */
	smp_mb();
	stop_if_failed(umr);
	return umr;
}

static int reset_qp(struct ibx_umr_qp *umr)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };

	return ibx_modify_qp(&umr->qp.ibqp, &attr, IB_QP_STATE, NULL);
}

/*
 * reset the QP before it is destroyed. If this fails, lists that the device may
 * still read are leaked
 */
static void reset_for_good(struct ibx_umr_qp *umr)
{
	int i, err = ibx_dead(umr->dev) ? 0 : reset_qp(umr);

	if (!err) {
		put_lost_slots(umr);
		return;
	}
	ibx_err(umr->dev, "UMR QP 0x%x may still run: its lists are leaked\n", umr->qp.qpn);
	for (i = 0; i < SLOTS; i++)
		if (umr->slots[i].state == SLOT_LOST)
			kmemleak_not_leak(umr->slots[i].list);
}

/**
 * ibx_umr_qp_destroy() - destroy a UMR QP
 * @umr: UMR QP; no change is in progress, and none will follow
 *
 * Context: may sleep.
 */
void ibx_umr_qp_destroy(struct ibx_umr_qp *umr)
{
	disable_delayed_work_sync(&umr->stop);
	if (has_lost_slots(umr))
		reset_for_good(umr);
	ibx_destroy_qp(&umr->qp.ibqp, NULL);
	ibx_destroy_cq(&umr->cq.ibcq, NULL);
	umr_destroy_pd(umr);
	mutex_destroy(&umr->repair_lock);
	kfree(umr);
}

/**
 * ibx_umr_qp_pdn() - number of a UMR QP's PD, which no process can use
 * @umr: UMR QP
 *
 * Return: the number.
 */
u32 ibx_umr_qp_pdn(const struct ibx_umr_qp *umr)
{
	return umr->pd.pdn;
}

/**
 * ibx_umr_qp_works() - can a UMR QP be used or repaired?
 * @umr: UMR QP
 *
 * Context: any.
 * Return: true; false if the CQ is in error, after repeated failures, and after
 * a reset without an answer.
 */
bool ibx_umr_qp_works(const struct ibx_umr_qp *umr)
{
	return !READ_ONCE(umr->cq.failed) && !READ_ONCE(umr->given_up);
}

static void give_up(struct ibx_umr_qp *umr)
{
	if (umr->given_up)
		return;
	ibx_warn(umr->dev, "UMR QP 0x%x fails repeatedly: MRs of processes take commands\n",
		 umr->qp.qpn);
	WRITE_ONCE(umr->given_up, true);
	WRITE_ONCE(umr->broken, true);
}

static void count_failure(struct ibx_umr_qp *umr)
{
	if (atomic_inc_return(&umr->failures) >= MAX_FAILURES)
		give_up(umr);
}

/*
 * move the QP to RESET, and then to RTS. The caller holds all of free_slots, so
 * each WR has completed or is lost.
 * Return: 0, or an errno
 */
static int reset_to_rts(struct ibx_umr_qp *umr)
{
	int err = reset_qp(umr);

	if (err == -ETIMEDOUT)
		give_up(umr);
	else if (err)
		count_failure(umr);
	if (err)
		return err;
	/*
	 * An interrupt may have polled the CQE of a lost WR and not have called
	 * its done() yet. Pairs with rcu_read_lock() of the notifier chain from
	 * which mlx5_core calls cq_event()
	 */
	if (has_lost_slots(umr))
		synchronize_rcu();
	if (put_lost_slots(umr))
		count_failure(umr);
	return umr->given_up ? -EIO : move_to_rts(umr);
}

/* repair the QP if it is broken. Return: 0, or an errno if it cannot be used */
static int repair_qp(struct ibx_umr_qp *umr)
{
	int i, err = 0;

	mutex_lock(&umr->repair_lock);
	if (!READ_ONCE(umr->broken))
		goto unlock;
	err = -EIO;
	if (READ_ONCE(umr->cq.failed) || ibx_dead(umr->dev) ||
	    (READ_ONCE(umr->given_up) && !has_lost_slots(umr)))
		goto unlock;
	for (i = 0; i < SLOTS; i++)
		down(&umr->free_slots);
	err = reset_to_rts(umr);
	if (stop_if_failed(umr))
		err = -EIO;
	if (!err)
		WRITE_ONCE(umr->broken, false);
	for (i = 0; i < SLOTS; i++)
		up(&umr->free_slots);
unlock:
	mutex_unlock(&umr->repair_lock);
	return err;
}

/*
 * repair the QP before a change of an mkey, if necessary.
 * Return:
 * * 0
 * * -EIO: the QP cannot be used; the device executes no WR for the mkey
 * * -ETIMEDOUT: the device may still execute a lost WR for the mkey
 */
static int prepare_qp(struct ibx_umr_qp *umr, u32 index)
{
	int err = -EIO;

	if (likely(!READ_ONCE(umr->broken)))
		return 0;
	/* once given up, the QP is reset only for mkeys with lost WRs */
	if (!READ_ONCE(umr->given_up) || key_has_lost_wr(umr, index))
		err = repair_qp(umr);
	if (!err)
		return 0;
	return key_has_lost_wr(umr, index) ? -ETIMEDOUT : -EIO;
}

/*
 * get a slot for a WR that changes the mkey @key. Return: the slot, an errno of
 * prepare_qp(), or -EIO if no slot is free
 */
static struct umr_slot *begin_wr(struct ibx_umr_qp *umr, u32 key)
{
	u32 index = mlx5_mkey_to_idx(key);
	struct umr_slot *slot;
	int err;

	for (;;) {
		err = prepare_qp(umr, index);
		if (err)
			return ERR_PTR(err);
		down(&umr->free_slots);
		/*
		 * a caller that waited for a slot must not post to a broken QP,
		 * where its WR could time out, too
		 */
		if (likely(!READ_ONCE(umr->broken)))
			break;
		up(&umr->free_slots);
	}
	slot = get_slot(umr, index);
	if (slot)
		return slot;
	up(&umr->free_slots);
	return ERR_PTR(-EIO);
}

/* Return: 0; -EIO for a completion in error; or -ETIMEDOUT for a lost WR */
static int wait_for_wr(struct umr_slot *slot)
{
	struct ibx_umr_qp *umr = slot->umr;
	bool done;

	if (!wait_for_completion_timeout(&slot->done, WR_TIMEOUT)) {
		/* no repair is in progress: it would wait for this slot */
		poll_wrs(&umr->cq.ibcq, true);
		spin_lock_irq(&umr->lock);
		done = completion_done(&slot->done);
		if (!done)
			slot->state = SLOT_LOST;
		spin_unlock_irq(&umr->lock);
		if (!done)
			return -ETIMEDOUT;
		count_failure(umr);
	}
	return likely(slot->status == IB_WC_SUCCESS) ? 0 : -EIO;
}

/* @err: 0 for a WR that was posted, or the errno of posting it */
static int end_wr(struct umr_slot *slot, int err)
{
	struct ibx_umr_qp *umr = slot->umr;
	u32 index = slot->index;

	if (!err)
		err = wait_for_wr(slot);
	if (unlikely(err))
		WRITE_ONCE(umr->broken, true);
	else if (unlikely(atomic_read(&umr->failures)) && !slot->missed)
		atomic_set(&umr->failures, 0);
	if (err != -ETIMEDOUT)
		put_slot(slot);
	up(&umr->free_slots);
	if (unlikely(err == -ETIMEDOUT))
		err = prepare_qp(umr, index) ?: -EIO;
	return err;
}

/**
 * ibx_umr_qp_set_mr() - set a free mkey for an MR
 * @umr: UMR QP
 * @mr: the MR; this function sets list_dma. The list is kmalloc()ed, and freed
 *	here in any case. A list that is not inline has at least IBX_DESC_ALIGN
 *	bytes, is aligned to IBX_DESC_ALIGN, and is contiguous for DMA
 *
 * After a failure the mkey is either free or set.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ENOMEM: the list cannot be mapped
 * * -EIO: the device refused the UMR, or the QP cannot be used
 * * -ETIMEDOUT: the device may still execute this UMR, or a lost UMR for the
 *   mkey
 * * another errno of posting
 */
int ibx_umr_qp_set_mr(struct ibx_umr_qp *umr, struct ibx_umr_mr *mr)
{
	struct device *device = umr->dev->mdev->device;
	struct umr_slot *slot = begin_wr(umr, mr->key);

	if (IS_ERR(slot)) {
		kfree(mr->list);
		return PTR_ERR(slot);
	}
	slot->list = mr->list;
	if (!ibx_umr_is_inline(&umr->qp.sq, mr->list_bytes)) {
		mr->list_dma = dma_map_single(device, (void *)mr->list, mr->list_bytes,
					      DMA_TO_DEVICE);
		if (dma_mapping_error(device, mr->list_dma)) {
			put_slot(slot);
			up(&umr->free_slots);
			return -ENOMEM;
		}
		slot->list_dma = mr->list_dma;
		slot->list_bytes = mr->list_bytes;
	}
	return end_wr(slot, ibx_post_umr_mr(&umr->qp, mr, &slot->cqe));
}

/**
 * ibx_umr_qp_set_rights() - change the PD and the access flags of an MR
 * @umr: UMR QP
 * @rights: PD and access flags
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * an errno of ibx_umr_qp_set_mr(): the MR has either the old or the new PD
 *   and access flags
 */
int ibx_umr_qp_set_rights(struct ibx_umr_qp *umr, const struct ibx_umr_rights *rights)
{
	struct umr_slot *slot = begin_wr(umr, rights->key);

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	return end_wr(slot, ibx_post_umr_rights(&umr->qp, rights, &slot->cqe));
}

/**
 * ibx_umr_qp_free_key() - set an mkey free, and move it to the PD of the UMR QP
 * @umr: UMR QP
 * @key: key of the mkey
 *
 * Context: may sleep.
 * Return: 0: the device no longer accesses the memory behind the mkey; or an
 * errno of ibx_umr_qp_set_mr().
 */
int ibx_umr_qp_free_key(struct ibx_umr_qp *umr, u32 key)
{
	struct umr_slot *slot = begin_wr(umr, key);

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	return end_wr(slot, ibx_post_umr_free(&umr->qp, key, umr->pd.pdn, &slot->cqe));
}

/**
 * ibx_umr_qp_settle() - prepare an mkey for its destruction by a command
 * @umr: UMR QP
 * @key: key of the mkey
 *
 * A lost UMR must not be executed after the command: the UMR would change the
 * next mkey with this index.
 *
 * Context: may sleep.
 * Return: 0, or -ETIMEDOUT: the device may still execute a lost UMR for the
 * mkey.
 */
int ibx_umr_qp_settle(struct ibx_umr_qp *umr, u32 key)
{
	u32 index = mlx5_mkey_to_idx(key);

	if (!key_has_lost_wr(umr, index))
		return 0;
	return prepare_qp(umr, index) == -ETIMEDOUT ? -ETIMEDOUT : 0;
}
