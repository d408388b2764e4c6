// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of DEVX: the events of a device, and the object that an entry of an
 * event queue names.
 *
 * A device with the capability event_cap lists its events for contexts. On a
 * device without the capability, contexts may subscribe to the events of the
 * verbs, as in mlx5_ib.
 */
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>

#include "devx/event_key.h"

#define NR_MASK		0xffffff
#define MAX_EVENT	255

/* is the bit of @event set in a mask of the device? */
static bool has_bit(const __be64 *mask, u16 event)
{
	return event <= MAX_EVENT && be64_to_cpu(mask[event / 64]) & BIT_ULL(event % 64);
}

static bool is_verbs_event(u16 event)
{
	switch (event) {
	case MLX5_EVENT_TYPE_COMP:
	case MLX5_EVENT_TYPE_PATH_MIG:
	case MLX5_EVENT_TYPE_COMM_EST:
	case MLX5_EVENT_TYPE_SQ_DRAINED:
	case MLX5_EVENT_TYPE_SRQ_LAST_WQE:
	case MLX5_EVENT_TYPE_SRQ_RQ_LIMIT:
	case MLX5_EVENT_TYPE_CQ_ERROR:
	case MLX5_EVENT_TYPE_WQ_CATAS_ERROR:
	case MLX5_EVENT_TYPE_PATH_MIG_FAILED:
	case MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR:
	case MLX5_EVENT_TYPE_WQ_ACCESS_ERROR:
	case MLX5_EVENT_TYPE_SRQ_CATAS_ERROR:
	case MLX5_EVENT_TYPE_DCT_DRAINED:
	case MLX5_EVENT_TYPE_DCT_KEY_VIOLATION:
	case MLX5_EVENT_TYPE_XRQ_ERROR:
		return true;
	default:
		return false;
	}
}

/**
 * ibx_devx_may_subscribe() - check whether contexts may subscribe to an event
 * @caps: masks of the device; NULL without the capability
 * @object: event of an object, not of the device
 * @event: MLX5_EVENT_TYPE_*
 *
 * Completions are always events of objects.
 *
 * Context: any.
 * Return: true if contexts may subscribe to the event.
 */
bool ibx_devx_may_subscribe(const struct ibx_devx_event_caps *caps, bool object, u16 event)
{
	if (!caps)
		return object ? is_verbs_event(event) : event == MLX5_EVENT_TYPE_PORT_CHANGE;
	if (object)
		return event == MLX5_EVENT_TYPE_COMP || has_bit(caps->object, event);
	return has_bit(caps->device, event);
}

static u16 type_of_id(const struct ibx_devx_id *id)
{
	switch (id->creator) {
	case MLX5_CMD_OP_CREATE_GENERAL_OBJECT:
		return id->type;
	case MLX5_CMD_OP_CREATE_CQ:
		return MLX5_OBJ_TYPE_CQ;
	case MLX5_CMD_OP_CREATE_QP:
		return MLX5_OBJ_TYPE_QP;
	case MLX5_CMD_OP_CREATE_RMP:
	case MLX5_CMD_OP_CREATE_XRC_SRQ:
		return MLX5_OBJ_TYPE_RMP;
	case MLX5_CMD_OP_CREATE_DCT:
		return MLX5_OBJ_TYPE_DCT;
	case MLX5_CMD_OP_CREATE_MKEY:
		return MLX5_OBJ_TYPE_MKEY;
	case MLX5_CMD_OP_CREATE_PSV:
		return MLX5_OBJ_TYPE_PSV;
	default:
		/* PDs, domains and counters, which have no events */
		return U16_MAX;
	}
}

/**
 * ibx_devx_key_of_obj() - get the key of an event of an object
 * @id: object
 * @event: MLX5_EVENT_TYPE_*
 * @key: gets the key
 *
 * Context: any.
 */
void ibx_devx_key_of_obj(const struct ibx_devx_id *id, u16 event, struct ibx_devx_key *key)
{
	key->event = event;
	key->type = type_of_id(id);
	key->nr = id->nr;
}

static u16 type_of_queue(u8 queue)
{
	switch (queue) {
	case MLX5_EVENT_QUEUE_TYPE_QP:
		return MLX5_OBJ_TYPE_QP;
	case MLX5_EVENT_QUEUE_TYPE_RQ:
		return MLX5_OBJ_TYPE_RQ;
	case MLX5_EVENT_QUEUE_TYPE_SQ:
		return MLX5_OBJ_TYPE_SQ;
	default:
		return U16_MAX;
	}
}

/* read the object of an event; events of the device name no object */
static void read_object(u8 event, const struct mlx5_eqe *eqe, struct ibx_devx_key *key)
{
	switch (event) {
	case MLX5_EVENT_TYPE_PATH_MIG:
	case MLX5_EVENT_TYPE_COMM_EST:
	case MLX5_EVENT_TYPE_SQ_DRAINED:
	case MLX5_EVENT_TYPE_SRQ_LAST_WQE:
	case MLX5_EVENT_TYPE_WQ_CATAS_ERROR:
	case MLX5_EVENT_TYPE_PATH_MIG_FAILED:
	case MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR:
	case MLX5_EVENT_TYPE_WQ_ACCESS_ERROR:
		key->type = type_of_queue(eqe->data.qp_srq.type);
		key->nr = be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & NR_MASK;
		break;
	case MLX5_EVENT_TYPE_SRQ_RQ_LIMIT:
	case MLX5_EVENT_TYPE_SRQ_CATAS_ERROR:
		key->type = MLX5_OBJ_TYPE_RMP;
		key->nr = be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & NR_MASK;
		break;
	case MLX5_EVENT_TYPE_COMP:
		key->type = MLX5_OBJ_TYPE_CQ;
		key->nr = be32_to_cpu(eqe->data.comp.cqn) & NR_MASK;
		break;
	case MLX5_EVENT_TYPE_CQ_ERROR:
		key->type = MLX5_OBJ_TYPE_CQ;
		key->nr = be32_to_cpu(eqe->data.cq_err.cqn) & NR_MASK;
		break;
	case MLX5_EVENT_TYPE_DCT_DRAINED:
	case MLX5_EVENT_TYPE_DCT_KEY_VIOLATION:
		key->type = MLX5_OBJ_TYPE_DCT;
		key->nr = be32_to_cpu(eqe->data.dct.dctn) & NR_MASK;
		break;
	case MLX5_EVENT_TYPE_XRQ_ERROR:
		key->type = MLX5_OBJ_TYPE_XRQ;
		key->nr = be32_to_cpu(eqe->data.xrq_err.type_xrqn) & NR_MASK;
		break;
	default:
		key->type = MLX5_GET(affiliated_event_header, &eqe->data, obj_type);
		key->nr = MLX5_GET(affiliated_event_header, &eqe->data, obj_id);
	}
}

/**
 * ibx_devx_key_of_eqe() - get the key of an event that has occurred
 * @caps: masks of the device; NULL without the capability
 * @event: MLX5_EVENT_TYPE_*
 * @eqe: entry of the event queue
 * @key: gets the key
 *
 * Context: any.
 */
void ibx_devx_key_of_eqe(const struct ibx_devx_event_caps *caps, u8 event,
			 const struct mlx5_eqe *eqe, struct ibx_devx_key *key)
{
	key->event = event;
	key->type = 0;
	key->nr = 0;
	if (!ibx_devx_may_subscribe(caps, false, event))
		read_object(event, eqe, key);
}
