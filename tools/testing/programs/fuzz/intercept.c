// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ioctl() and write() of this program replace the functions of the C library. They get every
 * request of libibverbs and libmlx5 to the device, and may change a copy of the request. A library
 * does not expect the response to a changed request, and may crash.
 *
 * If the kernel cannot write the response, the request fails with EFAULT after the driver has
 * created the object. Other threads use the number of that object at the same time.
 */
#define _GNU_SOURCE
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"

#define MAX_REQUEST	4096
#define MAX_DATA	1024

/* changes an attribute, or a copy of its data; @copy: buffer for the copy */
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
 * Replaces the address of an attribute by a page without access. Mostly this is the attribute for
 * the response of the driver. It is a random attribute if the request lacks it.
 */
static void bar_response(struct ib_uverbs_ioctl_hdr *hdr)
{
	struct ib_uverbs_attr *attr = &hdr->attrs[below(hdr->num_attrs)];
	u32 i;

	for (i = 0; in_percent(80) && i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == UVERBS_ATTR_UHW_OUT)
			attr = &hdr->attrs[i];
	attr->data = (uintptr_t)barred;
	count(&shared->barred);
}

static long mutated_ioctl(int fd, struct ib_uverbs_ioctl_hdr *hdr)
{
	static __thread u64 request[MAX_REQUEST / 8];
	static __thread u8 data[MAX_DATA];
	struct ib_uverbs_ioctl_hdr *copy = (void *)request;
	u32 i;
	long ret;

	memcpy(request, hdr, hdr->length);
	if (copy->num_attrs && (bar_next || in_percent(BARRED_PERCENT)))
		bar_response(copy);
	else if (!copy->num_attrs || in_percent(10))
		mutate_bytes(request, hdr->length);
	else
		mutate_attr(&copy->attrs[below(copy->num_attrs)], data);
	if (requests_context(copy))
		return send_recorded(fd, hdr, 0);
	count(&shared->changed);
	ret = send_recorded(fd, copy, 0);
	/* an attribute without a buffer contains a number, which the kernel may have written */
	for (i = 0; !ret && i < hdr->num_attrs; i++)
		if (!hdr->attrs[i].len)
			hdr->attrs[i].data = copy->attrs[i].data;
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct ib_uverbs_ioctl_hdr *hdr;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!is_fuzzed(fd) || request != RDMA_VERBS_IOCTL)
		return syscall(SYS_ioctl, fd, request, arg);
	count(&shared->requests);
	hdr = arg;
	if (hdr->length > MAX_REQUEST || (!bar_next && !in_percent(percent)))
		return send_recorded(fd, hdr, 0);
	return mutated_ioctl(fd, hdr);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	static __thread u8 request[MAX_REQUEST];
	const u64 bad = (uintptr_t)barred;

	if (!is_fuzzed(fd))
		return syscall(SYS_write, fd, buf, len);
	count(&shared->requests);
	if (len > MAX_REQUEST || (!bar_next && !in_percent(percent)))
		return send_recorded(fd, (void *)buf, len);
	count(&shared->changed);
	memcpy(request, buf, len);
	if ((bar_next || in_percent(BARRED_PERCENT)) && len >= RESPONSE_AT + sizeof(bad)) {
		memcpy(request + RESPONSE_AT, &bad, sizeof(bad));
		count(&shared->barred);
	} else {
		mutate_bytes(request, len);
		if (in_percent(10))
			len = below(MAX_REQUEST);
	}
	return send_recorded(fd, request, len);
}
