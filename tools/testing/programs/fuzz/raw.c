// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests that libraries do not send: random objects, methods and attributes, commands of write(),
 * mappings, and requests of a child process to the contexts of its parent.
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#define MAX_ATTRS	6
#define NS		0x1000	/* first number of the objects, methods and attributes of drivers */
#define CHILD_STEPS	5

/* Return: a small number in the range of the core or of the driver, which begins at NS */
static u16 small_number(void)
{
	u16 n = below(in_percent(80) ? 12 : 64);

	return in_percent(60) ? n | NS : n;
}

/* Return: file of a context of the process, mostly of this thread's context */
static int any_fd(void)
{
	int fd = fuzzed_fds[below(CONTEXTS)];

	return fd >= 0 && in_percent(20) ? fd : my_fd;
}

void raw_ioctl(void)
{
	static __thread u8 space[PAGE];
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[MAX_ATTRS];
	} req = {};
	unsigned int i, num = below(MAX_ATTRS + 1);

	req.hdr.object_id = small_number();
	req.hdr.method_id = small_number();
	req.hdr.num_attrs = num;
	req.hdr.length = sizeof(req.hdr) + num * sizeof(req.attrs[0]);
	req.hdr.driver_id = in_percent(95) ? RDMA_DRIVER_MLX5 : below(20);
	for (i = 0; i < num; i++) {
		req.attrs[i].attr_id = in_percent(70) ? NS + i : small_number();
		req.attrs[i].len = below(2) ? below(9) : below(128);
		req.attrs[i].flags = below(2);
		if (req.attrs[i].len > 8 || in_percent(30))
			req.attrs[i].data = (uintptr_t)(in_percent(90) ? space : barred);
		else
			req.attrs[i].data = below(64);
	}
	if (in_percent(20))
		mutate_bytes(&req, sizeof(req));
	if (!requests_context(&req.hdr) && req.hdr.length <= sizeof(req))
		send_recorded(any_fd(), &req, 0);
	else if (!requests_context(&req.hdr))
		syscall(SYS_ioctl, any_fd(), RDMA_VERBS_IOCTL, &req);
}

/* The header of a command has the number of the command, and the lengths in words of 32 bits. */
void raw_write(void)
{
	u32 words[64];
	unsigned int i, n = 2 + below(ARRAY_SIZE(words) - 1);

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = in_percent(50) ? below(16) : below(0xffffffff);
	words[0] = below(64) | (in_percent(20) ? 0x80000000 : 0);
	words[1] = n | below(16) << 16;
	send_recorded(any_fd(), words, in_percent(90) ? n * 4 : 1 + below(sizeof(words)));
}

void raw_mmap(void)
{
	static const int prots[] = { PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE, PROT_EXEC };
	size_t len = PAGE * (1 + below(3));
	long page = in_percent(50) ? below(2048) : below(1 << 18);
	void *at = mmap(NULL, len, prots[below(ARRAY_SIZE(prots))],
			in_percent(80) ? MAP_SHARED : MAP_PRIVATE, any_fd(), page * PAGE);

	if (at != MAP_FAILED && in_percent(90))
		munmap(at, len);
}

/*
 * A child has the files of its parent, in a separate address space. SYS_fork does not run the fork
 * handlers of libibverbs and malloc(): other threads may hold the locks that these handlers take.
 */
void raw_fork(void)
{
	u64 seed = next_random();
	pid_t pid = syscall(SYS_fork);
	int i;

	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (pid)
		return;
	alarm(5);
	seed_random(seed);
	for (i = 0; i < CHILD_STEPS; i++) {
		switch (below(4)) {
		case 0:
			raw_ioctl();
			break;
		case 1:
			raw_mmap();
			break;
		default:
			replay_step();
		}
	}
	_exit(0);
}
