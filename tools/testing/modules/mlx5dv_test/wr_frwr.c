// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr on a QP with builders: memory is released between ib_wr_start() and ib_wr_complete().
 */
#include <linux/slab.h>
#include <rdma/ib_frwr.h>

#include "dv.h"

struct loan {
	struct ib_frwr_req req;
	bool given_back;
	bool released;
};

static void req_released(struct ib_frwr_req *req)
{
	WRITE_ONCE(container_of(req, struct loan, req)->released, true);
}

/* the invalidation of the release is refused, and posted later; the QP stays in RTS */
static int release_while_open(struct t_end *e, struct ib_frwr *frwr, struct loan *loan)
{
	bool early;

	T_TRY(ib_frwr_map_sg(frwr, &loan->req, e->sgl, T_PAGES, DMA_TO_DEVICE));
	T_TRY(ib_frwr_post(&loan->req, NULL, NULL));
	T_TRY(dv_start(e, 0, 0));
	loan->given_back = true;
	T_EXPECT(ib_frwr_release(&loan->req), -EINPROGRESS);
	early = READ_ONCE(loan->released);
	ib_wr_abort(dv_qpx(e));
	T_EXPECT(early, false);
	T_EXPECT(loan->req.full, true);
	T_TRY(t_wait_set(&e->sq, &loan->released));
	T_EXPECT(t_state(e), IB_QPS_RTS);
	return 0;
}

static int wr_frwr(struct t_pair *p)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES },
		.min_mrs = 1,
		.max_mrs = 1,
	};
	struct t_end *e = &p->end[0];
	struct ib_frwr *frwr;
	struct loan *loan;
	int ret;

	frwr = ib_frwr_create(e->qp, &attr);
	if (IS_ERR(frwr))
		return T_FAIL("no context: %ld", PTR_ERR(frwr));
	loan = kzalloc(sizeof(*loan), GFP_KERNEL);
	if (!loan) {
		ret = -ENOMEM;
		goto destroy;
	}
	loan->req.released = req_released;
	ret = release_while_open(e, frwr, loan);
	if (ret && loan->req.mr) {
		t_move(e->qp, IB_QPS_ERR);
		if (!loan->given_back && ib_frwr_release(&loan->req) != -EINPROGRESS)
			loan->released = true;
		/* a request whose release does not complete must not be freed */
		if (t_wait_set(&e->sq, &loan->released))
			return ret;
	}
	kfree(loan);
destroy:
	ib_frwr_destroy(frwr);
	return ret;
}

const struct t_case dv_wr_frwr_cases[] = {
	{ "wr_frwr", wr_frwr, &dv_opts },
	{ }
};
