/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the attributes of an RDMA device, calculated from its capabilities.
 * Pure functions: no locks, no access to the device.
 */
#ifndef MLX5_IBX_DEVATTR_H
#define MLX5_IBX_DEVATTR_H

#include <rdma/ib_verbs.h>

/**
 * struct ibx_caps - capabilities from which limits are derived
 * @log_max_qp: log2 of the maximum number of QPs
 * @log_max_qp_sz: log2 of the maximum number of entries in a ring of a QP: basic
 *	blocks of sends or receive WQEs
 * @log_max_cq: log2 of the maximum number of CQs
 * @log_max_cq_sz: log2 of the maximum number of CQEs in a CQ
 * @log_max_srq: log2 of the maximum number of SRQs
 * @log_max_srq_sz: log2 of the maximum number of WQEs in an SRQ
 * @log_max_mkey: log2 of the maximum number of mkeys
 * @log_max_pd: log2 of the maximum number of PDs
 * @log_max_ra_req: log2 of the maximum number of READs and atomics of the peer
 *	that a QP executes at a time
 * @log_max_ra_res: log2 of the maximum number of READs and atomics that a QP has
 *	outstanding at a time
 * @log_max_mcg: log2 of the maximum number of multicast groups; 0 without
 *	groups
 * @max_qp_mcg: maximum number of QPs in a multicast group; 0 without groups
 * @log_pg_sz: log2 of the smallest page size in bytes
 * @max_wqe_sz_sq: maximum size of a send WQE in bytes
 * @max_wqe_sz_rq: maximum size of a receive WQE in bytes
 * @max_mtt: maximum number of pages in a fast registration
 * @max_sgl_rd: number of SGEs of a READ above which a registration is faster
 * @rmp: the device has RMPs: the driver creates an SRQ as an RMP
 * @gaps: a UMR can register indirect mkeys, so lists may have gaps
 * @integrity: the device supports T10-DIF in INTEGRITY MRs
 * @atomics: the device has IB atomics
 * @umr: a UMR can set the list length of an mkey, as a fast registration does
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
	u8 log_max_mcg;
	u8 log_pg_sz;
	u16 max_wqe_sz_sq;
	u16 max_wqe_sz_rq;
	u32 max_qp_mcg;
	u32 max_mtt;
	u32 max_sgl_rd;
	bool rmp;
	bool gaps;
	bool integrity;
	bool atomics;
	bool umr;
};

int ibx_limits(const struct ibx_caps *caps, struct ib_device_attr *attr);
void ibx_eth_speed(u32 oper, bool ext, u16 *speed, u8 *width);

#endif /* MLX5_IBX_DEVATTR_H */
