/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The program fuzz: calls of unmodified libibverbs and libmlx5 whose requests to the kernel are
 * changed at random on their way (mutate.c), and requests that are random altogether (raw.c).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <rdma/rdma_user_ioctl_cmds.h>

#include "../devx/devx.h"

/* ---- mutate.c ---- */
extern int fuzzed_fd;
extern unsigned int percent;
extern unsigned long requests, changed;
void seed_random(u64 seed);
u32 below(u32 n);
bool in_percent(unsigned int p);
void mutate_bytes(void *data, size_t len);
bool asks_for_context(const struct ib_uverbs_ioctl_hdr *hdr);
size_t mutate_command(u8 *cmd, size_t len, size_t room);

/* ---- raw.c ---- */
void raw_ioctl(void);
void raw_write(void);
void raw_mmap(void);

/* ---- devx.c, verbs.c ---- */
void devx_begin(const char *device);
void devx_step(void);
void verbs_step(struct ibv_context *ctx, struct ibv_pd *pd, u8 *mem);

#endif /* FUZZ_H */
