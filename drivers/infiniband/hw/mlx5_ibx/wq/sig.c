// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: signature mkeys of open chains, and their errors.
 *
 * A configuration changes ibx_sig.state while its chain is open, so that later
 * configurations in the chain use the new state. The first configuration of an
 * mkey in a chain saves the old state, which is restored if the chain is
 * dropped. An mkey is part of one open chain at a time.
 *
 * The device reports an error by a CQE that completes no WR. The CQE is on the
 * CQ of the transfer, before the CQE that completes the transfer.
 *
 * After an error, the device checks no transfer of the mkey and reports no
 * error until a configuration acknowledges the error. A configuration
 * acknowledges the number of errors that were polled when it was built. So the
 * result of a transfer after an error is not known:
 *
 * - After ibx_sig_take_error() has returned the error, it returns -EIO until
 *   the mkey is configured again.
 * - A configuration is refused until ibx_sig_take_error() has returned the
 *   error.
 * - A configuration that is posted before the error was polled does not
 *   acknowledge it, and the CQE of the error does not name a configuration.
 *   So if an mkey was configured more than once between two calls of
 *   ibx_sig_take_error() (ibx_sig_state.several), the first call after an
 *   error returns the error, further calls return -EIO, and configurations
 *   are refused, until the mkey is destroyed or its owner puts it back into a
 *   pool (ibx_sig_forget()).
 *
 * A call of ibx_sig_take_error() covers all transfers of all earlier
 * configurations. A registration of an INTEGRITY MR is refused until
 * ibx_sig_take_error() was called after the previous registration
 * (wq/post_pi.c), so the last case does not apply to INTEGRITY MRs.
 */
#include <linux/mlx5/device.h>

#include "backend.h"
#include "trace.h"
#include "wq/wq.h"

/**
 * ibx_sig_join() - make a signature mkey part of an open chain
 * @wr: send queue that the caller has open
 * @sig: signatures of the mkey; its state may be changed after success. If the
 *	mkey has encryption, the caller also copies the state of encryption then
 *
 * Context: the lock of the ring is held.
 * Return: 0; -EBUSY if the mkey is part of the open chain of another send queue.
 */
int ibx_sig_join(struct ibx_wr *wr, struct ibx_sig *sig)
{
	struct ibx_wr *chain = READ_ONCE(sig->chain);

	lockdep_assert_held(&wr->chain.sq->lock);
	if (chain == wr)
		return 0;
	/* pairs with smp_store_release() in ibx_sigs_leave() */
	if (chain || cmpxchg_acquire(&sig->chain, NULL, wr))
		return -EBUSY;
	sig->undo = sig->state;
	sig->next = wr->sigs;
	wr->sigs = sig;
	wr->todo |= IBX_TODO_SIGS;
	return 0;
}

/**
 * ibx_sigs_leave() - remove signature mkeys from a chain that ends
 * @wr: send queue that the caller has open
 * @posted: true: the chain is about to be posted, and the new states stay;
 *	false: the chain was dropped, and the old states are restored
 *
 * Context: the lock of the ring is held.
 */
void ibx_sigs_leave(struct ibx_wr *wr, bool posted)
{
	struct ibx_sig *sig, *next;

	lockdep_assert_held(&wr->chain.sq->lock);
	for (sig = wr->sigs; sig; sig = next) {
		next = sig->next;
		if (!posted) {
			sig->state = sig->undo;
			if (sig->both)
				sig->both->state = sig->both->undo;
		}
		/*
		 * pairs with cmpxchg_acquire() in ibx_sig_join(): the next
		 * chain reads the new state
		 */
		smp_store_release(&sig->chain, NULL);
	}
	wr->sigs = NULL;
}

/* store an error; sig->lock is held. @known: as in store_error() */
static void add_error(struct ibx_sig *sig, const struct mlx5dv_mkey_err *err, bool known)
{
	lockdep_assert_held(&sig->lock);
	if (!sig->has_err) {
		sig->err = *err;
		sig->bad_err = !known;
		WRITE_ONCE(sig->has_err, true);
	}
	/*
	 * pairs with smp_rmb() in ibx_sig_may_restart(): the error is stored
	 * before it is counted
	 */
	atomic_inc_return_release(&sig->errs);
}

/*
 * type of the signature (0 for blocks) and domain: <linux/mlx5/device.h>
 * declares these two bytes as reserved
 */
#define SIGERR_TYPE(cqe)	((cqe)->rsvd22[0] & 0x7)
#define SIGERR_DOMAIN(cqe)	((cqe)->rsvd22[1] & 0x7)
#define SIGERR_BLOCK		0
#define SIGERR_WIRE		0
#define SIGERR_MEM		1

/* the guard is in the high bytes of a signature */
static u64 guard_of(enum ibx_sig_kind kind, u64 value)
{
	switch (kind) {
	case IBX_SIG_T10DIF:
		return value >> 48;
	case IBX_SIG_CRC4:
		return value >> 32;
	default:
		return value;
	}
}

/*
 * kind of the signature in which an error was found; IBX_SIG_NONE if the kind
 * is not known
 */
static enum ibx_sig_kind kind_of(const struct ibx_sig *sig, const struct mlx5_sig_err_cqe *cqe)
{
	enum ibx_sig_kind kind;

	if (SIGERR_TYPE(cqe) != SIGERR_BLOCK || SIGERR_DOMAIN(cqe) > SIGERR_MEM)
		return IBX_SIG_NONE;
	kind = READ_ONCE(sig->state.kind[SIGERR_DOMAIN(cqe) == SIGERR_MEM ? IBX_SIG_MEM :
									    IBX_SIG_WIRE]);
	/*
	 * pairs with smp_wmb() in add_unchecked(): after a changed kind, mixed
	 * is read as true
	 */
	smp_rmb();
	return READ_ONCE(sig->mixed) ? IBX_SIG_NONE : kind;
}

/*
 * Decode one error of a CQE: the guard before the application tag, and the
 * application tag before the reference tag, as in mlx5dv_mkey_check(3). Return:
 * false if the meaning of the CQE is not known.
 */
static bool decode_error(struct mlx5dv_mkey_err *err, enum ibx_sig_kind kind,
			 const struct mlx5_sig_err_cqe *cqe)
{
	const u16 syndrome = be16_to_cpu(cqe->syndrome);
	const u64 expected = (u64)be32_to_cpu(cqe->expected_trans_sig) << 32 |
			     be32_to_cpu(cqe->expected_reftag);
	const u64 actual = (u64)be32_to_cpu(cqe->actual_trans_sig) << 32 |
			   be32_to_cpu(cqe->actual_reftag);

	if (kind == IBX_SIG_NONE)
		return false;
	err->err.sig.offset = be64_to_cpu(cqe->err_offset);
	if (syndrome & IBX_SIGERR_GUARD) {
		err->err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD;
		err->err.sig.expected_value = guard_of(kind, expected);
		err->err.sig.actual_value = guard_of(kind, actual);
	} else if (syndrome & IBX_SIGERR_APP_TAG) {
		err->err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG;
		err->err.sig.expected_value = expected >> 32 & 0xffff;
		err->err.sig.actual_value = actual >> 32 & 0xffff;
	} else if (syndrome & IBX_SIGERR_REF_TAG) {
		err->err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG;
		err->err.sig.expected_value = lower_32_bits(expected);
		err->err.sig.actual_value = lower_32_bits(actual);
	} else {
		return false;
	}
	return true;
}

/*
 * decode an error that an unchanged mlx5_ib has stored; the signature is
 * T10-DIF. Return: false if the meaning of the error is not known
 */
static bool decode_foreign(struct mlx5dv_mkey_err *err, const struct ib_sig_err *item)
{
	switch (item->err_type) {
	case IB_SIG_BAD_GUARD:
		err->err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD;
		break;
	case IB_SIG_BAD_APPTAG:
		err->err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG;
		break;
	case IB_SIG_BAD_REFTAG:
		err->err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG;
		break;
	default:
		return false;
	}
	err->err.sig.offset = item->sig_err_offset;
	err->err.sig.expected_value = item->expected;
	err->err.sig.actual_value = item->actual;
	return true;
}

/* store the errors that mlx5_ib has polled; sig->lock is held */
static void fetch_errors(struct ibx_sig *sig)
{
	struct mlx5dv_mkey_err err = { .err_type = MLX5DV_MKEY_NO_ERR };
	struct ibx_sig_foreign *f = sig->foreign;
	struct ibx_backend_err from;
	bool known;
	u32 total;

	total = f->dev->backend->read_sig(f->dev->ib, f->ctx, f->seen, &from);
	if (f->seen == total)
		return;
	known = f->dev->is_patched ? decode_error(&err, kind_of(sig, &from.cqe), &from.cqe) :
				     decode_foreign(&err, &from.item);
	for (; f->seen != total; f->seen++)
		add_error(sig, &err, known);
}

/**
 * ibx_sig_fetch_errors() - store the errors that mlx5_ib has polled
 * @sig: signatures of an mkey of a device of mlx5_ib (ibx_sig.foreign)
 *
 * Context: any but NMI.
 */
void ibx_sig_fetch_errors(struct ibx_sig *sig)
{
	unsigned long flags;

	spin_lock_irqsave(&sig->lock, flags);
	fetch_errors(sig);
	spin_unlock_irqrestore(&sig->lock, flags);
}

/* has the device reported an error that no configuration has acknowledged? */
static bool is_stopped(const struct ibx_sig *sig)
{
	const u32 told = READ_ONCE(sig->state.errs);

	return told && told != atomic_read(&sig->errs);
}

/**
 * ibx_sig_take_error() - return the stored error of an mkey, and clear it
 * @sig: signatures of the mkey
 * @err: gets the error; MLX5DV_MKEY_NO_ERR without error
 *
 * Context: any but NMI.
 * Return:
 * * 0
 * * -EIO: the device reported an error whose meaning is not known; or an
 *   earlier call has returned the error, and the device has not checked the
 *   transfers after it
 */
int ibx_sig_take_error(struct ibx_sig *sig, struct mlx5dv_mkey_err *err)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&sig->lock, flags);
	if (sig->foreign)
		fetch_errors(sig);
	WRITE_ONCE(sig->checked, READ_ONCE(sig->state.confs));
	if (sig->has_err && !sig->bad_err)
		*err = sig->err;
	else if (sig->has_err || is_stopped(sig))
		ret = -EIO;
	else
		err->err_type = MLX5DV_MKEY_NO_ERR;
	/* ibx_sig_may_restart() reads has_err without the lock */
	WRITE_ONCE(sig->has_err, false);
	spin_unlock_irqrestore(&sig->lock, flags);
	return ret;
}

/**
 * ibx_sig_may_restart() - may an mkey be configured after the device has reported an error?
 * @sig: signatures of the mkey, part of an open chain
 *
 * Context: the lock of the ring of the chain is held.
 * Return:
 * * 0
 * * -EBUSY: ibx_sig_take_error() has not returned the error yet
 * * -EIO: the mkey was configured more than once between two calls of
 *   ibx_sig_take_error()
 */
int ibx_sig_may_restart(const struct ibx_sig *sig)
{
	lockdep_assert_held(&sig->chain->chain.sq->lock);
	/*
	 * before the first configuration there is no acknowledged number to
	 * compare with
	 */
	if (!sig->state.errs)
		return 0;
	if (sig->state.several)
		return -EIO;
	/*
	 * errs, which the caller has read, before has_err: pairs with
	 * atomic_inc_return_release() in add_error(), which stores an error
	 * before it counts the error
	 */
	smp_rmb();
	return READ_ONCE(sig->has_err) ? -EBUSY : 0;
}

/**
 * ibx_sig_forget() - clear the errors of an mkey, and the record of its configurations
 * @sig: signatures of an mkey that is part of no chain, and has no outstanding
 *	transfer
 *
 * The next configuration acknowledges all errors.
 *
 * Context: any but NMI.
 */
void ibx_sig_forget(struct ibx_sig *sig)
{
	unsigned long flags;

	spin_lock_irqsave(&sig->lock, flags);
	if (sig->foreign)
		fetch_errors(sig);
	sig->has_err = false;
	sig->mixed = false;
	sig->checked = sig->state.confs;
	sig->state.several = false;
	sig->state.errs = 0;
	spin_unlock_irqrestore(&sig->lock, flags);
}

/* @known: @err is valid; otherwise the meaning of the error is not known */
static void store_error(struct ibx_sig *sig, const struct mlx5dv_mkey_err *err, bool known)
{
	spin_lock(&sig->lock);
	add_error(sig, err, known);
	spin_unlock(&sig->lock);
}

/**
 * ibx_sig_error() - store a signature error
 * @dev: device
 * @cqe64: CQE with opcode MLX5_CQE_SIG_ERR
 *
 * Context: the lock of the CQ is held, interrupts are off.
 * Return: true; false if the driver has no mkey with signatures at the index in
 * the CQE: the mkey was destroyed, or is an mkey of DEVX.
 */
bool ibx_sig_error(struct ibx_dev *dev, const struct mlx5_cqe64 *cqe64)
{
	const struct mlx5_sig_err_cqe *cqe = (const struct mlx5_sig_err_cqe *)cqe64;
	struct mlx5dv_mkey_err err = { .err_type = MLX5DV_MKEY_NO_ERR };
	u32 key = be32_to_cpu(cqe->mkey);
	struct ibx_sig *sig;

	static_assert(sizeof(*cqe) == sizeof(*cqe64));
	static_assert(offsetof(struct mlx5_sig_err_cqe, qpn) ==
		      offsetof(struct mlx5_cqe64, sop_drop_qpn));
	rcu_read_lock();
	sig = xa_load(&dev->sigs, mlx5_mkey_to_idx(key));
	if (sig) {
		store_error(sig, &err, decode_error(&err, kind_of(sig, cqe), cqe));
		trace_ibx_sig_error(dev, cqe, &err);
	}
	rcu_read_unlock();
	return sig;
}
