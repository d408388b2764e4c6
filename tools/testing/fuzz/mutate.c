// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Changes to requests. This program's ioctl() and write() come before those of the C library, so
 * they see each request that libibverbs and libmlx5 make to the device, and may change a copy of
 * it. The libraries do not know, so they may fail in ways of their own.
 */
#define _GNU_SOURCE
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <string.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"

#define MAX_REQUEST	4096
#define MAX_DATA	1024

int fuzzed_fd = -1;
unsigned int percent;		/* of requests that are changed */
unsigned long requests, changed;
static u64 state;

void seed_random(u64 seed)
{
	state = seed * 0x9e3779b97f4a7c15ull | 1;
}

/* xorshift64 */
static u64 next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

u32 below(u32 n)
{
	return n ? (next_random() >> 16) % n : 0;
}

bool in_percent(unsigned int p)
{
	return below(100) < p;
}

static void mutate_once(u8 *data, size_t len)
{
	static const u8 values[] = { 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff };
	size_t at = below(len), from = below(len), n = 1 + below(8);

	switch (below(4)) {
	case 0:
		data[at] ^= 1 << below(8);
		break;
	case 1:
		data[at] = values[below(sizeof(values))];
		break;
	case 2:
		data[at] = next_random();
		break;
	default:
		if (n > len - at)
			n = len - at;
		if (n > len - from)
			n = len - from;
		memmove(data + at, data + from, n);
	}
}

void mutate_bytes(void *data, size_t len)
{
	unsigned int n = 1 + below(3);

	while (len && n--)
		mutate_once(data, len);
}

/* A command of DEVX; Return: its length, at most @room */
size_t mutate_command(u8 *cmd, size_t len, size_t room)
{
	static const u16 lens[] = { 0, 1, 15, 16, 17, 63, 64, 255, 256, 4096, 0xffff };

	if (in_percent(60))
		mutate_bytes(cmd, len < 64 || in_percent(50) ? len : 64);
	if (in_percent(10))
		len = lens[below(ARRAY_SIZE(lens))];
	else if (in_percent(10))
		len += below(64) - below(64);
	return len < room ? len : room;
}

/* One attribute; the bytes that it points to are changed in a copy */
static void mutate_attr(struct ib_uverbs_attr *attr, u8 *copy)
{
	if (in_percent(20)) {
		mutate_bytes(attr, sizeof(*attr));
	} else if (attr->len > sizeof(attr->data) && attr->len <= MAX_DATA) {
		memcpy(copy, (void *)(uintptr_t)attr->data, attr->len);
		mutate_bytes(copy, attr->len);
		attr->data = (uintptr_t)copy;
	} else {
		mutate_bytes(&attr->data, sizeof(attr->data));
	}
}

/*
 * A file has one context. When another is refused, ib_uverbs of Linux 6.12 frees it without
 * rdma_restrack_put(), and the process's task_struct is never freed.
 */
bool asks_for_context(const struct ib_uverbs_ioctl_hdr *hdr)
{
	return hdr->object_id == UVERBS_OBJECT_DEVICE &&
	       hdr->method_id == UVERBS_METHOD_GET_CONTEXT;
}

static int mutated_ioctl(int fd, struct ib_uverbs_ioctl_hdr *hdr)
{
	static u64 request[MAX_REQUEST / 8];
	static u8 data[MAX_DATA];
	struct ib_uverbs_ioctl_hdr *copy = (void *)request;

	memcpy(request, hdr, hdr->length);
	if (!copy->num_attrs || in_percent(10))
		mutate_bytes(request, hdr->length);
	else
		mutate_attr(&copy->attrs[below(copy->num_attrs)], data);
	if (asks_for_context(copy))
		return syscall(SYS_ioctl, fd, RDMA_VERBS_IOCTL, hdr);
	changed++;
	return syscall(SYS_ioctl, fd, RDMA_VERBS_IOCTL, copy);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct ib_uverbs_ioctl_hdr *hdr;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (fd != fuzzed_fd || request != RDMA_VERBS_IOCTL)
		return syscall(SYS_ioctl, fd, request, arg);
	requests++;
	hdr = arg;
	if (!in_percent(percent) || hdr->length > MAX_REQUEST)
		return syscall(SYS_ioctl, fd, request, arg);
	return mutated_ioctl(fd, hdr);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	static u8 request[MAX_REQUEST];

	if (fd != fuzzed_fd)
		return syscall(SYS_write, fd, buf, len);
	requests++;
	if (!in_percent(percent) || len > MAX_REQUEST)
		return syscall(SYS_write, fd, buf, len);
	changed++;
	memcpy(request, buf, len);
	mutate_bytes(request, len);
	if (in_percent(10))
		len = below(MAX_REQUEST);
	return syscall(SYS_write, fd, request, len);
}
