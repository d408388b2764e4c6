// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UMEMs of dma-bufs.
 */
#include <string.h>
#include <unistd.h>

#include "devx.h"

/*
 * the dma-buf extends before and after the memory of a struct end, so that the
 * test finds stray writes
 */
#define AT_MEM		(3 * PAGE)
#define BUF_BYTES	(AT_MEM + MEM_BYTES + PAGE)

static u8 *memory;

static void get_dmabuf(struct end *e)
{
	int fd = open_dmabuf(BUF_BYTES, &memory);

	e->mem = memory + AT_MEM;
	e->umem = reg_dmabuf(e, fd, AT_MEM, MEM_BYTES);
	/* the UMEM holds a reference to the dma-buf */
	close(fd);
}

static void want_zeroes(u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		if (memory[i])
			tell("byte %u of the dma-buf was written", i);
}

/* rings, doorbell records and data are in a dma-buf; the bytes around them stay 0 */
static void dmabufs(const char *device)
{
	get_memory = get_dmabuf;
	move_data(device);
	/* close_end() has unmapped the memory between these two ranges */
	want_zeroes(0, AT_MEM);
	want_zeroes(AT_MEM + MEM_BYTES, BUF_BYTES);
}

static void bad_dmabufs(const char *device)
{
	static const struct { u64 at; size_t len; } parts[] = {
		{ 0, 1 }, { 0, BUF_BYTES }, { BUF_BYTES - 1, 1 }, { 100, 2 * PAGE },
	};
	struct mlx5dv_devx_umem *umem;
	struct end e;
	unsigned int i;
	int fd, pipes[2];

	open_end(&e, device);
	fd = open_dmabuf(BUF_BYTES, &memory);
	if (pipe(pipes))
		die("no pipe");
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		umem = reg_dmabuf(&e, fd, parts[i].at, parts[i].len);
		if (!umem)
			tell("%zu bytes: %s", parts[i].len, strerror(errno));
		else
			want_errno("dereg", mlx5dv_devx_umem_dereg(umem), 0);
	}
#define REG(what, fd, at, len, want)						\
	want_errno(what, reg_dmabuf(&e, fd, at, len) ? 0 : errno, want)
	REG("no bytes", fd, 0, 0, EINVAL);
	REG("a byte behind the end", fd, 0, BUF_BYTES + 1, EINVAL);
	REG("bytes behind the end", fd, BUF_BYTES, 1, EINVAL);
	REG("bytes that wrap", fd, UINT64_MAX, 2, EINVAL);
	REG("a file that is no dma-buf", pipes[0], 0, PAGE, EINVAL);
	close(pipes[0]);
	REG("no file", pipes[0], 0, PAGE, EBADF);
#undef REG
	close_end(&e);
}

const struct test dmabuf_tests[] = {
	{ "dmabufs", dmabufs },
	{ "bad_dmabufs", bad_dmabufs },
	{}
};
