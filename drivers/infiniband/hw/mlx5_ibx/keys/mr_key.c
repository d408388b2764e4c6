// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys that MRs of processes use one after the other.
 *
 * When an MR is deregistered, a UMR sets its mkey free and moves it from the PD
 * of the process to the PD of the UMR QP. The next MR of the same size uses the
 * free mkey: another UMR writes the list of pages and the next variant, so that
 * the old key is not valid again. So registration needs no firmware command if
 * there is a free mkey. ibv_rereg_mr() changes the mkey by UMRs that leave the
 * key unchanged.
 *
 * A free mkey is destroyed after MAX_AGE, and when the last context of a
 * process is closed. There are at most MAX_FREE free mkeys.
 *
 * A UMR cannot change the space for translations, which is a power of two, nor,
 * on many devices, relaxed ordering: both are chosen when the mkey is created.
 * If a UMR that changes access flags fails, the ordering of the mkey is
 * unknown: the mkey is later destroyed, and not set free.
 *
 * The following MRs get a private mkey by a command (abi/mr.c): MRs of more
 * than 2^(LOG_MAX + 1) pages, MRs with memory windows or address translation
 * services, MRs with attributes that UMRs of the device cannot set, and MRs for
 * which a UMR has failed.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "cmd/cmd.h"
#include "enc/enc.h"
#include "keys/mr_key.h"
#include "keys/umr_qp.h"
#include "verbs/verbs.h"

#define LOG_MIN		2	/* log2 of octwords of translations: 8 pages */
#define LOG_MAX		11	/* 4096 pages */
#define LISTS		(2 * (LOG_MAX - LOG_MIN + 1))
#define MAX_FREE	1024
#define MAX_AGE		(30 * HZ)
#define AGE_PERIOD	(10 * HZ)

/**
 * struct ibx_mr_key - an mkey
 * @link: entry in a list of ibx_mr_keys.free
 * @freed: time at which the mkey was set free, in jiffies
 * @value: key of the mkey
 * @list: index of the list for free mkeys of this kind
 * @spoiled: the ordering of the mkey may differ from the ordering of @list
 */
struct ibx_mr_key {
	struct list_head link;
	unsigned long freed;
	u32 value;
	u8 list;
	bool spoiled;
};

/**
 * struct ibx_mr_keys - free mkeys of a device
 * @dev: device
 * @umr: the UMR QP; NULL if UMRs of the device cannot set all attributes of an
 *	MR, or if the QP could not be created
 * @contexts: number of contexts of processes
 * @lock: protects @free and @num_free
 * @free: lists of free mkeys, one list for each kind of MR; the mkey that was
 *	put last comes first
 * @num_free: number of free mkeys
 * @age: destroys free mkeys after MAX_AGE
 */
struct ibx_mr_keys {
	struct ibx_dev *dev;
	struct ibx_umr_qp *umr;
	atomic_t contexts;
	spinlock_t lock;	/* free, num_free */
	struct list_head free[LISTS];
	u32 num_free;
	struct delayed_work age;
};

/* @all: destroy mkeys younger than MAX_AGE, too */
static void destroy_free(struct ibx_mr_keys *keys, bool all)
{
	struct ibx_mr_key *key, *next;
	LIST_HEAD(old);
	int i;

	spin_lock(&keys->lock);
	for (i = 0; i < LISTS; i++) {
		list_for_each_entry_safe_reverse(key, next, &keys->free[i], link) {
			if (!all && time_before(jiffies, key->freed + MAX_AGE))
				break;
			list_move(&key->link, &old);
			keys->num_free--;
		}
	}
	spin_unlock(&keys->lock);

	list_for_each_entry_safe(key, next, &old, link) {
		ibx_cmd_left(keys->dev, "mkey", key->value,
			     ibx_cmd_destroy_mkey(keys->dev, key->value));
		kfree(key);
	}
}

static void age_work(struct work_struct *work)
{
	struct ibx_mr_keys *keys = container_of(to_delayed_work(work), struct ibx_mr_keys, age);

	destroy_free(keys, false);
	if (READ_ONCE(keys->num_free))
		schedule_delayed_work(&keys->age, AGE_PERIOD);
}

/* can a UMR set all attributes of an MR in a free mkey? */
static bool has_umr(const struct ibx_dev *dev)
{
	return !MLX5_CAP_GEN(dev->mdev, umr_modify_entity_size_disabled);
}

/*
 * if the device refuses the QP, the driver works without the QP: each MR gets
 * an mkey by a command
 */
static void create_umr_qp(struct ibx_mr_keys *keys)
{
	struct ibx_umr_qp *umr = ibx_umr_qp_create(keys->dev);

	if (IS_ERR(umr))
		ibx_mdev_warn(keys->dev->mdev,
			      "no UMR QP, error %ld: MRs of processes take commands\n",
			      PTR_ERR(umr));
	else
		keys->umr = umr;
}

/**
 * ibx_mr_keys_init() - probe stage: prepare a device for MRs of processes
 * @dev: device with events and a debugfs directory
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_mr_keys_init(struct ibx_dev *dev)
{
	struct ibx_mr_keys *keys;
	int i;

	keys = kzalloc(sizeof(*keys), GFP_KERNEL);
	if (!keys)
		return -ENOMEM;
	keys->dev = dev;
	spin_lock_init(&keys->lock);
	for (i = 0; i < LISTS; i++)
		INIT_LIST_HEAD(&keys->free[i]);
	INIT_DELAYED_WORK(&keys->age, age_work);
	if (has_umr(dev))
		create_umr_qp(keys);
	dev->mr_keys = keys;
	debugfs_create_u32("free_mkeys", 0400, dev->debugfs, &keys->num_free);
	return 0;
}

/**
 * ibx_mr_keys_exit() - undo ibx_mr_keys_init()
 * @dev: device without contexts of processes
 *
 * Context: may sleep; waits for readers of the debugfs file.
 */
void ibx_mr_keys_exit(struct ibx_dev *dev)
{
	struct ibx_mr_keys *keys = dev->mr_keys;

	WARN_ON(atomic_read(&keys->contexts));
	debugfs_lookup_and_remove("free_mkeys", dev->debugfs);
	cancel_delayed_work_sync(&keys->age);
	destroy_free(keys, true);
	if (keys->umr)
		ibx_umr_qp_destroy(keys->umr);
	dev->mr_keys = NULL;
	kfree(keys);
}

/**
 * ibx_mr_keys_open() - count a new context of a process
 * @dev: device
 *
 * Context: any.
 */
void ibx_mr_keys_open(struct ibx_dev *dev)
{
	atomic_inc(&dev->mr_keys->contexts);
}

/**
 * ibx_mr_keys_close() - undo ibx_mr_keys_open()
 * @dev: device
 *
 * When the last context is closed, all free mkeys are destroyed.
 *
 * Context: may sleep.
 */
void ibx_mr_keys_close(struct ibx_dev *dev)
{
	if (atomic_dec_and_test(&dev->mr_keys->contexts))
		destroy_free(dev->mr_keys, true);
}

/*
 * index of the list of mkeys for an MR, or -1 for an MR that needs a private
 * mkey
 */
static int choose_list(const struct ibx_dev *dev, const struct ibx_mkey_params *p)
{
	int log = max_t(int, order_base_2(p->octwords), LOG_MIN);
	const struct ibx_umr_qp *umr = dev->mr_keys->umr;

	if (!umr || !ibx_umr_qp_works(umr) || log > LOG_MAX || p->access & IB_ACCESS_MW_BIND)
		return -1;
	if (p->access & IB_ACCESS_REMOTE_ATOMIC && !ibx_umr_has_atomic(dev))
		return -1;
	if (dev->mkey_caps.ats && !p->no_ats)
		return -1;
	return 2 * (log - LOG_MIN) + p->strict;
}

static struct ibx_mr_key *take_free(struct ibx_mr_keys *keys, int list)
{
	struct ibx_mr_key *key;

	spin_lock(&keys->lock);
	key = list_first_entry_or_null(&keys->free[list], struct ibx_mr_key, link);
	if (key) {
		list_del(&key->link);
		keys->num_free--;
	}
	spin_unlock(&keys->lock);
	return key;
}

static struct ibx_mr_key *create_free(struct ibx_mr_keys *keys, int list)
{
	const struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.pdn = ibx_umr_qp_pdn(keys->umr),
		.strict = list & 1,
		.no_ats = true,
		.octwords = BIT(list / 2 + LOG_MIN),
		.free = true,
	};
	struct ibx_mr_key *key;

	key = kzalloc(sizeof(*key), GFP_KERNEL);
	if (!key)
		return NULL;
	key->list = list;
	if (!ibx_cmd_create_mkey(keys->dev, &p, &key->value))
		return key;
	kfree(key);
	return NULL;
}

/**
 * ibx_mr_fill_pages() - write the bus addresses of pinned memory
 * @umem: the memory
 * @shift: log2 of the bytes of a page of the mkey
 * @bits: low bits of each entry
 * @mtt: gets an entry per page
 *
 * Context: any.
 */
void ibx_mr_fill_pages(struct ib_umem *umem, u8 shift, u64 bits, __be64 *mtt)
{
	struct ib_block_iter it;

	rdma_umem_for_each_dma_block(umem, &it, BIT_ULL(shift)) {
		*mtt = cpu_to_be64(rdma_block_iter_dma_address(&it) | bits);
		mtt++;
	}
}

/* allocate the list of pages of a UMR: @bytes bytes, contiguous for DMA */
static __be64 *make_list(struct ib_umem *umem, u8 shift, u32 bytes)
{
	u64 n = ib_umem_num_dma_blocks(umem, BIT_ULL(shift));
	u32 size = bytes;
	__be64 *mtt;

	/* kmalloc() aligns a power of two to itself */
	if (bytes > IBX_UMR_INLINE_MIN)
		size = max_t(u32, roundup_pow_of_two(bytes), IBX_DESC_ALIGN);
	mtt = kmalloc(size, GFP_KERNEL | __GFP_NOWARN);
	if (!mtt)
		return NULL;
	ibx_mr_fill_pages(umem, shift, IBX_MTT_PRESENT, mtt);
	memset(mtt + n, 0, bytes - n * sizeof(*mtt));
	return mtt;
}

/* @value: key of the mkey after the UMR */
static int set_key(struct ibx_mr_keys *keys, const struct ibx_mkey_params *p, struct ib_umem *umem,
		   u32 value)
{
	struct ibx_umr_mr mr = {
		.iova = p->start,
		.length = p->length,
		.list_bytes = ALIGN(p->octwords * IBX_DS, IBX_BB),
		.key = value,
		.pdn = p->pdn,
		.access = p->access,
		.page_shift = p->page_shift,
	};

	mr.list = make_list(umem, p->page_shift, mr.list_bytes);
	return mr.list ? ibx_umr_qp_set_mr(keys->umr, &mr) : -ENOMEM;
}

/* set an MR with the next variant of the key */
static int renew_key(struct ibx_mr_keys *keys, struct ibx_mr_key *key,
		     const struct ibx_mkey_params *p, struct ib_umem *umem)
{
	u32 variant = (key->value + 1) & IBX_MKEY_VARIANT;

	key->value = (key->value & ~IBX_MKEY_VARIANT) | variant;
	/*
	 * a later mkey with this index then begins with a variant that follows
	 * the used variants
	 */
	atomic_inc(&keys->dev->mkey_variant);
	return set_key(keys, p, umem, key->value);
}

/**
 * ibx_mr_key_get() - get an mkey for an MR of a process
 * @dev: device
 * @p: the mkey that the MR needs
 * @umem: memory of the MR, with @p->page_shift as the size of its pages
 * @value: gets the key, also when an errno is returned
 *
 * Context: may sleep.
 * Return:
 * * the mkey
 * * NULL: the MR needs a private mkey, which the caller creates by a command
 * * ERR_PTR(-ETIMEDOUT), or an ERR_PTR() of DESTROY_MKEY: the mkey may have
 *   access to @umem, which must stay pinned
 */
struct ibx_mr_key *ibx_mr_key_get(struct ibx_dev *dev, const struct ibx_mkey_params *p,
				  struct ib_umem *umem, u32 *value)
{
	struct ibx_mr_keys *keys = dev->mr_keys;
	struct ibx_mr_key *key;
	int list, err;

	list = choose_list(dev, p);
	if (list < 0)
		return NULL;
	key = take_free(keys, list) ?: create_free(keys, list);
	if (!key)
		return NULL;
	err = renew_key(keys, key, p, umem);
	*value = key->value;
	if (!err)
		return key;
	/*
	 * -ETIMEDOUT: the UMR may still be executed, so the mkey is not
	 * destroyed: the UMR would change the next mkey with this index
	 */
	if (err != -ETIMEDOUT)
		err = ibx_cmd_destroy_mkey(dev, key->value);
	kfree(key);
	return ERR_PTR(err);
}

static void mr_key_add_free(struct ibx_mr_keys *keys, struct ibx_mr_key *key)
{
	key->freed = jiffies;
	spin_lock(&keys->lock);
	list_add(&key->link, &keys->free[key->list]);
	keys->num_free++;
	spin_unlock(&keys->lock);
	/*
	 * A work item that runs is not pending. So an item that is pending here
	 * takes the lock later, and finds the mkey
	 */
	if (!delayed_work_pending(&keys->age))
		schedule_delayed_work(&keys->age, MAX_AGE);
}

/**
 * ibx_mr_key_destroy() - destroy the mkey of an MR of a process by a command
 * @dev: device
 * @value: key of the mkey
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ETIMEDOUT: the device may still execute the command, or a lost UMR for the
 *   mkey
 * * another errno from cmd.h
 */
int ibx_mr_key_destroy(struct ibx_dev *dev, u32 value)
{
	struct ibx_umr_qp *umr = dev->mr_keys->umr;
	int err = umr ? ibx_umr_qp_settle(umr, value) : 0;

	return err ?: ibx_cmd_destroy_mkey(dev, value);
}

/**
 * ibx_mr_key_put() - set the mkey of an MR of a process free
 * @dev: device
 * @key: the mkey; no longer part of the MR on success
 *
 * Context: may sleep.
 * Return:
 * * 0: the device no longer accesses the memory of the MR
 * * -ETIMEDOUT, or an errno from cmd.h: the mkey stays part of the MR, and may
 *   be free
 */
int ibx_mr_key_put(struct ibx_dev *dev, struct ibx_mr_key *key)
{
	struct ibx_mr_keys *keys = dev->mr_keys;
	int err = -ENOSPC;

	if (!key->spoiled && READ_ONCE(keys->num_free) < MAX_FREE)
		err = ibx_umr_qp_free_key(keys->umr, key->value);
	if (!err) {
		mr_key_add_free(keys, key);
		return 0;
	}
	if (err != -ETIMEDOUT)
		err = ibx_mr_key_destroy(dev, key->value);
	if (!err)
		kfree(key);
	return err;
}

/**
 * ibx_mr_key_forget() - free the driver's record of an mkey that the device still has
 * @key: mkey of an MR; NULL if the MR has a private mkey
 *
 * Context: any.
 */
void ibx_mr_key_forget(struct ibx_mr_key *key)
{
	kfree(key);
}

/**
 * ibx_mr_key_fits() - can the mkey of an MR translate other memory?
 * @dev: device
 * @key: mkey of the MR
 * @p: the mkey that the memory needs
 *
 * Context: any.
 * Return: true if ibx_mr_key_fill() can set the memory.
 */
bool ibx_mr_key_fits(const struct ibx_dev *dev, const struct ibx_mr_key *key,
		     const struct ibx_mkey_params *p)
{
	int list = choose_list(dev, p);

	/*
	 * bit 0 of the index is strict ordering, which a UMR may be unable to
	 * change
	 */
	return list >= 0 && list <= key->list && !((list ^ key->list) & 1) &&
	       !key->spoiled;
}

/**
 * ibx_mr_key_clear() - set the mkey of an MR free, so that its memory can change
 * @dev: device
 * @key: the mkey
 *
 * Context: may sleep.
 * Return:
 * * 0: the device no longer accesses the memory
 * * an errno of ibx_umr_qp_free_key(): the device may still access the memory
 */
int ibx_mr_key_clear(struct ibx_dev *dev, struct ibx_mr_key *key)
{
	return ibx_umr_qp_free_key(dev->mr_keys->umr, key->value);
}

/**
 * ibx_mr_key_fill() - set other memory in the mkey of an MR, with the same key
 * @dev: device
 * @key: the mkey, after ibx_mr_key_clear()
 * @p: attributes of the MR, for which ibx_mr_key_fits() returns true
 * @umem: memory, with @p->page_shift as the size of its pages
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * an errno of ibx_umr_qp_set_mr(): the device may access @umem
 */
int ibx_mr_key_fill(struct ibx_dev *dev, struct ibx_mr_key *key, const struct ibx_mkey_params *p,
		    struct ib_umem *umem)
{
	return set_key(dev->mr_keys, p, umem, key->value);
}

/**
 * ibx_mr_rights_fit() - can the access flags of an MR change without another mkey?
 * @dev: device
 * @from: IB_ACCESS_* of the MR
 * @to: IB_ACCESS_* after the change
 *
 * Context: any.
 * Return: true if ibx_mr_set_rights() can make the change.
 */
bool ibx_mr_rights_fit(const struct ibx_dev *dev, int from, int to)
{
	const int plain = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ;
	const struct ibx_umr_qp *umr = dev->mr_keys->umr;
	int diff = from ^ to;

	if (!umr || !ibx_umr_qp_works(umr) ||
	    diff & ~(plain | IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_RELAXED_ORDERING))
		return false;
	if (diff & IB_ACCESS_REMOTE_ATOMIC && !ibx_umr_has_atomic(dev))
		return false;
	return !(diff & IB_ACCESS_RELAXED_ORDERING) || ibx_umr_has_relaxed(dev);
}

/**
 * ibx_mr_set_rights() - change the PD and the access flags of an MR, with the same key
 * @dev: device
 * @value: key
 * @key: mkey of the MR; NULL if the MR has a private mkey
 * @pdn: number of the PD
 * @access: IB_ACCESS_*, for which ibx_mr_rights_fit() returns true
 *
 * Context: may sleep.
 * Return: 0, or an errno of ibx_umr_qp_set_rights().
 */
int ibx_mr_set_rights(struct ibx_dev *dev, u32 value, struct ibx_mr_key *key, u32 pdn, int access)
{
	struct ibx_umr_rights rights = { .key = value, .pdn = pdn, .access = access };
	int err;

	if (ibx_umr_has_atomic(dev))
		rights.more |= MLX5_MKEY_MASK_A;
	if (MLX5_CAP_GEN(dev->mdev, relaxed_ordering_write_umr))
		rights.more |= MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE;
	if (MLX5_CAP_GEN(dev->mdev, relaxed_ordering_read_umr))
		rights.more |= MLX5_MKEY_MASK_RELAXED_ORDERING_READ;
	err = ibx_umr_qp_set_rights(dev->mr_keys->umr, &rights);
	if (!key || !ibx_umr_has_relaxed(dev))
		return err;
	key->spoiled = err;
	if (!err)
		key->list = (key->list & ~1) |
			    (access & IB_ACCESS_RELAXED_ORDERING ? 0 : 1);
	return err;
}
