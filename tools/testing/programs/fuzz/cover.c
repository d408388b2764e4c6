// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Coverage: the parts of the driver that a request reaches. With CONFIG_KCOV (debug kernel), the
 * kernel lists the basic blocks that a thread executes in files that are compiled with coverage.
 * Here these are the files of mlx5_ibx. Two successive blocks are an edge. Without CONFIG_KCOV, a
 * pair of method and errno counts as an edge.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"

#define KCOV_FILE	"/sys/kernel/debug/kcov"
#define KCOV_INIT	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define TRACE_PC	0
#define BLOCKS		(64u << 10)	/* basic blocks that are listed for one request */

bool has_kcov;

/* [0]: number of executed basic blocks; the next entries: their addresses */
static __thread unsigned long *blocks;

/* Called before the first request of a thread. */
void cover_thread(void)
{
	int fd;

	if (!has_kcov)
		return;
	fd = open(KCOV_FILE, O_RDWR);
	if (fd < 0 || syscall(SYS_ioctl, fd, KCOV_INIT, BLOCKS))
		die("%s: %s", KCOV_FILE, strerror(errno));
	blocks = mmap(NULL, BLOCKS * sizeof(*blocks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (blocks == MAP_FAILED || syscall(SYS_ioctl, fd, KCOV_ENABLE, TRACE_PC))
		die("%s: %s", KCOV_FILE, strerror(errno));
}

void cover_begin(void)
{
	if (blocks)
		__atomic_store_n(&blocks[0], 0, __ATOMIC_RELAXED);
}

static u32 hash(u64 x)
{
	return (x * 0x9e3779b97f4a7c15ull) >> (64 - EDGE_BITS);
}

/* Return: true for an edge that no request has reached before */
static bool note_edge(u64 from, u64 to)
{
	u32 i = hash(from ^ to << 20 ^ to >> 44);

	if (shared->edges[i] || __atomic_exchange_n(&shared->edges[i], 1, __ATOMIC_RELAXED))
		return false;
	__atomic_add_fetch(&shared->found, 1, __ATOMIC_RELAXED);
	return true;
}

/* Return: number of the method of a request. Without KCOV, an edge is a method and an errno. */
static u64 method_of(const struct request *req)
{
	const struct ib_uverbs_ioctl_hdr *hdr = &req->hdr;
	u32 word;

	if (req->is_write) {
		memcpy(&word, req->bytes, sizeof(word));
		return 1ull << 32 | (word & 0x800000ff);
	}
	return (u64)hdr->object_id << 16 | hdr->method_id;
}

/* Called after a request. Return: true if the request reached an edge for the first time */
bool cover_end(const struct request *req, int err)
{
	unsigned long i, num, last = 0;
	bool found = false;

	if (!blocks)
		return !has_kcov && note_edge(method_of(req), err);
	num = __atomic_load_n(&blocks[0], __ATOMIC_RELAXED);
	for (i = 1; i <= num && i < BLOCKS; i++) {
		found |= note_edge(last, blocks[i]);
		last = blocks[i];
	}
	return found;
}
