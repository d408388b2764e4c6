// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The transform stage: memory of the sender, wire, memory of the receiver.
 *
 * If no key transforms the bytes of a message, they are copied from span to
 * span (access.c). Otherwise engines work at both ends, and a buffer holds the
 * bytes as they are on the wire. An end has up to two engines: the signature
 * engine (sig.c), and the encryption engine (crypt.c) before or after it.
 *
 * A wrong signature does not end a transfer. The first error of each end is
 * kept until the message has succeeded (sim_wire_commit()): a message that is
 * retransmitted, or fails, reports no signature error.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

#define WIRE_CHUNK	SZ_4K
/* largest output for a chunk: the cipher is before or after the signatures */
#define WIRE_ROOM	SIM_CRYPT_ROOM(SIM_SIG_ROOM(SIM_CRYPT_ROOM(WIRE_CHUNK)))

/**
 * struct sim_port - an end of a transfer in progress
 * @end: the end
 * @write: bytes go to memory
 * @seg: current segment
 * @nseg: number of segments left, the current one included
 * @started: the current segment has been looked up
 * @transforms: the key of the current segment has signatures or encryption
 * @encrypts: the key of the current segment has encryption
 * @crypt_first: bytes pass the cipher before the signature engine
 * @wire_left: bytes of the segment left on the wire
 * @mem_left: bytes of the segment left in memory
 * @plain: memory of the key of the segment
 * @it: position in @plain
 * @sig: signatures
 * @sig_left: bytes that the signature engine may still output to the wire; a
 *	message may end before the last signature
 * @crypt: encryption
 * @err: first signature error of all segments
 * @buf_pos: bytes of @buf that have been sent
 * @buf_len: bytes in @buf
 * @buf: output of the engines
 */
struct sim_port {
	struct sim_end end;
	bool write;
	const struct sim_seg *seg;
	u32 nseg;
	bool started;
	bool transforms;
	bool encrypts;
	bool crypt_first;
	u32 wire_left;
	u32 mem_left;
	struct sim_seg plain;
	struct sim_iter it;
	struct sim_sig sig;
	u32 sig_left;
	struct sim_crypt crypt;
	struct sim_sig_err err;
	u32 buf_pos;
	u32 buf_len;
	u8 buf[WIRE_ROOM];
};

/* Used by one transfer at a time: there is only one hardware thread. */
static struct sim_port sim_wire_src, sim_wire_dst;
static bool sim_wire_used;
static u8 sim_wire_buf[WIRE_CHUNK];
static u8 sim_wire_mem[WIRE_CHUNK];
static u8 sim_wire_half[WIRE_ROOM];	/* between the two engines of an end */

static void port_open(struct sim_port *p, const struct sim_end *end, bool write)
{
	p->end = *end;
	p->write = write;
	p->seg = end->seg;
	p->nseg = end->nseg;
	p->started = false;
	p->buf_pos = 0;
	p->buf_len = 0;
	p->err.mkey = NULL;
}

/* Start the engines of a key. @data is the offset of the transfer in bytes of data. */
static int port_start_engines(struct sim_port *p, struct sim_mkey *mkey, u32 data)
{
	const struct sim_crypto *c = mkey->crypto;
	u32 off;

	sim_sig_init(&p->sig, p->end.sdev, mkey, data, p->write);
	p->encrypts = sim_mkey_encrypts(mkey);
	if (!p->encrypts)
		return 0;
	p->crypt_first = sim_crypto_at_wire(c) == p->write;
	off = sim_sig_bytes(sim_crypto_at_wire(c) ? &mkey->bsf->wire : &mkey->bsf->mem, data);
	return sim_crypt_init(&p->crypt, p->end.sdev, mkey, off, p->write);
}

static int port_start_seg(struct sim_port *p)
{
	struct sim_dev *sdev = p->end.sdev;
	struct sim_mkey *mkey = sim_seg_key(sdev, p->seg);
	u32 data = 0;

	p->started = true;
	p->transforms = mkey;
	p->encrypts = false;
	p->plain = *p->seg;
	p->wire_left = p->seg->len;
	if (mkey) {
		if ((!p->end.remote &&
		     sim_sig_wire_len(mkey->bsf, p->seg->len, &p->wire_left)) ||
		    sim_sig_block(mkey->bsf, p->seg->va - mkey->start, &data))
			return -EFAULT;
		if (port_start_engines(p, mkey, data))
			return -EFAULT;
		p->plain.len = sim_sig_mem_len(mkey->bsf, p->wire_left);
		p->sig_left = p->wire_left;
	}
	p->mem_left = p->plain.len;
	sim_iter_init(&p->it, sdev, &p->plain, 1, p->write);
	return 0;
}

/* Copy between the memory of a port and a buffer. */
static int port_copy(struct sim_port *p, u8 *buf, u32 n)
{
	struct sim_seg seg = { .kmem = buf, .len = n };
	struct sim_iter it;

	if (!n)
		return 0;
	sim_iter_init(&it, p->end.sdev, &seg, 1, !p->write);
	p->mem_left -= n;
	return (p->write ? sim_copy(&p->it, &it, n) : sim_copy(&it, &p->it, n)) == SIM_COPIED ?
		       0 : -EFAULT;
}

/* Move bytes through the cipher; @in = NULL ends the last data unit. */
static int port_crypt(struct sim_port *p, const u8 *in, u32 n, u8 *out)
{
	int made = in ? sim_crypt_feed(&p->crypt, in, n, out) : sim_crypt_end(&p->crypt, out);

	if (made == -ERANGE)
		sim_violation(p->end.sdev, SIM_VIO_mkey_range,
			      "QP 0x%x: key 0x%x: %llu bytes in data units of %u",
			      sim_qp_qpn(p->end.qp), p->seg->key, p->crypt.total,
			      p->crypt.c->unit);
	return made;
}

static u32 port_sig(struct sim_port *p, u8 *in, u32 n, u8 *out)
{
	u32 made;

	sim_sig_spoil(&p->sig, in, n);
	made = sim_sig_feed(&p->sig, in, n, out);
	if (p->write)
		return made;
	made = min(made, p->sig_left);
	p->sig_left -= made;
	return made;
}

/*
 * Move bytes through the engines to the buffer. @last: the bytes are the last
 * bytes of the segment.
 */
static int port_feed(struct sim_port *p, u8 *in, u32 n, bool last)
{
	int made, rest = 0;

	p->buf_pos = 0;
	p->buf_len = 0;
	if (!p->encrypts) {
		p->buf_len = port_sig(p, in, n, p->buf);
		return 0;
	}
	if (p->crypt_first) {
		made = port_crypt(p, in, n, sim_wire_half);
		if (made >= 0 && last)
			rest = port_crypt(p, NULL, 0, sim_wire_half + made);
		if (made < 0 || rest < 0)
			return -EFAULT;
		p->buf_len = port_sig(p, sim_wire_half, made + rest, p->buf);
		return 0;
	}
	made = port_crypt(p, sim_wire_half, port_sig(p, in, n, sim_wire_half), p->buf);
	if (made >= 0 && last)
		rest = port_crypt(p, NULL, 0, p->buf + made);
	if (made < 0 || rest < 0)
		return -EFAULT;
	p->buf_len = made + rest;
	return 0;
}

/* Read a part of a segment from memory, through the engines. */
static int port_fill(struct sim_port *p)
{
	u32 n = min_t(u32, p->mem_left, WIRE_CHUNK);

	if (!n || port_copy(p, sim_wire_mem, n))
		return -EFAULT;
	return port_feed(p, sim_wire_mem, n, !p->mem_left);
}

/* Write bytes from the wire, as output by the engines. */
static int port_drain(struct sim_port *p, u8 *in, u32 n, bool last)
{
	if (port_feed(p, in, n, last))
		return -EFAULT;
	return port_copy(p, p->buf, p->buf_len);
}

/*
 * End a segment. The rest of its memory is read, since a signature may follow
 * the last byte for the wire. The last data unit is written if the message is
 * complete (@whole). Signatures are counted, and the first error is kept.
 */
static int port_end_seg(struct sim_port *p, bool whole)
{
	u8 none;

	if (!p->transforms)
		return 0;
	if (p->encrypts && p->write && whole && port_drain(p, &none, 0, true))
		return -EFAULT;
	while (!p->write && !p->wire_left && p->mem_left)
		if (port_fill(p))
			return -EFAULT;
	sim_count_add(p->end.sdev, sig_blocks_checked, p->sig.checked);
	sim_count_add(p->end.sdev, sig_blocks_generated, p->sig.generated);
	if (p->encrypts)
		sim_count_add(p->end.sdev, crypto_units, p->crypt.units);
	if (p->sig.err.syndrome && !p->err.mkey)
		p->err = p->sig.err;
	p->transforms = false;
	p->buf_pos = 0;
	p->buf_len = 0;
	return 0;
}

/* Find the segment of the next byte. */
static int port_load(struct sim_port *p)
{
	while (p->nseg && (!p->started || !p->wire_left)) {
		if (p->started) {
			if (port_end_seg(p, true))
				return -EFAULT;
			p->started = false;
			p->seg++;
			p->nseg--;
		} else if (port_start_seg(p)) {
			return -EFAULT;
		}
	}
	return p->nseg ? 0 : -EFAULT;
}

/* Read up to @n bytes of a segment with engines, as they are on the wire. */
static int port_read_engines(struct sim_port *p, u8 *buf, u32 n, u32 *got)
{
	while (p->buf_pos == p->buf_len)
		if (port_fill(p))
			return -EFAULT;
	*got = min(n, p->buf_len - p->buf_pos);
	memcpy(buf, p->buf + p->buf_pos, *got);
	p->buf_pos += *got;
	return 0;
}

/* Read @n bytes as they are on the wire. */
static int port_read(struct sim_port *p, u8 *buf, u32 n)
{
	u32 k;

	for (; n; n -= k, buf += k) {
		if (port_load(p))
			return -EFAULT;
		k = min(n, p->wire_left);
		if (p->transforms ? port_read_engines(p, buf, k, &k) : port_copy(p, buf, k))
			return -EFAULT;
		p->wire_left -= k;
	}
	return 0;
}

/* Write @n bytes from the wire. */
static int port_write(struct sim_port *p, u8 *buf, u32 n)
{
	u32 k;

	for (; n; n -= k, buf += k) {
		if (port_load(p))
			return -EFAULT;
		k = min(n, p->wire_left);
		p->wire_left -= k;
		if (p->transforms ? port_drain(p, buf, k, false) : port_copy(p, buf, k))
			return -EFAULT;
	}
	return 0;
}

static bool end_transforms(const struct sim_end *end)
{
	u32 i;

	for (i = 0; i < end->nseg; i++)
		if (sim_seg_key(end->sdev, &end->seg[i]))
			return true;
	return false;
}

static enum sim_copy_result wire_transform(u32 len, bool whole)
{
	u32 n;

	for (; len; len -= n) {
		n = min_t(u32, len, WIRE_CHUNK);
		if (port_read(&sim_wire_src, sim_wire_buf, n))
			return SIM_COPY_SRC;
		if (port_write(&sim_wire_dst, sim_wire_buf, n))
			return SIM_COPY_DST;
		/*
		 * a reschedule may unmap spans: no iterator is inside a span
		 * here
		 */
		sim_hw_yield();
	}
	if (port_end_seg(&sim_wire_src, whole))
		return SIM_COPY_SRC;
	return port_end_seg(&sim_wire_dst, whole) ? SIM_COPY_DST : SIM_COPIED;
}

/**
 * sim_wire_copy() - move bytes of a message from one end to the other
 * @dst: end that receives
 * @src: end that sends
 * @len: bytes on the wire
 * @whole: @len is the length of the message; otherwise the last data unit may
 *	be incomplete and is not written
 *
 * Context: hardware thread; may reschedule.
 * Return: as sim_copy().
 */
enum sim_copy_result sim_wire_copy(const struct sim_end *dst, const struct sim_end *src, u32 len,
				   bool whole)
{
	struct sim_iter from, to;

	sim_wire_used = end_transforms(src) || end_transforms(dst);
	if (!sim_wire_used) {
		sim_iter_init(&from, src->sdev, src->seg, src->nseg, false);
		sim_iter_init(&to, dst->sdev, dst->seg, dst->nseg, true);
		return sim_copy(&to, &from, len);
	}
	port_open(&sim_wire_src, src, false);
	port_open(&sim_wire_dst, dst, true);
	return wire_transform(len, whole);
}

/**
 * sim_wire_commit() - report the signature errors of a message that has
 * succeeded
 *
 * The errors belong to the last sim_wire_copy().
 *
 * Context: hardware thread.
 */
void sim_wire_commit(void)
{
	if (!sim_wire_used)
		return;
	sim_wire_used = false;
	sim_sigerr_report(&sim_wire_src.end, &sim_wire_src.err);
	sim_sigerr_report(&sim_wire_dst.end, &sim_wire_dst.err);
}
