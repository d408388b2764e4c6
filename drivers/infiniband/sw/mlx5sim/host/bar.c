// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * BAR0: memory that is not RAM, shared with the driver.
 *
 * The user reserves a region on the kernel command line and passes it in base=
 * and size=. The load of the module checks the region: it must lie in memory
 * that the kernel does not use (sim_is_reserved), have space for a BAR of each
 * device, and keep the data that is written. Otherwise the load fails, and a
 * line in the log contains the missing parameter of the kernel command line.
 * After the checks the region is claimed, so that no other driver gets it, and
 * mapped with ioremap(). The driver maps its BAR with ioremap(), too, and two
 * memory types for one page are not allowed.
 *
 * The claimed resource is also the window of the PCI host bridge. Its busy bit
 * is cleared, because the PCI core requests BARs inside the window.
 *
 * Registers of the init segment are plain memory. The device writes them at reset
 * and once a millisecond (health counter, timer). A register that the driver
 * writes is read by the file that implements it.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>

#include <asm/processor.h>

#include "core/core.h"
#include "host/cfg.h"
#include "host/host.h"

#define SIM_CMD_IF_REV	5	/* the only revision that mlx5_core accepts */

static unsigned long long base;
module_param(base, ullong, 0444);
MODULE_PARM_DESC(base, "physical address of the reserved memory for the BARs (kernel command line: memmap=SIZE$BASE on x86, mem=SIZE elsewhere)");

static unsigned long long size;
module_param(size, ullong, 0444);
MODULE_PARM_DESC(size, "bytes of the reserved memory at base=, 16 MiB per device");

static struct resource *sim_window;
static void __iomem *sim_region;

/* ---- the checks, and the advice for the kernel command line ---- */

struct sim_ram_end {
	u64 need;
	u64 best;
	u64 below;	/* bytes of RAM below @best */
	u64 total;	/* bytes of RAM so far */
};

/*
 * Stores the highest address below 4 GiB at which the region fits into a range
 * of RAM.
 */
static int sim_ram_end_cb(struct resource *res, void *arg)
{
	struct sim_ram_end *r = arg;
	u64 end = min_t(u64, res->end + 1, SZ_4G);
	u64 at;

	if (end >= r->need) {
		at = ALIGN_DOWN(end - r->need, SIM_BAR_SIZE);
		if (at >= res->start && at > r->best) {
			r->best = at;
			r->below = r->total + at - res->start;
		}
	}
	r->total += resource_size(res);
	return 0;
}

#ifdef CONFIG_X86
static u64 sim_phys_end(void)
{
	return BIT_ULL(boot_cpu_data.x86_phys_bits);
}

/* memmap=SIZE$BASE adds a reserved range to the memory map */
static bool sim_is_reserved(u64 base, u64 size)
{
	return region_intersects(base, size, IORESOURCE_MEM, IORES_DESC_RESERVED) ==
	       REGION_INTERSECTS &&
	       region_intersects(base, PAGE_SIZE, IORESOURCE_MEM, IORES_DESC_RESERVED) ==
	       REGION_INTERSECTS &&
	       region_intersects(base + size - PAGE_SIZE, PAGE_SIZE, IORESOURCE_MEM,
				 IORES_DESC_RESERVED) == REGION_INTERSECTS;
}

static void sim_bar_advise(const char *what, const struct sim_ram_end *r)
{
	pr_err("%s: add memmap=%lluM$0x%llx to the kernel command line and load with base=0x%llx size=0x%llx\n",
	       what, r->need >> 20, r->best, r->best, r->need);
}
#else
static u64 sim_phys_end(void)
{
	return BIT_ULL(PHYS_MASK_SHIFT);
}

/* the memory map has no entry above the RAM that mem= keeps */
static bool sim_is_reserved(u64 base, u64 size)
{
	return region_intersects(base, size, IORESOURCE_MEM, IORES_DESC_NONE) ==
	       REGION_DISJOINT;
}

static void sim_bar_advise(const char *what, const struct sim_ram_end *r)
{
	pr_err("%s: add mem=%lluM to the kernel command line and load with base=0x%llx size=0x%llx\n",
	       what, r->below >> 20, r->best, r->need);
}
#endif

static int sim_bar_refuse(const char *what, u64 need)
{
	struct sim_ram_end r = { .need = need };

	walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_SYSTEM_RAM, 0, -1, &r, sim_ram_end_cb);
	sim_bar_advise(what, &r);
	return -EINVAL;
}

/* Does every page keep a different value? A hole or an alias would not. */
static bool sim_region_keeps_data(u64 size)
{
	u64 off;

	for (off = 0; off < size; off += PAGE_SIZE)
		iowrite32be(0x15b30000 + (off >> PAGE_SHIFT), sim_region + off);
	for (off = 0; off < size; off += PAGE_SIZE)
		if (ioread32be(sim_region + off) != 0x15b30000 + (off >> PAGE_SHIFT))
			return false;
	return true;
}

static void sim_window_release(u64 base, u64 size)
{
	sim_window->flags |= IORESOURCE_BUSY;	/* for release_mem_region() */
	release_mem_region(base, size);
	sim_window = NULL;
}

/**
 * sim_bar_init() - check, claim, map and clear the BAR memory
 *
 * The module parameters base= and size= describe the memory. Each error writes
 * a line to the log; for -EINVAL, the line contains the parameter to add to the
 * kernel command line.
 *
 * Context: process context.
 * Return:
 * * 0
 * * -EINVAL: the memory cannot be used
 * * -EBUSY: another driver has claimed the memory
 * * -ENOMEM: the memory cannot be mapped
 */
int sim_bar_init(void)
{
	u64 need = (u64)sim_num_devs() * SIM_BAR_SIZE;

	if (!base || !size)
		return sim_bar_refuse("no memory for the BARs (base= and size= not given)", need);
	if (base + size < base || base + size > sim_phys_end())
		return sim_bar_refuse("base= and size= are beyond physical memory", need);
	if (!IS_ALIGNED(base, SIM_BAR_SIZE))
		return sim_bar_refuse("base= is not a multiple of 16 MiB", need);
	if (size < need)
		return sim_bar_refuse("size= is too small for the BARs of all devices", need);
	if (region_intersects(base, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT)
		return sim_bar_refuse("the region at base= is RAM in use by the kernel", need);
	if (!sim_is_reserved(base, need))
		return sim_bar_refuse("the region at base= is not reserved memory", need);

	sim_window = request_mem_region(base, need, SIM_NAME);
	if (!sim_window) {
		pr_err("memory at base=0x%llx is in use by another driver\n", base);
		return -EBUSY;
	}
	sim_window->flags &= ~IORESOURCE_BUSY;

	sim_region = ioremap(base, need);
	if (!sim_region) {
		sim_window_release(base, need);
		pr_err("cannot map the memory at base=0x%llx\n", base);
		return -ENOMEM;
	}
	if (!sim_region_keeps_data(need)) {
		sim_bar_exit();
		return sim_bar_refuse("there is no memory behind base=", need);
	}
	memset_io(sim_region, 0, need);
	return 0;
}

/**
 * sim_bar_exit() - undo sim_bar_init()
 */
void sim_bar_exit(void)
{
	iounmap(sim_region);
	sim_region = NULL;
	sim_window_release(sim_window->start, resource_size(sim_window));
}

/**
 * sim_bar_window() - get the claimed region, for the host bridge
 *
 * Return: the resource; valid until sim_bar_exit().
 */
struct resource *sim_bar_window(void)
{
	return sim_window;
}

/**
 * sim_bar_phys() - physical address of the BAR of a simulated function
 * @sdev: simulated function
 *
 * Context: any.
 * Return: the address.
 */
phys_addr_t sim_bar_phys(const struct sim_dev *sdev)
{
	return sim_window->start + (u64)sdev->index * SIM_BAR_SIZE;
}

/**
 * sim_bar_dev_init() - set sim_dev.bar of a simulated function
 * @sdev: simulated function
 *
 * Return: 0.
 */
int sim_bar_dev_init(struct sim_dev *sdev)
{
	sdev->bar = sim_region + (u64)sdev->index * SIM_BAR_SIZE;
	return 0;
}

/**
 * sim_bar_dev_exit() - undo sim_bar_dev_init()
 * @sdev: simulated function
 */
void sim_bar_dev_exit(struct sim_dev *sdev)
{
	sdev->bar = NULL;
}

/* ---- registers ---- */

/**
 * sim_bar_read_be32() - read a register
 * @sdev: simulated function
 * @off: byte offset in the BAR, multiple of 4
 *
 * Context: any.
 * Return: value of the register, in CPU byte order.
 */
u32 sim_bar_read_be32(struct sim_dev *sdev, u32 off)
{
	return ioread32be(sdev->bar + off);
}

/**
 * sim_bar_write_be32() - set a register
 * @sdev: simulated function
 * @off: byte offset in the BAR, multiple of 4
 * @val: new value, in CPU byte order
 *
 * Context: any.
 */
void sim_bar_write_be32(struct sim_dev *sdev, u32 off, u32 val)
{
	iowrite32be(val, sdev->bar + off);
}

#define SIM_ISEG(field)	offsetof(struct mlx5_init_seg, field)

/*
 * a timeout in the init segment: the unit in the upper bits, the number in the
 * lower bits
 */
#define SIM_TIME_SECONDS(n)	(1U << 29 | (n))
#define SIM_TIME_MAX		0xfffff
#define SIM_INIT_SECONDS	120

/*
 * Set the timeouts for the initialization of the device and for a command. The
 * driver uses the two fields only if the initialization timeout is not 0.
 */
static void sim_bar_tell_times(struct sim_dev *sdev)
{
	if (!sim_cmd_timeout)
		return;
	sim_bar_write_be32(sdev, SIM_ISEG(cmd_q_init_to), SIM_TIME_SECONDS(SIM_INIT_SECONDS));
	sim_bar_write_be32(sdev, SIM_ISEG(cmd_exec_to),
			   SIM_TIME_SECONDS(min_t(u32, sim_cmd_timeout, SIM_TIME_MAX)));
}

/**
 * sim_bar_reset() - set the registers to their power-on values
 * @sdev: simulated function
 *
 * The MSI-X table belongs to host/msix.c and is not changed. sim_cmdq_reset()
 * sets the registers of the command queue afterwards.
 *
 * Context: hardware thread.
 */
void sim_bar_reset(struct sim_dev *sdev)
{
	const struct sim_model *model = sim_model();
	u32 fw_ver = (u32)model->fw_major << 24 | (u32)model->fw_minor << 16 | model->fw_sub;

	memset_io(sdev->bar, 0, SIM_MSIX_TABLE_OFF);
	sim_bar_write_be32(sdev, SIM_ISEG(fw_rev),
			   (u32)model->fw_minor << 16 | model->fw_major);
	sim_bar_write_be32(sdev, SIM_ISEG(cmdif_rev_fw_sub),
			   (u32)SIM_CMD_IF_REV << 16 | model->fw_sub);
	sim_bar_write_be32(sdev, SIM_ISEG(initializing), BIT(MLX5_FW_RESET_SUPPORTED_OFFSET));
	sim_bar_write_be32(sdev, SIM_ISEG(health.fw_ver), fw_ver);
	sim_bar_write_be32(sdev, SIM_ISEG(health.hw_id), model->device_id);
	sim_bar_tell_times(sdev);
}

/**
 * sim_bar_gone() - make the init segment read as all ones, as without a device
 * @sdev: simulated function
 *
 * Context: hardware thread.
 */
void sim_bar_gone(struct sim_dev *sdev)
{
	memset_io(sdev->bar, 0xff, sizeof(struct mlx5_init_seg));
}

/**
 * sim_bar_tick() - update the health counter and the timers of the init segment
 * @sdev: simulated function
 *
 * Called about once a millisecond. The high word of a timer is written first;
 * the driver reads high, low, high.
 *
 * Context: hardware thread.
 */
void sim_bar_tick(struct sim_dev *sdev)
{
	u64 now = ktime_get_ns();
	u64 real = ktime_get_real_ns();

	sim_bar_write_be32(sdev, SIM_ISEG(health_counter),
			   sim_bar_read_be32(sdev, SIM_ISEG(health_counter)) + 1);
	sim_bar_write_be32(sdev, SIM_ISEG(internal_timer_h), upper_32_bits(now));
	sim_bar_write_be32(sdev, SIM_ISEG(internal_timer_l), lower_32_bits(now));
	sim_bar_write_be32(sdev, SIM_ISEG(real_time_h), upper_32_bits(real));
	sim_bar_write_be32(sdev, SIM_ISEG(real_time_l), lower_32_bits(real));
}
