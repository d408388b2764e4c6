// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: data, the header in front of the data, replies, and datagrams that are lost without an
 * error.
 */
#include <linux/ip.h>
#include <net/inet_ecn.h>
#include <rdma/ib_cache.h>

#include "ibx_test.h"

#define T_GRH	sizeof(struct ib_grh)

static void t_ud_wr(struct t_end *e, struct ib_ud_wr *wr, struct ib_sge *sge, u32 qpn)
{
	memset(wr, 0, sizeof(*wr));
	t_send_wr(&wr->wr, sge, 0);
	wr->ah = e->ah;
	wr->remote_qpn = qpn;
	wr->remote_qkey = T_QKEY;
}

/* sends @len bytes from end @from to end !@from */
static int t_ud_post(struct t_pair *p, int from, u32 len, u32 seed)
{
	struct t_end *e = &p->end[from];
	struct ib_sge sge = t_sge(e, 64, len);
	struct ib_ud_wr wr;

	t_fill(e, 64, len, seed);
	t_ud_wr(e, &wr, &sge, p->end[!from].qp->qp_num);
	wr.wr.num_sge = len ? 1 : 0;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* bytes of BTH and DETH, the data with padding, and the ICRC */
static u32 t_ud_on_wire(u32 len)
{
	return 12 + 8 + ALIGN(len, 4) + 4;
}

/* the header is 20 unused bytes and an IPv4 header */
static int t_ud_ipv4(const struct iphdr *ip, u32 len, u8 tclass)
{
	T_EXPECT(ntohs(ip->tot_len), 20 + 8 + t_ud_on_wire(len));
	T_EXPECT(ip->tos, tclass | INET_ECN_ECT_0);
	T_EXPECT(ip->ttl, 64);
	T_EXPECT(ip->protocol, IPPROTO_UDP);
	return 0;
}

/* the header is an IPv6 header, or with @v1 the GRH of RoCE v1, which has the same layout */
static int t_ud_grh(const struct ib_grh *grh, u32 len, bool v1, u8 tclass)
{
	T_EXPECT(ntohs(grh->paylen), (v1 ? 0 : 8) + t_ud_on_wire(len));
	T_EXPECT(be32_to_cpu(grh->version_tclass_flow) >> 20 & 0xff,
		 tclass | (v1 ? 0 : INET_ECN_ECT_0));
	T_EXPECT(grh->hop_limit, 64);
	T_EXPECT(grh->next_hdr, v1 ? 0x1b : IPPROTO_UDP);
	return 0;
}

static const enum rdma_network_type t_networks[] = {
	[T_GID_IPV4] = RDMA_NETWORK_IPV4,
	[T_GID_IPV6] = RDMA_NETWORK_IPV6,
	[T_GID_V1] = RDMA_NETWORK_ROCE_V1,
	[T_GID_VLAN] = RDMA_NETWORK_IPV4,
};

/* checks the header: its addresses are the sender's and the receiver's */
static int t_ud_header(struct t_end *e, const struct t_end *from, u32 len, enum t_gid_kind kind)
{
	bool ipv4 = t_networks[kind] == RDMA_NETWORK_IPV4;
	union rdma_network_hdr *hdr = e->buf;
	struct rdma_ah_attr attr = {};
	union ib_gid sgid, dgid;
	u8 tclass;

	T_TRY(rdma_query_ah(from->ah, &attr));
	tclass = rdma_ah_read_grh(&attr)->traffic_class;
	T_EXPECT(ib_get_rdma_header_version(hdr), ipv4 ? 4 : 6);
	T_TRY(ib_get_gids_from_rdma_hdr(hdr, t_networks[kind], &sgid, &dgid));
	T_EXPECT(memcmp(&sgid, &from->gid, sizeof(sgid)), 0);
	T_EXPECT(memcmp(&dgid, &e->gid, sizeof(dgid)), 0);
	if (ipv4)
		return t_ud_ipv4(&hdr->roce4grh, len, tclass);
	return t_ud_grh(&hdr->ibgrh, len, kind == T_GID_V1, tclass);
}

static int t_ud_tag(const struct t_end *e, const struct ib_wc *wc)
{
	if (e->vlan == T_NO_VLAN) {
		T_EXPECT(wc->wc_flags & IB_WC_WITH_VLAN, 0);
		return 0;
	}
	T_EXPECT(wc->wc_flags & IB_WC_WITH_VLAN, IB_WC_WITH_VLAN);
	T_EXPECT(wc->vlan_id, e->vlan);
	T_EXPECT(wc->sl, T_SL);
	return 0;
}

static int t_ud_arrived(struct t_pair *p, int to, u32 len, u32 seed)
{
	struct t_end *e = &p->end[to];
	const struct ib_wc *wc = &e->rq.wc[0];

	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(wc->opcode, IB_WC_RECV);
	T_EXPECT(wc->byte_len, len + T_GRH);
	T_EXPECT(wc->src_qp, p->end[!to].qp->qp_num);
	T_EXPECT(wc->wc_flags & IB_WC_GRH, IB_WC_GRH);
	T_EXPECT(wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE, IB_WC_WITH_NETWORK_HDR_TYPE);
	T_EXPECT(wc->network_hdr_type, t_networks[p->opts->gid]);
	T_EXPECT(wc->qp == e->qp, 1);
	T_TRY(t_ud_tag(e, wc));
	T_TRY(t_check(e, T_GRH, len, seed));
	if (memchr_inv(e->buf + T_GRH + len, T_GUARD, T_BUF_SIZE - T_GRH - len))
		return T_FAIL("bytes behind the datagram were written");
	T_TRY(t_ud_header(e, &p->end[!to], len, p->opts->gid));
	t_clear_counts(&e->rq);
	return 0;
}

static int t_ud_message(struct t_pair *p, int from, u32 len, u32 seed)
{
	t_set(&p->end[!from], T_GUARD);
	T_TRY(t_post_recv(&p->end[!from], 0));
	T_TRY(t_ud_post(p, from, len, seed));
	return t_ud_arrived(p, !from, len, seed);
}

static int ud_sizes(struct t_pair *p)
{
	const u32 sizes[] = { 0, 1, 3, 4, 255, 256, 257, 1023, 1024 };
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (t_ud_message(p, i % 2, sizes[i], i))
			return T_FAIL("%u bytes", sizes[i]);
	return 0;
}

static int ud_imm(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 50);
	struct ib_ud_wr wr;

	t_ud_wr(e, &wr, &sge, rx->qp->qp_num);
	wr.wr.opcode = IB_WR_SEND_WITH_IMM;
	wr.wr.ex.imm_data = htonl(0xcafe0001);
	T_TRY(t_post_recv(rx, 0));
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&rx->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(rx->rq.wc[0].wc_flags & IB_WC_WITH_IMM, IB_WC_WITH_IMM);
	T_EXPECT(be32_to_cpu(rx->rq.wc[0].ex.imm_data), 0xcafe0001);
	return 0;
}

static int ud_inline(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = { .addr = (uintptr_t)e->buf + 64, .length = 90 };
	struct ib_ud_wr wr;

	t_set(rx, T_GUARD);
	t_fill(e, 64, 90, 9);
	t_ud_wr(e, &wr, &sge, rx->qp->qp_num);
	wr.wr.send_flags |= IB_SEND_INLINE;
	T_TRY(t_post_recv(rx, 0));
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	t_set(e, 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	return t_ud_arrived(p, 0, 90, 9);
}

/* the reply goes to the source address in the completion */
static int ud_reply(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_wc wc;
	struct ib_ah *ah;

	t_set(e, T_GUARD);
	T_TRY(t_post_recv(e, 0));
	T_TRY(t_ud_post(p, 1, 40, 1));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	t_sync(e);
	wc = e->rq.wc[0];
	ah = ib_create_ah_from_wc(e->pd, &wc, e->buf, 1);
	if (IS_ERR(ah))
		return T_FAIL("ib_create_ah_from_wc: %ld", PTR_ERR(ah));
	/* t_pair_destroy() destroys the new address handle */
	swap(e->ah, ah);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return t_ud_message(p, 0, 600, 2);
}

static int t_ud_lost(struct t_pair *p, struct ib_ud_wr *wr, u64 id)
{
	struct t_end *e = &p->end[1];

	wr->wr.wr_id = id;
	T_TRY(ib_post_send(e->qp, &wr->wr, NULL));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return 0;
}

/* wrong Q_Key, wrong QP, no receive posted: each send completes with success */
static int ud_lost(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 50);
	struct ib_ud_wr wr;

	t_ud_wr(e, &wr, &sge, rx->qp->qp_num);
	T_TRY(t_ud_lost(p, &wr, 1));
	T_TRY(t_post_recv(rx, 0));
	wr.remote_qkey = T_QKEY + 1;
	T_TRY(t_ud_lost(p, &wr, 2));
	wr.remote_qkey = T_QKEY;
	wr.remote_qpn = 0xfffffe;
	T_TRY(t_ud_lost(p, &wr, 3));
	T_TRY(t_settle(&rx->rq));
	T_EXPECT(rx->rq.nr, 0);
	/* the receive was not consumed: a correct datagram arrives in it */
	t_clear_counts(&e->sq);
	t_set(rx, T_GUARD);
	T_TRY(t_ud_post(p, 1, 50, 3));
	return t_ud_arrived(p, 0, 50, 3);
}

/*
 * A datagram that is too long moves the QP to SQE and flushes the sends behind it. In SQE
 * the QP receives. RTS starts sending again.
 */
static int ud_sq_error(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *e = &p->end[1];
	/* longer than any MTU */
	struct ib_sge sge[2] = { t_sge(e, 0, 5000), t_sge(e, 0, 50) };
	struct ib_ud_wr wr[3];
	int i;

	for (i = 0; i < 3; i++) {
		t_ud_wr(e, &wr[i], &sge[i ? 1 : 0], rx->qp->qp_num);
		wr[i].wr.wr_id = i;
		wr[i].wr.next = i < 2 ? &wr[i + 1].wr : NULL;
	}
	T_TRY(t_post_recv(rx, 0));
	T_TRY(ib_post_send(e->qp, &wr[0].wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_LOC_LEN_ERR);
	T_TRY(t_expect_flushed(&e->sq, 1, 2));
	T_EXPECT(rx->rq.nr, 0);
	T_EXPECT(t_state(e), IB_QPS_SQE);
	t_clear_counts(&e->sq);
	/* a QP in SQE still receives */
	T_TRY(t_ud_message(p, 0, 100, 4));
	T_TRY(t_move(e->qp, IB_QPS_RTS));
	T_EXPECT(t_state(e), IB_QPS_RTS);
	t_set(rx, T_GUARD);
	T_TRY(t_ud_post(p, 1, 100, 5));
	return t_ud_arrived(p, 0, 100, 5);
}

static const struct t_opts t_ud = { .type = IB_QPT_UD };
static const struct t_opts t_ud_ipv6 = { .type = IB_QPT_UD, .gid = T_GID_IPV6 };
static const struct t_opts t_ud_v1 = { .type = IB_QPT_UD, .gid = T_GID_V1 };
static const struct t_opts t_ud_vlan = { .type = IB_QPT_UD, .gid = T_GID_VLAN };
static const struct t_opts t_ud_inline = { .type = IB_QPT_UD, .inline_size = 90 };

const struct t_case t_ud_cases[] = {
	{ "ud_sizes", ud_sizes, &t_ud },
	{ "ud_ipv6", ud_sizes, &t_ud_ipv6 },
	{ "ud_roce_v1", ud_sizes, &t_ud_v1 },
	{ "ud_vlan", ud_sizes, &t_ud_vlan },
	{ "ud_imm", ud_imm, &t_ud },
	{ "ud_inline", ud_inline, &t_ud_inline },
	{ "ud_reply", ud_reply, &t_ud },
	{ "ud_lost", ud_lost, &t_ud },
	{ "ud_sq_error", ud_sq_error, &t_ud },
	{ }
};
