// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MSI-X: from an event of the device to the driver's interrupt handler.
 *
 * The bus has an interrupt domain, the parent of the domain that the PCI core
 * creates for each device. The parent maps vectors to Linux interrupts and
 * composes the messages of the vectors. The messages are never sent; the PCI
 * core writes them to the table in the BAR. The mask bits in the table and in
 * config space control delivery. For a vector that is raised, the handler of
 * the Linux interrupt runs in hard-irq context on the CPU of its affinity:
 * through an IPI, or through irq_work if that CPU is the current CPU or is
 * offline.
 *
 * No message is lost, except by a fault. A vector that is raised while masked
 * sets its pending bit, and the unmask delivers the message. A raise before the
 * irq_work or IPI of an earlier raise has begun needs no other delivery: its
 * event queue entry is in memory already, so the handler finds the entry. A
 * later raise queues another delivery. If the handler still runs on another
 * CPU, handle_edge_irq() runs it again.
 *
 * Locks, all taken with interrupts disabled, the outer one first: the lock of
 * the irq descriptor, sim_vec.lock, and sim_msix.pba_lock for the words of
 * pending bits, which vectors share.
 */
#include <linux/irq_work.h>
#include <linux/irqdomain.h>
#include <linux/msi.h>
#include <linux/smp.h>

#include "core/compat.h"
#include "core/core.h"
#include "host/cfg.h"
#include "host/host.h"

/**
 * struct sim_vec - one MSI-X vector
 * @sdev: simulated function
 * @index: index in the MSI-X table
 * @virq: Linux interrupt number, 0 while the driver has not allocated it
 * @cpu: CPU on which the interrupt is delivered
 * @pending: raised while masked
 * @lock: protects @pending against changes of the mask bit, and the use of @csd
 * @work: delivers on the current CPU
 * @csd: delivers on another CPU
 */
struct sim_vec {
	struct sim_dev *sdev;
	u32 index;
	unsigned int virq;
	unsigned int cpu;
	bool pending;
	raw_spinlock_t lock;
	struct irq_work work;
	call_single_data_t csd;
};

struct sim_msix {
	raw_spinlock_t pba_lock;
	struct sim_vec vec[SIM_MAX_VECTORS];
};

static struct irq_domain *sim_msi_domain;

/* ---- delivery ---- */

static void sim_vec_handle(struct sim_vec *vec)
{
	unsigned int virq = READ_ONCE(vec->virq);

	if (virq)
		generic_handle_irq(virq);
}

static void sim_vec_work(struct irq_work *work)
{
	sim_vec_handle(container_of(work, struct sim_vec, work));
}

static void sim_vec_ipi(void *arg)
{
	/*
	 * csd was unlocked just before: pairs with smp_mb() in sim_vec_send().
	 * The handler finds the entries of all raises that found csd locked.
	 */
	smp_mb();
	sim_vec_handle(arg);
}

/*
 * The caller holds sim_vec.lock, which protects @csd. A delivery that is queued
 * and has not begun also delivers this message.
 */
static void sim_vec_send(struct sim_vec *vec)
{
	unsigned int cpu = READ_ONCE(vec->cpu);

	lockdep_assert_held(&vec->lock);
	if (cpu != smp_processor_id() && cpu_online(cpu)) {
		/*
		 * the entry of the event queue is written before csd is read:
		 * pairs with smp_mb() in sim_vec_ipi()
		 */
		smp_mb();
		smp_call_function_single_async(cpu, &vec->csd);
	} else {
		/* fully ordered by irq_work_claim() and irq_work_single() */
		irq_work_queue(&vec->work);
	}
}

static u32 sim_vec_ctrl_off(u32 index)
{
	return SIM_MSIX_TABLE_OFF + index * PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL;
}

/* The table is little-endian, as all of PCI. */
static bool sim_vec_masked(struct sim_vec *vec)
{
	u32 ctrl = ioread32(vec->sdev->bar + sim_vec_ctrl_off(vec->index));

	return ctrl & PCI_MSIX_ENTRY_CTRL_MASKBIT || !sim_cfg_msix_live(vec->sdev);
}

/* Caller holds sim_vec.lock. */
static void sim_vec_set_pending(struct sim_vec *vec, bool on)
{
	void __iomem *pba = vec->sdev->bar + SIM_MSIX_PBA_OFF + vec->index / 32 * 4;
	u32 bits;

	vec->pending = on;
	raw_spin_lock(&vec->sdev->msix->pba_lock);
	bits = ioread32(pba);
	if (on)
		bits |= BIT(vec->index % 32);
	else
		bits &= ~BIT(vec->index % 32);
	iowrite32(bits, pba);
	raw_spin_unlock(&vec->sdev->msix->pba_lock);
}

/* Sends a pending message if the vector is not masked. Any context. */
static void sim_vec_flush(struct sim_vec *vec)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vec->lock, flags);
	if (vec->pending && !sim_vec_masked(vec)) {
		sim_vec_set_pending(vec, false);
		sim_vec_send(vec);
	}
	raw_spin_unlock_irqrestore(&vec->lock, flags);
}

/**
 * sim_msix_raise() - send an MSI-X message
 * @sdev: simulated function
 * @vector: index in the MSI-X table; a message beyond the table is dropped
 *
 * A fault may drop the message. Earlier writes of the device to memory are
 * visible to the handler.
 *
 * Context: hardware thread.
 */
void sim_msix_raise(struct sim_dev *sdev, u32 vector)
{
	struct sim_vec *vec;
	unsigned long flags;

	if (vector >= SIM_MAX_VECTORS || sim_fault_irq_drops(&sdev->faults->irq, vector))
		return;
	vec = &sdev->msix->vec[vector];
	sim_count(sdev, interrupts);

	raw_spin_lock_irqsave(&vec->lock, flags);
	if (sim_vec_masked(vec))
		sim_vec_set_pending(vec, true);
	else
		sim_vec_send(vec);
	raw_spin_unlock_irqrestore(&vec->lock, flags);
}

/**
 * sim_msix_nvec() - size of the MSI-X table
 * @sdev: simulated function
 *
 * Return: number of vectors.
 */
u32 sim_msix_nvec(struct sim_dev *sdev)
{
	return SIM_MAX_VECTORS;
}

/**
 * sim_msix_deliver_pending() - send the pending messages of vectors not masked
 * @sdev: simulated function
 *
 * Context: any.
 */
void sim_msix_deliver_pending(struct sim_dev *sdev)
{
	int i;

	for (i = 0; i < SIM_MAX_VECTORS; i++)
		sim_vec_flush(&sdev->msix->vec[i]);
}

/**
 * sim_msix_reset() - reset the MSI-X table and the pending bits
 * @sdev: simulated function
 *
 * Context: any.
 */
void sim_msix_reset(struct sim_dev *sdev)
{
	unsigned long flags;
	int i;

	for (i = 0; i < SIM_MAX_VECTORS; i++) {
		struct sim_vec *vec = &sdev->msix->vec[i];
		void __iomem *entry = sdev->bar + SIM_MSIX_TABLE_OFF + i * PCI_MSIX_ENTRY_SIZE;

		raw_spin_lock_irqsave(&vec->lock, flags);
		memset_io(entry, 0, PCI_MSIX_ENTRY_SIZE);
		iowrite32(PCI_MSIX_ENTRY_CTRL_MASKBIT, entry + PCI_MSIX_ENTRY_VECTOR_CTRL);
		sim_vec_set_pending(vec, false);
		raw_spin_unlock_irqrestore(&vec->lock, flags);
	}
}

/* ---- the interrupt domain ---- */

/* @data: irq_data of the domain of the device, or of the parent domain */
static struct sim_vec *sim_vec_of(struct irq_data *data)
{
	return irq_domain_get_irq_data(sim_msi_domain, data->irq)->chip_data;
}

static void sim_irq_compose(struct irq_data *data, struct msi_msg *msg)
{
	msg->address_hi = 0;
	msg->address_lo = 0x15b30000;
	msg->data = sim_vec_of(data)->index;
}

static struct irq_chip sim_parent_chip = {
	.name			= "mlx5sim",
	.irq_compose_msi_msg	= sim_irq_compose,
};

static int sim_domain_alloc(struct irq_domain *domain, unsigned int virq, unsigned int nr,
			    void *arg)
{
	struct msi_desc *desc = ((msi_alloc_info_t *)arg)->desc;
	struct sim_dev *sdev = sim_dev_of(desc->dev);
	struct sim_vec *vec;

	if (nr != 1 || !sdev || desc->msi_index >= SIM_MAX_VECTORS)
		return -ENOSPC;
	vec = &sdev->msix->vec[desc->msi_index];
	vec->cpu = cpumask_first(cpu_online_mask);
	irq_domain_set_info(domain, virq, sdev->index * SIM_MAX_VECTORS + vec->index,
			    &sim_parent_chip, vec, handle_edge_irq, NULL, "edge");
	sim_irq_move_at_any_time(virq);
	WRITE_ONCE(vec->virq, virq);
	return 0;
}

/*
 * The driver has freed the interrupt. Waits until no delivery is in progress.
 */
static void sim_domain_free(struct irq_domain *domain, unsigned int virq, unsigned int nr)
{
	struct irq_data *data = irq_domain_get_irq_data(domain, virq);
	struct sim_vec *vec = data->chip_data;

	WRITE_ONCE(vec->virq, 0);
	irq_work_sync(&vec->work);
	while (READ_ONCE(vec->csd.node.u_flags) & CSD_FLAG_LOCK)
		cpu_relax();
	/*
	 * CSD_FLAG_LOCK is cleared before sim_vec_ipi() runs. Interrupts are
	 * disabled until sim_vec_ipi() returns, so synchronize_rcu() waits for
	 * the end of the delivery
	 */
	synchronize_rcu();
	irq_domain_reset_irq_data(data);
}

static const struct irq_domain_ops sim_domain_ops = {
	.alloc	= sim_domain_alloc,
	.free	= sim_domain_free,
};

/* ---- the chip of the domain of a function ---- */

static void sim_irq_unmask(struct irq_data *data)
{
	pci_msi_unmask_irq(data);
	sim_vec_flush(sim_vec_of(data));
}

/* Edge triggered: there is nothing to acknowledge. */
static void sim_irq_ack(struct irq_data *data)
{
}

/*
 * The message is the same for every CPU, so the table entry is not written. A
 * write would mask the vector for a moment, and unmask it without
 * sim_vec_flush().
 */
static int sim_irq_set_affinity(struct irq_data *data, const struct cpumask *mask, bool force)
{
	unsigned int cpu = cpumask_any_and_distribute(mask, cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		return -EINVAL;
	WRITE_ONCE(sim_vec_of(data)->cpu, cpu);
	irq_data_update_effective_affinity(data, cpumask_of(cpu));
	return IRQ_SET_MASK_OK;
}

static int sim_irq_retrigger(struct irq_data *data)
{
	struct sim_vec *vec = sim_vec_of(data);
	unsigned long flags;

	raw_spin_lock_irqsave(&vec->lock, flags);
	sim_vec_send(vec);
	raw_spin_unlock_irqrestore(&vec->lock, flags);
	return 1;
}

/*
 * The callbacks of the PCI core's chip that could start or unmask a vector
 * without sim_vec_flush() are replaced.
 */
static bool sim_msix_init_info(struct device *dev, struct irq_domain *domain,
			       struct irq_domain *parent, struct msi_domain_info *info)
{
	if (info->bus_token != DOMAIN_BUS_PCI_DEVICE_MSIX)
		return false;
	info->flags &= domain->msi_parent_ops->supported_flags;
	info->flags |= MSI_FLAG_USE_DEF_DOM_OPS | MSI_FLAG_USE_DEF_CHIP_OPS;
	info->chip->irq_startup = NULL;
	info->chip->irq_shutdown = NULL;
	info->chip->irq_ack = sim_irq_ack;
	info->chip->irq_mask = pci_msi_mask_irq;
	info->chip->irq_unmask = sim_irq_unmask;
	info->chip->irq_set_affinity = sim_irq_set_affinity;
	info->chip->irq_retrigger = sim_irq_retrigger;
	return true;
}

static const struct msi_parent_ops sim_msi_parent_ops = {
	.supported_flags	= MSI_GENERIC_FLAGS_MASK | MSI_FLAG_PCI_MSIX,
	.prefix			= "mlx5sim-",
	.init_dev_msi_info	= sim_msix_init_info,
};

/**
 * sim_msix_domain_init() - create the interrupt domain of the bus
 * @bus: root bus of mlx5sim, before its first scan
 *
 * Context: process context.
 * Return: 0; -ENOMEM; an errno of irq_domain_instantiate().
 */
int sim_msix_domain_init(struct pci_bus *bus)
{
	struct irq_domain_info info = {
		.domain_flags	= IRQ_DOMAIN_FLAG_MSI_PARENT,
		.hwirq_max	= ~0UL,
		.ops		= &sim_domain_ops,
	};

	info.fwnode = irq_domain_alloc_named_fwnode("mlx5sim-MSI");
	if (!info.fwnode)
		return -ENOMEM;
	sim_msi_domain = irq_domain_instantiate(&info);
	if (IS_ERR(sim_msi_domain)) {
		irq_domain_free_fwnode(info.fwnode);
		return PTR_ERR(sim_msi_domain);
	}
	sim_msi_domain->msi_parent_ops = &sim_msi_parent_ops;
	dev_set_msi_domain(&bus->dev, sim_msi_domain);
	return 0;
}

/**
 * sim_msix_domain_exit() - undo sim_msix_domain_init(), after the bus was
 * removed
 */
void sim_msix_domain_exit(void)
{
	struct fwnode_handle *fwnode = sim_msi_domain->fwnode;

	irq_domain_remove(sim_msi_domain);
	irq_domain_free_fwnode(fwnode);
}

/**
 * sim_msix_dev_init() - allocate the vectors of a simulated function
 * @sdev: simulated function
 *
 * Context: process context.
 * Return: 0 or -ENOMEM.
 */
int sim_msix_dev_init(struct sim_dev *sdev)
{
	int i;

	sdev->msix = kvzalloc(sizeof(*sdev->msix), GFP_KERNEL);
	if (!sdev->msix)
		return -ENOMEM;
	raw_spin_lock_init(&sdev->msix->pba_lock);
	for (i = 0; i < SIM_MAX_VECTORS; i++) {
		struct sim_vec *vec = &sdev->msix->vec[i];

		vec->sdev = sdev;
		vec->index = i;
		raw_spin_lock_init(&vec->lock);
		vec->work = IRQ_WORK_INIT_HARD(sim_vec_work);
		INIT_CSD(&vec->csd, sim_vec_ipi, vec);
	}
	return 0;
}

/**
 * sim_msix_dev_exit() - undo sim_msix_dev_init()
 * @sdev: simulated function, with no driver bound
 *
 * Context: process context.
 */
void sim_msix_dev_exit(struct sim_dev *sdev)
{
	synchronize_rcu();	/* waits for deliveries: interrupts are disabled in them */
	kvfree(sdev->msix);
}
