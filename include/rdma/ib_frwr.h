/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Fast registration of memory, for kernel ULPs on any RDMA device
 *
 * A ULP passes memory in its own form: a scatterlist, an array of pages, an
 * array of bio_vecs, or the bios of a request. The API registers it in the best
 * way the device has. The names are from the "Kernel fast memory registration
 * API proposal" (RFC, linux-rdma, July 2015).
 *
 * The API has two layers. An initiator that exposes memory to a peer for the
 * time of a request uses only the second layer.
 *
 * 1. Single memory regions: ib_create_mr(), ib_mr_set_sg() and its variants,
 *    ib_fast_reg_post_send(), ib_mr_invalidated(), ib_destroy_mr(). The ULP handles the
 *    completions of its work requests.
 * 2. A registration context for each QP: struct ib_frwr. It owns a pool of MRs
 *    and posts registrations in front of the ULP's own work requests with one
 *    doorbell. It releases memory in all three cases: the peer has invalidated
 *    the key, the key must be invalidated locally, or the QP is in ERR.
 *
 * samples/frwr_initiator.c is an example of the second layer.
 * Documentation/infiniband/ib_frwr.rst explains both layers.
 *
 * States of an MR
 * ~~~~~~~~~~~~~~~
 *
 * Calls move an MR between three states::
 *
 *                       ib_mr_set_*()     ib_fast_reg_post_send()
 *   ib_create_mr() --> IDLE ----------> SET ----------------> POSTED
 *                      ^  ^              |                      |
 *                      |  +--------------+                      |
 *                      |   ib_mr_unset()                        |
 *                      +----------------------------------------+
 *                                  ib_mr_invalidated()
 *
 * IDLE: no memory is attached. SET: a list is attached, and the device cannot
 * access its memory. POSTED: the device may access the memory. An MR becomes
 * POSTED before its work request is posted. The ULP calls ib_mr_invalidated(),
 * and the MR becomes IDLE, when the key is known to be invalid: after a successful
 * completion of IB_WR_LOCAL_INV, after a receive with IB_WC_WITH_INVALIDATE, or
 * when ib_post_send() of IB_WR_REG_MR did not accept the registration. An MR whose
 * registration was not posted by ib_fast_reg_post_send(), or by ib_post_send() of
 * IB_WR_FAST_REG_MR, is SET again. ib_destroy_mr() is allowed in all three states.
 *
 * To post a registration by ib_post_send() on any device, the ULP initializes
 * the work request by ib_init_fast_reg_wr(), and calls ib_mr_posted() before it
 * posts. On devices of mlx5_ibx, ib_post_send() also accepts work requests
 * IB_WR_FAST_REG_MR without these two calls.
 *
 * ib_mr_set_pages(), ib_mr_set_biovec(), ib_mr_set_bvec_iter() and
 * ib_mr_set_bio() map the list for DMA. The mapping is undone when the MR
 * leaves SET or POSTED for IDLE, or is destroyed; until then the memory belongs
 * to the device. The caller maps the list of ib_mr_set_sg() or
 * ib_mr_set_sg_part(), and unmaps it after the MR has become IDLE or was destroyed.
 *
 * When a registration or an invalidation completes in error, the key may or may
 * not be valid. The ULP must not call ib_mr_invalidated() then, and destroys the
 * MR: ib_destroy_mr() destroys the key on the device before it unmaps the memory.
 *
 * Each ib_mr_set_*() gives the MR a key that it did not have in its last 255 uses.
 * Read mr->lkey and mr->rkey after the call.
 *
 * The example of the RFC, with the fields of this API in the work request::
 *
 *	struct ib_mr_init_attr attr = {
 *		.mr_type = IB_MR_TYPE_FAST_REG,
 *		.max_reg_descs = sg_nents,
 *	};
 *	struct ib_fast_reg_wr wr = {};
 *
 *	mr = ib_create_mr(pd, &attr);
 *	ib_mr_set_sg(mr, sg, sg_nents);
 *	wr.wr.opcode = IB_WR_FAST_REG_MR;
 *	wr.fast_reg.mr = mr;
 *	wr.fast_reg.iova = mr->iova;
 *	wr.fast_reg.length = mr->length;
 *	wr.fast_reg.access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
 *	ib_post_send(qp, &wr.wr, &bad_wr);
 *
 * Differences from the RFC, in the order of the example:
 *
 * "max_reg_descs = sg_nents": without IB_MR_REG_ARB_SG, max_reg_descs counts
 * pages. The number of elements is sufficient when each element is a page. It
 * is also sufficient when longer elements begin and end at bounds of a larger
 * page size, because the list is then registered in larger pages: see
 * ib_mr_set_sg(). Two elements of 64 KiB whose addresses are multiples of 4
 * KiB, but of no larger page size, need 32 pages. With IB_MR_REG_ARB_SG, the
 * number of elements is always sufficient.
 *
 * ib_post_send() of IB_WR_FAST_REG_MR: on devices of mlx5_ibx only. There the
 * work request may be anywhere in a chain, is not changed, and can be posted
 * again; ib_post_send() applies fast_reg as ib_init_fast_reg_wr() does, and
 * returns the errors of that function. The work requests of the chain before
 * the work request in error are posted, as for any other error. Other drivers
 * do not have the opcode, and the core does not check opcodes: mlx5_ib, mlx4,
 * siw and most other drivers refuse it with an errno, and rxe of Linux 6.12
 * reads beyond the end of its table of opcodes. So a ULP for any device calls
 * ib_fast_reg_post_send(), which also takes a little less time on mlx5_ibx.
 *
 * The ULP reports ib_mr_invalidated() before it uses an MR again.
 * ib_mr_set_pages() and ib_mr_set_biovec() map memory for DMA and have a
 * direction. In files that include this header, ib_dereg_mr() is
 * ib_destroy_mr(). An MR of ib_create_mr() must not be passed to code that
 * calls the core's ib_dereg_mr(), such as ib_mr_pool_destroy(): the call would
 * leak a DMA mapping and its memory.
 *
 * Locking is up to the caller: calls on one MR must not run at the same time;
 * calls on different MRs may. mr->sig_attrs of an MR of ib_create_mr() is not
 * available to the ULP.
 */
#ifndef RDMA_IB_FRWR_H
#define RDMA_IB_FRWR_H

#include <linux/atomic.h>
#include <linux/bvec.h>
#include <linux/dma-direction.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct bio;

/* names of the RFC. mlx5 and hfi1 use reserved opcodes, too, but not IB_WR_RESERVED10 */
#define IB_MR_TYPE_FAST_REG	IB_MR_TYPE_MEM_REG
#define IB_WR_FAST_REG_MR	IB_WR_RESERVED10
#define ib_dereg_mr(mr)		ib_destroy_mr(mr)

/**
 * enum ib_mr_create_flags - capabilities of an MR
 * @IB_MR_REG_ARB_SG: lists of elements of any length at any address. Without
 *	the flag, a list must not have a gap: two elements are contiguous, or the
 *	first ends and the second begins at a multiple of the page size
 * @IB_MR_REG_SG_ONLY: only ib_mr_set_sg() and ib_mr_set_sg_part() will be
 *	called. The other ib_mr_set_*() need 32 bytes of memory for each of
 *	max_reg_descs, in chunks of a page
 * @IB_MR_REG_PEER_MAY_READ: the ULP accepts a device that lets the peer READ memory
 *	registered without IB_ACCESS_REMOTE_READ. Without the flag, such a
 *	device is refused. Of the drivers in the kernel only siw does not check
 *	the access of READs; on other devices the flag has no effect
 */
enum ib_mr_create_flags {
	IB_MR_REG_ARB_SG	= BIT(0),
	IB_MR_REG_SG_ONLY	= BIT(1),
	IB_MR_REG_PEER_MAY_READ	= BIT(2),
};

/**
 * struct ib_mr_init_attr - attributes of an MR to create
 * @mr_type: IB_MR_TYPE_FAST_REG; or IB_MR_TYPE_INTEGRITY, which only registration
 *	contexts may have, for protection information as in <rdma/ib_frwr_pi.h>
 * @max_reg_descs: length of the longest list, in pages of 1 << page_shift bytes
 *	that the list touches. A list of n pages that begins inside a page
 *	touches n + 1 pages. A list of longer elements may count in larger
 *	pages, see ib_mr_set_sg(). With IB_MR_REG_ARB_SG, the length is the
 *	number of elements, pages or bio_vecs
 * @create_flags: flags of enum ib_mr_create_flags
 * @page_shift: log2 of the page size of lists, from 12 to PAGE_SHIFT; 0 is 12. Block
 *	devices and ULPs cut memory at multiples of 4 KiB also where PAGE_SIZE is
 *	larger
 * @max_meta_descs: length of the longest list of protection information, in
 *	elements; 0 if @mr_type is not IB_MR_TYPE_INTEGRITY. With this type,
 *	@max_reg_descs counts elements, too, and the only flag with an effect is
 *	IB_MR_REG_SG_ONLY: ib_frwr_map_pi_biovec() will not be called
 */
struct ib_mr_init_attr {
	enum ib_mr_type mr_type;
	u32 max_reg_descs;
	u32 create_flags;
	u32 page_shift;
	u32 max_meta_descs;
};

/**
 * enum ib_mr_role - user of a registration
 * @IB_MR_LOCAL: work requests of local QPs, which use the lkey
 * @IB_MR_REMOTE: the peer, which uses the rkey
 */
enum ib_mr_role {
	IB_MR_LOCAL,
	IB_MR_REMOTE,
};

/**
 * struct ib_fast_reg_wr - work request IB_WR_FAST_REG_MR
 * @wr: part of a chain of work requests. The ULP sets opcode, wr_cqe (or wr_id), next and
 *	send_flags
 * @reg: the work request IB_WR_REG_MR that drivers read; begins with @wr.
 *	ib_fast_reg_post_send() and ib_init_fast_reg_wr() set mr, key and access
 * @fast_reg: set by the ULP for ib_fast_reg_post_send(), and on mlx5_ibx for ib_post_send()
 * @fast_reg.mr: SET MR of ib_create_mr()
 * @fast_reg.iova: first address of the registration, as in ib_init_fast_reg_wr()
 * @fast_reg.length: number of bytes to register, as in ib_init_fast_reg_wr()
 * @fast_reg.access_flags: flags IB_ACCESS_*, as in ib_init_fast_reg_wr()
 *
 * The ULP zeroes the struct before it sets members. An MR needs only one
 * struct. The struct must stay until the call that posts the chain has returned
 * or all work requests of the chain have completed, whichever is first.
 */
struct ib_fast_reg_wr {
	union {
		struct ib_send_wr wr;
		struct ib_reg_wr reg;
	};
	struct {
		struct ib_mr *mr;
		u64 iova;
		u64 length;
		int access_flags;
	} fast_reg;
};

/**
 * ib_create_mr() - create an MR for fast registration
 * @pd: PD of the MR and of the QPs that it will be posted on
 * @attr: attributes of the MR
 *
 * Context: process context, may sleep.
 * Return:
 * * the MR, IDLE; or ERR_PTR() of
 * * -EINVAL: a flag is unknown, page_shift is out of range, max_meta_descs is not 0, or
 *   max_reg_descs is 0 or above the max_fast_reg_page_list_len of struct ib_device_attr
 * * -EOPNOTSUPP: the type is not IB_MR_TYPE_FAST_REG; or the device does not support
 *   fast registration, or IB_MR_REG_ARB_SG; or it does not check the access of READs,
 *   and IB_MR_REG_PEER_MAY_READ is not set
 * * -ENOMEM: out of memory
 * * another error of the driver
 */
struct ib_mr *ib_create_mr(struct ib_pd *pd, const struct ib_mr_init_attr *attr);

/**
 * ib_destroy_mr() - destroy an MR in any state
 * @mr: MR of ib_create_mr(), or any other MR of a kernel ULP. No work request that names
 *	it may be outstanding; for a QP in ERR that means that the QP was drained
 *
 * After success the key is invalid, and memory that ib_mr_set_*() mapped is unmapped.
 * Some drivers (mlx5_ibx) report a key that the device refuses to destroy in the kernel
 * log and still return 0.
 *
 * Context: process context, may sleep.
 * Return: 0, or an error of the driver's dereg_mr(). The MR is unchanged after an error.
 */
int ib_destroy_mr(struct ib_mr *mr);

/**
 * ib_mr_set_sg() - attach a scatterlist
 * @mr: IDLE MR
 * @sg: scatterlist, mapped for DMA by the caller until the MR is IDLE again
 * @sg_nents: number of DMA segments, as returned by ib_dma_map_sg()
 *
 * Attaches the complete list, or fails. The MR gets a new key, and the iova and
 * length of the list. The list is not accessed after the call.
 *
 * Without IB_MR_REG_ARB_SG, a list of more than max_reg_descs pages is attached
 * in larger pages if possible: in the smallest page size in which it has at
 * most max_reg_descs pages. The page size must be in
 * ib_device_attr.page_size_cap and at most 2 GiB, and every element must begin
 * and end at a page bound, except the begin of the first and the end of the
 * last element. The iova of the work request must then have the same offset
 * into these pages as the list. Larger pages are used on devices of mlx5_ib,
 * mlx5_ibx and rxe only; it is not known whether other drivers register pages
 * larger than 4 KiB.
 *
 * Context: any.
 * Return:
 * * 0: the MR is SET
 * * -EINVAL: the list or one of its elements is empty, an element wraps around
 *   the end of the address space, the list has a gap and the MR was created
 *   without IB_MR_REG_ARB_SG, or the MR is of ib_alloc_mr(). There is a gap
 *   between two elements if the second does not continue the first, unless the
 *   first ends and the second begins at a multiple of the MR's page size
 * * -ENOSPC: the list is too long for the MR, also in larger pages
 * * -EBUSY: the MR is SET or POSTED
 * * -ENOMEM: the driver has attached no element, because it could not allocate
 *   memory. Of the drivers in the kernel only hns allocates memory, and may
 *   sleep: on hns, this call needs process context
 */
int ib_mr_set_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents);

/**
 * ib_mr_set_sg_part() - attach as much of a scatterlist as the MR can hold
 * @mr: IDLE MR
 * @sg: scatterlist as for ib_mr_set_sg(). DMA addresses and lengths of its elements are
 *	changed for the time of the call
 * @sg_nents: number of DMA segments from @sg on
 * @sg_offset: bytes to skip at the beginning of @sg. After success, offset of the
 *	first byte that is not attached, in the first element that is not completely
 *	attached; 0 if the attached part ends with a complete element
 *
 * For ULPs that split lists, in the way of ib_map_mr_sg(). The list is attached up to a
 * gap, up to max_reg_descs elements, or, without IB_MR_REG_ARB_SG, up to the last page
 * that the MR can hold, which may be inside an element. At least one byte is attached.
 *
 * Context: any.
 * Return:
 * * number of elements that are completely attached; 0 if only a part of the first
 *   element is attached
 * * -EINVAL: as by ib_mr_set_sg(), or @sg has no byte at @sg_offset
 * * -ENOSPC: the driver needs several entries for an element of 2 GiB or more
 * * another error of ib_mr_set_sg()
 *
 * @sg_offset is unchanged after an error.
 */
int ib_mr_set_sg_part(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset);

/**
 * ib_mr_set_pages() - map pages for DMA and attach them
 * @mr: IDLE MR
 * @pages: pages in any order, pinned until the MR is IDLE again
 * @npages: number of pages
 * @offset: offset into the first page in bytes, less than PAGE_SIZE
 * @length: number of bytes from @offset on, within the pages
 * @dir: direction of the device's accesses
 *
 * Attaches the list as ib_mr_set_sg() does, but never in larger pages than the page size of
 * the MR. With IB_MR_REG_ARB_SG, the length of the list is the number of pages of PAGE_SIZE,
 * also if pages are contiguous.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: @offset or @length is outside the pages, @dir is invalid, or the
 *   MR has IB_MR_REG_SG_ONLY
 * * an error of ib_mr_set_sg()
 * * an error of dma_map_sgtable(): -ENOMEM for lack of space in the IOMMU,
 *   -EREMOTEIO for peer-to-peer memory that the device cannot reach, -EIO or
 *   -EINVAL
 */
int ib_mr_set_pages(struct ib_mr *mr, struct page **pages, unsigned int npages,
		    size_t offset, size_t length, enum dma_data_direction dir);

/**
 * ib_mr_set_biovec() - map bio_vecs for DMA and attach them
 * @mr: IDLE MR
 * @bvec: bio_vecs of one byte or more each, in one or several pages, pinned until the MR
 *	is IDLE again
 * @bi_vcnt: number of bio_vecs
 * @dir: direction of the device's accesses
 *
 * Attaches the list as ib_mr_set_sg() does.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: as by ib_mr_set_sg(), @dir is invalid, or the MR has IB_MR_REG_SG_ONLY
 * * another error of ib_mr_set_sg()
 * * an error of dma_map_sgtable(), as by ib_mr_set_pages()
 */
int ib_mr_set_biovec(struct ib_mr *mr, const struct bio_vec *bvec, unsigned int bi_vcnt,
		     enum dma_data_direction dir);

/**
 * ib_mr_set_bvec_iter() - map a part of bio_vecs for DMA and attach it
 * @mr: IDLE MR
 * @bvec: bio_vecs of one byte or more each, pinned until the MR is IDLE again
 * @iter: part of @bvec to attach: bi_size bytes from byte bi_offset of element
 *	bi_idx on
 * @dir: direction of the device's accesses
 *
 * Attaches the list as ib_mr_set_sg() does. Adjacent bio_vecs count as one element.
 *
 * Context: any.
 * Return: 0 or an error of ib_mr_set_biovec().
 */
int ib_mr_set_bvec_iter(struct ib_mr *mr, const struct bio_vec *bvec, struct bvec_iter iter,
			enum dma_data_direction dir);

/**
 * ib_mr_set_bio() - map the data of bios for DMA and attach it
 * @mr: IDLE MR
 * @bio: first of the bios, which bi_next links, for example in a struct
 *	request. The part of each bio that bi_iter covers is attached, so a bio
 *	may be a clone or the rest of a bio that was split. The pages of the
 *	bios are pinned until the MR is IDLE again; the bios are not accessed
 *	after the call
 * @dir: direction of the device's accesses
 *
 * Attaches the list as ib_mr_set_bvec_iter() does, in the order of the bios.
 * The data of a request with RQF_SPECIAL_PAYLOAD are in special_vec, not in the
 * bios: call ib_mr_set_biovec() for them.
 *
 * Context: any.
 * Return: 0 or an error of ib_mr_set_biovec(); -EINVAL also when one of the
 * bios has no bytes, or an operation without data.
 */
int ib_mr_set_bio(struct ib_mr *mr, struct bio *bio, enum dma_data_direction dir);

/**
 * ib_mr_unset() - detach the list of an MR that was not posted
 * @mr: SET MR; IDLE after success
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: the MR is IDLE
 * * -EBUSY: the MR is POSTED
 */
int ib_mr_unset(struct ib_mr *mr);

/**
 * ib_mr_access() - minimal access flags for a use of an MR
 * @mr: MR of ib_create_mr()
 * @role: user of the registration
 * @dir: DMA_TO_DEVICE if the user reads the memory, DMA_FROM_DEVICE if the user
 *	writes the memory, DMA_BIDIRECTIONAL if the user does both
 *
 * The flags for DMA_TO_DEVICE do not let the peer WRITE. The flags for DMA_FROM_DEVICE do not
 * let the peer READ, unless the MR was created with IB_MR_REG_PEER_MAY_READ on a device that
 * does not check the access of READs. Flags that the device needs for the same use are
 * included: iWARP needs IB_ACCESS_REMOTE_WRITE for the sink of a READ.
 *
 * Context: any.
 * Return: flags IB_ACCESS_*.
 */
int ib_mr_access(const struct ib_mr *mr, enum ib_mr_role role, enum dma_data_direction dir);

/**
 * ib_init_fast_reg_wr() - initialize the work request that registers an MR
 * @wr: gets the work request, with opcode IB_WR_REG_MR; wr_cqe, next and send_flags become 0
 * @mr: SET MR
 * @iova: first address of the registration, with the same offset into a page of the
 *	MR as the list, or into a larger page that ib_mr_set_sg() has chosen; becomes
 *	mr->iova. hfi1 ignores a change for lkeys
 * @length: number of bytes to register from the beginning of the list; becomes
 *	mr->length
 * @access_flags: flags IB_ACCESS_*, normally the result of ib_mr_access()
 *
 * @wr and @mr are unchanged after an error.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: the MR is IDLE, @iova or @length does not fit the list or wraps, or
 *   @access_flags contradict themselves or the DMA direction of the list: remote
 *   write or atomic access without IB_ACCESS_LOCAL_WRITE, writes to memory mapped
 *   DMA_TO_DEVICE, or remote reads of memory mapped DMA_FROM_DEVICE
 * * -EOPNOTSUPP: the device does not support @access_flags; or @length is less
 *   than the length of the list and the driver has no hook
 *   (<rdma/ib_frwr_provider.h>): some drivers (siw, hfi1) give the peer the
 *   complete list then; or @iova differs from the list's and the driver is
 *   ocrdma, which would register other memory
 * * -EBUSY: the MR is POSTED
 */
int ib_init_fast_reg_wr(struct ib_fast_reg_wr *wr, struct ib_mr *mr, u64 iova, u64 length,
			int access_flags);

/**
 * ib_fast_reg_post_send() - post work requests, with registrations among them
 * @qp: QP, of the PD of the MRs
 * @wr: chain of work requests. Those with IB_WR_FAST_REG_MR are in a struct
 *	ib_fast_reg_wr, whose fast_reg is set by the ULP or by
 *	ib_init_fast_reg_wr()
 * @bad_wr: after an error, gets the first work request that was not posted; or
 *	NULL if the driver does not report that work request: all MRs are POSTED
 *	then. @bad_wr may be NULL
 *
 * Applies fast_reg of each registration as ib_init_fast_reg_wr() does, marks
 * its MR as POSTED, and calls ib_post_send() once. The MRs of
 * registrations that were not posted are SET again. The opcode of each
 * registration becomes IB_WR_REG_MR. This call can post the chain again.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: a registration has no MR; nothing was posted
 * * an error of ib_init_fast_reg_wr() for one of the registrations; nothing was
 *   posted
 * * an error of ib_post_send()
 */
int ib_fast_reg_post_send(struct ib_qp *qp, struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr);

/**
 * ib_mr_posted() - note that the MR's work request will be posted now
 * @mr: SET MR; POSTED after success
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: the MR is IDLE
 * * -EBUSY: the MR is POSTED
 */
int ib_mr_posted(struct ib_mr *mr);

/**
 * ib_mr_invalidated() - note that the MR's key is invalid
 * @mr: POSTED MR; IDLE, with its list unmapped, after success
 *
 * Context: any.
 * Return: 0; -EINVAL when the MR is not POSTED.
 */
int ib_mr_invalidated(struct ib_mr *mr);

/* ---- registration context ---- */

struct ib_frwr;
struct ib_frwr_req;

/**
 * struct ib_frwr_attr - attributes of a registration context
 * @mr: attributes of the MRs of the context
 * @min_mrs: number of MRs that are created with the context, at least 1. More are
 *	created on demand
 * @max_mrs: highest number of MRs, at least @min_mrs
 * @available: called once after a map has returned -EAGAIN, when as many MRs
 *	are free as the map needs (with several such maps: as many as the map
 *	that needs the fewest). The call may come before the map has
 *	returned, so a ULP that queues a request must retry the map after
 *	queueing the request. Called in process context without locks. available()
 *	may map and post. It must not wait for requests to be released, nor call
 *	ib_frwr_destroy(), which waits for the end of available(). May be NULL
 * @priv: argument of @available
 */
struct ib_frwr_attr {
	struct ib_mr_init_attr mr;
	u32 min_mrs;
	u32 max_mrs;
	void (*available)(void *priv);
	void *priv;
};

/**
 * struct ib_frwr_req - one registration of a registration context
 * @rkey: key for the peer, valid after a map
 * @lkey: key for work requests of the ULP's own QP, valid after a map. The work
 *	requests may read the memory, and may write it if the peer may write it
 * @iova: first address for both keys, valid after a map
 * @length: number of bytes, valid after a map
 * @next: next request of a chain that is mapped, posted or released together, or NULL
 * @released: called when the release of the chain that begins here is complete, if
 *	ib_frwr_release() has returned -EINPROGRESS. The memory of each request of the
 *	chain belongs to the ULP again and the peer cannot access it, unless @err of the
 *	request is not 0. Called in any context up to softirq, possibly before
 *	ib_frwr_release() has returned. NULL if the ULP needs no call
 * @status: valid after the release: IB_WC_SUCCESS, or status of the completion with which
 *	the registration or the invalidation failed. A failure with another status than
 *	IB_WC_WR_FLUSH_ERR has put the QP into ERR, and the kernel log has a message
 * @err: valid after the release: 0, or the errno with which the device refused to destroy
 *	the MR. The key may be valid then, and the memory is still mapped: it must be
 *	neither freed nor used again
 *
 * Embedded in the ULP's request and zeroed before its first use. The ULP sets @next
 * and @released and reads the other members. A request that was released can be
 * mapped again.
 */
struct ib_frwr_req {
	u32 rkey;
	u32 lkey;
	u64 iova;
	u64 length;
	struct ib_frwr_req *next;
	void (*released)(struct ib_frwr_req *req);
	enum ib_wc_status status;
	int err;

	/* private: */
	struct ib_frwr *frwr;
	struct ib_mr *mr;
	struct ib_cqe reg_cqe;
	struct ib_cqe inv_cqe;
	union {
		struct ib_reg_wr reg;	/* until the release */
		struct {
			struct ib_send_wr inv;
			struct ib_frwr_req *first;
			struct ib_frwr_req *deferred;
		};
	};
	atomic_t pending;
	bool full;
	u8 state;
};

/**
 * ib_frwr_slots() - number of queue entries that a registration context needs
 * @attr: attributes of the context
 *
 * Add the number to the entries that the ULP's own work requests need, both in
 * the send queue (ib_qp_init_attr.cap.max_send_wr) and in its CQ. The sum is
 * sufficient if each chain of the ULP's work requests ends with a signaled work
 * request, and a struct ib_frwr_req is released only after that work request has
 * completed. A ULP that leaves work requests unsignaled adds an entry for each
 * unsignaled work request and for each registration in front of an unsignaled
 * work request, up to the next signaled work request.
 *
 * Context: any.
 * Return: number of entries.
 */
u32 ib_frwr_slots(const struct ib_frwr_attr *attr);

/**
 * ib_frwr_create() - create a registration context
 * @qp: RC QP. Its send CQ calls ib_cqe.done, as a CQ of ib_alloc_cq() does, for
 *	one completion at a time and in order. A ULP that polls an
 *	IB_POLL_DIRECT CQ from several threads serializes them, and does not
 *	poll while it drains @qp
 * @attr: attributes of the context
 *
 * Context: process context, may sleep.
 * Return:
 * * the context, with min_mrs MRs
 * * ERR_PTR(-EINVAL): min_mrs is 0 or above max_mrs, max_mrs is above the
 *   device's limit, or @qp is not RC; with IB_MR_TYPE_INTEGRITY also: @qp was
 *   created without IB_QP_CREATE_INTEGRITY_EN, or max_reg_descs or
 *   max_meta_descs is 0 or beyond the device's limit
 * * ERR_PTR(-EOPNOTSUPP): with IB_MR_TYPE_INTEGRITY, the device does not have
 *   IBK_INTEGRITY_HANDOVER
 * * an ERR_PTR() of ib_create_mr()
 */
struct ib_frwr *ib_frwr_create(struct ib_qp *qp, const struct ib_frwr_attr *attr);

/**
 * ib_frwr_destroy() - destroy a registration context
 * @frwr: context that has no request mapped or in release. Its QP must still
 *	exist, in any state
 *
 * @available is not called after ib_frwr_destroy() has returned 0. MRs that the
 * device refused to destroy are destroyed now, if the device does not refuse
 * again.
 *
 * Context: process context, may sleep; not in @available or @released.
 * Return: 0; or -EBUSY, with the context unchanged, when a request has an MR:
 * it was not released, its release is not complete, or @available has mapped
 * it.
 */
int ib_frwr_destroy(struct ib_frwr *frwr);

/**
 * ib_frwr_map_sg() - map a scatterlist to an MR of the pool
 * @frwr: registration context
 * @req: request that is not mapped
 * @sg: scatterlist, mapped for DMA by the caller until @req is released
 * @sg_nents: number of DMA segments
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if it does both
 *
 * Sets rkey, lkey, iova and length of @req. After ib_frwr_post() the peer has only
 * the access that @dir needs, except with IB_MR_REG_PEER_MAY_READ.
 *
 * The map of the first request of a chain gets MRs for all requests that are
 * linked by @next, or fails. So the ULP links a chain before it maps the
 * requests one by one. The maps of the other requests do not return -EAGAIN
 * then. If one map fails, the ULP releases the chain. If the ULP links requests
 * after their maps, a map may wait for an MR of another request of the chain.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EAGAIN: fewer MRs are free than the chain needs. More MRs are created if
 *   max_mrs permits, and available() is called when enough MRs are free
 * * -EBUSY: @req is mapped, or a request of its chain was aborted and is not
 *   released
 * * -EINVAL: the chain has more than max_mrs requests, @dir is invalid, or the
 *   context is of IB_MR_TYPE_INTEGRITY
 * * an error of ib_mr_set_sg()
 */
int ib_frwr_map_sg(struct ib_frwr *frwr, struct ib_frwr_req *req, struct scatterlist *sg,
		   int sg_nents, enum dma_data_direction dir);

/**
 * ib_frwr_map_sg_part() - map as much of a scatterlist as an MR of the pool can hold
 * @frwr: registration context
 * @req: request that is not mapped
 * @sg: scatterlist as for ib_frwr_map_sg(); its elements are changed for the time of the
 *	call
 * @sg_nents: number of DMA segments from @sg on
 * @sg_offset: bytes to skip, as in ib_mr_set_sg_part()
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if it does both
 *
 * For ULPs that need several registrations for a list. The next request maps the rest:
 * the ULP moves @sg forward by the number of elements that the call returns, and passes
 * @sg_offset with the value that the call has stored there.
 *
 * Context: any.
 * Return: number of elements that are completely mapped, as by ib_mr_set_sg_part(), or
 * an error of that function or of ib_frwr_map_sg().
 */
int ib_frwr_map_sg_part(struct ib_frwr *frwr, struct ib_frwr_req *req, struct scatterlist *sg,
			int sg_nents, unsigned int *sg_offset, enum dma_data_direction dir);

/**
 * ib_frwr_map_pages() - map pages to an MR of the pool
 * @frwr: registration context
 * @req: request that is not mapped
 * @pages: pages for @offset and @length, pinned until @req is released
 * @offset: offset into the first page in bytes
 * @length: number of bytes from @offset on
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if it does both
 *
 * Context: any.
 * Return: 0, or an error of ib_frwr_map_sg() or ib_mr_set_pages().
 */
int ib_frwr_map_pages(struct ib_frwr *frwr, struct ib_frwr_req *req, struct page **pages,
		      size_t offset, size_t length, enum dma_data_direction dir);

/**
 * ib_frwr_map_biovec() - map bio_vecs to an MR of the pool
 * @frwr: registration context
 * @req: request that is not mapped
 * @bvec: bio_vecs, with their pages pinned until @req is released
 * @bi_vcnt: number of bio_vecs
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if it does both
 *
 * Context: any.
 * Return: 0, or an error of ib_frwr_map_sg() or ib_mr_set_biovec().
 */
int ib_frwr_map_biovec(struct ib_frwr *frwr, struct ib_frwr_req *req,
		       const struct bio_vec *bvec, unsigned int bi_vcnt,
		       enum dma_data_direction dir);

/**
 * ib_frwr_map_bvec_iter() - map a part of bio_vecs to an MR of the pool
 * @frwr: registration context
 * @req: request that is not mapped
 * @bvec: bio_vecs, with their pages pinned until @req is released
 * @iter: part of @bvec to map
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if it does both
 *
 * Context: any.
 * Return: 0, or an error of ib_frwr_map_sg() or ib_mr_set_bvec_iter().
 */
int ib_frwr_map_bvec_iter(struct ib_frwr *frwr, struct ib_frwr_req *req,
			  const struct bio_vec *bvec, struct bvec_iter iter,
			  enum dma_data_direction dir);

/**
 * ib_frwr_map_bio() - map the data of bios to an MR of the pool
 * @frwr: registration context
 * @req: request that is not mapped
 * @bio: first of the bios, which bi_next links, as for ib_mr_set_bio(); their pages are
 *	pinned until @req is released
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if it does both
 *
 * Context: any.
 * Return: 0, or an error of ib_frwr_map_sg() or ib_mr_set_bio().
 */
int ib_frwr_map_bio(struct ib_frwr *frwr, struct ib_frwr_req *req, struct bio *bio,
		    enum dma_data_direction dir);

/**
 * ib_frwr_set_iova() - choose the first address of a mapped request
 * @req: mapped request that was not posted
 * @iova: address with the same offset into a page of the MR as @req->iova, which it
 *	replaces
 *
 * For a ULP that puts more information than an address into the iova: NFS over
 * RDMA puts the number of the transaction into the upper half.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: @req is not mapped or was posted, has protection information, or
 *   @iova has another offset or wraps
 * * -EOPNOTSUPP: the driver would register other memory (ocrdma)
 *
 * @req is unchanged after an error.
 */
int ib_frwr_set_iova(struct ib_frwr_req *req, u64 iova);

/**
 * ib_frwr_post() - post the registrations of a chain, and work requests after them
 * @first: first of a chain of mapped requests of one context
 * @wr: work requests of the ULP that use the registrations or send their keys to
 *	the peer, or NULL
 * @bad_wr: set after an error, as by ib_post_send(); to @wr when no request of
 *	@wr was posted. May be NULL
 *
 * Calls ib_post_send() once, so that there is one doorbell. The chain must be
 * released after an error, too. If no registration of the chain was posted, the
 * release is complete at once.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: a request of the chain is not mapped, was posted before, or belongs to
 *   another context; nothing was posted
 * * an error of ib_post_send()
 */
int ib_frwr_post(struct ib_frwr_req *first, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr);

/**
 * ib_frwr_remote_inv() - note that the peer has invalidated the key of a request
 * @first: first of a chain of posted requests
 * @wc: completion of a receive from the peer that got the keys of the chain. A
 *	completion without IB_WC_WITH_INVALIDATE, or with an error, has no effect
 *
 * Context: any; not at the same time as another call with requests of the chain.
 * Return: 0; -EINVAL when the invalidated key is not the key of a posted request of the
 * chain, which is a protocol error of the peer.
 */
int ib_frwr_remote_inv(struct ib_frwr_req *first, const struct ib_wc *wc);

/**
 * ib_frwr_release() - end the peer's access to the memory of a chain
 * @first: first of a chain of requests of one context that are mapped, posted, or
 *	invalidated by the peer
 *
 * Invalidates the keys that are still valid, with one doorbell, and then unmaps the
 * memory. If the invalidation of an MR fails, because the QP is in ERR or the driver
 * refuses the work request, the MR is destroyed before its memory is unmapped; a new MR
 * is created when a map needs one. So a release also works for a QP in ERR. A QP whose
 * driver refuses invalidations is put into ERR. The ULP continues to poll the send CQ,
 * or drains it. It must not move the QP to RESET before the release is complete: work
 * requests vanish without a completion then.
 *
 * Requests that were mapped and posted one by one may be linked for the
 * release: several I/Os that end together then need one doorbell and one
 * completion.
 *
 * Context: any; not at the same time as another call with requests of the chain.
 * Return:
 * * 0: the release is complete, and @first->released is not called: the peer
 *   has invalidated all keys, ib_frwr_abort() has destroyed them, or no request
 *   of the chain is mapped
 * * -EINPROGRESS: @first->released is called when the release is complete, and
 *   possibly was called already
 * * -EBUSY: a request of the chain is in release; nothing is changed
 * * -EINVAL: requests belong to different contexts; nothing is changed
 */
int ib_frwr_release(struct ib_frwr_req *first);

/**
 * ib_frwr_abort() - end the peer's access to the memory of all posted requests
 * @frwr: registration context, whose QP is in ERR and was drained by ib_drain_qp()
 *
 * For a ULP that takes back the requests of a QP in ERR itself, as
 * nvme_cancel_tagset() does. Completes the releases in progress, and destroys
 * the MRs of all other posted requests. Nothing is posted, and no completion is
 * needed, unless the ULP has released requests after the QP was drained: then
 * the send queue is drained again. ib_frwr_release() of the other requests is
 * complete at once and returns 0.
 *
 * Context: process context, may sleep; not in @available or @released, and not at the
 * same time as another call with the context or one of its requests.
 */
void ib_frwr_abort(struct ib_frwr *frwr);

#endif /* RDMA_IB_FRWR_H */
