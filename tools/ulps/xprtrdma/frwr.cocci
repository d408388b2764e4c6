// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
//
// Semantic patch for Coccinelle: adapts the files of net/sunrpc/xprtrdma of Linux to frwr_ops.c of
// this directory, which registers memory with ib_frwr. The page "xprtrdma on ib_frwr" of the
// documentation explains the changes.

// ---- xprt_rdma.h: data ----

@ headers_rule @
@@
 #include <rdma/rdma_cm.h>
+#include <rdma/ib_frwr.h>

@ mr_type @
@@
-struct rpcrdma_mr {
-	...
-};

@ ep_members @
symbol re_write_pad_mr, re_mrtype, re_max_fr_depth;
@@
+/* an MR of a request, from its map until its release is complete */
+struct rpcrdma_mr {
+	struct ib_frwr_req	mr_reg;
+	struct rpcrdma_req	*mr_req;
+	int			mr_nents;
+	enum dma_data_direction	mr_dir;
+};
+
 struct rpcrdma_ep {
 	...
-	unsigned int		re_max_fr_depth;
-	struct rpcrdma_mr	*re_write_pad_mr;
-	enum ib_mr_type		re_mrtype;
+	struct rpcrdma_mr	re_write_pad_mr;
+	struct ib_frwr_attr	re_frwr_attr;
+	struct ib_frwr		*re_frwr;
 	...
 };

@ rep_members @
@@
 struct rpcrdma_rep {
 	...
-	int			rr_wc_flags;
-	u32			rr_inv_rkey;
 	...
 };

@ seg_type @
@@
-struct rpcrdma_mr_seg {
-	...
-};

@ req_members @
expression segs;
@@
 struct rpcrdma_req {
 	...
-	struct list_head	rl_free_mrs;
-	struct list_head	rl_registered;
-	struct rpcrdma_mr_seg	rl_segments[segs];
+	struct rpcrdma_mr	rl_mrs[RPCRDMA_MAX_HDR_SEGS];
+	unsigned int		rl_nr_linked;
+	unsigned int		rl_nr_mrs;
+	bool			rl_replied;
+	struct completion	rl_released;
+	struct bio_vec		rl_segments[segs];
 };

@ buffer_members @
@@
 struct rpcrdma_buffer {
 	...
-	struct list_head	rb_mrs;
 	...
-	struct list_head	rb_all_mrs;
 	...
-	struct work_struct	rb_refresh_worker;
+	struct mutex		rb_frwr_lock;
 };

@ helpers_rule @
identifier f =~ "^rpcrdma_mr_(push|pop)$";
@@
-f(...) { ... }

// ---- xprt_rdma.h: functions ----

@ mr_functions @
identifier f =~ "^(rpcrdma_(mr_get|mrs_refresh|unpin_rqst)|frwr_(mr_init|mr_release|reminv))$";
type T;
@@
-T f(...);

@ reply_function @
identifier f =~ "^frwr_unmap_async$";
@@
-void f(...);
+void frwr_reply(struct rpcrdma_rep *rep, const struct ib_wc *wc);

@ context_functions @
identifier f =~ "^frwr_wp_create$";
@@
-int f(...);
+int frwr_create(struct rpcrdma_xprt *r_xprt);
+void frwr_destroy(struct rpcrdma_xprt *r_xprt);

@ handler_function @
identifier f =~ "^rpcrdma_reply_handler$";
identifier rep;
@@
 void f(struct rpcrdma_rep *rep
+	, const struct ib_wc *wc
 	);

@ map_function @
identifier f =~ "^frwr_map$";
@@
-struct rpcrdma_mr_seg *f(...);
+struct bio_vec *frwr_map(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
+			 struct bio_vec *seg, int nsegs, bool writing,
+			 struct rpcrdma_mr **mr);

// ---- verbs.c ----

@ unused_declarations @
identifier f =~ "^rpcrdma_mrs_(create|destroy)$";
@@
-static void f(...);

@ unused_functions @
identifier f =~ "^rpcrdma_(mrs_(create|destroy|refresh)|mr_(refresh_worker|get)|unpin_rqst)$";
@@
-f(...) { ... }

@ connect_rule @
expression r_xprt;
@@
-	rpcrdma_mrs_create(r_xprt);
 	...
-	rc = frwr_wp_create(r_xprt);
+	rc = frwr_create(r_xprt);

@ disconnect_rule @
expression r_xprt;
@@
 	rpcrdma_xprt_drain(r_xprt);
+	frwr_destroy(r_xprt);
 	...
-	rpcrdma_mrs_destroy(r_xprt);

@ receive_rule @
expression rep, wc;
@@
(
-	rep->rr_wc_flags = wc->wc_flags;
|
-	rep->rr_inv_rkey = wc->ex.invalidate_rkey;
)

@ receive_reply @
identifier cq, wc;
expression rep;
@@
 rpcrdma_wc_receive(struct ib_cq *cq, struct ib_wc *wc)
 {
 	<...
 	rpcrdma_reply_handler(rep
+	, wc
 	)
 	...>
 }

@ init_lists @
expression x;
@@
(
-	INIT_LIST_HEAD(&x->rl_free_mrs);
|
-	INIT_LIST_HEAD(&x->rl_registered);
|
-	INIT_LIST_HEAD(&x->rb_mrs);
|
-	INIT_LIST_HEAD(&x->rb_all_mrs);
|
-	INIT_WORK(&x->rb_refresh_worker, ...);
+	mutex_init(&x->rb_frwr_lock);
)

@ req_mrs @
identifier f =~ "^rpcrdma_req_(reset|destroy)$";
identifier mr;
expression list;
@@
 f(...)
 {
-	struct rpcrdma_mr *mr;
 	...
-	while ((mr = rpcrdma_mr_pop(list))) { ... }
 	...
 }

// ---- rpc_rdma.c: lists ----

@ segments_rule @
@@
-struct rpcrdma_mr_seg
+struct bio_vec

@ segment_members @
struct bio_vec *s;
@@
(
-s->mr_page
+s->bv_page
|
-s->mr_offset
+s->bv_offset
|
-s->mr_len
+s->bv_len
)

@ prepare_rule @
identifier f =~ "^rpcrdma_mr_prepare$";
@@
-static f(...) { ... }

@ prepare_calls @
@@
-rpcrdma_mr_prepare
+frwr_map
 (...)

@ write_pad @
expression ep;
@@
-ep->re_write_pad_mr
+&ep->re_write_pad_mr

@ keys_rule @
struct rpcrdma_mr *mr;
@@
(
-mr->mr_handle
+mr->mr_reg.rkey
|
-mr->mr_length
+mr->mr_reg.length
|
-mr->mr_offset
+mr->mr_reg.iova
)

// ---- rpc_rdma.c: calls and replies ----

@ marshal_rule @
expression req;
@@
 rpcrdma_marshal_req(...)
 {
 	...
+	req->rl_replied = false;
 	rpcrdma_set_xdrlen(&req->rl_hdrbuf, 0);
 	...
 }

@ complete_rule @
expression rqst;
@@
-	WARN_ON_ONCE(!list_empty(&rpcr_to_rdmar(rqst)->rl_registered));
+	WARN_ON_ONCE(rpcr_to_rdmar(rqst)->rl_nr_mrs);

// A second reply to a call is ignored.
@ reply_rule @
identifier rep, rqst, req, r_xprt, label;
@@
 rpcrdma_reply_handler(struct rpcrdma_rep *rep
+	, const struct ib_wc *wc
	)
 {
 	...
-	if (!rqst)
+	if (!rqst || rpcr_to_rdmar(rqst)->rl_replied)
 		goto label;
+	rpcr_to_rdmar(rqst)->rl_replied = true;
 	...
-	if (rep->rr_wc_flags & IB_WC_WITH_INVALIDATE)
-		frwr_reminv(rep, &req->rl_registered);
-	if (!list_empty(&req->rl_registered))
-		frwr_unmap_async(r_xprt, req);
-	else
-		rpcrdma_complete_rqst(rep);
+	frwr_reply(rep, wc);
 	...
 }

// ---- transport.c ----

@ free_rule @
expression req;
@@
-	if (unlikely(!list_empty(&req->rl_registered)))
+	if (unlikely(req->rl_nr_mrs))
 	{ ... }

// A call is sent only once per connection: its MRs may be in use until the disconnect.
@ retransmission_rule @
expression r_xprt, rqst, xprt, rc;
statement S;
identifier label;
@@
+	/* the call was already sent on this connection */
+	if (rqst->rq_connect_cookie == xprt->connect_cookie)
+		goto label;
 	rc = rpcrdma_marshal_req(r_xprt, rqst);
 	if (rc < 0)
 	S
-	if (rqst->rq_connect_cookie == xprt->connect_cookie)
-		goto label;
