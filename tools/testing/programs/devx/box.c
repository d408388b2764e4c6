// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Contexts, and commands with their responses.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "devx.h"

int faults;
unsigned int seed = 1;

/* Ends the program: the test cannot continue. */
void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* Reports a failure; the test continues. */
void tell(const char *fmt, ...)
{
	va_list args;

	faults++;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

void want_errno(const char *what, int err, int want)
{
	if (err != want)
		tell("%s: errno %d (%s), expected %d (%s)", what, err, strerror(err), want,
		     strerror(want));
}

static struct ibv_context *open_device(const char *name)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = mlx5dv_open_device(list[i], &attr);
	if (!ctx)
		die("%s: no context for DEVX: %s", name, strerror(errno));
	ibv_free_device_list(list);
	return ctx;
}

/* anonymous memory of the process, and a UMEM of the memory */
static void get_own_memory(struct end *e)
{
	e->mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e->mem == MAP_FAILED)
		die("no memory");
	e->umem = mlx5dv_devx_umem_reg(e->ctx, e->mem, MEM_BYTES, IBV_ACCESS_LOCAL_WRITE);
}

void (*get_memory)(struct end *e) = get_own_memory;

/* Opens a context with a PD, a UAR, and memory with a UMEM. */
void open_end(struct end *e, const char *device)
{
	struct mlx5dv_pd dv_pd = {};
	struct mlx5dv_obj obj = {};

	memset(e, 0, sizeof(*e));
	e->ctx = open_device(device);
	e->pd = ibv_alloc_pd(e->ctx);
	if (!e->pd)
		die("no PD: %s", strerror(errno));
	obj.pd.in = e->pd;
	obj.pd.out = &dv_pd;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD))
		die("no number of the PD");
	e->pdn = dv_pd.pdn;
	e->uar = mlx5dv_devx_alloc_uar(e->ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	if (!e->uar)
		die("no UAR: %s", strerror(errno));
	if (mlx5dv_devx_query_eqn(e->ctx, 0, &e->eqn))
		die("no event queue: %s", strerror(errno));
	get_memory(e);
	if (!e->umem)
		die("no UMEM: %s", strerror(errno));
}

void close_end(struct end *e)
{
	want_errno("dereg of a UMEM", mlx5dv_devx_umem_dereg(e->umem), 0);
	munmap(e->mem, MEM_BYTES);
	mlx5dv_devx_free_uar(e->uar);
	want_errno("dealloc of a PD", ibv_dealloc_pd(e->pd), 0);
	want_errno("close", ibv_close_device(e->ctx), 0);
}

/* Every response begins with a status and a syndrome. */
static void read_head(const void *out, struct made *m)
{
	m->status = GET(general_obj_out_cmd_hdr, out, status);
	m->syndrome = GET(general_obj_out_cmd_hdr, out, syndrome);
}

/*
 * @nr_off: offset of the object's number in the response, in bits; the number has 24 bits
 *
 * A response of up to 16 bytes needs no mailbox. mlx5_core frees the mailboxes of a command that
 * times out. If the device executes the command after that, it writes to freed memory.
 */
struct made create(struct end *e, const void *in, size_t inlen, u32 nr_off)
{
	size_t len = nr_off + 24 > 16 * 8 ? 64 : 16;
	u8 out[64] = {};
	struct made m = {};

	errno = 0;
	m.obj = mlx5dv_devx_obj_create(e->ctx, in, inlen, out, len);
	m.err = m.obj ? 0 : errno;
	read_head(out, &m);
	m.nr = get_bits(out, nr_off, 24);
	if (!m.obj && !m.err)
		tell("no object, and no errno");
	if (m.err == EREMOTEIO && !m.status)
		tell("refused by the device without a status");
	return m;
}

void destroy(struct made *m, const char *what)
{
	int err;

	if (!m->obj) {
		tell("no %s: errno %d status %#x syndrome %#x", what, m->err, m->status,
		     m->syndrome);
		return;
	}
	err = mlx5dv_devx_obj_destroy(m->obj);
	if (err)
		tell("destruction of %s: %s", what, strerror(err));
	m->obj = NULL;
}

/* Return: 0, or the errno of the query; EREMOTEIO sets the status and syndrome in @m */
int query(struct made *m, void *in, size_t inlen, void *out, size_t outlen)
{
	int err = mlx5dv_devx_obj_query(m->obj, in, inlen, out, outlen);

	if (err == EREMOTEIO)
		read_head(out, m);
	return err;
}

/* Return: 0, or the errno of the command; sets the status and syndrome in @m */
int modify(struct made *m, void *in, size_t inlen)
{
	u8 out[64] = {};
	int err = mlx5dv_devx_obj_modify(m->obj, in, inlen, out, sizeof(out));

	read_head(out, m);
	return err;
}
