/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: attributes of a device from its capabilities. Pure: values in,
 * values out.
 */
#ifndef MLX5_IBX_DEVATTR_H
#define MLX5_IBX_DEVATTR_H

#include <rdma/ib_verbs.h>

/**
 * struct ibx_caps - capabilities from which limits are derived
 * @log_max_qp: log2 of the number of QPs
 * @log_max_qp_sz: log2 of the entries of a ring
 * @log_max_cq: log2 of the number of CQs
 * @log_max_cq_sz: log2 of the entries of a CQ
 * @log_max_srq: log2 of the number of SRQs
 * @log_max_srq_sz: log2 of the WQEs of an SRQ
 * @log_max_mkey: log2 of the number of mkeys
 * @log_max_pd: log2 of the number of PDs
 * @log_max_ra_req: log2 of the READs that a QP serves at a time
 * @log_max_ra_res: log2 of the READs that a QP has outstanding at a time
 * @log_pg_sz: log2 of the smallest page size
 * @max_wqe_sz_sq: bytes of a send WQE
 * @max_wqe_sz_rq: bytes of a receive WQE
 * @max_mtt: pages of the longest fast registration
 * @max_sgl_rd: scatter entries of a READ above which a registration is faster
 * @rmp: the interface revision has RMPs, which SRQs need
 * @gaps: registrations of indirect mkeys are supported, so lists may have gaps
 * @umr: a UMR may set the size of an mkey, which fast registration needs
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
