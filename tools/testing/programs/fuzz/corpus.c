// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests that are sent again. Each thread stores its last requests. When a request reaches an
 * edge (cover.c) for the first time, the stored requests become a sequence of the corpus. A thread
 * of any process of the run may send a sequence again, with changes. When a request creates an
 * object, the new handle replaces the recorded handle in the later requests of the sequence. Other
 * handles are sent unchanged, and may name any object.
 */
#define _GNU_SOURCE
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"

#define LOWEST_POINTER	0x100000000ull	/* all addresses of the program are above */
#define CHANGED_PERCENT	60

static __thread struct sequence recent;

/* Copies memory of this process. Return: false if the memory is not mapped */
static bool copy_memory(void *to, u64 from, size_t len)
{
	struct iovec here = { to, len }, there = { (void *)(uintptr_t)from, len };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)len;
}

/* Return: false if the attribute itself contains the data (input of up to 8 bytes) */
static bool is_pointer(const struct ib_uverbs_attr *attr)
{
	return attr->len > sizeof(attr->data) || (attr->len && attr->data >= LOWEST_POINTER);
}

/* Copies an ioctl with the data of its attributes. Return: false if it is too large */
static bool pack_ioctl(struct request *req, const struct ib_uverbs_ioctl_hdr *from)
{
	struct ib_uverbs_ioctl_hdr *hdr = &req->hdr;
	u32 i, at = from->length;

	if (at > sizeof(req->bytes) || at < sizeof(*hdr) ||
	    from->num_attrs > (at - sizeof(*hdr)) / sizeof(hdr->attrs[0]))
		return false;
	memcpy(req->bytes, from, at);
	for (i = 0; i < hdr->num_attrs && i < 32; i++) {
		struct ib_uverbs_attr *attr = &hdr->attrs[i];

		if (!is_pointer(attr))
			continue;
		at = (at + 7) & ~7u;
		if (attr->len > sizeof(req->bytes) - at)
			return false;
		if (!copy_memory(req->bytes + at, attr->data, attr->len))
			continue;
		attr->data = at;
		at += attr->len;
		req->points |= 1u << i;
	}
	return true;
}

/* space for the next request of this thread */
static struct request *next_request(void)
{
	if (recent.num == SEQUENCE)
		memmove(&recent.req[0], &recent.req[1],
			(SEQUENCE - 1) * sizeof(recent.req[0]));
	else
		recent.num++;
	return &recent.req[recent.num - 1];
}

static void keep_sequence(void)
{
	u32 i = __atomic_fetch_add(&shared->entries, 1, __ATOMIC_RELAXED);

	if (i >= ENTRIES)
		i = below(ENTRIES);
	/* no lock: a torn read of a sequence is only another random change */
	memcpy(&shared->corpus[i], &recent, sizeof(recent));
}

static long send(int fd, void *arg, size_t len)
{
	return len ? syscall(SYS_write, fd, arg, len) :
		     syscall(SYS_ioctl, fd, RDMA_VERBS_IOCTL, arg);
}

/*
 * Send a request, and store the request behind the previous requests of the thread. @len: length of
 * a command of write(), or 0 for an ioctl.
 * Return: result of the system call
 */
long send_recorded(int fd, void *arg, size_t len)
{
	struct request *req = next_request();
	struct ib_uverbs_ioctl_hdr *hdr = arg;
	bool whole;
	int saved;
	long ret;

	req->made = NO_HANDLE;
	req->points = 0;
	req->is_write = len;
	req->len = len ?: hdr->length;
	if (len)
		whole = len <= sizeof(req->bytes) && copy_memory(req->bytes, (uintptr_t)arg, len);
	else
		whole = pack_ioctl(req, hdr);
	cover_begin();
	ret = send(fd, arg, len);
	saved = errno;
	if (!whole) {
		recent.num = 0;
	} else {
		if (!len && ret >= 0 && hdr->num_attrs && !hdr->attrs[0].len)
			req->made = hdr->attrs[0].data;
		if (cover_end(req, ret < 0 ? saved : 0))
			keep_sequence();
	}
	errno = saved;
	return ret;
}

/* objects that a sequence created: handles when it was recorded, and in this repetition */
struct handles {
	u32 num;
	struct {
		u32 then;
		u32 now;
	} made[SEQUENCE];
};

static void put_handles(struct ib_uverbs_ioctl_hdr *hdr, const struct handles *handles)
{
	u32 i, j;

	for (i = 0; i < hdr->num_attrs; i++) {
		if (hdr->attrs[i].len)
			continue;
		for (j = 0; j < handles->num; j++)
			if (hdr->attrs[i].data == handles->made[j].then)
				hdr->attrs[i].data = handles->made[j].now;
	}
}

/* replace offsets by addresses. Return: false if the request is malformed */
static bool unpack_ioctl(struct request *req)
{
	struct ib_uverbs_ioctl_hdr *hdr = &req->hdr;
	u32 i;

	if (sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]) > sizeof(req->bytes))
		return false;
	for (i = 0; i < hdr->num_attrs && i < 32; i++)
		if (req->points & 1u << i)
			hdr->attrs[i].data = (uintptr_t)req->bytes +
					     hdr->attrs[i].data % sizeof(req->bytes);
	return !requests_context(hdr);
}

/* a command of write() begins with the address of its response */
static void unpack_write(struct request *req)
{
	static __thread u8 resp[PAGE];
	u64 at = (uintptr_t)(req->points ? barred : resp);

	if (req->len >= 16)
		memcpy(req->bytes + 8, &at, sizeof(at));
}

static void send_again(const struct request *from, struct handles *handles)
{
	/*
	 * @more: space for a response that is longer than the recorded response
	 */
	static __thread struct {
		struct request req;
		u8 more[BOX_MAX + 1];
	} copy;
	struct request *req = &copy.req;
	struct ib_uverbs_ioctl_hdr *hdr = &req->hdr;

	memcpy(req, from, sizeof(*req));
	if (req->len > sizeof(req->bytes) || req->len < sizeof(*hdr))
		return;
	if (!req->is_write) {
		if (hdr->num_attrs > (req->len - sizeof(*hdr)) / sizeof(hdr->attrs[0]))
			return;
		put_handles(hdr, handles);
	}
	if (in_percent(CHANGED_PERCENT))
		mutate_request(req);
	if (req->is_write) {
		unpack_write(req);
		send_recorded(my_fd, req->bytes, req->len);
		return;
	}
	if (!unpack_ioctl(req))
		return;
	__atomic_add_fetch(&shared->requests, 1, __ATOMIC_RELAXED);
	if (!send_recorded(my_fd, hdr, 0) && from->made != NO_HANDLE && hdr->num_attrs &&
	    handles->num < SEQUENCE) {
		handles->made[handles->num].then = from->made;
		handles->made[handles->num].now = hdr->attrs[0].data;
		handles->num++;
	}
}

/*
 * Send a sequence of the corpus: complete, in part, or with an inserted request of another
 * sequence.
 */
void replay_step(void)
{
	static __thread struct sequence seq;
	u32 total = __atomic_load_n(&shared->entries, __ATOMIC_RELAXED), i;
	struct handles handles = {};

	if (total > ENTRIES)
		total = ENTRIES;
	if (!total)
		return;
	memcpy(&seq, &shared->corpus[below(total)], sizeof(seq));
	__atomic_add_fetch(&shared->repeated, 1, __ATOMIC_RELAXED);
	for (i = in_percent(50) ? 0 : below(seq.num); i < seq.num && i < SEQUENCE; i++) {
		if (in_percent(10))
			continue;
		send_again(&seq.req[i], &handles);
		if (in_percent(10)) {
			u32 other = below(total), at = below(SEQUENCE);

			send_again(&shared->corpus[other].req[at], &handles);
		}
	}
}
