// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Common functions of the suites of block signatures. Parameters of the module:
 * sig_every and sig_count.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sig.h"

static unsigned int sig_every = 1;
module_param(sig_every, uint, 0444);
MODULE_PARM_DESC(sig_every, "long cases try one combination in so many");

static char *sig_count = "wire";
module_param(sig_count, charp, 0444);
MODULE_PARM_DESC(sig_count, "sig_count of mlx5sim");

/**
 * sig_query() - set r->no_crc, for sig_fit()
 * @r: the run
 *
 * Return: 0 or a negative errno.
 */
int sig_query(struct sig_run *r)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD };

	T_TRY(mlx5dv_query_device(r->p->end[0].dev, &caps));
	r->no_crc = !(caps.sig_caps.block_prot & MLX5DV_SIG_PROT_CAP_CRC);
	return 0;
}

/**
 * sig_with() - run a case with an mkey and two buffers
 * @p: the pair
 * @run: the case
 *
 * Return: the result of @run, or a negative errno.
 */
int sig_with(struct t_pair *p, int (*run)(struct sig_run *r))
{
	struct sig_run r = { .p = p };
	int ret = -ENOMEM;

	T_TRY(sig_query(&r));
	r.mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 8);
	if (IS_ERR(r.mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(r.mkey));
	r.in = kvzalloc(T_BUF_SIZE, GFP_KERNEL);
	r.out = kvzalloc(T_BUF_SIZE, GFP_KERNEL);
	if (r.in && r.out)
		ret = run(&r);
	kvfree(r.out);
	kvfree(r.in);
	/* a case may have replaced the mkey by another mkey, or by an ERR_PTR() */
	if (!IS_ERR(r.mkey))
		mlx5dv_destroy_mkey(r.mkey);
	return ret;
}

/**
 * sig_with_peer() - sig_with() after the peer's buffer was registered for operations of the owner
 * @p: the pair
 * @run: the case
 *
 * Return: the result of @run, or a negative errno.
 */
int sig_with_peer(struct t_pair *p, int (*run)(struct sig_run *r))
{
	T_TRY(move_register_peer(p));
	return sig_with(p, run);
}

/**
 * dv_sig_run() - run a case with an mkey and two buffers
 * @p: pair of the case, whose @arg is a struct dv_sig_case
 *
 * Return: as sig_with().
 */
int dv_sig_run(struct t_pair *p)
{
	const struct dv_sig_case *c = p->arg;

	return c->with(p, c->run);
}

/**
 * sig_fit() - replace a CRC by T10-DIF if the device has T10-DIF only
 * @r: the run
 * @d: a domain
 *
 * Return: @d, or a domain of the same block size with T10-DIF.
 */
struct sig_dom sig_fit(const struct sig_run *r, const struct sig_dom *d)
{
	const struct sig_dom dif = {
		.on = true, .type = MLX5DV_SIG_TYPE_T10DIF, .size = d->size,
		.dif = { MLX5DV_SIG_T10DIF_CRC, d->crc.seed ? 0xffff : 0, 0x4321, 0x89abcdef,
			 MLX5DV_SIG_T10DIF_FLAG_REF_REMAP },
	};

	return r->no_crc && d->on && d->type == MLX5DV_SIG_TYPE_CRC ? dif : *d;
}

/**
 * sig_fit_case() - sig_fit() for both domains of r->c
 * @r: the run
 */
void sig_fit_case(struct sig_run *r)
{
	r->c.mem = sig_fit(r, &r->c.mem);
	r->c.wire = sig_fit(r, &r->c.wire);
}

static void set_domain(struct mlx5dv_sig_block_domain *to, const struct sig_dom *from)
{
	to->sig_type = from->type;
	to->block_size = from->size;
	if (from->type == MLX5DV_SIG_TYPE_T10DIF)
		to->sig.dif = &from->dif;
	else
		to->sig.crc = &from->crc;
}

/**
 * sig_build() - call the setter of the signature attributes
 * @e: the end, after dv_start()
 * @c: the attributes
 */
void sig_build(struct t_end *e, const struct sig_case *c)
{
	struct mlx5dv_sig_block_domain mem = {}, wire = {};
	const struct mlx5dv_sig_block_attr attr = {
		.mem = c->mem.on ? &mem : NULL,
		.wire = c->wire.on ? &wire : NULL,
		.flags = c->flags,
		.check_mask = c->check_mask,
		.copy_mask = c->copy_mask,
	};

	set_domain(&mem, &c->mem);
	set_domain(&wire, &c->wire);
	mlx5dv_wr_set_mkey_sig_block(dv_of(e), &attr);
}

/**
 * sig_try() - post a configuration of only the signature attributes, and wait
 * @e: end whose QP configures
 * @mkey: mkey
 * @c: the attributes
 *
 * Return: 0 or the errno of ib_wr_complete(); -EIO if the work request fails.
 */
int sig_try(struct t_end *e, struct mlx5dv_mkey *mkey, const struct sig_case *c)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	int ret;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 1, &attr);
	sig_build(e, c);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/**
 * sig_set_layout() - call the setters of access flags and layout
 * @r: the run; dv_start() was called for its owner
 */
void sig_set_layout(const struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct ib_sge sge[MOVE_PIECES];
	int n = move_cut(e, MOVE_PIECES, sig_bytes(&r->c.mem, r->c.data), sge);

	mlx5dv_wr_set_mkey_access_flags(dv_of(e), DV_REMOTE_RW);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), n, sge);
}

/**
 * sig_configure() - configure the mkey with the attributes of r->c, after sig_fit_case()
 * @r: the run
 *
 * Return: 0 or a negative errno.
 */
int sig_configure(struct sig_run *r)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *e = &r->p->end[0];

	sig_fit_case(r);
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 3, &attr);
	/* the order of setters does not matter */
	if (r->c.data & 1)
		sig_build(e, &r->c);
	sig_set_layout(r);
	if (!(r->c.data & 1))
		sig_build(e, &r->c);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/**
 * sig_make() - fill in the bytes of the input and output domains, r->in and r->out
 * @r: the run
 * @to_memory: the wire is the input domain, else memory is
 * @seed: seed of the data
 */
void sig_make(struct sig_run *r, bool to_memory, u32 seed)
{
	const struct sig_dom *in = to_memory ? &r->c.wire : &r->c.mem;
	const struct sig_dom *out = to_memory ? &r->c.mem : &r->c.wire;
	/* the data are made in the peer's buffer, which is overwritten later */
	struct t_end *e = &r->p->end[1];

	t_fill(e, 0, r->c.data, seed);
	r->in_len = sig_encode(in, e->buf, r->c.data, r->in);
	r->out_len = sig_encode(out, e->buf, r->c.data, r->out);
}

/**
 * sig_stride() - get the step of long cases through their combinations
 *
 * Return: the parameter sig_every, at least 1.
 */
u32 sig_stride(void)
{
	return max(sig_every, 1U);
}

/**
 * sig_reading() - get the bytes that byte counts of data segments include
 *
 * Return: the value of enum sig_reading for the parameter sig_count.
 */
enum sig_reading sig_reading(void)
{
	if (!strcmp(sig_count, "data"))
		return SIG_BY_DATA;
	return strcmp(sig_count, "memory") ? SIG_BY_WIRE : SIG_BY_MEMORY;
}

/**
 * sig_local_len() - calculate the byte count of the data segment in a work request of the owner
 * @c: configuration
 *
 * Return: number of bytes.
 */
u32 sig_local_len(const struct sig_case *c)
{
	switch (sig_reading()) {
	case SIG_BY_WIRE:
		return sig_bytes(&c->wire, c->data);
	case SIG_BY_MEMORY:
		return sig_bytes(&c->mem, c->data);
	default:
		return c->mem.on && c->wire.on ? sig_bytes(&c->mem, c->data) : c->data;
	}
}

static struct move transfer(const struct sig_run *r)
{
	const struct sig_case *c = &r->c;
	const u32 mem = sig_bytes(&c->mem, c->data);

	return (struct move){
		.p = r->p, .mkey = r->mkey, .pieces = MOVE_PIECES,
		.mem = mem, .wire = sig_bytes(&c->wire, c->data),
		.local = sig_local_len(c),
	};
}

/**
 * sig_move() - write r->in to the input domain, and transfer the bytes
 * @r: the run; the peer's MR is registered
 * @op: the operation
 *
 * Return: 0, or a negative errno if the transfer does not succeed.
 */
int sig_move(struct sig_run *r, enum move_op op)
{
	const struct move m = transfer(r);

	return move_bytes(&m, op, r->in);
}

/**
 * sig_compare() - compare received bytes with r->out, and check that all other
 * bytes are unchanged
 * @r: the run after sig_move()
 * @op: the operation
 *
 * Return: 0 or -EIO.
 */
int sig_compare(struct sig_run *r, enum move_op op)
{
	const struct move m = transfer(r);

	return move_compare(&m, op, r->out);
}

/**
 * sig_check_stopped() - check that mlx5dv_mkey_check() fails after it has reported an error
 * @r: the run
 *
 * Return: 0 or -EIO.
 */
int sig_check_stopped(struct sig_run *r)
{
	struct mlx5dv_mkey_err found;

	T_EXPECT(mlx5dv_mkey_check(r->mkey, &found), -EIO);
	return 0;
}

/**
 * sig_check() - check that mlx5dv_mkey_check() reports this type of error
 * @r: the run
 * @type: type of the error, or no error
 * @err: receives the error; may be NULL
 *
 * Return: 0 or -EIO.
 */
int sig_check(struct sig_run *r, enum mlx5dv_mkey_err_type type, struct mlx5dv_sig_err *err)
{
	struct mlx5dv_mkey_err found;

	T_EXPECT(mlx5dv_mkey_check(r->mkey, &found), 0);
	T_EXPECT(found.err_type, type);
	if (err)
		*err = found.err.sig;
	return 0;
}
