/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr: states of the requests of a registration context, and functions that
 * end the use of an MR or record an error. release.c describes the states.
 */
#ifndef IB_FRWR_RELEASE_H
#define IB_FRWR_RELEASE_H

#include "pool.h"

enum frwr_req_state {
	FRWR_REQ_IDLE,
	FRWR_REQ_MAPPED,
	FRWR_REQ_POSTED,
	FRWR_REQ_INVALID,
	FRWR_REQ_ABORTED,
	/* states while the request is being released */
	FRWR_REQ_RELEASING,
	FRWR_REQ_REFUSED,
	FRWR_REQ_IN_DOUBT,
};

static inline void frwr_req_put_mr(struct ib_frwr_req *req)
{
	struct ib_mr *mr = req->mr;

	req->mr = NULL;
	req->state = FRWR_REQ_IDLE;
	frwr_pool_put(req->frwr, mr);
}

void frwr_req_note_error(struct ib_frwr_req *req, const struct ib_wc *wc,
			 const char *what);
void frwr_run_deferred(struct ib_frwr *f);

/*
 * Record the status of a completion if it is an error. The function is inline
 * because completion handlers always call it.
 */
static inline void frwr_req_note_failure(struct ib_frwr_req *req,
					 const struct ib_wc *wc,
					 const char *what)
{
	if (unlikely(wc->status != IB_WC_SUCCESS))
		frwr_req_note_error(req, wc, what);
}

#endif /* IB_FRWR_RELEASE_H */
