// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Number spaces: every object has a number, unique within its type.
 *
 * Numbers are allocated cyclically, or the lowest free number first (module
 * parameter "reuse"). The first numbers of each space stay unused, so that
 * zero, the well-known QPs 0 and 1, and the reserved key 0x100 are never the
 * number of an object. The numbers of DCTs are above the numbers of QPs. The
 * tables belong to the hardware thread.
 */
#include <linux/slab.h>

#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_NUMBER_MAX	0xfffffful	/* 24 bits in WQEs, completions and events */

/* Unrefereed: U-82, U-100. */
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
	case SIM_OBJ_PSV:
		return min(sim_max_psvs, SIM_MAX_PSVS);
	case SIM_OBJ_UMEM:
		return BIT(SIM_CAP(sdev, log_max_umem)) - 1;
	case SIM_OBJ_DEK:
		return BIT(SIM_CAP_CRYPTO(sdev, SIM_CRYPTO_LOG_MAX_DEKS)) - 1;
	case SIM_OBJ_LOGIN:
		/* a login for each user context, and a login for the kernel */
		return BIT(SIM_CAP(sdev, log_max_uctx));
	case SIM_OBJ_FLOW_COUNTER:
		return SIM_CAP(sdev, max_flow_counter_15_0);
	case SIM_OBJ_MCG:
		return BIT(SIM_CAP(sdev, log_max_mcg));
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

/**
 * sim_obj_add() - allocate the number of an object and add it to its table
 * @sdev: simulated function
 * @obj: first member of the object, zeroed
 * @type: type of the object
 * @uid: user context of the command
 * @free: removes the object with sim_obj_del() and frees it
 *
 * Numbers are allocated cyclically, so that the use of a stale number is
 * detected. With the module parameter "reuse" a number is reused as early as
 * possible, so that the effects of an old object on a new object are detected.
 *
 * Unrefereed: U-96.
 *
 * Context: hardware thread.
 * Return:
 * * 0
 * * -ENOMEM
 * * -ENOSPC: the table of the type (log_max_*) is full
 */
int sim_obj_add(struct sim_dev *sdev, struct sim_obj *obj, enum sim_obj_type type, u16 uid,
		sim_obj_free_fn free)
{
	struct sim_objs *objs = sdev->objs;
	struct xa_limit limit = XA_LIMIT(sim_obj_first(sdev, type), sim_obj_last(sdev, type));
	int err;

	if (limit.max < limit.min)
		return -ENOSPC;
	if (sim_reuse)
		err = xa_alloc(&objs->xa[type], &obj->id, obj, limit, GFP_KERNEL);
	else
		err = xa_alloc_cyclic(&objs->xa[type], &obj->id, obj, limit, &objs->next[type],
				      GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -ENOSPC : err;
	obj->type = type;
	obj->uid = uid;
	obj->free = free;
	objs->count[type]++;
	return 0;
}

/**
 * sim_obj_find() - find an object by its number
 * @sdev: simulated function
 * @type: type of the object
 * @id: number of the object
 *
 * Context: hardware thread.
 * Return: the object; NULL when no object has this number.
 */
void *sim_obj_find(struct sim_dev *sdev, enum sim_obj_type type, u32 id)
{
	/* struct sim_obj is the first member of every object */
	return xa_load(&sdev->objs->xa[type], id);
}

/**
 * sim_obj_del() - remove an object from its table
 * @sdev: simulated function
 * @obj: the object; no other object depends on it
 *
 * The caller frees the object.
 *
 * Context: hardware thread.
 */
void sim_obj_del(struct sim_dev *sdev, struct sim_obj *obj)
{
	WARN_ON_ONCE(obj->users);
	xa_erase(&sdev->objs->xa[obj->type], obj->id);
	sdev->objs->count[obj->type]--;
}

/**
 * sim_obj_count() - number of objects of a type
 * @sdev: simulated function
 * @type: the type
 *
 * Context: hardware thread.
 * Return: number of objects.
 */
u32 sim_obj_count(struct sim_dev *sdev, enum sim_obj_type type)
{
	return sdev->objs->count[type];
}

/**
 * sim_objs_init() - create the number spaces and QP and CQ lists of a device
 * @sdev: simulated function
 *
 * Context: process context.
 * Return: 0 or -ENOMEM.
 */
int sim_objs_init(struct sim_dev *sdev)
{
	int i;

	sdev->objs = kzalloc(sizeof(*sdev->objs), GFP_KERNEL);
	if (!sdev->objs)
		return -ENOMEM;
	for (i = 0; i < SIM_OBJ_MAX; i++)
		xa_init_flags(&sdev->objs->xa[i], XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&sdev->qps);
	INIT_LIST_HEAD(&sdev->all_qps);
	INIT_LIST_HEAD(&sdev->cqs_pending);
	return 0;
}

/**
 * sim_objs_exit() - undo sim_objs_init()
 * @sdev: simulated function
 *
 * Frees the objects that still exist.
 *
 * Context: process context.
 */
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

/**
 * sim_obj_free_plain() - free an object that refers to no memory and no object
 * @sdev: simulated function
 * @obj: the object, allocated with kmalloc()
 *
 * Context: hardware thread.
 */
void sim_obj_free_plain(struct sim_dev *sdev, struct sim_obj *obj)
{
	sim_obj_del(sdev, obj);
	kfree(obj);
}

/*
 * Order in which objects are freed: each object is freed before the objects
 * that it refers to.
 */
static const enum sim_obj_type sim_obj_order[] = {
	SIM_OBJ_MCG,
	SIM_OBJ_QP,
	SIM_OBJ_DCT,
	SIM_OBJ_SRQ,
	SIM_OBJ_CQ,
	SIM_OBJ_EQ,
	SIM_OBJ_QSET,
	SIM_OBJ_MKEY,
	SIM_OBJ_UMEM,
	SIM_OBJ_PSV,
	SIM_OBJ_DEK,
	SIM_OBJ_LOGIN,
	SIM_OBJ_FLOW_COUNTER,
	SIM_OBJ_XRCD,
	SIM_OBJ_PD,
	SIM_OBJ_TD,
	SIM_OBJ_UAR,
	SIM_OBJ_UCTX,
};

static_assert(ARRAY_SIZE(sim_obj_order) == SIM_OBJ_MAX);

/* Free every object; with @events, EQs and doorbell pages stay. */
static void objs_free(struct sim_dev *sdev, bool events)
{
	enum sim_obj_type type;
	struct sim_obj *obj;
	unsigned long id;
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_obj_order); i++) {
		type = sim_obj_order[i];
		if (events && (type == SIM_OBJ_EQ || type == SIM_OBJ_UAR))
			continue;
		xa_for_each(&sdev->objs->xa[type], id, obj)
			obj->free(sdev, obj);
	}
}

/**
 * sim_objs_reset() - free every object, clear the GID table and disable RoCE
 * @sdev: simulated function
 *
 * No violation is recorded.
 *
 * Context: hardware thread.
 */
void sim_objs_reset(struct sim_dev *sdev)
{
	objs_free(sdev, false);
	memset(sdev->gid, 0, sizeof(sdev->gid));
	sdev->roce_enabled = false;
}

/**
 * sim_objs_stop() - free every object except EQs and doorbell pages, for a fast
 * teardown
 * @sdev: simulated function
 *
 * Without the other objects, the device executes only commands, but it can
 * still raise events. No violation is recorded.
 *
 * Context: hardware thread.
 */
void sim_objs_stop(struct sim_dev *sdev)
{
	objs_free(sdev, true);
}
