// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Number spaces: every object has a number, unique within its type.
 *
 * Numbers are handed out cyclically. The first ones of each space stay unused,
 * so that zero, the well-known QPs 0 and 1, and the reserved key 0x100 never
 * name an object. A DCT has a number no QP can have. The tables belong to the hardware thread.
 */
#include <linux/slab.h>

#include "cmd.h"

#define SIM_NUMBER_MAX	0xfffffful	/* 24 bits in WQEs, completions and events */

static u32 sim_obj_first(struct sim_dev *sdev, enum sim_obj_type type)
{
	switch (type) {
	case SIM_OBJ_UAR:
		return SIM_FIRST_UAR;
	case SIM_OBJ_MKEY:
		return 0x10;
	case SIM_OBJ_QP:
		return 0x40;
	case SIM_OBJ_DCT:
		return BIT(SIM_CAP(sdev, log_max_qp));
	default:
		return 1;
	}
}

static u32 sim_obj_last(struct sim_dev *sdev, enum sim_obj_type type)
{
	switch (type) {
	case SIM_OBJ_UAR:
		return SIM_NUM_UARS - 1;
	case SIM_OBJ_PD:
		return BIT(SIM_CAP(sdev, log_max_pd)) - 1;
	case SIM_OBJ_TD:
		return BIT(SIM_CAP(sdev, log_max_transport_domain)) - 1;
	case SIM_OBJ_XRCD:
		return BIT(SIM_CAP(sdev, log_max_xrcd)) - 1;
	case SIM_OBJ_UCTX:
		return BIT(SIM_CAP(sdev, log_max_uctx)) - 1;
	case SIM_OBJ_EQ:
		return SIM_CAP(sdev, max_num_eqs);
	case SIM_OBJ_CQ:
		return BIT(SIM_CAP(sdev, log_max_cq)) - 1;
	case SIM_OBJ_MKEY:
		return BIT(SIM_CAP(sdev, log_max_mkey)) - 1;
	case SIM_OBJ_SRQ:
		return BIT(SIM_CAP(sdev, log_max_srq)) - 1;
	case SIM_OBJ_QSET:
		return min(SIM_CAP(sdev, max_qp_cnt), U8_MAX);
	case SIM_OBJ_QP:
		return BIT(SIM_CAP(sdev, log_max_qp)) - 1;
	case SIM_OBJ_DCT:
		return min(2 * BIT(SIM_CAP(sdev, log_max_qp)) - 1, SIM_NUMBER_MAX);
	default:
		return 0;
	}
}

int sim_obj_add(struct sim_dev *sdev, struct sim_obj *obj, enum sim_obj_type type, u16 uid)
{
	struct sim_objs *objs = sdev->objs;
	struct xa_limit limit = XA_LIMIT(sim_obj_first(sdev, type), sim_obj_last(sdev, type));
	int err;

	if (limit.max < limit.min)
		return -ENOSPC;
	err = xa_alloc_cyclic(&objs->xa[type], &obj->id, obj, limit, &objs->next[type],
			      GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -ENOSPC : err;
	obj->type = type;
	obj->uid = uid;
	objs->count[type]++;
	return 0;
}

void *sim_obj_find(struct sim_dev *sdev, enum sim_obj_type type, u32 id)
{
	/* struct sim_obj is the first member of every object */
	return xa_load(&sdev->objs->xa[type], id);
}

void sim_obj_del(struct sim_dev *sdev, struct sim_obj *obj)
{
	WARN_ON_ONCE(obj->users);
	xa_erase(&sdev->objs->xa[obj->type], obj->id);
	sdev->objs->count[obj->type]--;
}

u32 sim_obj_count(struct sim_dev *sdev, enum sim_obj_type type)
{
	return sdev->objs->count[type];
}

int sim_objs_init(struct sim_dev *sdev)
{
	int i;

	sdev->objs = kzalloc(sizeof(*sdev->objs), GFP_KERNEL);
	if (!sdev->objs)
		return -ENOMEM;
	for (i = 0; i < SIM_OBJ_MAX; i++)
		xa_init_flags(&sdev->objs->xa[i], XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&sdev->qps);
	INIT_LIST_HEAD(&sdev->cqs_pending);
	return 0;
}

void sim_objs_exit(struct sim_dev *sdev)
{
	int i;

	if (!sdev->objs)
		return;
	sim_objs_reset(sdev);
	for (i = 0; i < SIM_OBJ_MAX; i++)
		xa_destroy(&sdev->objs->xa[i]);
	kfree(sdev->objs);
	sdev->objs = NULL;
}

static void sim_plain_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	sim_obj_del(sdev, obj);
	kfree(obj);
}

/* Dependents first, so that the uses they hold are given back to living objects. */
static const struct {
	enum sim_obj_type type;
	void (*free)(struct sim_dev *sdev, struct sim_obj *obj);
} sim_obj_order[] = {
	{ SIM_OBJ_QP, sim_qp_free },
	{ SIM_OBJ_DCT, sim_dct_free },
	{ SIM_OBJ_SRQ, sim_srq_free },
	{ SIM_OBJ_CQ, sim_cq_free },
	{ SIM_OBJ_EQ, sim_eq_free },
	{ SIM_OBJ_QSET, sim_plain_free },
	{ SIM_OBJ_MKEY, sim_mkey_free },
	{ SIM_OBJ_XRCD, sim_plain_free },
	{ SIM_OBJ_PD, sim_plain_free },
	{ SIM_OBJ_TD, sim_plain_free },
	{ SIM_OBJ_UAR, sim_plain_free },
	{ SIM_OBJ_UCTX, sim_plain_free },
};

void sim_objs_reset(struct sim_dev *sdev)
{
	struct sim_obj *obj;
	unsigned long id;
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_obj_order); i++)
		xa_for_each(&sdev->objs->xa[sim_obj_order[i].type], id, obj)
			sim_obj_order[i].free(sdev, obj);
	memset(sdev->gid, 0, sizeof(sdev->gid));
	sdev->roce_enabled = false;
}
