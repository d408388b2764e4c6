/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions that the files of DEVX in abi/ share.
 *
 * Commands go through these steps: ibx_devx_check() checks that the command
 * belongs to the method, ibx_devx_guard() keeps the command from memory of
 * others, the object in the command is compared with the object of the handle,
 * and the command gets the number of the user context, so that the device
 * refuses objects of others. devx/table.c has the table behind the first two
 * steps.
 */
#ifndef MLX5_IBX_ABI_DEVX_H
#define MLX5_IBX_ABI_DEVX_H

#include "abi/abi.h"
#include "devx/async.h"
#include "devx/table.h"

/* attributes of a command and of its answer; an attribute has at most IBX_DEVX_MAX bytes */
#define IBX_ATTR_CMD_IN(id)							\
	UVERBS_ATTR_PTR_IN(id, UVERBS_ATTR_MIN_SIZE(IBX_DEVX_MIN), UA_MANDATORY,	\
			   UA_ALLOC_AND_COPY)
#define IBX_ATTR_CMD_OUT(id)							\
	UVERBS_ATTR_PTR_OUT(id, UVERBS_ATTR_MIN_SIZE(IBX_DEVX_MIN), UA_MANDATORY)

/**
 * struct ibx_devx_cmd_file - a file that answers arrive in
 * @uobj: object of uverbs
 * @answers: answers
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
