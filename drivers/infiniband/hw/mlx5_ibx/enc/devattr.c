// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: attributes of a device from its capabilities.
 *
 * Each limit is the largest number that the driver grants while all other
 * requests are minimal; geom.c, verbs/cq.c and verbs/mr.c check requests.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/port.h>

#include "enc/devattr.h"
#include "enc/geom.h"
#include "ring.h"

/*
 * A WQE has space for more SGEs. But ULPs that request the maximum, such as
 * nvmet, would get rings of twice the size for SGEs that they never use.
 */
#define MAX_SGES	30

static u32 max_send_sges(u32 wqe)
{
	u32 overhead = max(IBX_RC_OVERHEAD, IBX_UD_OVERHEAD);

	wqe = min_t(u32, wqe, IBX_SQ_WQE_MAX) & ~(IBX_BB - 1);
	return wqe > overhead ? min_t(u32, (wqe - overhead) / IBX_DS, MAX_SGES) : 0;
}

/* leaves the limits 0 if the device does not support SRQs */
static void set_srq_limits(const struct ibx_caps *caps, struct ib_device_attr *attr)
{
	u32 max_sge = ibx_srq_max_sge(caps->max_wqe_sz_rq);

	if (!caps->rmp || !max_sge || !caps->log_max_srq_sz)
		return;
	attr->max_srq = BIT(caps->log_max_srq);
	attr->max_srq_wr = ibx_ring_max(caps->log_max_srq_sz) - 1;
	attr->max_srq_sge = max_sge;
}

/* leaves the limits 0 if the device does not support groups */
static void set_mcast_limits(const struct ibx_caps *caps, struct ib_device_attr *attr)
{
	if (!caps->log_max_mcg || !caps->max_qp_mcg)
		return;
	attr->max_mcast_grp = BIT(min_t(u8, caps->log_max_mcg, 30));
	attr->max_mcast_qp_attach = caps->max_qp_mcg;
	attr->max_total_mcast_qp_attach = min_t(u64, INT_MAX, (u64)attr->max_mcast_grp *
						attr->max_mcast_qp_attach);
}

static void set_integrity(const struct ibx_caps *caps, struct ib_device_attr *attr)
{
	if (!caps->integrity)
		return;
	attr->kernel_cap_flags |= IBK_INTEGRITY_HANDOVER;
	attr->sig_prot_cap = IB_PROT_T10DIF_TYPE_1 | IB_PROT_T10DIF_TYPE_2 |
			     IB_PROT_T10DIF_TYPE_3;
	attr->sig_guard_cap = IB_GUARD_T10DIF_CRC | IB_GUARD_T10DIF_CSUM;
	/* data and protection information share a list */
	attr->max_pi_fast_reg_page_list_len = caps->max_mtt / 2;
}

/**
 * ibx_limits() - find the limits of a device
 * @caps: capabilities of the device
 * @attr: receives the limits; other members are unchanged
 *
 * Context: any.
 * Return: 0, or -EOPNOTSUPP when a WQE or a ring has no space for one entry.
 */
int ibx_limits(const struct ibx_caps *caps, struct ib_device_attr *attr)
{
	u32 bbs = ibx_ring_max(caps->log_max_qp_sz);

	attr->max_send_sge = max_send_sges(caps->max_wqe_sz_sq);
	attr->max_recv_sge = caps->max_wqe_sz_rq / IBX_DS;
	attr->max_sge_rd = attr->max_send_sge;
	/* with the smallest send WQE of an RC QP */
	attr->max_qp_wr = bbs / (IBX_RC_WQE_MIN / IBX_BB);
	if (!attr->max_send_sge || !attr->max_recv_sge || !attr->max_qp_wr ||
	    caps->max_wqe_sz_sq < IBX_RC_WQE_MIN)
		return -EOPNOTSUPP;

	attr->max_qp = BIT(caps->log_max_qp);
	attr->max_cq = BIT(caps->log_max_cq);
	attr->max_cqe = BIT(caps->log_max_cq_sz) - 1;
	set_srq_limits(caps, attr);
	set_mcast_limits(caps, attr);
	attr->max_mr = BIT(caps->log_max_mkey);
	attr->max_pd = BIT(caps->log_max_pd);
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = ~(BIT_ULL(caps->log_pg_sz) - 1);
	attr->max_qp_rd_atom = BIT(caps->log_max_ra_req);
	attr->max_qp_init_rd_atom = BIT(caps->log_max_ra_res);
	attr->max_res_rd_atom = min_t(u64, INT_MAX, (u64)attr->max_qp_rd_atom * attr->max_qp);
	attr->max_ah = INT_MAX;
	attr->max_pkeys = 1;
	attr->max_sgl_rd = caps->max_sgl_rd;
	attr->atomic_cap = caps->atomics ? IB_ATOMIC_HCA : IB_ATOMIC_NONE;
	attr->masked_atomic_cap = IB_ATOMIC_NONE;
	if (caps->umr) {
		attr->device_cap_flags |= IB_DEVICE_MEM_MGT_EXTENSIONS;
		attr->max_fast_reg_page_list_len = caps->max_mtt;
		if (caps->gaps)
			attr->kernel_cap_flags |= IBK_SG_GAPS_REG;
		set_integrity(caps, attr);
	}
	return 0;
}

struct eth_mode {
	u8 bit;
	u8 width;
	u16 speed;
};

static const struct eth_mode legacy_modes[] = {
	{ MLX5E_1000BASE_CX_SGMII, IB_WIDTH_1X, IB_SPEED_SDR },
	{ MLX5E_1000BASE_KX, IB_WIDTH_1X, IB_SPEED_SDR },
	{ MLX5E_100BASE_TX, IB_WIDTH_1X, IB_SPEED_SDR },
	{ MLX5E_1000BASE_T, IB_WIDTH_1X, IB_SPEED_SDR },
	{ MLX5E_10GBASE_T, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_10GBASE_CX4, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_10GBASE_KX4, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_10GBASE_KR, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_10GBASE_CR, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_10GBASE_SR, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_10GBASE_ER, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_25GBASE_CR, IB_WIDTH_1X, IB_SPEED_EDR },
	{ MLX5E_25GBASE_KR, IB_WIDTH_1X, IB_SPEED_EDR },
	{ MLX5E_25GBASE_SR, IB_WIDTH_1X, IB_SPEED_EDR },
	{ MLX5E_40GBASE_CR4, IB_WIDTH_4X, IB_SPEED_QDR },
	{ MLX5E_40GBASE_KR4, IB_WIDTH_4X, IB_SPEED_QDR },
	{ MLX5E_40GBASE_SR4, IB_WIDTH_4X, IB_SPEED_QDR },
	{ MLX5E_40GBASE_LR4, IB_WIDTH_4X, IB_SPEED_QDR },
	{ MLX5E_50GBASE_CR2, IB_WIDTH_1X, IB_SPEED_HDR },
	{ MLX5E_50GBASE_KR2, IB_WIDTH_1X, IB_SPEED_HDR },
	{ MLX5E_50GBASE_SR2, IB_WIDTH_1X, IB_SPEED_HDR },
	{ MLX5E_56GBASE_R4, IB_WIDTH_4X, IB_SPEED_FDR },
	{ MLX5E_100GBASE_CR4, IB_WIDTH_4X, IB_SPEED_EDR },
	{ MLX5E_100GBASE_SR4, IB_WIDTH_4X, IB_SPEED_EDR },
	{ MLX5E_100GBASE_KR4, IB_WIDTH_4X, IB_SPEED_EDR },
	{ MLX5E_100GBASE_LR4, IB_WIDTH_4X, IB_SPEED_EDR },
};

static const struct eth_mode ext_modes[] = {
	{ MLX5E_SGMII_100M, IB_WIDTH_1X, IB_SPEED_SDR },
	{ MLX5E_1000BASE_X_SGMII, IB_WIDTH_1X, IB_SPEED_SDR },
	{ MLX5E_5GBASE_R, IB_WIDTH_1X, IB_SPEED_DDR },
	{ MLX5E_10GBASE_XFI_XAUI_1, IB_WIDTH_1X, IB_SPEED_QDR },
	{ MLX5E_40GBASE_XLAUI_4_XLPPI_4, IB_WIDTH_4X, IB_SPEED_QDR },
	{ MLX5E_25GAUI_1_25GBASE_CR_KR, IB_WIDTH_1X, IB_SPEED_EDR },
	{ MLX5E_50GAUI_2_LAUI_2_50GBASE_CR2_KR2, IB_WIDTH_2X, IB_SPEED_EDR },
	{ MLX5E_50GAUI_1_LAUI_1_50GBASE_CR_KR, IB_WIDTH_1X, IB_SPEED_HDR },
	{ MLX5E_CAUI_4_100GBASE_CR4_KR4, IB_WIDTH_4X, IB_SPEED_EDR },
	{ MLX5E_100GAUI_2_100GBASE_CR2_KR2, IB_WIDTH_2X, IB_SPEED_HDR },
	{ MLX5E_100GAUI_1_100GBASE_CR_KR, IB_WIDTH_1X, IB_SPEED_NDR },
	{ MLX5E_200GAUI_4_200GBASE_CR4_KR4, IB_WIDTH_4X, IB_SPEED_HDR },
	{ MLX5E_200GAUI_2_200GBASE_CR2_KR2, IB_WIDTH_2X, IB_SPEED_NDR },
	{ MLX5E_400GAUI_8_400GBASE_CR8, IB_WIDTH_8X, IB_SPEED_HDR },
	{ MLX5E_400GAUI_4_400GBASE_CR4_KR4, IB_WIDTH_4X, IB_SPEED_NDR },
	{ MLX5E_800GAUI_8_800GBASE_CR8_KR8, IB_WIDTH_8X, IB_SPEED_NDR },
};

/**
 * ibx_eth_speed() - convert an Ethernet link mode to InfiniBand speed and width
 * @oper: current link mode, one bit
 * @ext: @oper is of the extended list of modes
 * @speed: receives IB_SPEED_*
 * @width: receives IB_WIDTH_*
 *
 * An unknown mode is reported as 4 x QDR, that is 40 Gbit/s.
 *
 * Context: any.
 */
void ibx_eth_speed(u32 oper, bool ext, u16 *speed, u8 *width)
{
	const struct eth_mode *m = ext ? ext_modes : legacy_modes;
	int n = ext ? ARRAY_SIZE(ext_modes) : ARRAY_SIZE(legacy_modes);

	for (; n; n--, m++) {
		if (oper == BIT(m->bit)) {
			*speed = m->speed;
			*width = m->width;
			return;
		}
	}
	*speed = IB_SPEED_QDR;
	*width = IB_WIDTH_4X;
}
