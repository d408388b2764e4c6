/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * From the device's capabilities to what verbs promise. Pure: numbers in,
 * numbers out.
 */
#ifndef MLX5_IBX_DEVATTR_H
#define MLX5_IBX_DEVATTR_H

#include <rdma/ib_verbs.h>

/**
 * struct ibx_caps - capabilities that limits are derived from
 * @log_max_qp: number of QPs; the others with log_max are numbers, too
 * @log_max_qp_sz: entries of a ring
 * @log_max_cq: number of CQs
 * @log_max_cq_sz: entries of a CQ
 * @log_max_srq: number of SRQs
 * @log_max_srq_sz: WQEs of an SRQ
 * @log_max_mkey: number of mkeys
 * @log_max_pd: number of PDs
 * @log_max_ra_req: READs a QP serves at once
 * @log_max_ra_res: READs a QP has under way at once
 * @log_pg_sz: smallest page of the device
 * @max_wqe_sz_sq: bytes of a send WQE
 * @max_wqe_sz_rq: bytes of a receive WQE
 * @max_mtt: pages of the longest fast registration
 * @max_sgl_rd: entries from which on registering beats scattering a READ
 * @rmp: the interface revision has RMPs, so SRQs work
 * @gaps: indirect mkeys can be registered, so lists may have gaps
 * @umr: UMRs may set the size of an mkey, so fast registration works
 */
struct ibx_caps {
	u8 log_max_qp;
	u8 log_max_qp_sz;
	u8 log_max_cq;
	u8 log_max_cq_sz;
	u8 log_max_srq;
	u8 log_max_srq_sz;
	u8 log_max_mkey;
	u8 log_max_pd;
	u8 log_max_ra_req;
	u8 log_max_ra_res;
	u8 log_pg_sz;
	u16 max_wqe_sz_sq;
	u16 max_wqe_sz_rq;
	u32 max_mtt;
	u32 max_sgl_rd;
	bool rmp;
	bool gaps;
	bool umr;
};

int ibx_limits(const struct ibx_caps *caps, struct ib_device_attr *attr);
void ibx_eth_speed(u32 oper, bool ext, u16 *speed, u8 *width);

#endif /* MLX5_IBX_DEVATTR_H */
