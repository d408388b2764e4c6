/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The program devx, for the selftest devx: calls DEVX functions of libmlx5, and checks each result.
 */
#ifndef DEVX_H
#define DEVX_H

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

/* names of fields, except those that are macros of mlx5dv.h */
#include "../vfio/bits.h"

#define PAGE		4096u
#define BOX_MAX		0xffffu
#define ANY_QPN		0xffffffu
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* offsets in the memory of a struct end */
#define AT_CQ		0u
#define AT_SQ		PAGE
#define AT_DBR_CQ	(2 * PAGE)
#define AT_DBR_QP	(2 * PAGE + 64)
#define AT_DATA		(3 * PAGE)
#define AT_RMP		(6 * PAGE)
#define MEM_BYTES	(8 * PAGE)
#define LOG_CQES	6
#define LOG_SQ_BBS	6
#define LOG_RMP_WQES	6
#define DC_KEY		0x1234u

/**
 * struct end - a context with PD, registers and memory for its objects
 * @ctx: context
 * @pd: PD of the verbs
 * @pdn: number of @pd
 * @uar: doorbell registers
 * @eqn: number of an event queue
 * @mem: MEM_BYTES of memory
 * @umem: the UMEM of @mem
 */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	u32 pdn;
	struct mlx5dv_devx_uar *uar;
	u32 eqn;
	u8 *mem;
	struct mlx5dv_devx_umem *umem;
};

/**
 * struct made - an object of DEVX
 * @obj: object; NULL if it was refused
 * @nr: number of @obj
 * @err: errno of the create command; 0 after success
 * @status: status in the response of the device
 * @syndrome: syndrome in the response of the device
 */
struct made {
	struct mlx5dv_devx_obj *obj;
	u32 nr;
	int err;
	u32 status;
	u32 syndrome;
};

/* fields of CREATE_CQ, _QP, _RMP, _DCT and _MKEY that a test may set to wrong values */
struct want {
	u32 pdn;
	u32 uar;
	u32 cqn;
	u32 srqn;	/* SRQ of a DCT, or of a QP with an SRQ */
	u32 ring;	/* UMEM of the ring; for an mkey, of the data */
	u32 dbr;	/* UMEM of the doorbell record */
	bool pas;	/* bus addresses instead of UMEMs */
	bool rlky;
	bool fre;
	bool umr;
	u32 mode;	/* mkey: access mode; QP: service type; RMP: ring type */
	bool basic;	/* WQEs of an RMP without links */
	u32 more;	/* bytes after the context of a DCT */
};

/**
 * struct mover - a QP that sends RDMA WRITEs to itself
 * @e: context
 * @cq: CQ
 * @qp: QP, in RTS
 * @mkey: mkey of the source and the destination of the WRITEs
 * @posted: number of WRITEs
 * @events: number of times that @cq was armed
 */
struct mover {
	struct end e;
	struct made cq, qp, mkey;
	u32 posted;
	u32 events;
};

static inline u32 key_of(const struct mover *m)
{
	return m->mkey.nr << 8 | 0x42;
}

/* ---- box.c ---- */
extern int faults;
extern unsigned int seed;
extern void (*get_memory)(struct end *e);	/* allocates mem and umem of an end */
noreturn void die(const char *fmt, ...);
void tell(const char *fmt, ...);
void want_errno(const char *what, int err, int want);
void open_end(struct end *e, const char *device);
void close_end(struct end *e);
struct made create(struct end *e, const void *in, size_t inlen, u32 nr_off);
void destroy(struct made *m, const char *what);
int query(struct made *m, void *in, size_t inlen, void *out, size_t outlen);
int modify(struct made *m, void *in, size_t inlen);

/* ---- objs.c ---- */
struct want want_of(const struct end *e);
struct made create_plain(struct end *e, u32 opcode);
struct made create_psv(struct end *e, u32 pdn, u32 num);
struct made create_cq(struct end *e, const struct want *w);
struct made create_qp(struct end *e, const struct want *w);
struct made create_rmp(struct end *e, const struct want *w);
struct made create_dct(struct end *e, const struct want *w);
struct made create_mkey(struct end *e, const struct want *w);
struct made create_klm(struct end *e, u32 pdn, u32 lkey);

/* ---- udmabuf.c ---- */
int open_dmabuf(size_t bytes, u8 **mem);
struct mlx5dv_devx_umem *reg_dmabuf(struct end *e, int fd, u64 offset, size_t len);

/* ---- trap.c ---- */
void fail_response(struct end *e, void *(*create)(struct end *e), unsigned int attr,
		   void (*use)(void *arg), void *arg);

/* ---- qp.c ---- */
int step_qp(struct made *qp, u32 opcode, void (*fill)(u8 *qpc, u32 qpn));
void connect_qp(struct made *qp);
void open_mover(struct mover *m, const char *device);
void close_mover(struct mover *m);
void arm_cq(struct mover *m);
u32 move(struct mover *m, u32 rkey, u32 len);
void move_data(const char *device);
void move_many(const char *device);

/* ---- events.c ---- */
#define COMP		0x00
#define CQ_ERROR	0x04
#define PORT_CHANGE	0x09
#define COOKIE		0x1122334455667788ull

struct mlx5dv_devx_event_channel *open_channel(struct end *e, bool omit);
int subscribe(struct mlx5dv_devx_event_channel *ch, struct made *m, u16 event);
void want_event(struct mlx5dv_devx_event_channel *ch, u16 event, u32 nr);

/* ---- cases.c, recv.c, bad.c, async.c, events.c, kept.c, limits.c, killed.c, dmabuf.c ---- */
struct test {
	const char *name;
	void (*run)(const char *device);
};

extern const struct test good_tests[];
extern const struct test recv_tests[];
extern const struct test bad_tests[];
extern const struct test async_tests[];
extern const struct test event_tests[];
extern const struct test kept_tests[];
extern const struct test limit_tests[];
extern const struct test killed_tests[];
extern const struct test dmabuf_tests[];

#endif /* DEVX_H */
