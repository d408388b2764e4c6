/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: keys by which DEVX finds the subscriptions to an event. Pure
 * functions: no locks, no device.
 */
#ifndef MLX5_IBX_DEVX_EVENT_KEY_H
#define MLX5_IBX_DEVX_EVENT_KEY_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

#include "devx/table.h"

/**
 * struct ibx_devx_key - an event of an object, or of the device
 * @event: MLX5_EVENT_TYPE_*
 * @type: MLX5_OBJ_TYPE_* of the object (MLX5_OBJ_TYPE_RMP for all SRQs); 0 for
 *	an event of the device
 * @nr: number of the object; 0 for an event of the device
 */
struct ibx_devx_key {
	u16 event;
	u16 type;
	u32 nr;
};

/**
 * struct ibx_devx_event_caps - events that contexts may subscribe to, a bit for each type
 * @object: four words for events of objects
 * @device: four words for events of the device
 */
struct ibx_devx_event_caps {
	const __be64 *object;
	const __be64 *device;
};

bool ibx_devx_may_subscribe(const struct ibx_devx_event_caps *caps, bool object, u16 event);
void ibx_devx_key_of_obj(const struct ibx_devx_id *id, u16 event, struct ibx_devx_key *key);
void ibx_devx_key_of_eqe(const struct ibx_devx_event_caps *caps, u8 event,
			 const struct mlx5_eqe *eqe, struct ibx_devx_key *key);

#endif /* MLX5_IBX_DEVX_EVENT_KEY_H */
