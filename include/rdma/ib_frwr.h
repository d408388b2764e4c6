/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Fast registration of memory, for kernel ULPs on any RDMA device
 *
 * A ULP hands over memory in the form it has it: a scatterlist, an array of
 * pages or of bio_vecs. How the device registers it is not the ULP's concern.
 * The names are those of the "Kernel fast memory registration API proposal"
 * (RFC, linux-rdma, July 2015).
 *
 * There are two layers. An initiator that exposes memory to a peer for the time
 * of a request wants the second; it needs nothing of the first.
 *
 * 1. Memory regions, one by one: ib_create_mr(), ib_mr_set_sg() and friends,
 *    ib_init_fast_reg_wr(), ib_mr_posted(), ib_mr_invalidated(),
 *    ib_destroy_mr(). The ULP posts the work requests and sees their
 *    completions.
 * 2. A registration context per QP: struct ib_frwr. It owns a pool of MRs,
 *    posts registrations in front of the ULP's own work requests with one
 *    doorbell, and takes back what was registered, whether the peer
 *    invalidated it, it must be invalidated here, or the QP broke.
 *
 * samples/frwr_initiator.c is an example of the second layer,
 * Documentation/infiniband/ib_frwr.rst explains both.
 *
 * The life of an MR
 * -----------------
 *
 * ::
 *
 *                       ib_mr_set_*()         ib_mr_posted()
 *   ib_create_mr() --> IDLE ----------> SET ----------------> POSTED
 *                      ^  ^              |                      |
 *                      |  +--------------+                      |
 *                      |   ib_mr_unset()                        |
 *                      +----------------------------------------+
 *                                  ib_mr_invalidated()
 *
 * IDLE: no memory is attached. SET: a list is attached; the device does not
 * know it. POSTED: the device may know it. An MR is POSTED from just before its
 * work request is posted, and IDLE again when its key is known to be invalid:
 * after a successful completion of IB_WR_LOCAL_INV, or of a receive with
 * IB_WC_WITH_INVALIDATE. If ib_post_send() did not take the registration it may
 * be called invalidated right away. ib_destroy_mr() is legal in all three.
 *
 * Lists of pages and bio_vecs are mapped for DMA by ib_mr_set_*() and unmapped
 * when the MR leaves SET or POSTED for IDLE or for good. Until then memory
 * belongs to the device. Scatterlists are mapped by the caller, who unmaps no
 * earlier than that.
 *
 * When a registration or an invalidation completes in error, nobody knows
 * whether the key is valid: not the ULP, and not this API. There is no way back
 * to IDLE then. ib_destroy_mr() makes the device forget the key before it
 * unmaps the memory.
 *
 * Each ib_mr_set_*() gives the MR a key that it did not have the last 255 times:
 * read mr->lkey and mr->rkey after it.
 *
 * Locking: none. Calls on one MR must not run at the same time; calls on
 * different MRs may.
 */
#ifndef RDMA_IB_FRWR_H
#define RDMA_IB_FRWR_H

#include <linux/bvec.h>
#include <linux/dma-direction.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* the RFC's names */
#define IB_MR_TYPE_FAST_REG	IB_MR_TYPE_MEM_REG
#define IB_WR_FAST_REG_MR	IB_WR_REG_MR

/**
 * enum ib_mr_create_flags - what an MR can do
 * @IB_MR_REG_ARB_SG: lists of pieces of any length at any address. Without it
 *	only the first piece may begin inside a page and only the last may end
 *	inside one.
 */
enum ib_mr_create_flags {
	IB_MR_REG_ARB_SG	= BIT(0),
};

/**
 * struct ib_mr_init_attr - an MR to create
 * @mr_type: IB_MR_TYPE_FAST_REG
 * @max_reg_descs: longest list: pages of PAGE_SIZE that a list touches or, with
 *	IB_MR_REG_ARB_SG, elements, pages or bio_vecs of a list
 * @create_flags: of enum ib_mr_create_flags
 */
struct ib_mr_init_attr {
	enum ib_mr_type mr_type;
	u32 max_reg_descs;
	u32 create_flags;
};

/**
 * enum ib_mr_role - who uses a registration
 * @IB_MR_LOCAL: work requests of its own QPs, by its lkey
 * @IB_MR_REMOTE: the peer, by its rkey
 */
enum ib_mr_role {
	IB_MR_LOCAL,
	IB_MR_REMOTE,
};

/**
 * struct ib_fast_reg_wr - work request IB_WR_FAST_REG_MR
 * @reg: what providers see; post @reg.wr. @reg.mr, @reg.key and @reg.access are
 *	set; the ULP sets wr_cqe (or wr_id), next and send_flags
 * @iova: where the registration begins for those who use it
 * @length: its bytes
 *
 * ib_init_fast_reg_wr() sets it. One is enough for each MR, and it must stay
 * until ib_post_send() returns.
 */
struct ib_fast_reg_wr {
	struct ib_reg_wr reg;
	u64 iova;
	u64 length;
};

/**
 * ib_create_mr() - create an MR for fast registration
 * @pd: its PD; the QPs it is posted on must be of the same
 * @attr: what it is like
 *
 * Context: process context, may sleep.
 * Return: the MR, IDLE; or ERR_PTR() of -EINVAL for a type that is not
 * IB_MR_TYPE_FAST_REG, unknown flags, or a @max_reg_descs of 0 or beyond the
 * device's; -EOPNOTSUPP when the device has no fast registration, or no
 * IB_MR_REG_ARB_SG; -ENOMEM; or what the driver says.
 */
struct ib_mr *ib_create_mr(struct ib_pd *pd, const struct ib_mr_init_attr *attr);

/**
 * ib_destroy_mr() - destroy an MR, whatever its state
 * @mr: of ib_create_mr(). No work request that names it is outstanding; those of
 *	a QP in error are not once the QP was drained
 *
 * When it returns 0 the key is invalid and memory that ib_mr_set_*() mapped is
 * unmapped. (A driver may report a key that the device would not give up, and
 * return 0 all the same: mlx5_ibx does.) It is required: ib_dereg_mr() alone leaks.
 *
 * Context: process context, may sleep.
 * Return: 0; -EINVAL for an MR of ib_alloc_mr(); or what ib_dereg_mr() says.
 * Nothing has changed then.
 */
int ib_destroy_mr(struct ib_mr *mr);

/**
 * ib_mr_set_sg() - attach a scatterlist
 * @mr: IDLE
 * @sg: mapped for DMA by the caller, who keeps it so until the MR is IDLE again
 * @sg_nents: elements, as ib_dma_map_sg() returned
 *
 * All of it or nothing. @mr gets a new key, and iova and length of the list. The
 * list itself is not looked at again.
 *
 * Context: any.
 * Return: 0; -EINVAL without an element, with an empty one, or one that wraps, or
 * when the MR cannot take the list as it is: without IB_MR_REG_ARB_SG, all
 * elements but the first begin, and all but the last end, at a multiple of
 * PAGE_SIZE, or continue the one before; -ENOSPC when @mr is too small; -EBUSY
 * when it is SET or POSTED.
 */
int ib_mr_set_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents);

/**
 * ib_mr_set_pages() - map pages for DMA and attach them
 * @mr: IDLE
 * @pages: pages, in any order; pinned until the MR is IDLE again
 * @npages: how many there are
 * @offset: into the first page, less than PAGE_SIZE
 * @length: bytes from there, within the pages
 * @dir: what the device does with them
 *
 * Otherwise as ib_mr_set_sg().
 *
 * Context: any.
 * Return: as ib_mr_set_sg(); -EINVAL also for an offset or a length that the
 * pages do not have, or no direction; -ENOMEM when DMA mapping fails.
 */
int ib_mr_set_pages(struct ib_mr *mr, struct page **pages, unsigned int npages,
		    size_t offset, size_t length, enum dma_data_direction dir);

/**
 * ib_mr_set_biovec() - map bio_vecs for DMA and attach them
 * @mr: IDLE
 * @bvec: bio_vecs, of one page or more each; their pages stay until the MR is
 *	IDLE again
 * @bi_vcnt: how many there are
 * @dir: what the device does with them
 *
 * Otherwise as ib_mr_set_sg().
 *
 * Context: any.
 * Return: as ib_mr_set_sg(); -EINVAL also for no direction; -ENOMEM when DMA
 * mapping fails.
 */
int ib_mr_set_biovec(struct ib_mr *mr, const struct bio_vec *bvec, unsigned int bi_vcnt,
		     enum dma_data_direction dir);

/**
 * ib_mr_unset() - take the list away from an MR that was not posted
 * @mr: SET; IDLE afterwards
 *
 * Context: any.
 * Return: 0; -EINVAL when it is IDLE, -EBUSY when it is POSTED.
 */
int ib_mr_unset(struct ib_mr *mr);

/**
 * ib_mr_access() - the access flags that a use needs, and no others
 * @mr: of ib_create_mr()
 * @role: who uses the memory
 * @dir: DMA_TO_DEVICE for what is read from it, DMA_FROM_DEVICE for what is
 *	written to it
 *
 * A peer that READs gets no right to WRITE, nor the other way round. Where the
 * device needs more for the same, as iWARP does for the sink of a READ, that is
 * in it.
 *
 * Context: any.
 * Return: IB_ACCESS_*.
 */
int ib_mr_access(const struct ib_mr *mr, enum ib_mr_role role, enum dma_data_direction dir);

/**
 * ib_init_fast_reg_wr() - make the work request that registers an MR
 * @wr: to be set; members of the ULP's (struct ib_fast_reg_wr) are zeroed
 * @mr: SET
 * @iova: address its users give, mr->iova from now on. Its offset into a page
 *	must be that of the list
 * @length: bytes to register from the beginning of the list, mr->length from
 *	now on
 * @access_flags: IB_ACCESS_*, best those of ib_mr_access()
 *
 * Context: any.
 * Return: 0; -EINVAL when @mr has no list, for an iova or length that does not
 * fit it or wraps, access without IB_ACCESS_LOCAL_WRITE that writes remotely, that
 * writes to memory mapped DMA_TO_DEVICE, or lets the peer read memory mapped
 * DMA_FROM_DEVICE; -EOPNOTSUPP for access that the device cannot honour; -EBUSY
 * when @mr is POSTED. @mr is as it was then.
 */
int ib_init_fast_reg_wr(struct ib_fast_reg_wr *wr, struct ib_mr *mr, u64 iova, u64 length,
			int access_flags);

/**
 * ib_mr_posted() - the MR's work request is about to be posted
 * @mr: SET; POSTED afterwards
 *
 * Context: any.
 * Return: 0; -EINVAL when it is IDLE, -EBUSY when it is POSTED already.
 */
int ib_mr_posted(struct ib_mr *mr);

/**
 * ib_mr_invalidated() - the MR's key is known to be invalid
 * @mr: POSTED; IDLE afterwards, and unmapped
 *
 * Context: any.
 * Return: 0; -EINVAL when it is not POSTED.
 */
int ib_mr_invalidated(struct ib_mr *mr);

/* ---- registration context ---- */

struct ib_frwr;
struct ib_frwr_req;

/**
 * struct ib_frwr_attr - a registration context to create
 * @mr: what its MRs are like
 * @min_mrs: made at once; more are made when they are asked for. At least 1
 * @max_mrs: never more than these; at least @min_mrs
 * @available: after a map returned -EAGAIN, called once when it is worth trying
 *	again, which may be before that map has returned: whoever sets a request aside
 *	maps it once more after that. In process context, without locks. It may map and
 *	post, but neither wait for requests to be released nor call ib_frwr_destroy(),
 *	which waits for it. May be NULL
 * @priv: for @available
 */
struct ib_frwr_attr {
	struct ib_mr_init_attr mr;
	u32 min_mrs;
	u32 max_mrs;
	void (*available)(void *priv);
	void *priv;
};

/**
 * struct ib_frwr_req - one registration, part of a ULP's request
 * @rkey: for the peer; valid after a map
 * @iova: likewise
 * @length: likewise, in bytes
 * @next: the next of those that are posted and released together, or NULL
 * @released: called when ib_frwr_release() has released the chain that begins
 *	here: the memory is the ULP's again, and no peer can reach it, unless the
 *	device refused to destroy an MR in doubt, which the kernel log tells. In
 *	any context, up to soft interrupts and before ib_frwr_release() returned
 *
 * The ULP sets @next and @released and reads the others. Zeroes are a request
 * that is not mapped; so is one that was released.
 */
struct ib_frwr_req {
	u32 rkey;
	u64 iova;
	u64 length;
	struct ib_frwr_req *next;
	void (*released)(struct ib_frwr_req *req);

	/* private: */
	struct ib_frwr *frwr;
	struct ib_mr *mr;
	struct ib_fast_reg_wr reg;
	struct ib_send_wr inv;
	struct ib_cqe reg_cqe;
	struct ib_cqe inv_cqe;
	struct ib_frwr_req *first;
	const struct ib_send_wr *unposted;
	struct list_head entry;
	bool full;
	u8 state;
};

/**
 * ib_frwr_slots() - room in the queues that a registration context needs
 * @attr: the context
 *
 * To be added to what the ULP's own requests need, both in the send queue
 * (ib_qp_init_attr.cap.max_send_wr) and in its CQ. The ULP's chains end with a
 * signaled request, and it releases a request only after that one completed:
 * otherwise queues may fill up.
 *
 * Context: any.
 * Return: entries.
 */
u32 ib_frwr_slots(const struct ib_frwr_attr *attr);

/**
 * ib_frwr_create() - create a registration context
 * @qp: its QP, RC, whose send CQ calls ib_cqe.done (ib_alloc_cq() makes such)
 * @attr: what it is like
 *
 * Context: process context, may sleep.
 * Return: the context; or ERR_PTR() of -EINVAL for numbers of MRs out of order or
 * beyond what the device has, or a QP that is not RC; or as ib_create_mr(). min_mrs are
 * there, or it fails.
 */
struct ib_frwr *ib_frwr_create(struct ib_qp *qp, const struct ib_frwr_attr *attr);

/**
 * ib_frwr_destroy() - destroy a registration context
 * @frwr: without requests that are mapped or not yet released. Its QP may be in
 *	any state but must still exist
 *
 * @available is not called any more when it returns.
 *
 * Context: process context, may sleep; not in @available or @released.
 */
void ib_frwr_destroy(struct ib_frwr *frwr);

/**
 * ib_frwr_map_sg() - take an MR from the pool for a mapped scatterlist
 * @frwr: the context
 * @req: not mapped
 * @sg: mapped for DMA by the caller, until @req was released
 * @sg_nents: elements
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if both
 *
 * @req has its rkey, iova and length then. The peer has the right that @dir
 * needs and no other, from ib_frwr_post() on.
 *
 * Context: any.
 * Return: 0; -EAGAIN when all MRs are in use: @available tells when there is one
 * again, and more MRs are being made if there may be; -EBUSY when @req is mapped;
 * or as ib_mr_set_sg().
 */
int ib_frwr_map_sg(struct ib_frwr *frwr, struct ib_frwr_req *req, struct scatterlist *sg,
		   int sg_nents, enum dma_data_direction dir);

/**
 * ib_frwr_map_pages() - take an MR from the pool for pages
 * @frwr: the context
 * @req: not mapped
 * @pages: as many as @offset and @length say, until @req was released
 * @offset: into the first page
 * @length: bytes from there
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if both
 *
 * Context: any.
 * Return: as ib_frwr_map_sg() and ib_mr_set_pages().
 */
int ib_frwr_map_pages(struct ib_frwr *frwr, struct ib_frwr_req *req, struct page **pages,
		      size_t offset, size_t length, enum dma_data_direction dir);

/**
 * ib_frwr_map_biovec() - take an MR from the pool for bio_vecs
 * @frwr: the context
 * @req: not mapped
 * @bvec: bio_vecs, whose pages stay until @req was released
 * @bi_vcnt: how many there are
 * @dir: DMA_TO_DEVICE if the peer reads, DMA_FROM_DEVICE if it writes,
 *	DMA_BIDIRECTIONAL if both
 *
 * Context: any.
 * Return: as ib_frwr_map_sg() and ib_mr_set_biovec().
 */
int ib_frwr_map_biovec(struct ib_frwr *frwr, struct ib_frwr_req *req,
		       const struct bio_vec *bvec, unsigned int bi_vcnt,
		       enum dma_data_direction dir);

/**
 * ib_frwr_post() - post the registrations of a chain, and requests after them
 * @first: mapped requests of one context, linked by next
 * @wr: work requests of the ULP, that may use what is registered or tell the peer
 *	of it; NULL for none
 * @bad_wr: as of ib_post_send(); @wr when none of @wr was posted. May be NULL
 *
 * One ib_post_send(), and so one doorbell. After an error too, all of @first
 * must be released.
 *
 * Context: any.
 * Return: 0; -EINVAL when one of @first is not mapped, was posted before, or is
 * of another context, and nothing was posted then; or as ib_post_send().
 */
int ib_frwr_post(struct ib_frwr_req *first, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr);

/**
 * ib_frwr_remote_inv() - the peer invalidated the key of a request
 * @first: posted requests, linked by next
 * @wc: completion of a receive from the peer they were lent to. It need not carry
 *	IB_WC_WITH_INVALIDATE: peers may leave the invalidation to us. One that failed
 *	says nothing
 *
 * Context: any; not at the same time as another call with these requests.
 * Return: 0; -EINVAL when the peer invalidated a key that none of them has: do
 * not trust it with anything else.
 */
int ib_frwr_remote_inv(struct ib_frwr_req *first, const struct ib_wc *wc);

/**
 * ib_frwr_release() - take memory back from the peer
 * @first: requests, linked by next, in any state of mapped, posted, and invalidated
 *	by the peer
 *
 * Invalidates what is not invalid yet, with one doorbell, unmaps, and calls
 * @first->released, at once when there is nothing to wait for. An MR whose
 * invalidation failed, because the QP broke, is destroyed first, and another is
 * made when one is needed. All of this works on a QP in error, too; the ULP goes
 * on polling its CQ, or drains it. It must not move the QP to RESET meanwhile,
 * where requests vanish without a completion.
 *
 * Context: any; not at the same time as another call with these requests.
 */
void ib_frwr_release(struct ib_frwr_req *first);

#endif /* RDMA_IB_FRWR_H */
