// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory for the device: huge pages, whose physical address is their bus address. The first huge
 * page is for queues and data. The other huge pages are split into pages for the firmware. The
 * firmware must return these pages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "referee.h"

#define HUGE_PAGE	(2u << 20)
#define HUGE_PAGES	9
#define FW_PAGES	((HUGE_PAGES - 1) * (HUGE_PAGE / HW_PAGE))

static u8 *base[HUGE_PAGES];
static u64 bus[HUGE_PAGES];
static unsigned int used;
static bool fw_used[FW_PAGES];

static u64 physical(void *p)
{
	u64 entry;
	int fd = open("/proc/self/pagemap", O_RDONLY);
	off_t at = (uintptr_t)p / getpagesize() * sizeof(entry);

	if (fd < 0 || pread(fd, &entry, sizeof(entry), at) != sizeof(entry))
		die("pagemap");
	close(fd);
	if (!(entry >> 63) || !(entry & ((1ull << 55) - 1)))
		die("pagemap has no address");
	return (entry & ((1ull << 55) - 1)) * getpagesize();
}

void memory_open(void)
{
	int i;

	for (i = 0; i < HUGE_PAGES; i++) {
		base[i] = mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_LOCKED, -1, 0);
		if (base[i] == MAP_FAILED)
			die("no huge page: %m");
		memset(base[i], 0, HUGE_PAGE);
		bus[i] = physical(base[i]);
	}
}

void *memory_get(unsigned int size, unsigned int align)
{
	used = (used + align - 1) / align * align;
	if (used + size > HUGE_PAGE)
		die("out of memory for queues");
	used += size;
	return base[0] + used - size;
}

u64 memory_bus(const void *p)
{
	int i;

	for (i = 0; i < HUGE_PAGES; i++)
		if ((const u8 *)p >= base[i] && (const u8 *)p < base[i] + HUGE_PAGE)
			return bus[i] + ((const u8 *)p - base[i]);
	die("not memory for the device: %p", p);
}

void *memory_page_get(void)
{
	unsigned int i;

	for (i = 0; i < FW_PAGES; i++) {
		if (fw_used[i])
			continue;
		fw_used[i] = true;
		return base[1 + i / (HUGE_PAGE / HW_PAGE)] + i % (HUGE_PAGE / HW_PAGE) * HW_PAGE;
	}
	die("out of pages for the firmware");
}

void memory_page_put(u64 addr)
{
	unsigned int i, page;

	for (i = 1; i < HUGE_PAGES; i++)
		if (addr >= bus[i] && addr < bus[i] + HUGE_PAGE)
			break;
	if (i == HUGE_PAGES || addr % HW_PAGE)
		die("the device returned page %#llx, which it never had",
		    (unsigned long long)addr);
	page = (i - 1) * (HUGE_PAGE / HW_PAGE) + (addr - bus[i]) / HW_PAGE;
	if (!fw_used[page])
		die("the device returned page %#llx twice", (unsigned long long)addr);
	fw_used[page] = false;
}

u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}
