// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Performance management: MADs with the port's counters, for sysfs
 * (ports/1/counters) and `perfquery`.
 *
 * PortCountersExtended carries the traffic in 64 bits; PortCounters carries
 * only the error counters. MADs of other classes (SMP, vendor) are for
 * InfiniBand; on Ethernet they go to the agents registered on the GSI QP.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "cmd/cmd.h"
#include "verbs/verbs.h"

#define PMA_DATA	40	/* offset of the attribute in ib_mad.data */

/* the IBTA specification counts data in units of four bytes */
static __be64 sum_words(u64 a, u64 b)
{
	return cpu_to_be64((a + b) >> 2);
}

static __be64 sum_counters(u64 a, u64 b)
{
	return cpu_to_be64(a + b);
}

#define TRAFFIC(_out, _fld)	MLX5_GET64(query_vport_counter_out, _out, _fld)

static int get_traffic(struct ibx_dev *dev, struct ib_pma_portcounters_ext *pma)
{
	u32 *out = kvzalloc(MLX5_ST_SZ_BYTES(query_vport_counter_out), GFP_KERNEL);
	u64 tx_uni, tx_multi, rx_uni, rx_multi;
	int err;

	if (!out)
		return -ENOMEM;
	err = ibx_cmd_query_traffic(dev, out);
	if (err)
		goto free;

	pma->port_xmit_data = sum_words(TRAFFIC(out, transmitted_ib_unicast.octets),
					TRAFFIC(out, transmitted_ib_multicast.octets));
	pma->port_rcv_data = sum_words(TRAFFIC(out, received_ib_unicast.octets),
				       TRAFFIC(out, received_ib_multicast.octets));
	tx_uni = TRAFFIC(out, transmitted_ib_unicast.packets);
	tx_multi = TRAFFIC(out, transmitted_ib_multicast.packets);
	rx_uni = TRAFFIC(out, received_ib_unicast.packets);
	rx_multi = TRAFFIC(out, received_ib_multicast.packets);
	pma->port_xmit_packets = sum_counters(tx_uni, tx_multi);
	pma->port_rcv_packets = sum_counters(rx_uni, rx_multi);
	pma->port_unicast_xmit_packets = cpu_to_be64(tx_uni);
	pma->port_unicast_rcv_packets = cpu_to_be64(rx_uni);
	pma->port_multicast_xmit_packets = cpu_to_be64(tx_multi);
	pma->port_multicast_rcv_packets = cpu_to_be64(rx_multi);
free:
	kvfree(out);
	return err;
}

#define ERRORS(_out, _fld)						\
	MLX5_GET(ppcnt_reg, _out, counter_set.ib_port_cntrs_grp_data_layout._fld)

static int get_errors(struct ibx_dev *dev, struct ib_pma_portcounters *pma)
{
	u32 out[MLX5_ST_SZ_DW(ppcnt_reg)] = {};
	int err;

	err = ibx_cmd_query_port_errors(dev, out);
	if (err)
		return err;

	pma->symbol_error_counter = cpu_to_be16(ERRORS(out, symbol_error_counter));
	pma->link_error_recovery_counter = ERRORS(out, link_error_recovery_counter);
	pma->link_downed_counter = ERRORS(out, link_downed_counter);
	pma->port_rcv_errors = cpu_to_be16(ERRORS(out, port_rcv_errors));
	pma->port_rcv_remphys_errors =
		cpu_to_be16(ERRORS(out, port_rcv_remote_physical_errors));
	pma->port_rcv_switch_relay_errors =
		cpu_to_be16(ERRORS(out, port_rcv_switch_relay_errors));
	pma->port_xmit_discards = cpu_to_be16(ERRORS(out, port_xmit_discards));
	pma->port_xmit_constraint_errors = ERRORS(out, port_xmit_constraint_errors);
	pma->port_rcv_constraint_errors = ERRORS(out, port_rcv_constraint_errors);
	pma->link_overrun_errors = ERRORS(out, link_overrun_errors);
	pma->vl15_dropped = cpu_to_be16(ERRORS(out, vl_15_dropped));
	pma->port_xmit_wait = cpu_to_be32(ERRORS(out, port_xmit_wait));
	return 0;
}

/**
 * ibx_process_mad() - verb process_mad
 * @ibdev: device
 * @flags: unused
 * @port: 1
 * @wc: completion of the MAD's receive; NULL for a local MAD, as from sysfs
 * @grh: GRH of the received MAD, or NULL
 * @in: request
 * @out: zeroed by the caller; gets the response
 * @out_size: unused
 * @out_pkey_index: unused
 *
 * Answers Get() of performance management (IBTA volume 1, 16.1), attributes
 * ClassPortInfo, PortCounters and PortCountersExtended.
 *
 * Context: may sleep.
 * Return: IB_MAD_RESULT_*: SUCCESS and REPLY with a response in @out, FAILURE
 * when the counters could not be read, only SUCCESS for any other MAD, which is
 * passed to the registered agents.
 */
int ibx_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	struct ibx_dev *dev = to_idev(ibdev);
	struct ib_class_port_info *cpi = (void *)(out->data + PMA_DATA);
	int err = 0;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET ||
	    !MLX5_CAP_GEN(dev->mdev, vport_counters))
		return IB_MAD_RESULT_SUCCESS;

	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		cpi->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
		break;
	case IB_PMA_PORT_COUNTERS_EXT:
		err = get_traffic(dev, (void *)(out->data + PMA_DATA));
		break;
	case IB_PMA_PORT_COUNTERS:
		err = get_errors(dev, (void *)(out->data + PMA_DATA));
		break;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
	if (err)
		return IB_MAD_RESULT_FAILURE;

	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = 0;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
