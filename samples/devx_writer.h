/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Example of <rdma/mlx5dv_devx.h>, <rdma/mlx5dv_devx_umem.h> and <rdma/mlx5dv_devx_event.h>: a CQ,
 * a QP and an mkey that are objects of DEVX, in memory of UMEMs.
 */
#ifndef DEVX_WRITER_H
#define DEVX_WRITER_H

#include <linux/completion.h>
#include <rdma/mlx5dv.h>

/**
 * struct devx_writer - a QP that is connected to itself, and writes memory to memory
 * @ctx: context of the objects
 * @uar: doorbell registers
 * @pd: PD
 * @mkey: mkey of the caller's memory, in @pd; addresses in the mkey are kernel
 *   addresses
 * @cq: CQ of one completion at a time
 * @qp: RC QP, in RTS
 * @channel: subscriptions to events of @cq and @qp
 * @rings: 4096 bytes for each ring, and 4096 bytes for the doorbell records
 * @ring_umem: UMEM of @rings
 * @mem: the caller's memory
 * @bytes: length of @mem
 * @data_umem: UMEM of @mem
 * @pdn: number of @pd
 * @key: lkey and rkey of @mkey
 * @cqn: number of @cq
 * @qpn: number of @qp
 * @posted: number of WRITEs that were posted and have completed
 * @completed: completed when the event of a CQE arrives
 */
struct devx_writer {
	struct mlx5dv_devx_ctx *ctx;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_obj *pd;
	struct mlx5dv_devx_obj *mkey;
	struct mlx5dv_devx_obj *cq;
	struct mlx5dv_devx_obj *qp;
	struct mlx5dv_devx_event_channel *channel;
	void *rings;
	struct mlx5dv_devx_umem *ring_umem;
	void *mem;
	u32 bytes;
	struct mlx5dv_devx_umem *data_umem;
	u32 pdn;
	u32 key;
	u32 cqn;
	u32 qpn;
	u32 posted;
	struct completion completed;
};

int devx_writer_open(struct devx_writer *w, struct ib_device *ibdev, void *mem, u32 bytes);
struct mlx5dv_devx_obj *devx_writer_map(struct devx_writer *w, const struct mlx5dv_devx_umem *umem,
					u64 start, u32 bytes, u32 *key);
void devx_writer_close(struct devx_writer *w);
int devx_writer_write(struct devx_writer *w, u64 to, u32 rkey, const void *from, u32 len);

#endif /* DEVX_WRITER_H */
