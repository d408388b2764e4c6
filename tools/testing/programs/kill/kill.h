/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The program victim, for the selftest kill: processes with every kind of object and with traffic.
 * Each process ends by SIGKILL.
 */
#ifndef KILL_H
#define KILL_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdnoreturn.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MEM_BYTES	(256u << 10)
#define RECV_AT		(128u << 10)
#define RECV_BYTES	2048u
#define DATA_MAX	(16u << 10)
#define QKEY		0x11112222
#define DC_KEY		0x1122334455667788ull

enum kind { RC, UC, UD, XRC_SEND, XRC_RECV, DCI, DCT, KINDS };

/**
 * struct end - one of two devices, with all its objects
 * @device: name of the device
 * @gid_index: index of the RoCE GID that the QPs use
 * @gid: GID at @gid_index
 * @mem: MEM_BYTES of memory, which @mr registers
 * @ctx: context for DEVX
 * @pd: PD of all objects
 * @xrcd: XRC domain
 * @chan: channel of completion events
 * @cq: CQ of sends, whose events are in @chan
 * @rcq: CQ of receives, with entries of 128 bytes
 * @mr: MR of @mem
 * @mw: a memory window of type 1 and of type 2
 * @srq: SRQ of the RC QP and the DCT
 * @xsrq: XRC SRQ
 * @ah: AH of the other end
 * @qp: a QP of each kind
 * @sent: number of work requests whose completions have not been polled
 */
struct end {
	const char *device;
	int gid_index;
	union ibv_gid gid;
	char *mem;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	struct ibv_comp_channel *chan;
	struct ibv_cq *cq;
	struct ibv_cq *rcq;
	struct ibv_mr *mr;
	struct ibv_mw *mw[2];
	struct ibv_srq *srq;
	struct ibv_srq *xsrq;
	struct ibv_ah *ah;
	struct ibv_qp *qp[KINDS];
	unsigned int sent;
};

/* ---- step.c ---- */
noreturn void die(const char *what);
void step(const char *what);
unsigned int draw(unsigned int below);
unsigned int plan_end(unsigned int seed);

/* ---- objs.c ---- */
void open_end(struct end *e);
void make_objects(struct end *e);
void join_group(struct end *e);
void make_ah(struct end *e, const struct end *peer);
void keep_qp(struct ibv_qp *qp, const char *what);
void drop_all(void);
void forget_all(void);

/* ---- qp.c ---- */
extern const char *const kind_names[KINDS];
void make_qps(struct end *e);
void connect_kind(struct end *a, struct end *b, enum kind kind);
void connect_qps(struct end *a, struct end *b);

/* ---- data.c ---- */
void start_pump(const struct end *a, const struct end *b);
void move_data(struct end *a, struct end *b);

#endif /* KILL_H */
