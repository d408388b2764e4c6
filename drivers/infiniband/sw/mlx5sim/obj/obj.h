/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Exports of obj/: number spaces, capabilities, the entries of event and
 * completion queues, memory keys, and queue counter sets.
 */
#ifndef MLX5SIM_OBJ_OBJ_H
#define MLX5SIM_OBJ_OBJ_H

#include "obj/mkey.h"
#include "obj/objects.h"
#include "obj/qset.h"

struct mlx5_bsf;
struct mlx5_cqe64;
struct mlx5_eqe;
struct mlx5_klm;
struct sim_cap_def;
struct sim_field;
struct sim_klm_pos;
struct sim_piece;

/* ---- bsf.c ---- */

u16 sim_bsf_block(struct sim_dev *sdev, u8 selector);
int sim_bsf_decode(struct sim_dev *sdev, const struct mlx5_bsf *raw, bool with_crypto,
		   struct sim_bsf *bsf, const char **why);
u32 sim_sig_data(const struct sim_sig_domain *dom, u32 bytes);
u32 sim_sig_bytes(const struct sim_sig_domain *dom, u32 data);
int sim_sig_wire_len(const struct sim_bsf *bsf, u32 count, u32 *wire);
u32 sim_sig_mem_len(const struct sim_bsf *bsf, u32 wire);
int sim_sig_block(const struct sim_bsf *bsf, u64 off, u32 *data);

/* ---- caps.c ---- */

void *sim_caps_page(struct sim_dev *sdev, u16 type, bool max);
int sim_caps_parse(const char *word, u16 *type, struct sim_field *f, u32 *val);
u32 sim_terminate_lkey(struct sim_dev *sdev);
int sim_caps_init(struct sim_dev *sdev);
void sim_caps_exit(struct sim_dev *sdev);
void sim_caps_reset(struct sim_dev *sdev);
const struct sim_cap_def *sim_caps_merge(struct sim_dev *sdev, u16 type, const void *want,
					 void *page);

/* ---- cq.c ---- */

void sim_cq_fail(struct sim_dev *sdev, struct sim_cq *cq, u8 syndrome);
int sim_cq_write(struct sim_dev *sdev, struct sim_cq *cq, const struct mlx5_cqe64 *cqe);
int sim_cq_post(struct sim_dev *sdev, struct sim_cq *cq, struct mlx5_cqe64 *cqe, bool solicited);
void sim_cq_init_arm(struct sim_dev *sdev, struct sim_cq *cq);
bool sim_cq_poll_pending(struct sim_dev *sdev);

/* ---- entry.c ---- */

bool sim_eq_fires(struct sim_eq *eq);
bool sim_eq_arm(struct sim_eq *eq, u32 ci);
bool sim_eq_beyond(const struct sim_eq *eq, u32 ci);
void sim_eqe_fill(struct mlx5_eqe *eqe, u8 type, u8 sub_type, const void *data, u32 lap);
u8 sim_cqe_owner(u32 index, u8 log_size);
bool sim_cq_armed(u32 arm, u32 sn, u32 pi, u32 solicited_pi);

/* ---- eq.c ---- */

void sim_eq_doorbell(struct sim_dev *sdev, u32 uar, u32 val, bool arm);
void sim_eq_post(struct sim_dev *sdev, struct sim_eq *eq, u8 type, const void *data);
bool sim_event_wanted(struct sim_dev *sdev, u8 type);
void sim_event(struct sim_dev *sdev, u8 type, u8 sub_type, const void *data);
void sim_event_qp(struct sim_dev *sdev, u8 type, u8 queue_type, u32 num);
void sim_event_port(struct sim_dev *sdev, bool up);

/* ---- klm.c ---- */

bool sim_klm_pattern(const struct sim_mkey *mkey);
void sim_klm_decode(struct sim_klm *klm, const struct mlx5_klm *ent, u32 nent);
int sim_klm_check_list(const struct mlx5_klm *ent, u32 nent, const char **why);
int sim_klm_check(const struct mlx5_klm *ent, u32 nent, const char **why);
int sim_klm_find(const struct sim_mkey *mkey, u64 pos, struct sim_klm_pos *at,
		 struct sim_piece *piece);

/* ---- mkey.c ---- */

struct sim_mkey *sim_mkey_find(struct sim_dev *sdev, u32 key);
int sim_mkey_set_mtt(struct sim_mkey *mkey, u32 first, const __be64 *ent, u32 nent);
int sim_mkey_set_klm(struct sim_mkey *mkey, u32 first, const struct mlx5_klm *ent, u32 nent);
void sim_mkey_invalidate(struct sim_mkey *mkey);

/* ---- obj.c ---- */

int sim_obj_add(struct sim_dev *sdev, struct sim_obj *obj, enum sim_obj_type type, u16 uid,
		sim_obj_free_fn free);
void *sim_obj_find(struct sim_dev *sdev, enum sim_obj_type type, u32 id);
void sim_obj_del(struct sim_dev *sdev, struct sim_obj *obj);
u32 sim_obj_count(struct sim_dev *sdev, enum sim_obj_type type);
int sim_objs_init(struct sim_dev *sdev);
void sim_objs_exit(struct sim_dev *sdev);
void sim_obj_free_plain(struct sim_dev *sdev, struct sim_obj *obj);
void sim_objs_reset(struct sim_dev *sdev);
void sim_objs_stop(struct sim_dev *sdev);

/* ---- qset.c ---- */

void sim_qcount_add(struct sim_dev *sdev, const struct sim_qp *qp, enum sim_qctr ctr);
void sim_qcount_syndrome(struct sim_dev *sdev, const struct sim_qp *qp, bool req, u8 syndrome);

/*
 * Bus address of byte @off of a queue buffer. Entries aligned to their size
 * never cross a page.
 */
static inline u64 sim_buf_addr(const struct sim_buf *buf, u64 off)
{
	off += buf->offset;
	return buf->pas[off >> buf->page_shift] + (off & (BIT_ULL(buf->page_shift) - 1));
}

#endif /* MLX5SIM_OBJ_OBJ_H */
