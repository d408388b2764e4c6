/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions and types of abi/, the user ABI of mlx5_ib
 * (<rdma/mlx5-abi.h>): contexts, doorbell pages, and objects whose rings are in
 * memory of a process. The process posts and polls without the kernel.
 *
 * The first member of each object is the object of verbs/, so that verbs/
 * handles events, state changes and queries. The verbs of abi/ that create and
 * destroy objects replace the verbs of verbs/, and call them for objects of the
 * kernel. Without CONFIG_INFINIBAND_USER_ACCESS abi/ is not built, and the
 * device has no contexts.
 *
 * A process may pass a structure that is shorter than the driver's (an older
 * library) or longer (a newer library). The rules are in ibx_udata_read() and
 * ibx_udata_write(). Flags and fields that the driver does not use must be 0.
 */
#ifndef MLX5_IBX_ABI_H
#define MLX5_IBX_ABI_H

#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "xrc.h"

/**
 * struct ibx_uctx - a context of a process
 * @ibuc: context of the core
 * @uid: number of the user context in the device (for DEVX); 0 without DEVX
 * @cqe_version: version of CQEs that the process expects
 * @db_lock: protects @db_pages; held when an entry gets its first user or loses
 *	its last one
 * @db_pages: pages with doorbell records (abi/pin.c)
 * @keep_lock: protects @kept
 * @kept: kept objects (abi/keep.c)
 * @lost: do not destroy the user context: a command was not answered, and the
 *	device may still execute the command, or may have an object that the
 *	driver cannot destroy (for example, because its number is unknown)
 * @link: entry of a closed context in ibx_dev.closed
 * @quota: counts the subscriptions to events of DEVX
 */
struct ibx_uctx {
	struct ib_ucontext ibuc;
	u16 uid;
	u8 cqe_version;
	struct mutex db_lock;	/* db_pages */
	struct list_head db_pages;
	struct mutex keep_lock;	/* kept */
	struct list_head kept;
	bool lost;
	struct list_head link;
	struct ibx_devx_quota quota;
};

/**
 * struct ibx_uar - a page of doorbell registers that a process can map
 * @entry: entry in the table of mappings of the context. The handle of the
 *	process and each mapping, CQ and QP that uses the UAR have a reference;
 *	when the last reference is put, the UAR is deallocated
 * @index: index of the UAR
 * @wc: mapped write-combining, not uncached
 * @keep: the UAR is in ibx_uctx.kept, because a kept object uses it
 *	(abi/keep.c)
 */
struct ibx_uar {
	struct rdma_user_mmap_entry entry;
	u32 index;
	bool wc;
	bool keep;
};

/**
 * struct ibx_pin_req - resources that a process passes for a CQ, QP or SRQ
 * @buf: address of the rings in the process
 * @align: alignment that the device demands of @buf, bytes: 64 or more
 * @bytes: size of the rings; 0 without rings
 * @access: IB_ACCESS_LOCAL_WRITE if the device writes to the rings
 * @db: address of the doorbell records in the process
 * @has_uar: the object uses the UAR @uar
 * @uar: index of the UAR
 */
struct ibx_pin_req {
	u64 buf;
	u32 align;
	size_t bytes;
	int access;
	u64 db;
	bool has_uar;
	u32 uar;
};

#define IBX_FEW_PAGES	4

/**
 * struct ibx_rings - pinned memory of rings
 * @umem: the memory, or NULL without rings
 * @buf: size, place and bus addresses, for the command that creates the object;
 *	buf.pages is NULL after ibx_rings_settle()
 * @few: buf.pages points to this array, instead of allocated memory, for rings
 *	of at most IBX_FEW_PAGES pages
 */
struct ibx_rings {
	struct ib_umem *umem;
	struct ibx_buf buf;
	dma_addr_t few[IBX_FEW_PAGES];
};

struct ibx_db_page;

/**
 * struct ibx_pins - resources that a CQ, QP or SRQ of a process holds
 * @uctx: context of the process
 * @rings: memory of the rings
 * @db_page: page of the doorbell records
 * @db: bus address of the doorbell records
 * @uar: UAR, or NULL
 */
struct ibx_pins {
	struct ibx_uctx *uctx;
	struct ibx_rings rings;
	struct ibx_db_page *db_page;
	dma_addr_t db;
	struct ibx_uar *uar;
};

/**
 * struct ibx_user_cq - a CQ of a process
 * @cq: the CQ
 * @pins: its resources
 * @next: new ring of a resize that the device has not answered; the device may
 *	use this ring or @pins.rings
 * @cqe_128: entries have 128 bytes
 */
struct ibx_user_cq {
	struct ibx_cq cq;
	struct ibx_pins pins;
	struct ibx_rings next;
	bool cqe_128;
};

/* @hidden: the destruction of the QP has begun, and no event finds the QP */
struct ibx_user_qp {
	struct ibx_qp qp;
	struct ibx_pins pins;
	bool hidden;
};

/* @hidden: as in struct ibx_user_qp */
struct ibx_user_srq {
	struct ibx_srq srq;
	struct ibx_pins pins;
	bool hidden;
};

struct ibx_mr_key;
struct ibx_mr_mem;

/**
 * struct ibx_user_mr - an MR of a process
 * @mr: the MR
 * @mem: its memory
 * @next: memory of a failed ibv_rereg_mr(), which the device may access; or
 *	NULL
 * @key: mkey from the free mkeys (keys/mr_key.c); NULL if the MR has a private
 *	mkey (abi/mr.c)
 * @access: IB_ACCESS_*
 * @replacement: created by ibv_rereg_mr(); the uobject of @mr must not be used
 * @replaced: ibv_rereg_mr() has created another MR for the handle of @mr
 */
struct ibx_user_mr {
	struct ibx_mr mr;
	struct ibx_mr_mem *mem;
	struct ibx_mr_mem *next;
	struct ibx_mr_key *key;
	int access;
	bool replacement;
	bool replaced;
};

struct ibx_user_mw {
	struct ib_mw ibmw;
};

static inline struct ibx_uctx *to_uctx(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct ibx_uctx, ibuc);
}

static inline struct ibx_user_cq *to_user_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct ibx_user_cq, cq.ibcq);
}

static inline struct ibx_user_qp *to_user_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct ibx_user_qp, qp.ibqp);
}

static inline struct ibx_user_srq *to_user_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct ibx_user_srq, srq.ibsrq);
}

static inline struct ibx_user_mr *to_user_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct ibx_user_mr, mr.ibmr);
}

/* can memory windows be bound to an MTT mkey? */
static inline bool ibx_has_mw(const struct ibx_dev *dev)
{
	return MLX5_CAP_GEN(dev->mdev, imaicl);
}

/* context of the process that calls a verb with @udata */
static inline struct ibx_uctx *udata_to_uctx(struct ib_udata *udata)
{
	return rdma_udata_to_drv_context(udata, struct ibx_uctx, ibuc);
}

/* ---- ops.c ---- */
void ibx_abi_set_ops(struct ibx_dev *dev);

/* ---- udata.c ---- */
int ibx_udata_read_part(struct ib_udata *udata, void *req, size_t size, size_t min);
int ibx_udata_write_part(struct ib_udata *udata, void *resp, size_t size, size_t min);

/**
 * ibx_udata_read() - copy a request from a process
 * @udata: request and response of the process
 * @req: gets the request; bytes that the process did not pass are 0. On failure
 *	its content is undefined
 * @size: size of @req in bytes
 * @min: number of bytes that a process must pass at least
 *
 * Context: process.
 * Return: 0 or an errno of ibx_udata_read_part().
 */
static inline int ibx_udata_read(struct ib_udata *udata, void *req, size_t size, size_t min)
{
	if (likely(udata->inlen == size))
		return ib_copy_from_udata(req, udata, size);
	return ibx_udata_read_part(udata, req, size, min);
}

/**
 * ibx_udata_write() - copy a response to a process
 * @udata: request and response of the process
 * @resp: response
 * @size: size of @resp in bytes
 * @min: number of bytes that a process must have space for
 *
 * The response is truncated to the space that the process has.
 *
 * Context: process.
 * Return: 0 or an errno of ibx_udata_write_part().
 */
static inline int ibx_udata_write(struct ib_udata *udata, void *resp, size_t size, size_t min)
{
	if (likely(udata->outlen == size))
		return ib_copy_to_udata(udata, resp, size);
	return ibx_udata_write_part(udata, resp, size, min);
}

/* ---- uar.c ---- */
extern const struct uapi_definition ibx_uar_defs[];
void ibx_uar_free(struct rdma_user_mmap_entry *entry);
bool ibx_has_wc(const struct ibx_dev *dev);
struct ibx_uar *ibx_uar_get(struct ibx_uctx *uctx, u32 index);
void ibx_uar_put(struct ibx_uar *uar);
int ibx_uar_mmap(struct ibx_uctx *uctx, struct vm_area_struct *vma);

/* ---- devx.c, devx_async.c, devx_event.c, devx_obj.c, devx_umem.c ---- */
extern const struct uapi_definition ibx_devx_defs[];
extern const struct uapi_definition ibx_devx_async_defs[];
extern const struct uapi_definition ibx_devx_event_defs[];
extern const struct uapi_definition ibx_devx_obj_defs[];
extern const struct uapi_definition ibx_devx_umem_defs[];

/* ---- uctx.c ---- */
extern const struct uapi_definition ibx_uctx_defs[];
int ibx_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
int ibx_query_ucontext(struct ib_ucontext *ibuc, struct uverbs_attr_bundle *attrs);
void ibx_dealloc_ucontext(struct ib_ucontext *ibuc);
int ibx_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);

/* ---- pin.c ---- */
int ibx_rings_pin(struct ibx_uctx *uctx, const struct ibx_pin_req *req, struct ibx_rings *rings);
void ibx_rings_settle(struct ibx_rings *rings);
void ibx_rings_unpin(struct ibx_rings *rings);
int ibx_pins_get(struct ibx_uctx *uctx, const struct ibx_pin_req *req, struct ibx_pins *pins);
void ibx_pins_put(struct ibx_pins *pins);

/* ---- device.c, pd.c, ah.c ---- */
extern const struct uapi_definition ibx_device_defs[];
int ibx_user_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata);
extern const struct uapi_definition ibx_pd_defs[];
int ibx_user_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int ibx_user_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int ibx_user_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		       struct ib_udata *udata);

/* ---- cq.c ---- */
int ibx_user_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct uverbs_attr_bundle *attrs);
int ibx_user_resize_cq(struct ib_cq *ibcq, ibx_resize_t cqe, struct ib_udata *udata);
int ibx_user_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);

/* ---- qp.c ---- */
int ibx_user_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		       struct ib_udata *udata);
int ibx_user_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int ibx_user_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* ---- srq.c ---- */
int ibx_user_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
			struct ib_udata *udata);
int ibx_user_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			enum ib_srq_attr_mask mask, struct ib_udata *udata);
int ibx_user_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* ---- xrc.c ---- */
int ibx_xrc_get(struct ibx_dev *dev);
void ibx_xrc_put(struct ibx_dev *dev);
void ibx_xrc_leave(struct ibx_dev *dev, struct ib_xrcd *ibxrcd);
void ibx_xrc_exit(struct ibx_dev *dev, bool keep);
int ibx_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int ibx_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

/* ---- mr.c, mw.c ---- */
struct ib_mr *ibx_user_reg_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va, int access,
			      struct ib_dmah *dmah, struct ib_udata *udata);
struct ib_mr *ibx_user_reg_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 va, int fd,
				     int access, struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *attrs);
struct ib_mr *ibx_user_rereg_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va,
				int access, struct ib_pd *ibpd, struct ib_udata *udata);
int ibx_user_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int ibx_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int ibx_dealloc_mw(struct ib_mw *ibmw);

#endif /* MLX5_IBX_ABI_H */
