/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: kept objects of processes (abi/keep.c).
 */
#ifndef MLX5_IBX_KEEP_H
#define MLX5_IBX_KEEP_H

#include <rdma/ib_verbs.h>

#include "abi/abi.h"
#include "cmd/cmd.h"

/**
 * struct ibx_keep - an object that the device may have, and its resources
 * @what: type of the object, for the kernel log
 * @undo: command that destroys the object; all 0 if the number of the object is
 *	unknown or must not be used again
 * @must: the caller cannot return an error
 * @pins: rings, doorbell records and UAR, or NULL; empty once they are kept or put
 * @next: second ring of a CQ, or NULL; empty once it is kept or put
 * @unpin: unpins @mem; NULL without other memory
 * @mem: other memory
 */
struct ibx_keep {
	const char *what;
	u32 undo[IBX_UNDO_DW];
	bool must;
	struct ibx_pins *pins;
	struct ibx_rings *next;
	void (*unpin)(void *mem);
	void *mem;
};

/*
 * Is the object new, that is, not in the core's list of objects? The core
 * destroys a new object if it cannot write the response of the verb, and cannot
 * handle an error of the destruction. The uobjects of all verbs begin with a
 * struct ib_uobject. The uobject of an MR that ibv_rereg_mr() has created is
 * freed memory, and must not be passed.
 */
static inline bool ibx_uobj_is_new(const void *uobj)
{
	return list_empty(&((const struct ib_uobject *)uobj)->list);
}

/**
 * ibx_keep_note() - record that the device may still execute a command
 * @uctx: context whose uid the command had
 * @err: result of the command
 *
 * Context: any.
 */
static inline void ibx_keep_note(struct ibx_uctx *uctx, int err)
{
	if (ibx_cmd_lost(err))
		WRITE_ONCE(uctx->lost, true);
}

/**
 * ibx_keep_hold_pd() - record that the device may still create an object in a PD
 * @pd: PD
 * @uid: uid of the command. With a uid other than 0, the PD is not held: if a
 *	PD of another uid gets the number, the device refuses the late command
 * @err: result of the command
 *
 * The number of a held PD is not used again.
 *
 * Context: any.
 */
static inline void ibx_keep_hold_pd(struct ibx_pd *pd, u16 uid, int err)
{
	if (ibx_cmd_lost(err) && !uid)
		pd->held = true;
}

void ibx_keep_uncreated(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err);
void ibx_keep_undestroyed(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err);
int ibx_keep_refused(struct ibx_uctx *uctx, const struct ibx_keep *keep, int err);
void ibx_keep_retry(struct ibx_uctx *uctx);
void ibx_keep_open(struct ibx_uctx *uctx);
void ibx_keep_close(struct ibx_uctx *uctx);
bool ibx_keep_exit(struct ibx_dev *dev);

#endif /* MLX5_IBX_KEEP_H */
