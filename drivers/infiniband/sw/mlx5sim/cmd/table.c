// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of firmware commands, and the common checks of all commands.
 *
 * A row has the sizes of input and output, and the fields that may be non-zero.
 * This file checks lengths, reserved bits, operation modifier, user context and
 * the state of the device (INIT_HCA) before it calls the handler. A command
 * without a row completes with BAD_OP and is counted. Such a command is not a
 * violation, since drivers may probe for commands.
 */
#include <linux/bsearch.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/crypto.h"
#include "obj/obj.h"

#define FIELDS(...)	((const struct sim_field[]) { __VA_ARGS__, { 0, 0 } })
#define NO_FIELDS	((const struct sim_field[]) { { 0, 0 } })

#define ROW(_op, _typ, _fn, _fields, ...)			\
	{							\
		.opcode = MLX5_CMD_OP_##_op,			\
		.name = #_op,					\
		.in_min = MLX5_ST_SZ_BYTES(_typ##_in),		\
		.out_min = MLX5_ST_SZ_BYTES(_typ##_out),	\
		.fn = sim_cmd_##_fn,				\
		.fields = _fields,				\
		__VA_ARGS__					\
	}
#define VAR	.in_var = true
#define OP_MOD	.op_mod = true
#define EARLY	.early = true
#define OLD(_typ)	.in_old = MLX5_ST_SZ_BYTES(_typ##_in)
#define LONG(_bytes)	.in_long = _bytes
/* output that ends before _fld, as libmlx5 requests it */
#define OLD_OUT(_typ, _fld)	.out_old = MLX5_BYTE_OFF(_typ##_out, _fld)

#define ONE(typ, fld)	FIELDS(SIM_F(typ, fld))

/* row of a command about general objects: only the header has fixed fields */
#define GENOBJ(_op, _fn, ...)							\
	{									\
		.opcode = MLX5_CMD_OP_##_op##_GENERAL_OBJECT,			\
		.name = #_op "_GENERAL_OBJECT",					\
		.in_min = MLX5_ST_SZ_BYTES(general_obj_in_cmd_hdr),		\
		.out_min = MLX5_ST_SZ_BYTES(general_obj_out_cmd_hdr),		\
		.fn = sim_cmd_##_fn##_general_object,				\
		.fields = ONE(general_obj_in_cmd_hdr, obj_id),			\
		OP_MOD,								\
		__VA_ARGS__							\
	}

static const struct sim_field sim_eq_fields[] = {
	SIM_F(create_eq_in, eq_context_entry.log_eq_size),
	SIM_F(create_eq_in, eq_context_entry.uar_page),
	SIM_F(create_eq_in, eq_context_entry.intr),
	SIM_F(create_eq_in, eq_context_entry.log_page_size),
	SIM_F(create_eq_in, eq_context_entry.oi),
	SIM_F(create_eq_in, event_bitmask),
	{}
};

static const struct sim_field sim_cq_fields[] = {
	SIM_F(create_cq_in, cq_context.cqe_sz),
	SIM_F(create_cq_in, cq_context.oi),
	SIM_F(create_cq_in, cq_context.page_offset),
	SIM_F(create_cq_in, cq_context.log_cq_size),
	SIM_F(create_cq_in, cq_context.uar_page),
	SIM_F(create_cq_in, cq_context.cq_period),
	SIM_F(create_cq_in, cq_context.cq_max_count),
	SIM_F(create_cq_in, cq_context.c_eqn_or_apu_element),
	SIM_F(create_cq_in, cq_context.log_page_size),
	SIM_F(create_cq_in, cq_context.dbr_addr),
	SIM_F(create_cq_in, cq_context.dbr_umem_valid),
	SIM_CQ_DBR_UMEM,
	SIM_CQ_UMEM_OFFSET,
	SIM_CQ_UMEM_ID,
	SIM_F(create_cq_in, cq_umem_valid),
	{}
};

static const struct sim_field sim_modify_cq_fields[] = {
	SIM_F(modify_cq_in, cqn),
	SIM_F(modify_cq_in, modify_field_select_resize_field_select),
	SIM_F(modify_cq_in, cq_context.cq_period),
	SIM_F(modify_cq_in, cq_context.cq_max_count),
	SIM_F(modify_cq_in, cq_context.oi),
	SIM_F(modify_cq_in, cq_context.cqe_sz),
	SIM_F(modify_cq_in, cq_context.page_offset),
	SIM_F(modify_cq_in, cq_context.log_cq_size),
	SIM_F(modify_cq_in, cq_context.log_page_size),
	SIM_CQ_UMEM_OFFSET,
	SIM_CQ_UMEM_ID,
	SIM_F(modify_cq_in, cq_umem_valid),
	{}
};

static const struct sim_field sim_mkey_fields[] = {
	SIM_F(create_mkey_in, pg_access),
	SIM_F(create_mkey_in, mkey_umem_valid),
	SIM_MKEY_UMEM_ID,
	SIM_MKEY_UMEM_OFFSET,
	SIM_F(create_mkey_in, memory_key_mkey_entry.free),
	SIM_F(create_mkey_in, memory_key_mkey_entry.access_mode_4_2),
	SIM_F(create_mkey_in, memory_key_mkey_entry.relaxed_ordering_write),
	SIM_F(create_mkey_in, memory_key_mkey_entry.relaxed_ordering_read),
	SIM_F(create_mkey_in, memory_key_mkey_entry.ma_translation_mode),
	SIM_F(create_mkey_in, memory_key_mkey_entry.umr_en),
	SIM_F(create_mkey_in, memory_key_mkey_entry.a),
	SIM_F(create_mkey_in, memory_key_mkey_entry.rw),
	SIM_F(create_mkey_in, memory_key_mkey_entry.rr),
	SIM_F(create_mkey_in, memory_key_mkey_entry.lw),
	SIM_F(create_mkey_in, memory_key_mkey_entry.lr),
	SIM_F(create_mkey_in, memory_key_mkey_entry.access_mode_1_0),
	SIM_F(create_mkey_in, memory_key_mkey_entry.qpn),
	SIM_F(create_mkey_in, memory_key_mkey_entry.mkey_7_0),
	SIM_F(create_mkey_in, memory_key_mkey_entry.length64),
	SIM_F(create_mkey_in, memory_key_mkey_entry.bsf_en),
	SIM_F(create_mkey_in, memory_key_mkey_entry.bsf_octword_size),
	SIM_F(create_mkey_in, memory_key_mkey_entry.en_rinval),
	SIM_F(create_mkey_in, memory_key_mkey_entry.pd),
	SIM_F(create_mkey_in, memory_key_mkey_entry.start_addr),
	SIM_F(create_mkey_in, memory_key_mkey_entry.len),
	SIM_F(create_mkey_in, memory_key_mkey_entry.translations_octword_size),
	SIM_F(create_mkey_in, memory_key_mkey_entry.log_page_size),
	SIM_MKC_CRYPTO_EN(__mlx5_bit_off(create_mkey_in, memory_key_mkey_entry)),
	SIM_F(create_mkey_in, translations_octword_actual_size),
	{}
};

static const struct sim_field sim_rmp_fields[] = {
	SIM_F(create_rmp_in, ctx.state),
	SIM_F(create_rmp_in, ctx.basic_cyclic_rcv_wqe),
	SIM_F(create_rmp_in, ctx.wq.wq_type),
	SIM_F(create_rmp_in, ctx.wq.page_offset),
	SIM_F(create_rmp_in, ctx.wq.lwm),
	SIM_F(create_rmp_in, ctx.wq.pd),
	SIM_F(create_rmp_in, ctx.wq.dbr_addr),
	SIM_F(create_rmp_in, ctx.wq.log_wq_stride),
	SIM_F(create_rmp_in, ctx.wq.log_wq_pg_sz),
	SIM_F(create_rmp_in, ctx.wq.log_wq_sz),
	SIM_F(create_rmp_in, ctx.wq.dbr_umem_valid),
	SIM_F(create_rmp_in, ctx.wq.wq_umem_valid),
	SIM_F(create_rmp_in, ctx.wq.dbr_umem_id),
	SIM_F(create_rmp_in, ctx.wq.wq_umem_id),
	SIM_F(create_rmp_in, ctx.wq.wq_umem_offset),
	{}
};

static const struct sim_field sim_modify_rmp_fields[] = {
	SIM_F(modify_rmp_in, rmp_state),
	SIM_F(modify_rmp_in, rmpn),
	SIM_F(modify_rmp_in, bitmask.lwm),
	SIM_F(modify_rmp_in, ctx.state),
	SIM_F(modify_rmp_in, ctx.wq.lwm),
	{}
};

static const struct sim_field sim_srq_fields[] = {
	SIM_F(create_srq_in, srq_context_entry.log_srq_size),
	SIM_F(create_srq_in, srq_context_entry.log_rq_stride),
	SIM_F(create_srq_in, srq_context_entry.page_offset),
	SIM_F(create_srq_in, srq_context_entry.log_page_size),
	SIM_F(create_srq_in, srq_context_entry.lwm),
	SIM_F(create_srq_in, srq_context_entry.pd),
	SIM_F(create_srq_in, srq_context_entry.dbr_addr),
	/* drivers also set these fields, which only XRC SRQs use */
	SIM_F(create_srq_in, srq_context_entry.xrcd),
	SIM_F(create_srq_in, srq_context_entry.cqn),
	{}
};

static const struct sim_field sim_xrc_srq_fields[] = {
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.log_xrc_srq_size),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.log_rq_stride),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.xrcd),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.page_offset),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.cqn),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.log_page_size),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.user_index),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.pd),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.lwm),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.db_record_addr_h),
	SIM_F(create_xrc_srq_in, xrc_srq_context_entry.db_record_addr_l),
	{}
};

static const struct sim_field sim_create_qp_fields[] = {
	SIM_F(create_qp_in, qpc.st),
	SIM_F(create_qp_in, qpc.pm_state),
	SIM_F(create_qp_in, qpc.latency_sensitive),
	SIM_F(create_qp_in, qpc.pd),
	SIM_F(create_qp_in, qpc.log_msg_max),
	SIM_F(create_qp_in, qpc.log_rq_size),
	SIM_F(create_qp_in, qpc.log_rq_stride),
	SIM_F(create_qp_in, qpc.no_sq),
	SIM_F(create_qp_in, qpc.log_sq_size),
	SIM_F(create_qp_in, qpc.ts_format),
	SIM_F(create_qp_in, qpc.rlky),
	SIM_F(create_qp_in, qpc.uar_page),
	SIM_F(create_qp_in, qpc.user_index),
	SIM_F(create_qp_in, qpc.log_page_size),
	SIM_F(create_qp_in, qpc.fre),
	SIM_F(create_qp_in, qpc.log_num_dci_stream_channels),
	SIM_F(create_qp_in, qpc.cqn_snd),
	SIM_F(create_qp_in, qpc.log_num_dci_errored_streams),
	SIM_F(create_qp_in, qpc.deth_sqpn),
	SIM_F(create_qp_in, qpc.page_offset),
	SIM_F(create_qp_in, qpc.xrcd),
	SIM_F(create_qp_in, qpc.cqn_rcv),
	SIM_F(create_qp_in, qpc.dbr_addr),
	SIM_F(create_qp_in, qpc.rq_type),
	SIM_F(create_qp_in, qpc.srqn_rmpn_xrqn),
	SIM_F(create_qp_in, qpc.dbr_umem_valid),
	SIM_QP_DBR_UMEM,
	SIM_F(create_qp_in, wq_umem_offset),
	SIM_F(create_qp_in, wq_umem_id),
	SIM_F(create_qp_in, wq_umem_valid),
	{}
};

/* The inputs of all transitions that carry a context have the same layout. */
static const struct sim_field sim_modify_qp_fields[] = {
	SIM_F(rst2init_qp_in, qpn),
	SIM_F(rst2init_qp_in, opt_param_mask),
	SIM_F(rst2init_qp_in, qpc.st),
	SIM_F(rst2init_qp_in, qpc.pm_state),
	SIM_F(rst2init_qp_in, qpc.pd),
	SIM_F(rst2init_qp_in, qpc.mtu),
	SIM_F(rst2init_qp_in, qpc.log_msg_max),
	SIM_F(rst2init_qp_in, qpc.rlky),
	SIM_F(rst2init_qp_in, qpc.drain_sigerr),
	SIM_F(rst2init_qp_in, qpc.remote_qpn),
	/*
	 * the fields of the address path that RoCE uses, without rlid of
	 * InfiniBand links
	 */
	SIM_F(rst2init_qp_in, qpc.primary_address_path.fl),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.pkey_index),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.ack_timeout),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.src_addr_index),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.stat_rate),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.hop_limit),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.tclass),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.flow_label),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.rgid_rip),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.dscp),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.udp_sport),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.eth_prio),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.vhca_port_num),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.rmac_47_32),
	SIM_F(rst2init_qp_in, qpc.primary_address_path.rmac_31_0),
	SIM_F(rst2init_qp_in, qpc.log_ack_req_freq),
	SIM_F(rst2init_qp_in, qpc.log_sra_max),
	SIM_F(rst2init_qp_in, qpc.retry_count),
	SIM_F(rst2init_qp_in, qpc.rnr_retry),
	SIM_F(rst2init_qp_in, qpc.next_send_psn),
	SIM_F(rst2init_qp_in, qpc.cqn_snd),
	SIM_F(rst2init_qp_in, qpc.deth_sqpn),
	SIM_F(rst2init_qp_in, qpc.log_rra_max),
	SIM_F(rst2init_qp_in, qpc.atomic_mode),
	SIM_F(rst2init_qp_in, qpc.rre),
	SIM_F(rst2init_qp_in, qpc.rwe),
	SIM_F(rst2init_qp_in, qpc.rae),
	SIM_F(rst2init_qp_in, qpc.min_rnr_nak),
	SIM_F(rst2init_qp_in, qpc.next_rcv_psn),
	SIM_F(rst2init_qp_in, qpc.counter_set_id),
	SIM_F(rst2init_qp_in, qpc.cqn_rcv),
	SIM_F(rst2init_qp_in, qpc.dbr_addr),
	SIM_F(rst2init_qp_in, qpc.q_key),
	{ 0x40, 1 },		/* qpc_ext */
	{ 0x840, 64 },		/* opt_param_mask_95_32; see qp_ext.c */
	{}
};

static const struct sim_field sim_dct_fields[] = {
	SIM_F(create_dct_in, dct_context_entry.user_index),
	SIM_F(create_dct_in, dct_context_entry.cqn),
	SIM_F(create_dct_in, dct_context_entry.counter_set_id),
	SIM_F(create_dct_in, dct_context_entry.atomic_mode),
	SIM_F(create_dct_in, dct_context_entry.rre),
	SIM_F(create_dct_in, dct_context_entry.rwe),
	SIM_F(create_dct_in, dct_context_entry.rae),
	SIM_F(create_dct_in, dct_context_entry.min_rnr_nak),
	SIM_F(create_dct_in, dct_context_entry.srqn_xrqn),
	SIM_F(create_dct_in, dct_context_entry.pd),
	SIM_F(create_dct_in, dct_context_entry.tclass),
	SIM_F(create_dct_in, dct_context_entry.flow_label),
	SIM_F(create_dct_in, dct_context_entry.dc_access_key),
	SIM_F(create_dct_in, dct_context_entry.mtu),
	SIM_F(create_dct_in, dct_context_entry.port),
	SIM_F(create_dct_in, dct_context_entry.pkey_index),
	SIM_F(create_dct_in, dct_context_entry.my_addr_index),
	SIM_F(create_dct_in, dct_context_entry.hop_limit),
	SIM_F(create_dct_in, dct_context_entry.eth_prio),
	{}
};

static const struct sim_field sim_modify_nic_fields[] = {
	SIM_F(modify_nic_vport_context_in, field_select.roce_en),
	SIM_F(modify_nic_vport_context_in, field_select.change_event),
	SIM_F(modify_nic_vport_context_in, nic_vport_context.roce_en),
	SIM_F(modify_nic_vport_context_in, nic_vport_context.arm_change_event),
	{}
};

/* Sorted by opcode, for the binary search of sim_cmd_find() */
static const struct sim_cmd_desc sim_cmd_table[] = {
	ROW(QUERY_HCA_CAP, query_hca_cap, query_hca_cap, NO_FIELDS, OP_MOD, EARLY,
	    OLD_OUT(query_hca_cap, capability)),
	ROW(QUERY_ADAPTER, query_adapter, query_adapter, NO_FIELDS, EARLY),
	ROW(INIT_HCA, init_hca, init_hca, NO_FIELDS, EARLY, OLD(enable_hca)),
	ROW(TEARDOWN_HCA, teardown_hca, teardown_hca, ONE(teardown_hca_in, profile), EARLY),
	ROW(ENABLE_HCA, enable_hca, enable_hca, NO_FIELDS, EARLY),
	ROW(DISABLE_HCA, disable_hca, disable_hca, NO_FIELDS, EARLY),
	ROW(QUERY_PAGES, query_pages, query_pages, NO_FIELDS, OP_MOD, EARLY),
	ROW(MANAGE_PAGES, manage_pages, manage_pages,
	    ONE(manage_pages_in, input_num_entries), OP_MOD, VAR, EARLY),
	ROW(SET_HCA_CAP, set_hca_cap, set_hca_cap, NULL, OP_MOD, EARLY),
	ROW(QUERY_ISSI, query_issi, query_issi, NO_FIELDS, EARLY),
	ROW(SET_ISSI, set_issi, set_issi, ONE(set_issi_in, current_issi), EARLY),
	ROW(CREATE_MKEY, create_mkey, create_mkey, sim_mkey_fields, VAR),
	ROW(QUERY_MKEY, query_mkey, query_mkey,
	    FIELDS(SIM_F(query_mkey_in, mkey_index), SIM_F(query_mkey_in, pg_access))),
	ROW(DESTROY_MKEY, destroy_mkey, destroy_mkey, ONE(destroy_mkey_in, mkey_index)),
	ROW(QUERY_SPECIAL_CONTEXTS, query_special_contexts, query_special_contexts, NO_FIELDS,
	    EARLY),
	ROW(CREATE_EQ, create_eq, create_eq, sim_eq_fields, VAR),
	ROW(DESTROY_EQ, destroy_eq, destroy_eq, ONE(destroy_eq_in, eq_number)),
	ROW(QUERY_EQ, query_eq, query_eq, ONE(query_eq_in, eq_number)),
	ROW(CREATE_CQ, create_cq, create_cq, sim_cq_fields, VAR),
	ROW(DESTROY_CQ, destroy_cq, destroy_cq, ONE(destroy_cq_in, cqn)),
	ROW(QUERY_CQ, query_cq, query_cq, ONE(query_cq_in, cqn)),
	ROW(MODIFY_CQ, modify_cq, modify_cq, sim_modify_cq_fields, OP_MOD, VAR),
	ROW(CREATE_QP, create_qp, create_qp, sim_create_qp_fields, VAR),
	ROW(DESTROY_QP, destroy_qp, destroy_qp, ONE(destroy_qp_in, qpn)),
	ROW(RST2INIT_QP, rst2init_qp, modify_qp, sim_modify_qp_fields),
	ROW(INIT2RTR_QP, init2rtr_qp, modify_qp, sim_modify_qp_fields),
	ROW(RTR2RTS_QP, rtr2rts_qp, modify_qp, sim_modify_qp_fields),
	ROW(RTS2RTS_QP, rts2rts_qp, modify_qp, sim_modify_qp_fields, VAR),
	ROW(SQERR2RTS_QP, sqerr2rts_qp, modify_qp, sim_modify_qp_fields),
	ROW(2ERR_QP, qp_2err, qp_2err, ONE(qp_2err_in, qpn)),
	ROW(2RST_QP, qp_2rst, qp_2rst, ONE(qp_2rst_in, qpn)),
	ROW(QUERY_QP, query_qp, query_qp, ONE(query_qp_in, qpn),
	    OLD_OUT(query_qp, qp_pas_or_qpc_ext_and_pas)),
	ROW(SQD_RTS_QP, sqd2rts_qp, modify_qp, sim_modify_qp_fields),
	ROW(INIT2INIT_QP, init2init_qp, modify_qp, sim_modify_qp_fields, VAR),
	ROW(CREATE_PSV, create_psv, create_psv,
	    FIELDS(SIM_F(create_psv_in, num_psv), SIM_F(create_psv_in, pd))),
	ROW(DESTROY_PSV, destroy_psv, destroy_psv, ONE(destroy_psv_in, psvn)),
	ROW(CREATE_SRQ, create_srq, create_srq, sim_srq_fields, VAR),
	ROW(DESTROY_SRQ, destroy_srq, destroy_srq, ONE(destroy_srq_in, srqn)),
	ROW(QUERY_SRQ, query_srq, query_srq, ONE(query_srq_in, srqn)),
	ROW(ARM_RQ, arm_rq, arm_srq,
	    FIELDS(SIM_F(arm_rq_in, srq_number), SIM_F(arm_rq_in, lwm)), OP_MOD),
	ROW(CREATE_XRC_SRQ, create_xrc_srq, create_xrc_srq, sim_xrc_srq_fields, VAR),
	ROW(DESTROY_XRC_SRQ, destroy_xrc_srq, destroy_xrc_srq,
	    ONE(destroy_xrc_srq_in, xrc_srqn)),
	ROW(QUERY_XRC_SRQ, query_xrc_srq, query_xrc_srq, ONE(query_xrc_srq_in, xrc_srqn)),
	ROW(ARM_XRC_SRQ, arm_xrc_srq, arm_xrc_srq,
	    FIELDS(SIM_F(arm_xrc_srq_in, xrc_srqn), SIM_F(arm_xrc_srq_in, lwm)), OP_MOD),
	/* UCX sends a context with 48 more bytes. Unrefereed: U-192. */
	ROW(CREATE_DCT, create_dct, create_dct, sim_dct_fields,
	    LONG(MLX5_ST_SZ_BYTES(create_dct_in) + 48)),
	ROW(DESTROY_DCT, destroy_dct, destroy_dct, ONE(destroy_dct_in, dctn)),
	ROW(DRAIN_DCT, drain_dct, drain_dct, ONE(drain_dct_in, dctn)),
	ROW(QUERY_DCT, query_dct, query_dct, ONE(query_dct_in, dctn)),
	ROW(QUERY_VPORT_STATE, query_vport_state, query_vport_state, NO_FIELDS, OP_MOD, EARLY),
	ROW(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, query_nic_vport, NO_FIELDS, EARLY),
	ROW(MODIFY_NIC_VPORT_CONTEXT, modify_nic_vport_context, modify_nic_vport,
	    sim_modify_nic_fields),
	ROW(QUERY_ROCE_ADDRESS, query_roce_address, query_roce_address,
	    ONE(query_roce_address_in, roce_address_index), EARLY),
	ROW(SET_ROCE_ADDRESS, set_roce_address, set_roce_address,
	    FIELDS(SIM_F(set_roce_address_in, roce_address_index),
		   SIM_F(set_roce_address_in, roce_address.source_l3_address),
		   SIM_F(set_roce_address_in, roce_address.vlan_valid),
		   SIM_F(set_roce_address_in, roce_address.vlan_id),
		   SIM_F(set_roce_address_in, roce_address.source_mac_47_32),
		   SIM_F(set_roce_address_in, roce_address.source_mac_31_0),
		   SIM_F(set_roce_address_in, roce_address.roce_l3_type),
		   SIM_F(set_roce_address_in, roce_address.roce_version))),
	ROW(QUERY_HCA_VPORT_PKEY, query_hca_vport_pkey, query_pkey,
	    ONE(query_hca_vport_pkey_in, pkey_index), EARLY),
	ROW(QUERY_VPORT_COUNTER, query_vport_counter, query_vport_counter, NO_FIELDS, EARLY),
	ROW(ALLOC_Q_COUNTER, alloc_q_counter, alloc_q_counter, NO_FIELDS),
	ROW(DEALLOC_Q_COUNTER, dealloc_q_counter, dealloc_q_counter,
	    ONE(dealloc_q_counter_in, counter_set_id)),
	ROW(QUERY_Q_COUNTER, query_q_counter, query_q_counter,
	    FIELDS(SIM_F(query_q_counter_in, counter_set_id), SIM_F(query_q_counter_in, clear))),
	ROW(ALLOC_PD, alloc_pd, plain_alloc, NO_FIELDS),
	ROW(DEALLOC_PD, dealloc_pd, plain_dealloc, ONE(dealloc_pd_in, pd)),
	ROW(ALLOC_UAR, alloc_uar, alloc_uar, NO_FIELDS),
	ROW(DEALLOC_UAR, dealloc_uar, dealloc_uar, ONE(dealloc_uar_in, uar)),
	ROW(ACCESS_REG, access_register, access_reg,
	    FIELDS(SIM_F(access_register_in, register_id),
		   SIM_F(access_register_in, argument)), OP_MOD, VAR, EARLY),
	ROW(ATTACH_TO_MCG, attach_to_mcg, attach_to_mcg,
	    FIELDS(SIM_F(attach_to_mcg_in, qpn), SIM_F(attach_to_mcg_in, multicast_gid))),
	ROW(DETACH_FROM_MCG, detach_from_mcg, detach_from_mcg,
	    FIELDS(SIM_F(detach_from_mcg_in, qpn), SIM_F(detach_from_mcg_in, multicast_gid))),
	ROW(NOP, nop, nop, NO_FIELDS, EARLY),
	ROW(ALLOC_XRCD, alloc_xrcd, plain_alloc, NO_FIELDS),
	ROW(DEALLOC_XRCD, dealloc_xrcd, plain_dealloc, ONE(dealloc_xrcd_in, xrcd)),
	ROW(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, plain_alloc, NO_FIELDS),
	ROW(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain, plain_dealloc,
	    ONE(dealloc_transport_domain_in, transport_domain)),
	ROW(QUERY_LAG, query_lag, query_lag, NO_FIELDS),
	ROW(CREATE_RMP, create_rmp, create_rmp, sim_rmp_fields, VAR),
	ROW(MODIFY_RMP, modify_rmp, modify_rmp, sim_modify_rmp_fields),
	ROW(DESTROY_RMP, destroy_rmp, destroy_rmp, ONE(destroy_rmp_in, rmpn)),
	ROW(QUERY_RMP, query_rmp, query_rmp, ONE(query_rmp_in, rmpn)),
	ROW(ALLOC_FLOW_COUNTER, alloc_flow_counter, plain_alloc, NO_FIELDS),
	ROW(DEALLOC_FLOW_COUNTER, dealloc_flow_counter, plain_dealloc,
	    ONE(dealloc_flow_counter_in, flow_counter_id)),
	ROW(QUERY_FLOW_COUNTER, query_flow_counter, query_flow_counter,
	    FIELDS(SIM_F(query_flow_counter_in, clear),
		   SIM_F(query_flow_counter_in, num_of_counters),
		   SIM_F(query_flow_counter_in, flow_counter_id))),
	GENOBJ(CREATE, create, VAR),
	GENOBJ(QUERY, query),
	GENOBJ(DESTROY, destroy),
	ROW(CREATE_UCTX, create_uctx, create_uctx, ONE(create_uctx_in, uctx.cap)),
	ROW(DESTROY_UCTX, destroy_uctx, destroy_uctx, ONE(destroy_uctx_in, uid)),
	ROW(CREATE_UMEM, create_umem, create_umem,
	    FIELDS(SIM_F(create_umem_in, umem.ats), SIM_F(create_umem_in, umem.log_page_size),
		   SIM_F(create_umem_in, umem.page_offset),
		   SIM_F(create_umem_in, umem.num_of_mtt)), VAR),
	ROW(DESTROY_UMEM, destroy_umem, destroy_umem, ONE(destroy_umem_in, umem_id)),
};

static int sim_cmd_cmp(const void *key, const void *elt)
{
	return (int)*(const u16 *)key - ((const struct sim_cmd_desc *)elt)->opcode;
}

/**
 * sim_cmd_find() - find the row of an opcode
 * @opcode: MLX5_CMD_OP_*
 *
 * Unrefereed: U-74.
 *
 * Context: any.
 * Return: the row; NULL when the device does not support the command.
 */
const struct sim_cmd_desc *sim_cmd_find(u16 opcode)
{
	return bsearch(&opcode, sim_cmd_table, ARRAY_SIZE(sim_cmd_table),
		       sizeof(sim_cmd_table[0]), sim_cmd_cmp);
}

/**
 * sim_cmd_find_name() - find the row of a command by its name in debugfs
 * @name: name of the command, such as CREATE_QP
 *
 * Context: any.
 * Return: the row; NULL when the device does not support the command.
 */
const struct sim_cmd_desc *sim_cmd_find_name(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_cmd_table); i++)
		if (!strcmp(sim_cmd_table[i].name, name))
			return &sim_cmd_table[i];
	return NULL;
}

/* The common checks of all commands. Unrefereed: U-62. */
static u8 sim_cmd_check(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_desc *desc)
{
	u32 fixed = desc->in_min;

	if (cmd->in_len == desc->in_old || cmd->in_len == desc->in_long)
		fixed = cmd->in_len;
	if (cmd->in_len < fixed || (!desc->in_var && cmd->in_len != fixed)) {
		sim_cmd_size(sdev, cmd, "input is %u bytes, want %u", cmd->in_len, desc->in_min);
		return MLX5_CMD_STAT_BAD_INP_LEN_ERR;
	}
	if (cmd->out_len < (desc->out_old ?: desc->out_min)) {
		sim_cmd_size(sdev, cmd, "output is %u bytes, want %u", cmd->out_len,
			     desc->out_min);
		return MLX5_CMD_STAT_BAD_OUTP_LEN_ERR;
	}
	if (cmd->op_mod && !desc->op_mod)
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	if (desc->fields && !sim_fields_only(cmd->in, fixed, desc->fields))
		return sim_cmd_reserved(sdev, cmd, "reserved bits: %*ph", min_t(int, fixed, 64),
					cmd->in);
	if (cmd->uid && cmd->uid != MLX5_SHARED_RESOURCE_UID &&
	    !sim_obj_find(sdev, SIM_OBJ_UCTX, cmd->uid))
		return sim_cmd_bad_uid(sdev, cmd, "no user context %#x", cmd->uid);
	if (!desc->early && !sdev->hca_inited)
		return sim_cmd_bad_state(sdev, cmd, "before INIT_HCA or after TEARDOWN_HCA");
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_cmd_exec() - execute one command
 * @sdev: simulated function
 * @cmd: command with input, output (zeroed) and both lengths set
 *
 * Context: hardware thread. May sleep to allocate memory.
 * Return: MLX5_CMD_STAT_*; the output is valid only with MLX5_CMD_STAT_OK.
 */
u8 sim_cmd_exec(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_cmd_desc *desc;
	u8 status;

	cmd->opcode = MLX5_GET(create_cq_in, cmd->in, opcode);
	cmd->uid = MLX5_GET(create_cq_in, cmd->in, uid);
	cmd->op_mod = MLX5_GET(create_cq_in, cmd->in, op_mod);

	sim_count(sdev, commands);
	if (cmd->opcode < ARRAY_SIZE(sdev->cmd_count))
		sdev->cmd_count[cmd->opcode]++;
	desc = sim_cmd_find(cmd->opcode);
	cmd->desc = desc;
	if (!desc) {
		sim_count(sdev, commands_bad_op);
		sim_trace(sdev, "cmd %#x op_mod %#x: bad op", cmd->opcode, cmd->op_mod);
		return MLX5_CMD_STAT_BAD_OP_ERR;
	}
	status = sim_cmd_check(sdev, cmd, desc);
	if (!status && sim_pages_short(sdev, cmd->opcode))
		status = MLX5_CMD_STAT_NO_RES_ERR;
	if (!status)
		status = desc->fn(sdev, cmd);
	if (status == MLX5_CMD_STAT_BAD_OP_ERR)
		sim_count(sdev, commands_bad_op);
	else if (status)
		sim_count(sdev, commands_failed);
	sim_trace(sdev, "cmd %s op_mod %#x uid %#x: status %#x in %*ph out %*ph", desc->name,
		  cmd->op_mod, cmd->uid, status, 8, cmd->in + 8,
		  min_t(int, 8, cmd->out_len - 8), cmd->out + 8);
	return status;
}
