/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The objects that probe.c posts with: QPs of each kind, connected to themselves or to a DCT of the
 * same device, and the memory and the mkey their WRs name.
 */
#ifndef LIBMLX5_ENDS_H
#define LIBMLX5_ENDS_H

#include <infiniband/mlx5dv.h>
#include <stdint.h>

#define BUF_SIZE	65536
#define MAX_ENTRIES	48		/* of a layout inside a WQE of libmlx5 */
#define BB		64
#define QKEY		0x11111111
#define DC_KEY		0x1122334455667788

/* a QP, and its send queue */
struct end {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *mqp;
	struct mlx5dv_qp dv;
	uint32_t posted;		/* blocks so far */
};

/* everything; receives are the SRQ's, and there is always one more than is needed */
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
	struct mlx5dv_mkey *sig;	/* with signatures; NULL for a device without */
	struct mlx5dv_mkey *crypto;	/* with encryption; NULL for a device without */
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
