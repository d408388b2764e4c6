// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Data shared by the processes of a run and by the threads of a process.
 */
#include <sys/mman.h>

#include "fuzz.h"

struct shared *shared;
u8 *barred;
int fuzzed_fds[CONTEXTS] = { -1, -1 };
__thread unsigned int percent;
__thread int my_fd = -1;
__thread bool bar_next;

bool is_fuzzed(int fd)
{
	return fd >= 0 && (fd == fuzzed_fds[0] || fd == fuzzed_fds[1]);
}

void count(unsigned long *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

void share_memory(void)
{
	const int prot = PROT_READ | PROT_WRITE;

	shared = mmap(NULL, sizeof(*shared), prot, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	barred = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || barred == MAP_FAILED)
		die("no memory");
}
