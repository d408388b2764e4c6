// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory keys: access checks, and the host memory of an address.
 *
 * An access has two steps: check and copy. sim_access_check() checks a segment
 * list before a byte moves: every key exists and is enabled, belongs to the
 * right protection domain and QP, grants the rights, and covers the range, down
 * through indirect keys. sim_access_reach() computes the number of bytes in the
 * packets of a message that pass this check: these packets move, unless the
 * module parameter atomic_messages is set. sim_copy() walks two lists side by
 * side and copies directly from one span of host memory to the other. Keys
 * cannot change between check and copy, because only the hardware thread
 * changes keys. But a copy fails if the driver has unmapped the memory.
 *
 * A key in an entry of an indirect key must be in the protection domain of the
 * indirect key and needs only the local right to read or write. For the access
 * of a peer, only the indirect key needs the remote right.
 *
 * A segment of a message may have a key with signatures or encryption; an entry
 * of an indirect key may not. The length that is passed to a check counts bytes
 * on the wire; the key must cover these bytes as they are in memory.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/core.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/klm.h"
#include "obj/obj.h"

#define SIM_COPY_CHUNK	SZ_256K

static int sim_key_deny(const struct sim_acc *acc, enum sim_vio vio, const struct sim_seg *seg,
			const char *why)
{
	if (acc->quiet)
		;
	else if (acc->local)
		sim_violation(acc->sdev, vio, "QP 0x%x: key 0x%x va 0x%llx len %u: %s",
			      acc->qpn, seg->key, seg->va, seg->len, why);
	else
		sim_trace(acc->sdev, "deny peer on QP 0x%x: key 0x%x va 0x%llx len %u: %s",
			  acc->qpn, seg->key, seg->va, seg->len, why);

	switch (vio) {
	case SIM_VIO_mkey_lookup:
		return -ENOENT;
	case SIM_VIO_mkey_range:
		return -ERANGE;
	default:
		return -EPERM;
	}
}

static u64 sim_mtt_pos(const struct sim_mkey *mkey, u64 va)
{
	return (mkey->start & (BIT_ULL(mkey->log_page_size) - 1)) + (va - mkey->start);
}

static bool sim_mtt_covers(const struct sim_mkey *mkey, u64 va, u32 len)
{
	u64 size = BIT_ULL(mkey->log_page_size);
	u64 pos;

	/* the position may overflow: an unaligned start adds an offset */
	if (check_add_overflow(mkey->start & (size - 1), va - mkey->start, &pos) ||
	    check_add_overflow(pos, (u64)len - 1, &pos))
		return false;
	return mkey->mtt && pos >> mkey->log_page_size < 2ULL * mkey->xlt_used;
}

static bool sim_mkey_covers(const struct sim_mkey *mkey, u64 va, u32 len)
{
	u64 last;

	if (check_add_overflow(va, (u64)len - 1, &last))
		return false;
	if (!mkey->len64 &&
	    (va < mkey->start || len > mkey->len || va - mkey->start > mkey->len - len))
		return false;
	return mkey->mode != SIM_MKEY_MTT || sim_mtt_covers(mkey, va, len);
}

/*
 * A page address must be aligned to the page size: real devices have no address
 * bits below the page size. A wrong address is a violation by the owner of the
 * key, so it is also recorded for accesses of a peer.
 * Unrefereed: U-32.
 */
static bool sim_mtt_aligned(const struct sim_acc *acc, const struct sim_mkey *mkey,
			    const struct sim_seg *seg)
{
	u64 mask = BIT_ULL(mkey->log_page_size) - 1;
	u64 i = sim_mtt_pos(mkey, seg->va) >> mkey->log_page_size;
	u64 last = sim_mtt_pos(mkey, seg->va + seg->len - 1) >> mkey->log_page_size;

	for (; i <= last; i++) {
		if (!(mkey->mtt[i] & mask))
			continue;
		if (!acc->quiet)
			sim_violation(acc->sdev, SIM_VIO_mkey_range,
				      "key 0x%x va 0x%llx: address 0x%llx for pages of %llu bytes",
				      seg->key, seg->va, mkey->mtt[i], mask + 1);
		return false;
	}
	return true;
}

static int sim_check_key(const struct sim_acc *acc, const struct sim_seg *seg, u32 depth);

static int sim_check_klm(const struct sim_acc *acc, const struct sim_mkey *mkey,
			 const struct sim_seg *seg, u32 depth)
{
	struct sim_acc inner = *acc;
	u64 pos = seg->va - mkey->start;
	struct sim_klm_pos at = {};
	struct sim_piece piece;
	struct sim_seg part;
	u32 done = 0;
	int err;

	if (depth >= SIM_MAX_INDIRECTION)
		return sim_key_deny(acc, SIM_VIO_mkey_access, seg, "indirect keys nested too deep");

	inner.pdn = mkey->pdn;
	inner.any_pd = false;
	inner.rights = acc->rights & (SIM_MKEY_LW | SIM_MKEY_RW | SIM_MKEY_A) ? SIM_MKEY_LW :
									       SIM_MKEY_LR;
	while (done < seg->len) {
		if (sim_klm_find(mkey, pos + done, &at, &piece))
			return sim_key_deny(acc, SIM_VIO_mkey_range, seg, "indirect key too short");
		part.kmem = NULL;
		part.key = piece.key;
		part.va = piece.va;
		part.len = min_t(u64, seg->len - done, piece.len);
		err = sim_check_key(&inner, &part, depth + 1);
		if (err)
			return err;
		done += part.len;
		sim_hw_yield();
	}
	return 0;
}

/* Unrefereed: U-30, U-110. */
static int sim_check_key(const struct sim_acc *acc, const struct sim_seg *seg, u32 depth)
{
	const struct sim_mkey *mkey = sim_mkey_find(acc->sdev, seg->key);

	if (!mkey)
		return sim_key_deny(acc, SIM_VIO_mkey_lookup, seg, "no such key");
	if (mkey->free)
		return sim_key_deny(acc, SIM_VIO_mkey_lookup, seg, "key is free");
	if (!acc->any_pd && mkey->pdn != acc->pdn)
		return sim_key_deny(acc, SIM_VIO_mkey_pd, seg, "key of another PD");
	if (mkey->qpn != SIM_ANY_QPN && mkey->qpn != acc->qpn)
		return sim_key_deny(acc, SIM_VIO_mkey_access, seg, "key of another QP");
	if (sim_mkey_transforms(mkey) && (!acc->sig || depth))
		return sim_key_deny(acc, SIM_VIO_mkey_access, seg,
				    "key has signatures or encryption");
	if (mkey->crypto && !sim_mkey_encrypts(mkey))
		return sim_key_deny(acc, SIM_VIO_mkey_access, seg, "encryption is not configured");
	if ((mkey->access & acc->rights) != acc->rights)
		return sim_key_deny(acc, SIM_VIO_mkey_access, seg, "right not granted");
	if (!sim_mkey_covers(mkey, seg->va, seg->len))
		return sim_key_deny(acc, SIM_VIO_mkey_range, seg, "outside the key's range");

	if (mkey->mode == SIM_MKEY_KLM || mkey->mode == SIM_MKEY_KSM)
		return sim_check_klm(acc, mkey, seg, depth);
	return mkey->mode == SIM_MKEY_MTT && !sim_mtt_aligned(acc, mkey, seg) ? -ERANGE : 0;
}

/**
 * sim_seg_key() - find the key of a segment if the key has signatures or
 * encryption
 * @sdev: simulated function
 * @seg: segment
 *
 * Context: hardware thread.
 * Return: the key; NULL when no key matches, or the key has no signatures and
 * no encryption.
 */
struct sim_mkey *sim_seg_key(struct sim_dev *sdev, const struct sim_seg *seg)
{
	struct sim_mkey *mkey;

	if (!sdev->bsf_mkeys || seg->kmem)
		return NULL;
	mkey = sim_mkey_find(sdev, seg->key);
	return mkey && sim_mkey_transforms(mkey) ? mkey : NULL;
}

/* Number of bytes of a segment on the wire */
static int seg_wire(const struct sim_acc *acc, const struct sim_seg *seg, u32 *wire)
{
	const struct sim_mkey *mkey = sim_seg_key(acc->sdev, seg);

	*wire = seg->len;
	if (!mkey || !acc->local || !acc->sig ||
	    !sim_sig_wire_len(mkey->bsf, seg->len, wire))
		return 0;
	return sim_key_deny(acc, SIM_VIO_mkey_range, seg, "byte count of other signatures");
}

/**
 * sim_access_wire() - bytes on the wire of a segment list
 * @acc: requester; a byte count that does not match the signatures of its key
 *	is denied
 * @seg: segment list
 * @nseg: number of elements of @seg
 * @len: bytes of the list
 * @wire: out: bytes on the wire
 *
 * Context: hardware thread.
 * Return: 0; -ERANGE when a byte count is denied.
 */
int sim_access_wire(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u64 len,
		    u64 *wire)
{
	u32 part;
	int err;

	*wire = len;
	if (!acc->sdev->bsf_mkeys || !acc->sig)
		return 0;
	for (*wire = 0; nseg; nseg--, seg++) {
		err = seg_wire(acc, seg, &part);
		if (err)
			return err;
		*wire += part;
	}
	return 0;
}

static bool psv_exists(struct sim_dev *sdev, const struct sim_sig_domain *dom)
{
	return !dom->type || sim_obj_find(sdev, SIM_OBJ_PSV, dom->psv);
}

/*
 * Check that a data unit begins at the start of the transfer, which is @data
 * bytes of data after the start of the key, that the transfer does not exceed
 * the size in the BSF, and that the key may use its DEK.
 * Unrefereed: U-126, U-128.
 */
static int check_encrypted(const struct sim_acc *acc, const struct sim_mkey *mkey,
			   const struct sim_seg *part, u32 data)
{
	const struct sim_crypto *c = mkey->crypto;
	u64 off = sim_sig_bytes(sim_crypto_at_wire(c) ? &mkey->bsf->wire : &mkey->bsf->mem, data);
	const char *why;

	if (off % c->unit)
		return sim_key_deny(acc, SIM_VIO_mkey_range, part, "no data unit begins there");
	if (off + part->len > c->raw_size)
		return sim_key_deny(acc, SIM_VIO_mkey_range, part, "beyond the size in the BSF");
	if (!sim_crypto_dek(acc->sdev, mkey, &why))
		return sim_key_deny(acc, SIM_VIO_crypto_dek, part, why);
	return 0;
}

/*
 * Check the part of a segment that corresponds to the first @part->len bytes on
 * the wire. Sets @part->len to the length of the part in memory.
 */
static int check_transformed(const struct sim_acc *acc, const struct sim_mkey *mkey,
			     struct sim_seg *part)
{
	const struct sim_bsf *bsf = mkey->bsf;
	u32 data;
	int err;

	if (part->va < mkey->start || sim_sig_block(bsf, part->va - mkey->start, &data))
		return sim_key_deny(acc, SIM_VIO_mkey_range, part, "no block begins there");
	if (data + (u64)sim_sig_data(&bsf->wire, part->len) > bsf->raw_size)
		return sim_key_deny(acc, SIM_VIO_mkey_range, part, "beyond the size in the BSF");
	if (!psv_exists(acc->sdev, &bsf->mem) || !psv_exists(acc->sdev, &bsf->wire))
		return sim_key_deny(acc, SIM_VIO_sig_psv, part, "PSV does not exist");
	err = sim_mkey_encrypts(mkey) ? check_encrypted(acc, mkey, part, data) : 0;
	if (err)
		return err;
	part->len = sim_sig_mem_len(bsf, part->len);
	return sim_check_key(acc, part, 0);
}

/**
 * sim_access_check() - check access to the first bytes of a segment list
 * @acc: requester, and the required rights
 * @seg: segment list
 * @nseg: number of elements of @seg
 * @len: bytes that will be accessed, from the start of the list; bytes on the
 *     wire for keys with signatures
 *
 * A denied access is recorded as a violation when @acc is local. A page address
 * that is not aligned is also recorded for a peer. With @acc->quiet, nothing is
 * recorded.
 *
 * Context: hardware thread; may reschedule.
 * Return:
 * * 0
 * * -ENOENT: a key does not exist or is free
 * * -EPERM: a key belongs to another PD or QP, does not grant the rights, has
 *   too many levels of indirect keys, has signatures or encryption where these
 *   are not allowed, or has a PSV or a DEK that is unusable
 * * -ERANGE: the access exceeds a key or the list, does not match the blocks or
 *   data units of a key, or a page address is not aligned
 */
int sim_access_check(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u32 len)
{
	for (; nseg && len; nseg--, seg++) {
		const struct sim_mkey *mkey = sim_seg_key(acc->sdev, seg);
		struct sim_seg part = *seg;
		int err;

		if (mkey && acc->sig) {
			err = seg_wire(acc, seg, &part.len);
			if (err)
				return err;
		}
		part.len = min(part.len, len);
		len -= part.len;
		if (part.kmem)
			continue;
		err = mkey && acc->sig ? check_transformed(acc, mkey, &part) :
					 sim_check_key(acc, &part, 0);
		if (err)
			return err;
	}
	return len ? -ERANGE : 0;
}

/**
 * sim_access_reach() - number of bytes of a message that may move, in complete
 * packets
 * @acc: requester, and the required rights
 * @seg: segment list
 * @nseg: number of elements of @seg
 * @len: bytes of the message
 * @packet: bytes of a packet
 *
 * No violation is recorded. The caller records it with sim_access_check() when
 * the message reaches the packet that does not pass.
 *
 * Context: hardware thread; may reschedule.
 * Return: @len if all packets pass; otherwise the number of bytes before the
 * first packet that does not pass, or 0 if messages are atomic.
 */
u32 sim_access_reach(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u32 len,
		     u32 packet)
{
	struct sim_acc probe = *acc;
	u32 good, bad, mid;

	probe.quiet = true;
	if (!sim_access_check(&probe, seg, nseg, len))
		return len;
	if (sim_atomic_messages)
		return 0;
	/* the first @good packets pass, the first @bad packets do not */
	for (good = 0, bad = DIV_ROUND_UP(len, packet); bad - good > 1;) {
		mid = good + (bad - good) / 2;
		if (sim_access_check(&probe, seg, nseg, mid * packet))
			bad = mid;
		else
			good = mid;
	}
	return good * packet;
}

/**
 * sim_mtt_span() - find the bus address of an address in an MTT key
 * @mkey: MTT key that covers [@va, @va + @want)
 * @va: address within @mkey
 * @want: number of requested bytes
 * @bus: out: bus address
 *
 * Adjacent pages count as one span.
 *
 * Context: any; pure.
 * Return: number of contiguous bytes from @bus, at most @want.
 */
u32 sim_mtt_span(const struct sim_mkey *mkey, u64 va, u32 want, u64 *bus)
{
	u64 size = BIT_ULL(mkey->log_page_size);
	u64 pos = sim_mtt_pos(mkey, va);
	u64 i = pos >> mkey->log_page_size;
	u64 off = pos & (size - 1);
	u64 len = size - off;

	*bus = mkey->mtt[i] + off;
	for (; len < want && i + 1 < 2ULL * mkey->xlt_used; i++) {
		if (mkey->mtt[i + 1] != mkey->mtt[i] + size)
			break;
		len += size;
	}
	return min_t(u64, len, want);
}

/*
 * Find the bus address of the iterator's position. Shortens @want to the
 * contiguous bytes.
 */
static int sim_iter_resolve(struct sim_iter *it, u32 *want, u64 *bus)
{
	const struct sim_mkey *mkey = it->mkey;
	u64 va = it->seg->va + it->off;
	struct sim_piece piece;
	u32 depth;

	for (depth = 0; mkey; depth++) {
		switch (mkey->mode) {
		case SIM_MKEY_PA:
			*bus = va;
			return 0;
		case SIM_MKEY_MTT:
			*want = sim_mtt_span(mkey, va, *want, bus);
			return 0;
		default:
			break;
		}
		if (depth >= SIM_MAX_INDIRECTION ||
		    sim_klm_find(mkey, va - mkey->start, &it->at[depth], &piece))
			return -EFAULT;
		va = piece.va;
		*want = min_t(u64, *want, piece.len);
		mkey = sim_mkey_find(it->sdev, piece.key);
	}
	return -EFAULT;
}

/*
 * Set it->p and it->left to the span at the current position, at most @max
 * bytes.
 */
static int sim_iter_load(struct sim_iter *it, u32 max)
{
	u32 want;
	int err;

	while (it->nseg && it->off == it->seg->len) {
		it->seg++;
		it->nseg--;
		it->off = 0;
		it->mkey = NULL;
	}
	if (!it->nseg)
		return -EFAULT;

	want = min(max, it->seg->len - it->off);
	if (it->seg->kmem) {
		it->p = it->seg->kmem + it->off;
		it->left = want;
		return 0;
	}
	if (!it->mkey) {
		it->mkey = sim_mkey_find(it->sdev, it->seg->key);
		if (!it->mkey)
			return -EFAULT;
	}
	err = sim_iter_resolve(it, &want, &it->bus);
	if (err)
		return err;

	it->p = sim_dma_span(it->sdev, it->bus, &want, it->write);
	if (IS_ERR(it->p))
		return PTR_ERR(it->p);
	sim_dma_account(it->sdev, it->bus, want, it->write);
	it->left = want;
	return 0;
}

static void sim_iter_advance(struct sim_iter *it, u32 n)
{
	it->p += n;
	it->bus += n;
	it->left -= n;
	it->off += n;
}

/**
 * sim_iter_init() - start at the beginning of a segment list
 * @it: out: iterator
 * @sdev: simulated function whose memory the list describes
 * @seg: segment list that has passed sim_access_check()
 * @nseg: number of elements of @seg
 * @write: memory will be written
 */
void sim_iter_init(struct sim_iter *it, struct sim_dev *sdev, const struct sim_seg *seg,
		   u32 nseg, bool write)
{
	memset(it, 0, sizeof(*it));
	it->sdev = sdev;
	it->seg = seg;
	it->nseg = nseg;
	it->write = write;
}

/**
 * sim_copy() - copy from one segment list to another
 * @dst: destination, an iterator for writing
 * @src: source
 * @len: bytes to copy, at most the length of either list
 *
 * After the call, both iterators point after the copied bytes.
 *
 * Context: hardware thread; may reschedule.
 * Return: SIM_COPIED; SIM_COPY_SRC or SIM_COPY_DST when the memory of that side
 * was inaccessible. Part of the data may have moved then, as on a device with
 * an error in the middle of a message.
 */
enum sim_copy_result sim_copy(struct sim_iter *dst, struct sim_iter *src, u32 len)
{
	u32 budget = SIM_COPY_CHUNK;
	u32 n;

	while (len) {
		if (!src->left && sim_iter_load(src, min_t(u32, len, SIM_COPY_CHUNK)))
			return SIM_COPY_SRC;
		if (!dst->left && sim_iter_load(dst, min_t(u32, len, SIM_COPY_CHUNK)))
			return SIM_COPY_DST;
		n = min3(src->left, dst->left, len);
		memcpy(dst->p, src->p, n);
		sim_iter_advance(src, n);
		sim_iter_advance(dst, n);
		len -= n;

		if (n < budget) {
			budget -= n;
			continue;
		}
		/* look spans up again: a reschedule may unmap them */
		budget = SIM_COPY_CHUNK;
		src->left = 0;
		dst->left = 0;
		sim_hw_yield();
	}
	return SIM_COPIED;
}

/**
 * sim_copy_line() - read the mapped part of a 64-byte line
 * @buf: destination, @len bytes
 * @src: source, at the start of a line
 * @len: number of requested bytes, at most 64
 *
 * A real device fetches complete lines, which an IOMMU permits because it maps
 * pages. A mapping of the simulation may end inside a line. The rest of @buf is
 * then cleared.
 *
 * Return: SIM_COPIED, or SIM_COPY_SRC when the first byte is not mapped.
 */
enum sim_copy_result sim_copy_line(void *buf, struct sim_iter *src, u32 len)
{
	u32 n;

	if (!src->left && sim_iter_load(src, len))
		return SIM_COPY_SRC;
	n = min(src->left, len);
	memcpy(buf, src->p, n);
	memset(buf + n, 0, len - n);
	return SIM_COPIED;
}
