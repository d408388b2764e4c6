// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The signature engine: a stream of bytes from one domain to the other.
 *
 * Bytes from memory go to the wire, or the reverse. The stream is cut into
 * blocks in each domain that has signatures. In the input domain, the signature
 * after each block is checked and removed; in the output domain, a signature is
 * calculated and inserted. If both domains have the same structure, the bytes
 * of the copy mask are copied from the input signature.
 *
 * A transfer begins at the start of a block in both domains. The reference tag
 * of a block is the reference tag of the PSV; with ref_inc, the index of the
 * block from the start of the key is added. So the state of a stream
 * depends on the message only, and a retransmitted message has the same
 * signatures. Only SET_PSV and errors change a PSV. Unrefereed: U-104.
 *
 * An incomplete block has no signature and is not checked.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

static void side_start(struct sim_sig_side *side)
{
	side->pos = 0;
	if (side->dom->type)
		sim_guard_start(&side->guard, side->dom, side->seed);
}

static void side_init(struct sim_sig_side *side, const struct sim_sig_domain *dom,
		      const struct sim_psv *psv, u32 data)
{
	side->dom = dom;
	side->seed = psv ? psv->sig : 0;
	side->block = dom->type ? data / dom->block : 0;
	side_start(side);
}

static void side_next(struct sim_sig_side *side)
{
	side->block++;
	side_start(side);
}

static void side_add(struct sim_sig_side *side, const u8 *buf, u32 len)
{
	if (side->dom->type)
		sim_guard_add(&side->guard, buf, len);
	side->pos += len;
}

/* Number of bytes of data until the end of the block, at most @len */
static u32 side_left(const struct sim_sig_side *side, u32 len)
{
	return side->dom->type ? min_t(u32, len, side->dom->block - side->pos) : len;
}

/* The expected signature of the current block */
static u64 side_sig(const struct sim_sig_side *side)
{
	u64 sig = sim_guard_end(&side->guard);
	u32 ref = side->seed;

	if (side->dom->type != SIM_SIG_T10DIF)
		return sig;
	if (side->dom->ref_inc)
		ref += side->block;
	return sig | (side->seed & 0x0000ffff00000000ull) | ref;
}

/* The bits of a signature that a mask of bytes selects */
static u64 mask_bits(u8 bytes)
{
	u64 bits = 0;
	int i;

	for (i = 0; i < 8; i++)
		if (bytes & BIT(i))
			bits |= 0xffull << 8 * i;
	return bits;
}

/* Unrefereed: U-105. */
static bool sig_escapes(const struct sim_sig_domain *dom, u64 sig)
{
	bool app = dom->type == SIM_SIG_T10DIF && (u16)(sig >> 32) == 0xffff;

	return app && (dom->app_escape || (dom->ref_escape && (u32)sig == 0xffffffff));
}

static u16 sig_syndrome(const struct sim_sig_domain *dom, u64 diff)
{
	if (dom->type != SIM_SIG_T10DIF)
		return diff ? SIM_SIGERR_GUARD : 0;
	return (diff >> 48 ? SIM_SIGERR_GUARD : 0) | ((u16)(diff >> 32) ? SIM_SIGERR_APPTAG : 0) |
	       ((u32)diff ? SIM_SIGERR_REFTAG : 0);
}

/* Unrefereed: U-106. */
static void sig_check(struct sim_sig *sig, u64 received)
{
	const struct sim_sig_domain *dom = sig->in.dom;
	u64 right = side_sig(&sig->in);
	u64 bits = mask_bits(sig->bsf->check_mask);
	u16 syndrome;

	if (!sig->check || sig_escapes(dom, received))
		return;
	sig->checked++;
	if (dom->type == SIM_SIG_T10DIF)
		bits &= ~((u64)(u16)~dom->app_mask << 32);
	syndrome = sig_syndrome(dom, (right ^ received) & bits);
	if (!syndrome)
		return;
	sig->check = false;
	sig->err.syndrome = syndrome;
	sig->err.expected = received;
	sig->err.actual = right;
	sig->err.offset = (u64)sig->in.block * (dom->block + sim_sig_len(dom->type));
}

/*
 * Insert the signature of the output domain. @received is the signature of the
 * input domain, for the copy mask.
 */
static u32 sig_insert(struct sim_sig *sig, u64 received, u8 *out)
{
	u64 copied = mask_bits(sig->bsf->copy_mask);
	u64 made = side_sig(&sig->out);

	sim_sig_put(sig->out.dom->type, (made & ~copied) | (received & copied), out);
	sig->generated++;
	side_next(&sig->out);
	return sim_sig_len(sig->out.dom->type);
}

static bool sig_copies(const struct sim_sig *sig)
{
	return sig->bsf->copy_mask;
}

/*
 * Consume bytes of the input signature. Return: number of bytes consumed.
 * *@made is set to the number of bytes written to @out.
 */
static u32 sig_take(struct sim_sig *sig, const u8 *in, u32 n, u8 *out, u32 *made)
{
	u32 len = sim_sig_len(sig->in.dom->type);
	u32 k = min(n, len - sig->in_len);
	u64 received;

	memcpy(sig->in_sig + sig->in_len, in, k);
	sig->in_len += k;
	*made = 0;
	if (sig->in_len < len)
		return k;
	sig->in_len = 0;
	received = sim_sig_get(sig->in.dom->type, sig->in_sig);
	sig_check(sig, received);
	side_next(&sig->in);
	if (sig_copies(sig))
		*made = sig_insert(sig, received, out);
	return k;
}

/* Count the stream for an armed signature fault, which may fire. */
static void sig_arm_fault(struct sim_sig *sig, struct sim_faults *faults)
{
	if (!faults || !faults->sig.left || --faults->sig.left)
		return;
	faults->sig.fired++;
	sig->spoil = (u64)faults->sig.byte + 1;
}

/**
 * sim_sig_init() - start a stream
 * @sig: out: stream
 * @sdev: simulated function
 * @mkey: key with signatures, whose PSVs exist
 * @data: bytes of data from the start of the key to the start of the transfer
 * @write: true: the stream goes from wire to memory; false: memory to wire
 *
 * Context: hardware thread.
 */
void sim_sig_init(struct sim_sig *sig, struct sim_dev *sdev, struct sim_mkey *mkey, u32 data,
		  bool write)
{
	const struct sim_sig_domain *in = write ? &mkey->bsf->wire : &mkey->bsf->mem;
	const struct sim_sig_domain *out = write ? &mkey->bsf->mem : &mkey->bsf->wire;
	struct sim_psv *psv = in->type ? sim_obj_find(sdev, SIM_OBJ_PSV, in->psv) : NULL;

	memset(sig, 0, sizeof(*sig));
	sig->bsf = mkey->bsf;
	side_init(&sig->in, in, psv, data);
	side_init(&sig->out, out,
		  out->type ? sim_obj_find(sdev, SIM_OBJ_PSV, out->psv) : NULL, data);
	sig->check = psv && !psv->error;
	sig->err.mkey = mkey;
	sig->err.psv = psv;
	sig->err.memory = !write;
	if (psv)
		sig_arm_fault(sig, sdev->faults);
}

/**
 * sim_sig_spoil() - change the byte that a fired signature fault selects
 * @sig: stream
 * @buf: bytes about to be fed
 * @n: number of bytes at @buf
 */
void sim_sig_spoil(struct sim_sig *sig, u8 *buf, u32 n)
{
	if (sig->spoil > sig->fed && sig->spoil <= sig->fed + n)
		buf[sig->spoil - 1 - sig->fed] ^= 0xff;
	sig->fed += n;
}

/**
 * sim_sig_feed() - move bytes through a stream
 * @sig: stream
 * @in: bytes of the input domain
 * @n: number of bytes at @in
 * @out: bytes of the output domain; SIM_SIG_ROOM(@n) bytes of space
 *
 * Context: hardware thread.
 * Return: number of bytes written to @out.
 */
u32 sim_sig_feed(struct sim_sig *sig, const u8 *in, u32 n, u8 *out)
{
	u32 made, k, total = 0;

	while (n) {
		if (sig->in.dom->type && sig->in.pos == sig->in.dom->block) {
			k = sig_take(sig, in, n, out + total, &made);
			total += made;
		} else {
			k = side_left(&sig->out, side_left(&sig->in, n));
			memcpy(out + total, in, k);
			side_add(&sig->in, in, k);
			side_add(&sig->out, in, k);
			total += k;
			if (sig->out.dom->type && sig->out.pos == sig->out.dom->block &&
			    !sig_copies(sig))
				total += sig_insert(sig, 0, out + total);
		}
		in += k;
		n -= k;
	}
	return total;
}
