// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measuring the parts of the cost of a request, in a VM of one CPU whose time stamp
 * counter counts instructions.
 *
 * Functions of this file replace three kinds of functions: queue_rq of the block device's queue,
 * the handlers of the completion interrupts of the RDMA device, and the poll functions of the CQs
 * of the NVMe host. Each function of this file reads the counter, calls the replaced function, and
 * reads the counter again, with interrupts off. So no other code runs in between: neither the
 * hardware thread of the simulator nor an interrupt nor the target. The simulated device executes
 * nothing in the driver's context, since its registers are plain memory.
 *
 * An empty function is measured first. Its cost is the cost of the measurement, and is subtracted
 * from each result. The cost of waking the task that waits for a request is subtracted too.
 *
 * In a separate run, the operations of the RDMA device are counted in the same way.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/irq_poll.h>
#include <linux/pci.h>
#include <linux/timex.h>

#include "compat.h"
#include "nvme_cost.h"

#define C_MAX_IRQS	64
#define C_MAX_CQS	16

/* only one CPU is online, and interrupts are off when a member changes: there is no lock */
static struct {
	struct request_queue *q;
	const struct blk_mq_ops *old_mq;
	struct blk_mq_ops mq;

	unsigned int nr_irqs;
	struct irqaction *action[C_MAX_IRQS];
	irq_handler_t irq;

	unsigned int nr_cqs;
	struct ib_cq *cq[C_MAX_CQS];
	irq_poll_fn *poll;

	struct ib_device *dev;
	/* original operations while they are replaced, else the replacements */
	struct {
		int (*post_send)(struct ib_qp *qp, const struct ib_send_wr *wr,
				 const struct ib_send_wr **bad_wr);
		int (*post_recv)(struct ib_qp *qp, const struct ib_recv_wr *wr,
				 const struct ib_recv_wr **bad_wr);
		int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify_flags flags);
		int (*poll_cq)(struct ib_cq *cq, int num, struct ib_wc *wc);
	} ops;
	bool counting;

	unsigned int depth;		/* number of nested parts that are running */
	u64 off;			/* counts to subtract from the running part */
	u64 empty[C_PARTS];		/* cost measured for a function that does nothing */
	struct c_sums sums;
} c;

static __always_inline u64 c_begin(unsigned long *flags)
{
	local_irq_save(*flags);
	if (!c.depth++)
		c.off = 0;
	return get_cycles();
}

/* the cost of a part includes the cost of nested parts */
static __always_inline void c_end(enum c_part part, u64 start, unsigned long flags)
{
	u64 cost = get_cycles() - start;

	c.sums.disturbed |= !irqs_disabled();
	if (!--c.depth) {
		c.sums.cost[part] += cost - c.off - c.empty[part];
		c.sums.runs[part]++;
	}
	local_irq_restore(flags);
}

static noinline blk_status_t c_queue_rq(struct blk_mq_hw_ctx *hctx,
					const struct blk_mq_queue_data *bd)
{
	unsigned long flags;
	u64 start = c_begin(&flags);
	blk_status_t ret = c.old_mq->queue_rq(hctx, bd);

	c_end(C_QUEUE, start, flags);
	return ret;
}

static noinline irqreturn_t c_irq(int irq, void *data)
{
	unsigned long flags;
	u64 start = c_begin(&flags);
	irqreturn_t ret = c.irq(irq, data);

	c_end(C_IRQ, start, flags);
	return ret;
}

static noinline int c_poll(struct irq_poll *iop, int budget)
{
	unsigned long flags;
	u64 start = c_begin(&flags);
	int ret = c.poll(iop, budget);

	c_end(C_POLL, start, flags);
	return ret;
}

/* ---- operations of the device ---- */

static int c_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	const struct ib_send_wr *nth;

	c.sums.calls[C_POST_SEND]++;
	for (nth = wr; nth; nth = nth->next)
		c.sums.calls[C_REGISTRATIONS] += nth->opcode == IB_WR_REG_MR;
	return c.ops.post_send(qp, wr, bad_wr);
}

static int c_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr)
{
	c.sums.calls[C_POST_RECV]++;
	return c.ops.post_recv(qp, wr, bad_wr);
}

static int c_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	c.sums.calls[C_NOTIFY]++;
	return c.ops.req_notify_cq(cq, flags);
}

static int c_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc)
{
	int n = c.ops.poll_cq(cq, num, wc);

	c.sums.calls[C_COMPLETIONS] += max(n, 0);
	return n;
}

/**
 * c_hooks_count_calls() - begin or end counting the operations of the device
 * @on: true to begin, false to end
 *
 * While calls are counted, the costs of parts are not valid, because counting has a cost too.
 *
 * Context: the queue is idle.
 */
void c_hooks_count_calls(bool on)
{
	if (on == c.counting)
		return;
	c.counting = on;
	swap(c.ops.post_send, c.dev->ops.post_send);
	swap(c.ops.post_recv, c.dev->ops.post_recv);
	swap(c.ops.req_notify_cq, c.dev->ops.req_notify_cq);
	swap(c.ops.poll_cq, c.dev->ops.poll_cq);
}

/* ---- cost of the measurement itself ---- */

static blk_status_t c_no_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	return BLK_STS_OK;
}

static irqreturn_t c_no_irq(int irq, void *data)
{
	return IRQ_HANDLED;
}

static int c_no_poll(struct irq_poll *iop, int budget)
{
	return 0;
}

static void c_measure_nothing(void)
{
	static const struct blk_mq_ops nothing = { .queue_rq = c_no_queue_rq };

	memset(c.empty, 0, sizeof(c.empty));
	c_hooks_reset();
	c.old_mq = &nothing;
	c.irq = c_no_irq;
	c.poll = c_no_poll;
	c_queue_rq(NULL, NULL);
	c_irq(0, NULL);
	c_poll(NULL, 0);
	memcpy(c.empty, c.sums.cost, sizeof(c.empty));
}

/* ---- attaching ---- */

/* finds the interrupts of completion EQs by the names that mlx5_core gives them */
static int c_find_irqs(struct pci_dev *pdev)
{
	struct irqaction *action;
	unsigned int i;
	int irq;

	for (i = 0; i < C_MAX_IRQS; i++) {
		irq = pci_irq_vector(pdev, i);
		if (irq < 0)
			continue;
		action = irq_data_to_desc(irq_get_irq_data(irq))->action;
		if (!action || !strstarts(action->name, "mlx5_comp"))
			continue;
		if (action->next || (c.nr_irqs && action->handler != c.action[0]->handler)) {
			c_log("interrupt %d has another handler\n", irq);
			return -EBUSY;
		}
		c.action[c.nr_irqs++] = action;
	}
	return c.nr_irqs ? 0 : -ENOENT;
}

static int c_find_cqs(struct ib_device *dev)
{
	struct ib_cq *cq;
	int err = 0;

	spin_lock_irq(&dev->cq_pools_lock);
	list_for_each_entry(cq, &dev->cq_pools[IB_POLL_SOFTIRQ], pool_entry) {
		if (c.nr_cqs == C_MAX_CQS) {
			err = -ENOSPC;
			break;
		}
		c.cq[c.nr_cqs++] = cq;
	}
	spin_unlock_irq(&dev->cq_pools_lock);
	return c.nr_cqs ? err : -ENOENT;
}

/* @on: true installs the functions of this file, false the original ones */
static void c_switch(bool on)
{
	unsigned int i, memflags;

	memflags = t_freeze_queue(c.q);
	local_irq_disable();
	c.q->mq_ops = on ? &c.mq : c.old_mq;
	for (i = 0; i < c.nr_irqs; i++)
		c.action[i]->handler = on ? c_irq : c.irq;
	for (i = 0; i < c.nr_cqs; i++)
		c.cq[i]->iop.poll = on ? c_poll : c.poll;
	local_irq_enable();
	t_unfreeze_queue(c.q, memflags);
}

/**
 * c_hooks_attach() - begin to measure
 * @dev: RDMA device of an NVMe host
 * @q: queue of a namespace that the host has connected
 *
 * Context: process context; one CPU is online.
 * Return:
 * * 0
 * * -EINVAL: more CPUs are online, @q is no blk-mq queue, or @dev is no PCI device
 * * -ENOENT: the device has no interrupt, or no CQ that is polled in softirq
 *   context
 * * -EBUSY: an interrupt has more than one handler, or the handlers differ
 * * -ENOSPC: there are too many CQs
 */
int c_hooks_attach(struct ib_device *dev, struct request_queue *q)
{
	int err;

	if (num_online_cpus() != 1 || !queue_is_mq(q) || !dev_is_pci(dev->dev.parent)) {
		c_log("not one CPU, or not a queue of requests, or not a PCI device\n");
		return -EINVAL;
	}
	memset(&c, 0, sizeof(c));
	c_measure_nothing();
	err = c_find_irqs(to_pci_dev(dev->dev.parent)) ?: c_find_cqs(dev);
	if (err)
		return err;
	c.dev = dev;
	c.ops.post_send = c_post_send;
	c.ops.post_recv = c_post_recv;
	c.ops.req_notify_cq = c_req_notify_cq;
	c.ops.poll_cq = c_poll_cq;
	c.q = q;
	c.old_mq = q->mq_ops;
	c.mq = *q->mq_ops;
	c.mq.queue_rq = c_queue_rq;
	c.irq = c.action[0]->handler;
	c.poll = c.cq[0]->iop.poll;
	c_hooks_reset();
	c_switch(true);
	return 0;
}

/**
 * c_hooks_detach() - undo c_hooks_attach()
 *
 * Context: process context; the queue is idle.
 */
void c_hooks_detach(void)
{
	c_hooks_count_calls(false);
	c_switch(false);
}

/**
 * c_hooks_take_off() - subtract a cost from the running part
 * @cost: time stamp counts of the completion of a bio by its owner
 *
 * Context: any.
 */
void c_hooks_take_off(u64 cost)
{
	c.off += cost;
}

/**
 * c_hooks_reset() - clear the measurements
 */
void c_hooks_reset(void)
{
	memset(&c.sums, 0, sizeof(c.sums));
}

/**
 * c_hooks_sums() - get the measurements
 *
 * Return: the sums, which change while requests are under way.
 */
const struct c_sums *c_hooks_sums(void)
{
	return &c.sums;
}
