// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of a process, and a list of these objects. drop_all() destroys the objects in the
 * reverse order of their creation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kill.h"

#define OPCODE_ALLOC_PD		0x800
#define CQES			256
#define MR_ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
				 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
				 IBV_ACCESS_MW_BIND)

enum sort {
	CONTEXT, MEMORY, PD, DOMAIN, PARENT, XRCD, CHANNEL, CQ, MR, MW, SRQ, AH, QP, MKEY, UAR,
	UMEM, OBJ, ANSWERS, EVENTS, GROUP, DMABUF
};

struct made {
	enum sort sort;
	void *obj;
	const char *what;
};

static struct made list[96];
static unsigned int entries;

/* Return: 0, or the errno of the verb */
static int destroy_verbs(const struct made *m)
{
	switch (m->sort) {
	case CONTEXT:
		return ibv_close_device(m->obj);
	case PD:
	case PARENT:
		return ibv_dealloc_pd(m->obj);
	case DOMAIN:
		return ibv_dealloc_td(m->obj);
	case XRCD:
		return ibv_close_xrcd(m->obj);
	case CHANNEL:
		return ibv_destroy_comp_channel(m->obj);
	case CQ:
		return ibv_destroy_cq(m->obj);
	case MR:
		return ibv_dereg_mr(m->obj);
	case MW:
		return ibv_dealloc_mw(m->obj);
	case SRQ:
		return ibv_destroy_srq(m->obj);
	case AH:
		return ibv_destroy_ah(m->obj);
	default:
		return ibv_destroy_qp(m->obj);
	}
}

/* multicast group 239.77.0.9, as a GID */
static union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 77, 0, 9 } };

/* Return: 0, or an errno */
static int destroy(const struct made *m)
{
	switch (m->sort) {
	case MEMORY:
		return munmap(m->obj, MEM_BYTES);
	case MKEY:
		return mlx5dv_destroy_mkey(m->obj);
	case UAR:
		mlx5dv_devx_free_uar(m->obj);
		return 0;
	case UMEM:
		return mlx5dv_devx_umem_dereg(m->obj);
	case OBJ:
		return mlx5dv_devx_obj_destroy(m->obj);
	case ANSWERS:
		mlx5dv_devx_destroy_cmd_comp(m->obj);
		return 0;
	case EVENTS:
		mlx5dv_devx_destroy_event_channel(m->obj);
		return 0;
	case GROUP:
		return ibv_detach_mcast(m->obj, &group, 0);
	case DMABUF:
		return close((intptr_t)m->obj) ? errno : 0;
	default:
		return destroy_verbs(m);
	}
}

/* adds @obj to the list; NULL ends the program. Return: @obj */
static void *keep(enum sort sort, void *obj, const char *what)
{
	if (!obj)
		die(what);
	if (entries == ARRAY_SIZE(list)) {
		errno = ENOSPC;
		die(what);
	}
	list[entries++] = (struct made){ sort, obj, what };
	return obj;
}

/* Destroys all objects. */
void drop_all(void)
{
	while (entries) {
		const struct made *m = &list[--entries];

		step(m->what);
		errno = destroy(m);
		if (errno)
			die(m->what);
	}
}

/* Empties the list: the objects in it exist until the process ends. */
void forget_all(void)
{
	entries = 0;
}

/* Opens a context for DEVX, and allocates memory. */
void open_end(struct end *e)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **devs;
	int i;

	e->sent = 0;
	e->ctx = NULL;
	step("context");
	devs = ibv_get_device_list(NULL);
	for (i = 0; devs && devs[i]; i++)
		if (!strcmp(ibv_get_device_name(devs[i]), e->device))
			e->ctx = mlx5dv_open_device(devs[i], &attr);
	ibv_free_device_list(devs);
	keep(CONTEXT, e->ctx, "context");
	if (ibv_query_gid(e->ctx, 1, e->gid_index, &e->gid))
		die("GID");
	e->mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	keep(MEMORY, e->mem == MAP_FAILED ? NULL : e->mem, "memory");
}

static void make_pds(struct end *e)
{
	struct ibv_parent_domain_init_attr parent = {};
	struct ibv_xrcd_init_attr xrcd = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
	};
	struct ibv_td_init_attr td = {};

	step("PD");
	e->pd = keep(PD, ibv_alloc_pd(e->ctx), "PD");
	step("thread domain");
	parent.td = ibv_alloc_td(e->ctx, &td);
	/* A thread domain needs a UAR with write-combining. Not every machine supports that. */
	if (parent.td || errno != EOPNOTSUPP)
		keep(DOMAIN, parent.td, "thread domain");
	parent.pd = e->pd;
	step("parent domain");
	keep(PARENT, ibv_alloc_parent_domain(e->ctx, &parent), "parent domain");
	step("XRC domain");
	e->xrcd = keep(XRCD, ibv_open_xrcd(e->ctx, &xrcd), "XRC domain");
}

static void make_cqs(struct end *e)
{
	struct mlx5dv_cq_init_attr big = {
		.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = 128,
	};
	struct ibv_cq_init_attr_ex attr = { .cqe = CQES };

	step("channel");
	e->chan = keep(CHANNEL, ibv_create_comp_channel(e->ctx), "channel");
	step("CQ");
	e->cq = keep(CQ, ibv_create_cq(e->ctx, 16, NULL, e->chan, 0), "CQ");
	step("CQ of 128-byte entries");
	e->rcq = keep(CQ, ibv_cq_ex_to_cq(mlx5dv_create_cq(e->ctx, &attr, &big)),
		      "CQ of 128-byte entries");
	step("resize of a CQ");
	errno = ibv_resize_cq(e->cq, CQES);
	if (errno)
		die("resize of a CQ");
}

static int create_dmabuf(void)
{
	int mem = memfd_create("victim", MFD_ALLOW_SEALING), dev = open("/dev/udmabuf", O_RDWR), fd;
	struct udmabuf_create create = { .memfd = mem, .size = MEM_BYTES };

	if (mem < 0 || dev < 0 || ftruncate(mem, MEM_BYTES) ||
	    fcntl(mem, F_ADD_SEALS, F_SEAL_SHRINK))
		die("memory of a dma-buf");
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	if (fd < 0)
		die("dma-buf");
	close(mem);
	close(dev);
	return fd;
}

/* mlx5_ib registers a dma-buf only on a device with on-demand paging */
static void make_dmabuf_mr(struct end *e)
{
	int fd = create_dmabuf();
	struct ibv_mr *mr;

	keep(DMABUF, (void *)(intptr_t)fd, "dma-buf");
	step("MR of a dma-buf");
	mr = ibv_reg_dmabuf_mr(e->pd, 0, MEM_BYTES, 0, fd, IBV_ACCESS_LOCAL_WRITE);
	if (mr || errno != EOPNOTSUPP)
		keep(MR, mr, "MR of a dma-buf");
}

static void make_memory(struct end *e)
{
	struct mlx5dv_mkey_init_attr attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, .max_entries = 8,
		.pd = e->pd,
	};

	step("MR");
	e->mr = keep(MR, ibv_reg_mr(e->pd, e->mem, MEM_BYTES, IBV_ACCESS_LOCAL_WRITE), "MR");
	step("access of an MR");
	if (ibv_rereg_mr(e->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, MR_ACCESS))
		die("access of an MR");
	step("place of an MR");
	if (ibv_rereg_mr(e->mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, e->mem, MEM_BYTES / 2, 0))
		die("place of an MR");
	step("size of an MR");
	if (ibv_rereg_mr(e->mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, e->mem, MEM_BYTES, 0))
		die("size of an MR");
	step("window of type 1");
	e->mw[0] = keep(MW, ibv_alloc_mw(e->pd, IBV_MW_TYPE_1), "window of type 1");
	step("window of type 2");
	e->mw[1] = keep(MW, ibv_alloc_mw(e->pd, IBV_MW_TYPE_2), "window of type 2");
	step("indirect mkey");
	keep(MKEY, mlx5dv_create_mkey(&attr), "indirect mkey");
}

static void make_srqs(struct end *e)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 64, .max_sge = 2 } };
	struct ibv_srq_attr limit = { .srq_limit = 2 };
	struct ibv_srq_init_attr_ex xrc = {
		.attr = { .max_wr = 64, .max_sge = 1 }, .srq_type = IBV_SRQT_XRC,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.pd = e->pd, .xrcd = e->xrcd, .cq = e->rcq,
	};

	step("SRQ");
	e->srq = keep(SRQ, ibv_create_srq(e->pd, &attr), "SRQ");
	step("limit of an SRQ");
	errno = ibv_modify_srq(e->srq, &limit, IBV_SRQ_LIMIT);
	if (errno)
		die("limit of an SRQ");
	step("XRC SRQ");
	e->xsrq = keep(SRQ, ibv_create_srq_ex(e->ctx, &xrc), "XRC SRQ");
}

/*
 * Creates an object of DEVX, a channel of responses to commands, and a channel
 * with a subscription.
 */
static void make_devx(struct end *e)
{
	uint32_t in[4] = { htobe32(OPCODE_ALLOC_PD << 16) }, out[4] = {};
	struct mlx5dv_devx_event_channel *events;
	uint16_t port_change = 9;

	step("UAR");
	keep(UAR, mlx5dv_devx_alloc_uar(e->ctx, MLX5DV_UAR_ALLOC_TYPE_NC), "UAR");
	step("UMEM");
	keep(UMEM, mlx5dv_devx_umem_reg(e->ctx, e->mem, 8192, IBV_ACCESS_LOCAL_WRITE), "UMEM");
	step("object of DEVX");
	keep(OBJ, mlx5dv_devx_obj_create(e->ctx, in, sizeof(in), out, sizeof(out)),
	     "object of DEVX");
	step("channel of answers");
	keep(ANSWERS, mlx5dv_devx_create_cmd_comp(e->ctx), "channel of answers");
	step("channel of events");
	events = keep(EVENTS, mlx5dv_devx_create_event_channel(e->ctx, 0), "channel of events");
	step("subscription");
	errno = mlx5dv_devx_subscribe_devx_event(events, NULL, sizeof(port_change), &port_change,
						 1);
	if (errno)
		die("subscription");
}

/* Creates the objects that do not need the other end, except QPs. */
void make_objects(struct end *e)
{
	make_pds(e);
	make_cqs(e);
	make_memory(e);
	make_dmabuf_mr(e);
	make_srqs(e);
	make_devx(e);
}

/* Creates the AH of the other end. */
void make_ah(struct end *e, const struct end *peer)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = peer->gid, .sgid_index = e->gid_index, .hop_limit = 64 },
	};

	step("AH");
	e->ah = keep(AH, ibv_create_ah(e->pd, &attr), "AH");
}

/* Attaches the UD QP of the end to a multicast group. */
void join_group(struct end *e)
{
	step("group");
	errno = ibv_attach_mcast(e->qp[UD], &group, 0);
	if (errno)
		die("group");
	keep(GROUP, e->qp[UD], "group");
}

/* Adds a new QP to the list of objects. */
void keep_qp(struct ibv_qp *qp, const char *what)
{
	keep(QP, qp, what);
}
