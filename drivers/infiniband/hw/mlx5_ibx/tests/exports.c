// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: exports of the functions of the driver that the KUnit suites call.
 * This file is part of the driver if KUnit is enabled. The suites then test the
 * code of the driver, not a copy.
 */
#include <kunit/visibility.h>

#include "abi/check.h"
#include "devx/event.h"
#include "devx/event_key.h"
#include "devx/pages.h"
#include "devx/table.h"
#include "enc/bsf.h"
#include "enc/crypto.h"
#include "enc/devattr.h"
#include "enc/enc.h"
#include "enc/geom.h"
#include "enc/layout.h"
#include "enc/mkc.h"
#include "enc/pi.h"
#include "enc/qpc.h"
#include "enc/rate.h"
#include "enc/sg_list.h"
#include "main.h"
#include "wq/wq.h"

/*
 * The exports are not next to the functions, because only the module with the
 * suites may call the functions.
 */
#define FOR_SUITES(name)	EXPORT_SYMBOL_IF_KUNIT(name)

/* abi/check.c */
FOR_SUITES(ibx_abi_len);
FOR_SUITES(ibx_mmap_kind);
FOR_SUITES(ibx_user_rings_geometry);

/* claim_list.c */
FOR_SUITES(ibx_claim_format);
FOR_SUITES(ibx_claim_has);
FOR_SUITES(ibx_claim_parse);

/* devx/ */
FOR_SUITES(ibx_devx_channel_empty);
FOR_SUITES(ibx_devx_channel_get);
FOR_SUITES(ibx_devx_channel_init);
FOR_SUITES(ibx_devx_channel_put);
FOR_SUITES(ibx_devx_check);
FOR_SUITES(ibx_devx_created);
FOR_SUITES(ibx_devx_guard);
FOR_SUITES(ibx_devx_key_of_eqe);
FOR_SUITES(ibx_devx_key_of_obj);
FOR_SUITES(ibx_devx_may_subscribe);
FOR_SUITES(ibx_devx_named);
FOR_SUITES(ibx_devx_row);
FOR_SUITES(ibx_devx_row_at);
FOR_SUITES(ibx_devx_same);
FOR_SUITES(ibx_devx_stamp);
FOR_SUITES(ibx_devx_sub_free);
FOR_SUITES(ibx_devx_undo);
FOR_SUITES(ibx_umem_choose_pages);
FOR_SUITES(ibx_umem_list_pages);

/* enc/ */
FOR_SUITES(ibx_dec_qp_event);
FOR_SUITES(ibx_dec_syndrome);
FOR_SUITES(ibx_dec_ud);
FOR_SUITES(ibx_enc_av);
FOR_SUITES(ibx_enc_bsf);
FOR_SUITES(ibx_enc_bsf_none);
FOR_SUITES(ibx_enc_crypto_bsf);
FOR_SUITES(ibx_enc_dek);
FOR_SUITES(ibx_enc_klms_sg);
FOR_SUITES(ibx_enc_login);
FOR_SUITES(ibx_eth_speed);
FOR_SUITES(ibx_klm_from_sg_partial);
FOR_SUITES(ibx_limits);
FOR_SUITES(ibx_mkc_create);
FOR_SUITES(ibx_mlx5_step_is_ok);
FOR_SUITES(ibx_list_from_sg);
FOR_SUITES(ibx_list_from_sg_partial);
FOR_SUITES(ibx_mtt_from_sg_partial);
FOR_SUITES(ibx_mtt_split);
FOR_SUITES(ibx_qp_geometry);
FOR_SUITES(ibx_qp_step);
FOR_SUITES(ibx_qpc_create);
FOR_SUITES(ibx_qpc_modify);
FOR_SUITES(ibx_qpc_state);
FOR_SUITES(ibx_qpc_to_attr);
FOR_SUITES(ibx_rate);
FOR_SUITES(ibx_rate_of);
FOR_SUITES(ibx_srq_geometry);
FOR_SUITES(ibx_strides_fit);

/* wq/ */
FOR_SUITES(ibx_cq_clean);
FOR_SUITES(ibx_cq_drop_sig_errors);
FOR_SUITES(ibx_cqb_fill);
FOR_SUITES(ibx_cqb_init);
FOR_SUITES(ibx_cqb_move);
FOR_SUITES(ibx_frwr);
FOR_SUITES(ibx_key_mark_add);
FOR_SUITES(ibx_key_marks_exit);
FOR_SUITES(ibx_map_mr_sg);
FOR_SUITES(ibx_map_mr_sg_pi);
FOR_SUITES(ibx_poll_cq);
FOR_SUITES(ibx_post_nop);
FOR_SUITES(ibx_post_recv);
FOR_SUITES(ibx_post_send);
FOR_SUITES(ibx_post_umr_free);
FOR_SUITES(ibx_post_umr_mr);
FOR_SUITES(ibx_post_umr_rights);
FOR_SUITES(ibx_req_notify_cq);
FOR_SUITES(ibx_rq_fini);
FOR_SUITES(ibx_rq_init);
FOR_SUITES(ibx_rq_reset);
FOR_SUITES(ibx_sig_forget);
FOR_SUITES(ibx_sig_take_error);
FOR_SUITES(ibx_sq_fini);
FOR_SUITES(ibx_sq_init);
FOR_SUITES(ibx_sq_reset);
FOR_SUITES(ibx_sq_set_qpn);
FOR_SUITES(ibx_srq_ring_complete);
FOR_SUITES(ibx_srq_ring_fini);
FOR_SUITES(ibx_srq_ring_init);
FOR_SUITES(ibx_srq_ring_post);
