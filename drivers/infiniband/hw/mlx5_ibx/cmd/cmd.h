/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Firmware commands, one function each. A function calls ibx_cmd_exec(); or it
 * calls a function of mlx5_core that does more than execute the command, and
 * then ibx_cmd_done(). Both trace the command.
 *
 * All functions sleep. mlx5_cmd_exec() of mlx5_core turns a firmware status
 * into an errno and logs it:
 *
 *   -EINVAL   bad operation, parameter or index, or wrong state of a resource
 *   -EBUSY    the object is in use, or no command slot is left
 *   -ENOMEM   a limit of the device is exceeded, or the host has no memory
 *   -EAGAIN   the device has no free resource of the type, or is not ready
 *   -EIO      internal error, bad system state or length, or a device reset
 *   -ENOLINK  not issued: a fatal error has occurred, or the device was removed
 *   -ETIMEDOUT  no answer
 *
 * After a fatal error, mlx5_core returns 0 for commands that destroy objects or
 * move them to RESET or ERR, without issuing them, so that teardown always
 * succeeds.
 *
 * A working device that refuses to destroy an object keeps it until mlx5_core
 * resets the device. The RDMA core cannot handle that error: it warns, and has
 * already freed part of the object. So a verb that destroys a kernel object
 * reports the object in the kernel log (ibx_cmd_left()), frees the memory of
 * the object and returns 0. Memory that the device may still use is not freed:
 *
 *   - the rings of a QP that could neither be reset nor destroyed, or that has
 *     a command without an answer (verbs/qp.c)
 *   - the rings of the CQs and of the SRQ of such a QP, or of a DCT whose
 *     creation was not answered or that could not be drained (verbs/dct.c), if
 *     the device refuses to destroy the CQ or the SRQ, too
 *   - the new ring of a CQ whose resize was never answered, and the old ring if
 *     the device refuses to destroy the CQ (verbs/cq.c)
 */
#ifndef MLX5_IBX_CMD_H
#define MLX5_IBX_CMD_H

#include <linux/ktime.h>
#include <linux/tracepoint-defs.h>

#include "enc/mkc.h"
#include "ibx.h"

/**
 * ibx_cmd_unanswered() - check whether the device may have executed a command
 * that failed
 * @err: return value of mlx5_cmd_do()
 *
 * Return: false for a command that was answered (0, -EREMOTEIO), and for a
 * command that was not issued because memory or a command slot was missing;
 * true for all other errors.
 */
static inline bool ibx_cmd_unanswered(int err)
{
	return err && err != -EREMOTEIO && err != -ENOMEM && err != -EBUSY && err != -EAGAIN;
}

/**
 * ibx_cmd_lost() - may the device still execute a command?
 * @err: errno of a command
 *
 * If so, memory that the command names must stay mapped. After a command that
 * creates or destroys an object, no further command must name the object: its
 * number is unknown, or may belong to another object by then. After a command
 * that changes an object, the object must not be destroyed: its number would be
 * free, and the command would then change the next object with that number. The
 * driver follows this rule for QPs, DCTs and user contexts. CQs are an
 * exception: mlx5_core takes a CQ out of its tables only when it issues
 * DESTROY_CQ.
 *
 * Return: true for a command that was not answered in time; else false, also
 * for a command that a fatal error has ended: the device uses no memory then.
 */
static inline bool ibx_cmd_lost(int err)
{
	return err == -ETIMEDOUT;
}

/**
 * ibx_cmd_cq_lost() - may the device have a CQ whose creation has failed?
 * @mcq: CQ, zeroed before its creation
 * @err: errno of ibx_cmd_create_cq()
 *
 * mlx5_core sets @mcq->eq after the device has created the CQ. If mlx5_core
 * fails later, it issues DESTROY_CQ and ignores the result, so the CQ may stay
 * in the device.
 *
 * Return: true if the device may have the CQ, or may still create it.
 */
static inline bool ibx_cmd_cq_lost(const struct mlx5_core_cq *mcq, int err)
{
	return err && (mcq->eq || ibx_cmd_lost(err));
}

/* 32-bit words of a command that destroys an object */
#define IBX_UNDO_DW	4

/* number of the object that a command of ibx_cmd_fill_undo() destroys */
static inline u32 ibx_undo_nr(const u32 *undo)
{
	return MLX5_GET(general_obj_in_cmd_hdr, undo, obj_id);
}

struct ibx_qpc_new;

/**
 * struct ibx_cq_params - a CQ to create
 * @buf: memory of the ring
 * @log_size: log2 of the number of entries
 * @uid: user context that is to own the CQ
 * @uar: index of the UAR page whose doorbell arms the CQ
 * @eqn: number of the event queue of the completion vector
 * @dbr: bus address of the CQ's doorbell records
 * @cqe_128: entries have 128 bytes, not 64
 * @overrun: the device does not check whether entries are free (overrun ignored)
 */
struct ibx_cq_params {
	const struct ibx_buf *buf;
	u8 log_size;
	bool cqe_128;
	bool overrun;
	u16 uid;
	u32 uar;
	int eqn;
	dma_addr_t dbr;
};

/**
 * struct ibx_rmp_params - an RMP to create
 * @buf: memory of the ring
 * @log_size: log2 of the number of WQEs
 * @log_stride: log2 of the bytes of a WQE
 * @pdn: number of the PD of the lkeys in the WQEs
 * @dbr: bus address of the RMP's doorbell record
 */
struct ibx_rmp_params {
	const struct ibx_buf *buf;
	u8 log_size;
	u8 log_stride;
	u32 pdn;
	dma_addr_t dbr;
};

/**
 * struct ibx_roce_addr - an entry of the device's address table
 * @gid: GID
 * @mac: source MAC
 * @version: MLX5_ROCE_VERSION_1 or _2
 * @l3_type: MLX5_ROCE_L3_TYPE_IPV4 or _IPV6
 * @vlan: VLAN id, or 0xffff without VLAN
 */
struct ibx_roce_addr {
	u8 gid[16];
	u8 mac[ETH_ALEN];
	u8 version;
	u8 l3_type;
	u16 vlan;
};

/* ---- buf.c ---- */
int ibx_buf_alloc(struct ibx_dev *dev, struct ibx_buf *buf, size_t size);
void ibx_buf_free(struct ibx_dev *dev, struct ibx_buf *buf);
void ibx_buf_leak(struct ibx_buf *buf);
u32 ibx_buf_npages(const struct ibx_buf *buf);
void ibx_buf_fill_pas(const struct ibx_buf *buf, __be64 *pas);

/* offset of a ring in its first page, in the unit of contexts: 64 bytes */
static inline u32 ibx_buf_page_offset(const struct ibx_buf *buf)
{
	return buf->offset >> IBX_OFFSET_SHIFT;
}

/* ---- cmd.c ---- */

bool ibx_cmd_is_over(const struct ibx_dev *dev);
int ibx_cmd_exec(struct ibx_dev *dev, void *in, int inlen, void *out, int outlen);
void ibx_cmd_trace(struct ibx_dev *dev, u16 opcode, ktime_t start, int err);
void ibx_cmd_fill_undo(u32 *undo, u16 opcode, u16 uid, u32 nr);
int ibx_cmd_undo(struct ibx_dev *dev, const u32 *undo);

DECLARE_TRACEPOINT(ibx_cmd);

/**
 * ibx_cmd_start() - get the time at which a command begins
 *
 * The clock is read only if commands are traced, because reading it takes long.
 *
 * Context: any.
 * Return: the time; 0 if commands are not traced.
 */
static inline ktime_t ibx_cmd_start(void)
{
	return tracepoint_enabled(ibx_cmd) ? ktime_get() : 0;
}

/**
 * ibx_cmd_done() - trace a command that a function of mlx5_core issued
 * @dev: device
 * @opcode: MLX5_CMD_OP_*
 * @start: ibx_cmd_start() before the command
 * @err: return value of the function of mlx5_core
 *
 * Context: any.
 * Return: @err.
 */
static inline int ibx_cmd_done(struct ibx_dev *dev, u16 opcode, ktime_t start, int err)
{
	if (tracepoint_enabled(ibx_cmd))
		ibx_cmd_trace(dev, opcode, start, err);
	return err;
}

/**
 * struct ibx_query - a query whose output holds a context
 * @in: command input with its opcode set
 * @inlen: bytes in @in
 * @outlen: bytes of the output
 * @at: offset of the context in the output, bytes
 * @len: bytes of the context
 */
struct ibx_query {
	void *in;
	u16 inlen;
	u16 outlen;
	u16 at;
	u16 len;
};

int ibx_cmd_query(struct ibx_dev *dev, const struct ibx_query *q, void *ctx);

/* query @field of the output of command @name: a context of layout @type */
#define ibx_cmd_query_ctx(dev, name, input, field, type, ctx)			\
	ibx_cmd_query(dev, &(struct ibx_query){					\
			.in = input,						\
			.inlen = MLX5_ST_SZ_BYTES(name##_in),			\
			.outlen = MLX5_ST_SZ_BYTES(name##_out),			\
			.at = MLX5_BYTE_OFF(name##_out, field),			\
			.len = MLX5_ST_SZ_BYTES(type),				\
		}, ctx)

/* execute command @name; _in: without results; _inout: with results in @out */
#define ibx_cmd_exec_in(dev, name, in)						\
	({									\
		u32 _out[MLX5_ST_SZ_DW(name##_out)] = {};			\
										\
		ibx_cmd_exec(dev, in, MLX5_ST_SZ_BYTES(name##_in), _out, sizeof(_out));	\
	})
#define ibx_cmd_exec_inout(dev, name, in, out)					\
	ibx_cmd_exec(dev, in, MLX5_ST_SZ_BYTES(name##_in), out, MLX5_ST_SZ_BYTES(name##_out))

/**
 * ibx_cmd_left() - report an object that the device refuses to destroy
 * @dev: device
 * @what: type of the object
 * @nr: number of the object
 * @err: return value of the command that destroys it; nothing is reported for
 *	0, nor for -ENOLINK (the device was removed or is in error)
 */
static inline void ibx_cmd_left(struct ibx_dev *dev, const char *what, u32 nr, int err)
{
	if (err && err != -ENOLINK)
		ibx_err(dev, "%s 0x%x stays in the device: error %d\n", what, nr, err);
}

/* ---- cq.c ---- */
int ibx_cmd_create_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq,
		      const struct ibx_cq_params *p);
int ibx_cmd_destroy_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq);
int ibx_cmd_try_destroy_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq);
void ibx_cmd_forget_cq(struct mlx5_core_cq *mcq);
int ibx_cmd_moderate_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq, u16 period, u16 count);
int ibx_cmd_resize_cq(struct ibx_dev *dev, const struct mlx5_core_cq *mcq,
		      const struct ibx_cq_params *p, bool *unknown);
int ibx_cmd_query_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq, u32 *cqc);

/* ---- counter.c ---- */
int ibx_cmd_alloc_q_counter(struct ibx_dev *dev, u8 *set);
int ibx_cmd_dealloc_q_counter(struct ibx_dev *dev, u8 set);
int ibx_cmd_query_q_counter(struct ibx_dev *dev, u8 set, u32 *out);
int ibx_cmd_bind_counter(struct ibx_dev *dev, struct ibx_qp *qp, u8 set);
int ibx_cmd_query_traffic(struct ibx_dev *dev, u32 *out);
int ibx_cmd_query_port_errors(struct ibx_dev *dev, u32 *out);

/* ---- qp.c ---- */

/* fields of the extension of a QP context, which <linux/mlx5/mlx5_ifc.h> lacks */
enum ibx_qp_ext {
	IBX_QP_EXT_MMO,		/* INIT2INIT: memory copies are allowed */
	IBX_QP_EXT_STREAM,	/* RTS2RTS: stream of a DCI that is no longer in error */
};

int ibx_cmd_create_qp(struct ibx_dev *dev, const struct ibx_qpc_new *p, const struct ibx_buf *buf,
		      struct ibx_qp *qp);
int ibx_cmd_note_lost(struct ibx_qp *qp, int err);
bool ibx_cmd_may_change_qp(const struct ibx_dev *dev, const struct ibx_qp *qp);
int ibx_cmd_destroy_qp(struct ibx_dev *dev, const struct ibx_qp *qp);
int ibx_cmd_step_qp(struct ibx_dev *dev, u16 opcode, struct ibx_qp *qp,
		    u32 opt_mask, const u32 *qpc);
int ibx_cmd_extend_qp(struct ibx_dev *dev, u16 opcode, struct ibx_qp *qp,
		      enum ibx_qp_ext field, u32 value);
int ibx_cmd_reset_qp(struct ibx_dev *dev, struct ibx_qp *qp);
int ibx_cmd_error_qp(struct ibx_dev *dev, struct ibx_qp *qp);
int ibx_cmd_query_qp(struct ibx_dev *dev, u32 qpn, u32 *qpc);

/* ---- dct.c ---- */
int ibx_cmd_create_dct(struct ibx_dev *dev, const u32 *dctc, struct ibx_qp *qp);
int ibx_cmd_drain_dct(struct ibx_dev *dev, u32 dctn, u16 uid);
int ibx_cmd_destroy_dct(struct ibx_dev *dev, const struct ibx_qp *qp);

/* ---- srq.c ---- */
int ibx_cmd_create_rmp(struct ibx_dev *dev, const struct ibx_rmp_params *p, struct ibx_srq *srq);
int ibx_cmd_destroy_rmp(struct ibx_dev *dev, const struct ibx_srq *srq);
int ibx_cmd_arm_rmp(struct ibx_dev *dev, const struct ibx_srq *srq, u16 limit);
int ibx_cmd_query_rmp(struct ibx_dev *dev, u32 rmpn, u32 *rmpc);

/* ---- mkey.c ---- */
int ibx_cmd_create_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p, u32 *key);
int ibx_cmd_create_mtt_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p,
			    const __be64 *mtt, u32 *key);
int ibx_cmd_destroy_mkey(struct ibx_dev *dev, u32 key);
int ibx_cmd_query_mkey(struct ibx_dev *dev, u32 key, u32 *mkc);

/* ---- psv.c ---- */
int ibx_cmd_create_psvs(struct ibx_dev *dev, u32 pdn, u32 *psv);
int ibx_cmd_destroy_psv(struct ibx_dev *dev, u32 psv);

/* ---- dek.c ---- */
int ibx_cmd_create_dek(struct ibx_dev *dev, const struct mlx5dv_dek_init_attr *attr, u32 pdn,
		       u32 *dekn);
int ibx_cmd_query_dek(struct ibx_dev *dev, u32 dekn, u8 *state, char *opaque);
int ibx_cmd_destroy_dek(struct ibx_dev *dev, u32 dekn);
int ibx_cmd_create_login(struct ibx_dev *dev, const struct mlx5dv_crypto_login_attr_ex *attr,
			 u32 *id);
int ibx_cmd_query_login(struct ibx_dev *dev, u32 id, u8 *state);
int ibx_cmd_destroy_login(struct ibx_dev *dev, u32 id);

/* ---- uar.c ---- */
int ibx_cmd_alloc_uar(struct ibx_dev *dev, u16 uid, u32 *index);
int ibx_cmd_dealloc_uar(struct ibx_dev *dev, u16 uid, u32 index);

/* ---- dev.c ---- */
int ibx_cmd_alloc_pd(struct ibx_dev *dev, struct ibx_pd *pd);
int ibx_cmd_dealloc_pd(struct ibx_dev *dev, const struct ibx_pd *pd);
int ibx_cmd_set_roce_addr(struct ibx_dev *dev, u32 index, const struct ibx_roce_addr *addr);
int ibx_cmd_get_node_desc(struct ibx_dev *dev, char *desc);
int ibx_cmd_set_node_desc(struct ibx_dev *dev, const char *desc);
int ibx_cmd_get_eth_proto(struct ibx_dev *dev, u32 *oper, bool *ext);

#endif /* MLX5_IBX_CMD_H */
