// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs that create an object in the device and fail with EFAULT, because the kernel cannot write
 * the response. The write stops in a page fault (userfaultfd). Meanwhile a function of the test
 * uses the number of the new object. Then the program unmaps the address of the response.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "devx.h"

/*
 * If response is not NULL, it replaces the address of the attribute response_attr in each ioctl for
 * verbs of this thread.
 */
static __thread void *response;
static __thread unsigned int response_attr;

static void replace_response(struct ib_uverbs_ioctl_hdr *hdr)
{
	unsigned int i;

	for (i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == response_attr)
			hdr->attrs[i].data = (uintptr_t)response;
}

/* replaces ioctl() of the C library in this program and in libibverbs */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (response && request == RDMA_VERBS_IOCTL)
		replace_response(arg);
	return syscall(SYS_ioctl, fd, request, arg);
}

struct trap {
	u8 *page;
	int fd;
	void (*use)(void *arg);
	void *arg;
};

static void *wait_for_fault(void *arg)
{
	struct trap *t = arg;
	struct uffd_msg msg;

	if (read(t->fd, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		die("no page fault");
	t->use(t->arg);
	munmap(t->page, PAGE);
	/* ends the page fault; the kernel finds the address unmapped and returns EFAULT */
	close(t->fd);
	return NULL;
}

static void set_trap(struct trap *t)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	t->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	t->fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (t->page == MAP_FAILED || t->fd < 0)
		die("no userfaultfd: %s", strerror(errno));
	reg.range.start = (uintptr_t)t->page;
	reg.range.len = PAGE;
	if (ioctl(t->fd, UFFDIO_API, &api) || ioctl(t->fd, UFFDIO_REGISTER, &reg))
		die("userfaultfd: %s", strerror(errno));
}

/*
 * Calls create(e) while the kernel cannot write attribute @attr of the response (0: the response
 * of the driver), and expects EFAULT. @use is called after the device has created the object and
 * before the driver fails; NULL: the test does not use the object.
 */
void fail_response(struct end *e, void *(*create)(struct end *e), unsigned int attr,
		   void (*use)(void *arg), void *arg)
{
	struct trap t = { .use = use, .arg = arg };
	pthread_t thread;
	void *obj;

	if (use) {
		set_trap(&t);
		pthread_create(&thread, NULL, wait_for_fault, &t);
		response = t.page;
	} else {
		response = (void *)(16ul * PAGE);
	}
	response_attr = attr ? attr : UVERBS_ATTR_UHW_OUT;
	errno = 0;
	obj = create(e);
	response = NULL;
	want_errno("a response that cannot be written", obj ? 0 : errno, EFAULT);
	if (use)
		pthread_join(thread, NULL);
}
