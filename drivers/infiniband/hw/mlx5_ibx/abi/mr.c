// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MRs of processes: pinned memory behind an MTT mkey. Most MRs use an mkey of
 * the free mkeys, which becomes free again when the MR is deregistered
 * (keys/mr_key.c). Every other MR has a private mkey. One command creates the
 * private mkey with the complete list of pages.
 *
 * ibv_rereg_mr() changes the mkey of the MR by UMRs, which leave lkey and rkey
 * unchanged. If a UMR is not possible or fails, ibv_rereg_mr() creates a new MR
 * with a new key, with which the core replaces the old MR. Memory that does not
 * change stays pinned: both MRs share it until the core has deregistered the
 * old one.
 *
 * If the device refuses to destroy the mkey, the verb fails and the memory
 * stays pinned, because the device may access it. The memory of an MR whose
 * creation fails stays pinned while the device may have its mkey (abi/keep.c).
 *
 * If a verb fails with -ETIMEDOUT, its UMR may still be executed, and put the
 * mkey in the PD of the verb: the number of that PD is not used again.
 */
#include <linux/slab.h>

#include "abi/abi.h"
#include "abi/keep.h"
#include "cmd/cmd.h"
#include "keys/mr_key.h"
#include "verbs/verbs.h"

#define MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL)

/**
 * struct ibx_mr_mem - memory that MRs have pinned
 * @umem: the memory
 * @pages: number of pages of the host in @umem
 * @users: number of MRs and kept mkeys that use @umem
 */
struct ibx_mr_mem {
	struct ib_umem *umem;
	int pages;
	refcount_t users;
};

/* counter of pinned pages, the attribute reg_pages in sysfs */
static atomic_t *pages_of(const struct ib_umem *umem)
{
	return &to_idev(umem->ibdev)->mdev->priv.reg_pages;
}

/*
 * Return: memory with one user; or an ERR_PTR(): @umem was an ERR_PTR(), or was
 * released
 */
static struct ibx_mr_mem *own_mem(struct ib_umem *umem)
{
	struct ibx_mr_mem *mem;

	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	if (!mem) {
		ib_umem_release(umem);
		return ERR_PTR(-ENOMEM);
	}
	mem->umem = umem;
	/* ib_umem_num_pages() counts by umem->iova, which is set later */
	mem->pages = (PAGE_ALIGN(umem->address + umem->length) -
		      ALIGN_DOWN(umem->address, PAGE_SIZE)) >> PAGE_SHIFT;
	refcount_set(&mem->users, 1);
	atomic_add(mem->pages, pages_of(umem));
	return mem;
}

static void unpin_mem(struct ibx_mr_mem *mem)
{
	if (!refcount_dec_and_test(&mem->users))
		return;
	atomic_sub(mem->pages, pages_of(mem->umem));
	ib_umem_release(mem->umem);
	kfree(mem);
}

static void unpin_kept(void *mem)
{
	unpin_mem(mem);
}

/* describe an mkey for abi/keep.c; @keep gets the caller's reference to @mem */
static void name_key(struct ibx_mr_mem *mem, u32 key, struct ibx_keep *keep)
{
	*keep = (struct ibx_keep) { .what = "mkey", .unpin = unpin_kept, .mem = mem };
	ibx_cmd_fill_undo(keep->undo, MLX5_CMD_OP_DESTROY_MKEY, 0, mlx5_mkey_to_idx(key));
}

/*
 * clean up after CREATE_MKEY has failed. The device may still create the mkey
 * in the PD, even after the user context is destroyed, because mkeys have no
 * uid. So the number of the PD must not be used again
 */
static void drop_new_key(struct ibx_uctx *uctx, struct ibx_mr_mem *mem, struct ibx_pd *pd,
			 int err)
{
	const struct ibx_keep keep = { .what = "an mkey", .unpin = unpin_kept, .mem = mem };

	ibx_keep_hold_pd(pd, 0, err);
	refcount_inc(&mem->users);
	ibx_keep_uncreated(uctx, &keep, err);
}

/* keep an mkey that the device may still have, with access to the memory */
static void user_mr_keep_key(struct ibx_uctx *uctx, struct ibx_mr_mem *mem,
			     u32 key, int err)
{
	struct ibx_keep keep;

	name_key(mem, key, &keep);
	refcount_inc(&mem->users);
	ibx_keep_undestroyed(uctx, &keep, err);
}

/* create a private mkey of an MR */
static int create_own_key(struct ibx_dev *dev, const struct ibx_mkey_params *p,
			  struct ib_umem *umem, u32 *key)
{
	__be64 *mtt;
	int err;

	/* an octword has two MTTs. No warning: the process chooses the size */
	mtt = kvcalloc(p->octwords, IBX_DS, GFP_KERNEL | __GFP_NOWARN);
	if (!mtt)
		return -ENOMEM;
	ibx_mr_fill_pages(umem, p->page_shift, 0, mtt);
	err = ibx_cmd_create_mtt_mkey(dev, p, mtt, key);
	kvfree(mtt);
	return err;
}

/*
 * As in mlx5_ib, a dma-buf is regarded as memory of another PCI device. An mkey
 * of a dma-buf has ATS if it has relaxed ordering, and else no ATS. Mkeys of
 * other memory have no ATS.
 */
static bool needs_ats(const struct ib_umem *umem, int access)
{
	return umem->is_dmabuf && access & IB_ACCESS_RELAXED_ORDERING;
}

/* describe the mkey for a umem; the caller has set PD and access of @p */
static int describe_key(const struct ibx_dev *dev, struct ib_umem *umem, u64 va,
			struct ibx_mkey_params *p)
{
	unsigned long page;

	page = ib_umem_find_best_pgsz(umem, GENMASK(dev->max_page_shift, PAGE_SHIFT), va);
	if (!page)
		return -EINVAL;
	p->mode = MLX5_MKC_ACCESS_MODE_MTT;
	p->strict = !(p->access & IB_ACCESS_RELAXED_ORDERING);
	p->no_ats = !needs_ats(umem, p->access);
	p->start = va;
	p->length = umem->length;
	p->page_shift = ilog2(page);
	p->octwords = DIV_ROUND_UP_ULL(ib_umem_num_dma_blocks(umem, page), 2);
	p->umr = true;
	return 0;
}

static void set_geometry(struct ibx_user_mr *mr,
			 const struct ibx_mkey_params *p)
{
	u64 n = ib_umem_num_dma_blocks(mr->mem->umem, BIT_ULL(p->page_shift));

	mr->mr.mode = p->mode;
	mr->mr.page_shift = p->page_shift;
	mr->mr.max_ents = n;
	mr->mr.nents = n;
}

static int create_key(struct ibx_uctx *uctx, struct ibx_user_mr *mr,
		      struct ib_pd *ibpd, u64 va)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	struct ibx_mkey_params p = {
		.pdn = to_ipd(ibpd)->pdn,
		.access = mr->access,
	};
	struct ib_umem *umem = mr->mem->umem;
	int err;

	err = describe_key(dev, umem, va, &p);
	if (err)
		return err;
	mr->key = ibx_mr_key_get(dev, &p, umem, &mr->mr.mkey);
	if (IS_ERR(mr->key)) {
		err = PTR_ERR(mr->key);
		ibx_keep_hold_pd(to_ipd(ibpd), 0, err);
		user_mr_keep_key(uctx, mr->mem, mr->mr.mkey, err);
		return err;
	}
	if (!mr->key) {
		err = create_own_key(dev, &p, umem, &mr->mr.mkey);
		if (err)
			drop_new_key(uctx, mr->mem, to_ipd(ibpd), err);
	}
	set_geometry(mr, &p);
	return err;
}

/*
 * create an MR, which gets the caller's reference to @mem. On failure, the
 * reference is put
 */
static struct ib_mr *make_mr(struct ibx_uctx *uctx, struct ib_pd *ibpd, struct ibx_mr_mem *mem,
			     u64 va, int access)
{
	struct ibx_user_mr *mr;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr) {
		err = -ENOMEM;
		goto unpin;
	}
	mr->mem = mem;
	mr->access = access;
	err = create_key(uctx, mr, ibpd, va);
	if (err)
		goto free_mr;
	mr->mr.ibmr.lkey = mr->mr.mkey;
	mr->mr.ibmr.rkey = mr->mr.mkey;
	mr->mr.ibmr.iova = va;
	mr->mr.ibmr.length = mem->umem->length;
	return &mr->mr.ibmr;

free_mr:
	kfree(mr);
unpin:
	unpin_mem(mem);
	return ERR_PTR(err);
}

/*
 * create the MR that ibv_rereg_mr() returns. The core gives the new MR the
 * uobject of the replaced MR, and then frees the uobject
 */
static struct ib_mr *make_replacement(struct ibx_uctx *uctx, struct ibx_user_mr *old,
				      struct ib_pd *ibpd, struct ibx_mr_mem *mem,
				      u64 va, int access)
{
	struct ib_mr *ibmr = make_mr(uctx, ibpd, mem, va, access);

	if (!IS_ERR(ibmr)) {
		to_user_mr(ibmr)->replacement = true;
		old->replaced = true;
	}
	return ibmr;
}

static bool access_is_ok(const struct ibx_dev *dev, int access)
{
	return !(access & ~MR_ACCESS) && (!(access & IB_ACCESS_MW_BIND) || ibx_has_mw(dev));
}

/**
 * ibx_user_reg_mr() - verb reg_user_mr
 * @ibpd: PD
 * @start: address of the memory in the calling process
 * @length: number of bytes
 * @va: address of the first byte in work requests; has the same offset in its
 *	page as @start
 * @access: IB_ACCESS_*
 * @dmah: DMA handle, which must be NULL
 * @udata: request of the process, which must be 0
 *
 * Context: process.
 * Return:
 * * the MR
 * * ERR_PTR(-EOPNOTSUPP): the caller is in the kernel; the request is not 0;
 *   there is a DMA handle (it names a processor for PCIe steering tags, which
 *   the driver does not set); an access flag requests on-demand paging, or
 *   memory windows on a device that does not support memory windows
 * * ERR_PTR(-EINVAL): the length is 0, or the addresses wrap
 * * ERR_PTR(-EFAULT): the memory is not mapped in the process, or read-only
 * * ERR_PTR(-EPERM): the process must not pin memory
 * * ERR_PTR(-ENOMEM): there is no memory, or RLIMIT_MEMLOCK would be exceeded
 * * an ERR_PTR() from cmd.h
 */
struct ib_mr *ibx_user_reg_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va, int access,
			      struct ib_dmah *dmah, struct ib_udata *udata)
{
	struct ibx_mr_mem *mem;

	if (!udata || dmah || !access_is_ok(to_idev(ibpd->device), access) ||
	    !ib_is_udata_cleared(udata, 0, udata->inlen))
		return ERR_PTR(-EOPNOTSUPP);
	mem = own_mem(ib_umem_get_va(ibpd->device, start, length, access));
	if (IS_ERR(mem))
		return ERR_CAST(mem);
	return make_mr(udata_to_uctx(udata), ibpd, mem, va, access);
}

/**
 * ibx_user_reg_mr_dmabuf() - verb reg_user_mr_dmabuf
 * @ibpd: PD
 * @offset: first byte of the MR in the dma-buf
 * @length: number of bytes
 * @va: address of the first byte in work requests; has the same offset in its
 *	page as @offset
 * @fd: file descriptor of the dma-buf in the calling process
 * @access: IB_ACCESS_*
 * @dmah: DMA handle, which must be NULL
 * @attrs: attributes of the method
 *
 * The dma-buf is pinned: its exporter cannot move it while the MR exists.
 *
 * Context: process.
 * Return:
 * * the MR
 * * ERR_PTR(-EBADF): there is no such file
 * * ERR_PTR(-EINVAL): the file is no dma-buf, or the range is not in the
 *   dma-buf
 * * an ERR_PTR() of the exporter, if it cannot pin the dma-buf
 * * an ERR_PTR() of ibx_user_reg_mr()
 */
struct ib_mr *ibx_user_reg_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 va, int fd,
				     int access, struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *attrs)
{
	struct ib_umem_dmabuf *buf;
	struct ibx_mr_mem *mem;

	if (dmah || !access_is_ok(to_idev(ibpd->device), access))
		return ERR_PTR(-EOPNOTSUPP);
	buf = ib_umem_dmabuf_get_pinned(ibpd->device, offset, length, fd, access);
	if (IS_ERR(buf))
		return ERR_CAST(buf);
	mem = own_mem(&buf->umem);
	if (IS_ERR(mem))
		return ERR_CAST(mem);
	return make_mr(udata_to_uctx(&attrs->driver_udata), ibpd, mem, va, access);
}

/*
 * change PD and access flags by a UMR on the mkey of the MR. Return: 0; or an
 * errno: the MR has either the old or the new PD and access flags
 */
static int change_rights(struct ibx_user_mr *mr, struct ib_pd *ibpd, int access)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	const struct ib_umem *umem = mr->mem->umem;
	int err;

	if (!ibx_mr_rights_fit(dev, mr->access, access) ||
	    needs_ats(umem, access) != needs_ats(umem, mr->access))
		return -EOPNOTSUPP;
	err = ibx_mr_set_rights(dev, mr->mr.mkey, mr->key, to_ipd(ibpd)->pdn,
				access);
	if (!err)
		mr->access = access;
	return err;
}

/*
 * change the memory by UMRs on the mkey of the MR. Return: 0: the MR has @mem;
 * or an errno: if the device may access @mem, mr->next is set to @mem
 */
static int change_memory(struct ibx_user_mr *mr, struct ib_pd *ibpd,
			 struct ibx_mr_mem *mem, u64 va, int access)
{
	struct ibx_mkey_params p = { .pdn = to_ipd(ibpd)->pdn, .access = access };
	struct ibx_dev *dev = to_idev(ibpd->device);
	int err;

	err = describe_key(dev, mem->umem, va, &p);
	if (err)
		return err;
	if (!mr->key || mr->next ||
	    !ibx_mr_rights_fit(dev, mr->access, access) ||
	    !ibx_mr_key_fits(dev, mr->key, &p))
		return -EOPNOTSUPP;
	err = ibx_mr_key_clear(dev, mr->key);
	if (err)
		return err;
	err = ibx_mr_key_fill(dev, mr->key, &p, mem->umem);
	if (err) {
		mr->next = mem;
		refcount_inc(&mem->users);
		return err;
	}
	unpin_mem(mr->mem);
	mr->mem = mem;
	mr->access = access;
	set_geometry(mr, &p);
	mr->mr.ibmr.iova = va;
	mr->mr.ibmr.length = mem->umem->length;
	return 0;
}

/*
 * ibv_rereg_mr() with other memory. Return: NULL if the MR was changed; a new
 * MR that replaces it; or an ERR_PTR()
 */
static struct ib_mr *rereg_memory(struct ibx_uctx *uctx, struct ibx_user_mr *mr,
				  struct ib_pd *ibpd, struct ibx_mr_mem *mem,
				  u64 va, int access)
{
	int err = change_memory(mr, ibpd, mem, va, access);

	if (!err)
		return NULL;
	if (err != -ETIMEDOUT)
		return make_replacement(uctx, mr, ibpd, mem, va, access);
	ibx_keep_hold_pd(to_ipd(ibpd), 0, err);
	unpin_mem(mem);
	return ERR_PTR(err);
}

/* ibv_rereg_mr() with the same memory. Return: see rereg_memory() */
static struct ib_mr *rereg_rights(struct ibx_uctx *uctx, struct ibx_user_mr *mr,
				  struct ib_pd *ibpd, int access)
{
	int err;

	err = ib_umem_check_rereg(mr->mem->umem, IB_MR_REREG_ACCESS, access);
	if (err)
		return ERR_PTR(err);
	err = change_rights(mr, ibpd, access);
	if (!err)
		return NULL;
	if (err == -ETIMEDOUT) {
		ibx_keep_hold_pd(to_ipd(ibpd), 0, err);
		return ERR_PTR(err);
	}
	refcount_inc(&mr->mem->users);
	return make_replacement(uctx, mr, ibpd, mr->mem, mr->mr.ibmr.iova, access);
}

/**
 * ibx_user_rereg_mr() - verb rereg_user_mr
 * @ibmr: MR of a process
 * @flags: IB_MR_REREG_*: properties to change
 * @start: address of the memory in the calling process, with IB_MR_REREG_TRANS
 * @length: number of bytes, with IB_MR_REREG_TRANS
 * @va: address of the first byte in work requests, with IB_MR_REREG_TRANS
 * @access: IB_ACCESS_*, with IB_MR_REREG_ACCESS
 * @ibpd: PD of the MR after the call
 * @udata: request of the process, which must be 0
 *
 * After a failure, the memory of @ibmr stays pinned. If a UMR has failed, the
 * key of @ibmr may be invalid.
 *
 * Context: process.
 * Return:
 * * NULL: @ibmr was changed
 * * a new MR, with which the core replaces @ibmr
 * * ERR_PTR(-EACCES): @access permits writes, and the memory was pinned for
 *   reading
 * * ERR_PTR(-ETIMEDOUT): the device may still execute a UMR that changes @ibmr
 * * an errno of ibx_user_reg_mr()
 */
struct ib_mr *ibx_user_rereg_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va,
				int access, struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ibx_uctx *uctx = udata_to_uctx(udata);
	struct ibx_user_mr *mr = to_user_mr(ibmr);
	struct ibx_mr_mem *mem;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!access_is_ok(to_idev(ibmr->device), access) ||
	    !ib_is_udata_cleared(udata, 0, udata->inlen))
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_TRANS))
		return rereg_rights(uctx, mr, ibpd, access);
	mem = own_mem(ib_umem_get_va(ibmr->device, start, length, access));
	if (IS_ERR(mem))
		return ERR_CAST(mem);
	return rereg_memory(uctx, mr, ibpd, mem, va, access);
}

static void free_mr(void *mem)
{
	struct ibx_user_mr *mr = mem;

	unpin_mem(mr->mem);
	if (mr->next)
		unpin_mem(mr->next);
	kfree(mr);
}

static int keep_mr(struct ibx_uctx *uctx, struct ibx_user_mr *mr, int err)
{
	struct ibx_mr_key *key = mr->key;
	struct ibx_keep keep;

	name_key(mr->mem, mr->mr.mkey, &keep);
	keep.unpin = free_mr;
	keep.mem = mr;
	/* the core does not handle an error for an MR that it has replaced */
	keep.must = mr->replaced ||
		    (!mr->replacement && ibx_uobj_is_new(mr->mr.ibmr.uobject));
	err = ibx_keep_refused(uctx, &keep, err);
	if (!err)
		ibx_mr_key_forget(key);
	return err;
}

/**
 * ibx_user_dereg_mr() - verb dereg_mr
 * @ibmr: MR, freed here on success
 * @udata: context of the process; unused for an MR of the kernel
 *
 * In the cases of abi/keep.c, the memory of an MR of a process stays pinned
 * after this function has returned 0.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * for an MR of a process, an errno from cmd.h: the MR can be deregistered
 *   again, but its key may be invalid
 */
int ibx_user_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibmr->device);
	struct ibx_user_mr *mr = to_user_mr(ibmr);
	int err;

	if (ibmr->type != IB_MR_TYPE_USER)
		return ibx_dereg_mr(ibmr, udata);
	err = mr->key ? ibx_mr_key_put(dev, mr->key) :
			ibx_mr_key_destroy(dev, mr->mr.mkey);
	if (err)
		return keep_mr(udata_to_uctx(udata), mr, err);
	free_mr(mr);
	return 0;
}
