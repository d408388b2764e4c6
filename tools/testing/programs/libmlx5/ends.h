/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The objects of probe.c: QPs of each kind, which are connected to themselves or to a DCT of the
 * same device, and the memory and the mkeys of their work requests.
 */
#ifndef LIBMLX5_ENDS_H
#define LIBMLX5_ENDS_H

#include <infiniband/mlx5dv.h>
#include <stdint.h>

#define BUF_SIZE	65536
#define MAX_ENTRIES	48		/* entries of a layout that fit into a WQE of libmlx5 */
#define BB		64
#define QKEY		0x11111111
#define DC_KEY		0x1122334455667788

/* a QP, and its send queue */
struct end {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *mqp;
	struct mlx5dv_qp dv;
	uint32_t posted;		/* number of posted basic blocks of BB bytes */
};

/* all objects; the SRQ always has one more receive than the next work request needs */
struct ends {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;		/* of sends */
	struct ibv_cq *rcq;		/* of receives */
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_ah *ah;		/* of the device itself */
	int sgid_index;
	struct mlx5dv_mkey *mkey;
	struct mlx5dv_mkey *sig;	/* with signatures; NULL if not supported */
	struct mlx5dv_mkey *crypto;	/* with encryption; NULL if not supported */
	struct mlx5dv_mkey *both;	/* with both; NULL if the device lacks either */
	struct mlx5dv_dek *dek;		/* DEK of @crypto and @both, with a keytag */
	struct ibv_mw *mw;
	struct ibv_qp *dct;
	struct end rc;
	struct end ud;
	struct end dci;
	char *buf;
};

void die(const char *what);
void ends_create(struct ends *e, const char *device);
void ends_wait(struct ends *e, struct ibv_cq *of, uint64_t id);

#define OR_DIE(call)	do { if ((errno = (call))) die(#call); } while (0)

#endif /* LIBMLX5_ENDS_H */
