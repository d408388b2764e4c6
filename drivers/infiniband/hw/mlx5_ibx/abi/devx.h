/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions that the files of DEVX in abi/ share.
 *
 * Commands go through these steps: ibx_devx_check() checks that the command
 * belongs to the method, ibx_devx_guard() refuses memory of other processes,
 * the object in the command is compared with the object of the handle, and the
 * command gets the number of the user context, so that the device refuses
 * objects of other processes. The first two steps use the table in
 * devx/table.c.
 */
#ifndef MLX5_IBX_ABI_DEVX_H
#define MLX5_IBX_ABI_DEVX_H

#include "abi/abi.h"
#include "devx/async.h"
#include "devx/table.h"

/* command and answer; uverbs limits an attribute to IBX_DEVX_MAX bytes */
#define IBX_ATTR_CMD_IN(id)							\
	UVERBS_ATTR_PTR_IN(id, UVERBS_ATTR_MIN_SIZE(IBX_DEVX_MIN), UA_MANDATORY,	\
			   UA_ALLOC_AND_COPY)
#define IBX_ATTR_CMD_OUT(id)							\
	UVERBS_ATTR_PTR_OUT(id, UVERBS_ATTR_MIN_SIZE(IBX_DEVX_MIN), UA_MANDATORY)

/**
 * struct ibx_devx_cmd_file - a file from which a process reads answers
 * @uobj: object of uverbs
 * @answers: answers that the process has not read, and queries without answer
 */
struct ibx_devx_cmd_file {
	struct ib_uobject uobj;
	struct ibx_devx_answers answers;
};

/* ---- devx.c ---- */
struct ibx_uctx *ibx_devx_uctx(struct uverbs_attr_bundle *attrs);
int ibx_devx_get_box(struct uverbs_attr_bundle *attrs, u16 in, u16 out, struct ibx_devx_box *box);
int ibx_devx_answer(struct uverbs_attr_bundle *attrs, u16 out, const struct ibx_devx_box *box,
		    int err);

#endif /* MLX5_IBX_ABI_DEVX_H */
