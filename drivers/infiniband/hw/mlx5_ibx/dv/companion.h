/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: devices for direct verbs.
 *
 * A companion is a struct ibx_dev for a device that mlx5_ib drives. It has no
 * ib_device of its own (ibx_dev.ib is mlx5_ib's), and no verbs: only direct
 * verbs use it. Companions exist while a back end for mlx5_ib is registered
 * (backend.h).
 */
#ifndef MLX5_IBX_COMPANION_H
#define MLX5_IBX_COMPANION_H

#include "backend.h"
#include "ibx.h"

/* ---- companion.c ---- */
int ibx_companions_start(int (*up)(struct ibx_dev *dev), void (*down)(struct ibx_dev *dev));
void ibx_companions_stop(void);
struct ibx_dev *ibx_dv_get(struct ib_device *ibdev);
void ibx_dv_put(struct ibx_dev *dev);

/**
 * ibx_dv_pdn() - number of a PD
 * @dev: device of the PD, of ibx_dv_get()
 * @pd: PD
 *
 * Context: any.
 * Return: number of the PD in the device.
 */
static inline u32 ibx_dv_pdn(const struct ibx_dev *dev, struct ib_pd *pd)
{
	return dev->backend ? dev->backend->pdn(pd) : to_ipd(pd)->pdn;
}

/**
 * ibx_dv_cqn() - number of a CQ
 * @dev: device of the CQ, of ibx_dv_get()
 * @cq: CQ
 *
 * Context: any.
 * Return: number of the CQ in the device.
 */
static inline u32 ibx_dv_cqn(const struct ibx_dev *dev, struct ib_cq *cq)
{
	return dev->backend ? dev->backend->cqn(cq) : to_icq(cq)->mcq.cqn;
}

#endif /* MLX5_IBX_COMPANION_H */
