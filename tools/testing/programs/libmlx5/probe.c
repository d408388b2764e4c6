// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The WQEs that libmlx5 builds, and their cost, for the calls that <rdma/mlx5dv.h> also has.
 *
 *	probe record DEVICE	prints the WQE of each call, as it is in the send queue
 *	probe cost DEVICE	prints the cost of each call: units of the time stamp counter from
 *				ibv_wr_start() to ibv_wr_complete(), the minimum of ROUNDS calls;
 *				instructions, in a VM that counts instructions
 *
 * Both post the WQEs, to the QP itself or to a DCT of the same device, and check that every WQE,
 * and the receive that it consumes, completes with success. record.sh builds the program and runs
 * it in the VM on stock mlx5_ib; `make bench` measures the cost.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "ends.h"

#define ROUNDS		16
#define IMM		htonl(0xa1b2c3d4)
#define STREAM		0x5a5

static struct ends e;
/* QP of the work request that is being built */
static struct ibv_qp_ex *qpx;
static struct mlx5dv_qp_ex *mqp;

/* ---- posted work requests ---- */

static struct ibv_sge sges[MAX_ENTRIES];
static struct mlx5dv_mr_interleaved data[MAX_ENTRIES];
static const int access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

static void conf_list(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	mlx5dv_wr_set_mkey_layout_list(mqp, n, sges);
}

static void conf_interleaved(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	mlx5dv_wr_set_mkey_layout_interleaved(mqp, 2, n, data);
}

static void conf_access(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	(void)n;
	mlx5dv_wr_mkey_configure(mqp, e.mkey, 1, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
}

static void conf_nothing(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	(void)n;
	mlx5dv_wr_mkey_configure(mqp, e.mkey, 0, &attr);
}

static void mr_list(int n)
{
	mlx5dv_wr_mr_list(mqp, e.mkey, access_flags, n, sges);
}

static void mr_interleaved(int n)
{
	mlx5dv_wr_mr_interleaved(mqp, e.mkey, access_flags, 2, n, data);
}

static void local_inv(int n)
{
	(void)n;
	ibv_wr_local_inv(qpx, e.mkey->lkey);
}

static void send_data(int n)
{
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, n, sges);
}

static void send_imm(int n)
{
	ibv_wr_send_imm(qpx, IMM);
	ibv_wr_set_inline_data(qpx, e.buf, n);
}

/* binds a memory window that send_inv() invalidates; mlx5dv.h of the kernel has no such call */
static void bind_mw(int n)
{
	const struct ibv_mw_bind_info info = {
		.mr = e.mr, .addr = (uintptr_t)e.buf, .length = n,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	e.mw->rkey = ibv_inc_rkey(e.mw->rkey);
	ibv_wr_bind_mw(qpx, e.mw, e.mw->rkey, &info);
}

static void send_inv(int n)
{
	ibv_wr_send_inv(qpx, e.mw->rkey);
	ibv_wr_set_sge_list(qpx, n, sges);
}

static void rdma_write(int n)
{
	ibv_wr_rdma_write(qpx, e.mr->rkey, (uintptr_t)e.buf + 4096);
	ibv_wr_set_sge_list(qpx, n, sges);
}

static void rdma_write_inline(int n)
{
	ibv_wr_rdma_write(qpx, e.mr->rkey, (uintptr_t)e.buf + 4096);
	ibv_wr_set_inline_data(qpx, e.buf, n);
}

static void rdma_write_imm(int n)
{
	ibv_wr_rdma_write_imm(qpx, e.mr->rkey, (uintptr_t)e.buf + 4096, IMM);
	ibv_wr_set_sge_list(qpx, n, sges);
}

static void rdma_read(int n)
{
	(void)n;
	ibv_wr_rdma_read(qpx, e.mr->rkey, (uintptr_t)e.buf + 4096);
	ibv_wr_set_sge(qpx, e.mr->lkey, (uintptr_t)e.buf, 64);
}

static void cmp_swp(int n)
{
	(void)n;
	ibv_wr_atomic_cmp_swp(qpx, e.mr->rkey, (uintptr_t)e.buf + 4096, 0x0102030405060708,
			      0x1112131415161718);
	ibv_wr_set_sge(qpx, e.mr->lkey, (uintptr_t)e.buf, 8);
}

static void fetch_add(int n)
{
	(void)n;
	ibv_wr_atomic_fetch_add(qpx, e.mr->rkey, (uintptr_t)e.buf + 4096, 0x1112131415161718);
	ibv_wr_set_sge(qpx, e.mr->lkey, (uintptr_t)e.buf, 8);
}

static void copy(int n)
{
	mlx5dv_wr_memcpy(mqp, e.mr->lkey, (uintptr_t)e.buf + 4096, e.mr->lkey, (uintptr_t)e.buf,
			 n);
}

/* an RDMA READ as a raw WQE; the call must overwrite the WQE index 0x9999 */
static void raw(int n)
{
	struct {
		struct mlx5_wqe_ctrl_seg ctrl;
		struct mlx5_wqe_raddr_seg raddr;
		struct mlx5_wqe_data_seg data;
	} wqe = {
		.raddr = { htobe64((uintptr_t)e.buf + 4096), htonl(e.mr->rkey), 0 },
		.data = { htonl(n), htonl(e.mr->lkey), htobe64((uintptr_t)e.buf) },
	};

	mlx5dv_set_ctrl_seg(&wqe.ctrl, 0x9999, MLX5_OPCODE_RDMA_READ, 0, qpx->qp_base.qp_num,
			    MLX5_WQE_CTRL_CQ_UPDATE, 3, 0, 0);
	mlx5dv_wr_raw_wqe(mqp, &wqe);
}

static void set_ud(void)
{
	ibv_wr_set_ud_addr(qpx, e.ah, e.ud.qp->qp_num, QKEY);
}

static void ud_send(int n)
{
	send_data(n);
	set_ud();
}

static void ud_send_imm(int n)
{
	ibv_wr_send_imm(qpx, IMM);
	set_ud();
	ibv_wr_set_inline_data(qpx, e.buf, n);
}

static void set_dc(void)
{
	mlx5dv_wr_set_dc_addr(mqp, e.ah, e.dct->qp_num, DC_KEY);
}

static void set_dc_stream(void)
{
	mlx5dv_wr_set_dc_addr_stream(mqp, e.ah, e.dct->qp_num, DC_KEY, STREAM);
}

static void dc_send(int n)
{
	send_data(n);
	set_dc();
}

static void dc_send_stream(int n)
{
	send_data(n);
	set_dc_stream();
}

static void dc_send_imm(int n)
{
	send_imm(n);
	set_dc();
}

static void dc_write(int n)
{
	rdma_write(n);
	set_dc();
}

static void dc_write_inline(int n)
{
	rdma_write_inline(n);
	set_dc_stream();
}

static void dc_write_imm(int n)
{
	rdma_write_imm(n);
	set_dc_stream();
}

static void dc_read(int n)
{
	rdma_read(n);
	set_dc();
}

static void dc_cmp_swp(int n)
{
	cmp_swp(n);
	set_dc();
}

static void dc_fetch_add(int n)
{
	fetch_add(n);
	set_dc_stream();
}

/* ---- signatures ---- */

struct sig {
	struct mlx5dv_sig_block_domain mem;
	struct mlx5dv_sig_block_domain wire;
	uint8_t check_mask;
	uint8_t copy_mask;
	uint32_t flags;
};

#define T10(size, type, seed, app, ref, f)	{ MLX5DV_SIG_TYPE_T10DIF, {		\
	.dif = &(const struct mlx5dv_sig_t10dif){					\
		MLX5DV_SIG_T10DIF_##type, seed, app, ref, f } },			\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define CRC(size, type, seed)	{ MLX5DV_SIG_TYPE_CRC, {				\
	.crc = &(const struct mlx5dv_sig_crc){ MLX5DV_SIG_CRC_TYPE_##type, seed } },	\
	MLX5DV_BLOCK_SIZE_##size, 0 }
/* marks an absent domain: comp_mask of a domain of libmlx5 is 0 */
#define NO_DOMAIN	{ .comp_mask = 1 }

#define REMAP		MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
#define ESC_APP		MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE
#define ESC_REF		MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE

static const struct sig sigs[] = {
	{ CRC(512, CRC32, UINT32_MAX), NO_DOMAIN, 0xf0 },
	{ NO_DOMAIN, T10(4096, CRC, 0xffff, 0x1234, 0x56789abc, REMAP), 0xff },
	{ T10(512, CRC, 0, 0x1234, 5, REMAP), T10(512, CRC, 0, 0x1234, 5, REMAP), 0x50 },
	{ T10(520, CSUM, 0, 0x8001, 7, 0), T10(520, CRC, 0, 0x8001, 7, 0), 0xff },
	{ T10(4160, CRC, 0, 1, 2, ESC_APP), T10(4160, CRC, 0, 3, 4, ESC_REF), 0xcf, 0x30,
	  MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK },
	{ CRC(4048, CRC32C, 0), CRC(4160, CRC64_XP10, UINT64_MAX), 0xff },
	{ CRC(4096, CRC64_XP10, 0), CRC(4096, CRC64_XP10, 0), 0 },
	{ T10(512, CRC, 0xffff, 0, 0, ESC_APP | ESC_REF), CRC(512, CRC32, 0), 0xff },
	{ CRC(520, CRC32C, UINT32_MAX), CRC(520, CRC32C, UINT32_MAX), 0xf0, 0xc0,
	  MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK },
};

static void set_sig(int n)
{
	const struct mlx5dv_sig_block_attr attr = {
		.mem = sigs[n].mem.comp_mask ? NULL : &sigs[n].mem,
		.wire = sigs[n].wire.comp_mask ? NULL : &sigs[n].wire,
		.flags = sigs[n].flags, .check_mask = sigs[n].check_mask,
		.copy_mask = sigs[n].copy_mask,
	};

	mlx5dv_wr_set_mkey_sig_block(mqp, &attr);
}

static void sig_list(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.sig, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	mlx5dv_wr_set_mkey_layout_list(mqp, 5, sges);
	set_sig(n);
}

/* the signature is set before the layout; in the WQE, the BSF still follows the layout */
static void sig_first(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.sig, 2, &attr);
	set_sig(n);
	mlx5dv_wr_set_mkey_layout_interleaved(mqp, 2, 3, data);
}

static void sig_alone(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.sig, 1, &attr);
	set_sig(n);
}

static void sig_keep(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.sig, 1, &attr);
	mlx5dv_wr_set_mkey_layout_list(mqp, n, sges);
}

static void sig_reset(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR,
	};

	(void)n;
	mlx5dv_wr_mkey_configure(mqp, e.sig, 0, &attr);
}

/* ---- encryption ---- */

static const struct mlx5dv_crypto_attr cryptos[] = {
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_512, .keytag = "keytag!",
	  .initial_tweak = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
	{ .data_unit_size = MLX5DV_BLOCK_SIZE_520, .initial_tweak = { [15] = 0x7f } },
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_4048,
	  .signature_crypto_order =
		  MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX },
	{ .data_unit_size = MLX5DV_BLOCK_SIZE_4096, .initial_tweak = { 0x7f },
	  .signature_crypto_order =
		  MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX },
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_4160 },
};

static void set_crypto(int n)
{
	struct mlx5dv_crypto_attr attr = cryptos[n];

	attr.dek = e.dek;
	mlx5dv_wr_set_mkey_crypto(mqp, &attr);
}

static void crypto_list(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.crypto, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	mlx5dv_wr_set_mkey_layout_list(mqp, 5, sges);
	set_crypto(n);
}

/* the encryption is set before the layout; in the WQE, the BSF still follows the layout */
static void crypto_first(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.crypto, 2, &attr);
	set_crypto(n);
	mlx5dv_wr_set_mkey_layout_interleaved(mqp, 2, 3, data);
}

static void crypto_alone(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.crypto, 1, &attr);
	set_crypto(n);
}

static void crypto_keep(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, e.crypto, 1, &attr);
	mlx5dv_wr_set_mkey_layout_list(mqp, n, sges);
}

/* ---- signatures and encryption of one mkey ---- */

/* indexes of the signature attributes and of the encryption attributes of one call */
static const struct {
	int sig;
	int crypto;
} pairs[] = { { 0, 3 }, { 1, 0 }, { 2, 2 }, { 5, 1 } };

static void both_begin(int setters, uint32_t flags)
{
	struct mlx5dv_mkey_conf_attr attr = { .conf_flags = flags };

	mlx5dv_wr_mkey_configure(mqp, e.both, setters, &attr);
}

static void both_list(int n)
{
	both_begin(4, 0);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	set_crypto(pairs[n].crypto);
	mlx5dv_wr_set_mkey_layout_list(mqp, 5, sges);
	set_sig(pairs[n].sig);
}

static void both_first(int n)
{
	both_begin(3, 0);
	set_sig(pairs[n].sig);
	set_crypto(pairs[n].crypto);
	mlx5dv_wr_set_mkey_layout_interleaved(mqp, 2, 3, data);
}

/* sets only the signatures; libmlx5 writes the encryption of the last call into the new BSF */
static void both_sig(int n)
{
	both_begin(1, 0);
	set_sig(n);
}

static void both_crypto(int n)
{
	both_begin(1, 0);
	set_crypto(n);
}

static void both_keep(int n)
{
	both_begin(1, 0);
	mlx5dv_wr_set_mkey_layout_list(mqp, n, sges);
}

static void both_reset(int n)
{
	(void)n;
	both_begin(0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
}

struct call {
	const char *name;		/* NULL: not recorded */
	void (*build)(int n);
	int n;
	struct end *on;
	unsigned int flags;		/* send flags in addition to IBV_SEND_SIGNALED */
	bool received;
	int psvs;			/* number of SET_PSV WQEs after the first WQE */
	bool sig;			/* needs signatures */
	bool crypto;			/* needs encryption */
	bool both;			/* needs both on the same mkey */
};

#define INLINE	IBV_SEND_INLINE

static const struct call recorded[] = {
	{ "mkey_configure_list", conf_list, 1, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, 2, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, 4, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, 5, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, MAX_ENTRIES, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 1, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 2, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 3, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 4, &e.rc, INLINE },
	{ "mkey_configure_access", conf_access, 0, &e.rc, INLINE },
	{ "mkey_configure", conf_nothing, 0, &e.rc, INLINE },
	{ "mr_list", mr_list, 3, &e.rc, INLINE },
	{ "mr_interleaved", mr_interleaved, 3, &e.rc, INLINE },
	{ "local_inv", local_inv, 0, &e.rc },
	{ "mr_list", mr_list, 1, &e.rc, INLINE | IBV_SEND_FENCE },
	{ "send", send_data, 2, &e.rc, 0, true },
	{ "send", send_data, 0, &e.rc, IBV_SEND_SOLICITED, true },
	{ "send_imm", send_imm, 5, &e.rc, IBV_SEND_FENCE, true },
	{ NULL, bind_mw, 4096, &e.rc },
	{ "send_inv", send_inv, 1, &e.rc, IBV_SEND_SOLICITED | IBV_SEND_FENCE, true },
	{ "rdma_write", rdma_write, 2, &e.rc },
	{ "rdma_write_inline", rdma_write_inline, 21, &e.rc },
	{ "rdma_write_imm", rdma_write_imm, 1, &e.rc, 0, true },
	{ "rdma_read", rdma_read, 0, &e.rc },
	{ "atomic_cmp_swp", cmp_swp, 0, &e.rc },
	{ "atomic_fetch_add", fetch_add, 0, &e.rc },
	{ "memcpy", copy, 64, &e.rc },
	{ "memcpy", copy, 4095, &e.rc, IBV_SEND_FENCE },
	{ "raw_wqe", raw, 64, &e.rc },
	{ "ud_send", ud_send, 2, &e.ud, 0, true },
	{ "ud_send_imm", ud_send_imm, 21, &e.ud, IBV_SEND_SOLICITED, true },
	{ "dc_send", dc_send, 2, &e.dci, 0, true },
	{ "dc_send_stream", dc_send_stream, 1, &e.dci, 0, true },
	{ "dc_send_imm", dc_send_imm, 5, &e.dci, IBV_SEND_SOLICITED, true },
	{ "dc_write", dc_write, 2, &e.dci },
	{ "dc_write_inline", dc_write_inline, 21, &e.dci },
	{ "dc_write_imm", dc_write_imm, 1, &e.dci, 0, true },
	{ "dc_read", dc_read, 0, &e.dci, IBV_SEND_FENCE },
	{ "dc_cmp_swp", dc_cmp_swp, 0, &e.dci },
	{ "dc_fetch_add", dc_fetch_add, 0, &e.dci },
	{ "memcpy", copy, 64, &e.dci },
	{ "sig_none", sig_keep, 1, &e.rc, INLINE, .sig = true },
	{ "sig_list", sig_list, 0, &e.rc, INLINE, .sig = true, .psvs = 1 },
	{ "sig_keep", sig_keep, 2, &e.rc, INLINE, .sig = true },
	{ "sig_list", sig_list, 1, &e.rc, INLINE, .sig = true, .psvs = 1 },
	{ "sig_list", sig_list, 2, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "sig_list", sig_list, 3, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "sig_list", sig_list, 4, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "sig_first", sig_first, 5, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "sig_list", sig_list, 6, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "sig_alone", sig_alone, 7, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "sig_reset", sig_reset, 0, &e.rc, INLINE, .sig = true },
	{ "sig_none", sig_keep, 3, &e.rc, INLINE, .sig = true },
	{ "sig_list", sig_list, 8, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "crypto_list", crypto_list, 0, &e.rc, INLINE, .crypto = true },
	{ "crypto_keep", crypto_keep, 2, &e.rc, INLINE, .crypto = true },
	{ "crypto_first", crypto_first, 1, &e.rc, INLINE, .crypto = true },
	{ "crypto_alone", crypto_alone, 2, &e.rc, INLINE, .crypto = true },
	{ "crypto_list", crypto_list, 3, &e.rc, INLINE, .crypto = true },
	{ "crypto_list", crypto_list, 4, &e.rc, INLINE, .crypto = true },
	{ "both_keep", both_keep, 1, &e.rc, INLINE, .both = true },
	{ "both_crypto", both_crypto, 2, &e.rc, INLINE, .both = true },
	{ "both_sig", both_sig, 2, &e.rc, INLINE, .both = true, .psvs = 2 },
	{ "both_list", both_list, 2, &e.rc, INLINE, .both = true, .psvs = 2 },
	{ "both_list", both_list, 0, &e.rc, INLINE, .both = true, .psvs = 1 },
	{ "both_list", both_list, 1, &e.rc, INLINE, .both = true, .psvs = 1 },
	{ "both_first", both_first, 3, &e.rc, INLINE, .both = true, .psvs = 2 },
	{ "both_crypto", both_crypto, 2, &e.rc, INLINE, .both = true },
	{ "both_keep", both_keep, 2, &e.rc, INLINE, .both = true },
	{ "both_reset", both_reset, 0, &e.rc, INLINE, .both = true },
	{ "both_sig", both_sig, 7, &e.rc, INLINE, .both = true, .psvs = 2 },
};

static const struct call costs[] = {
	{ "mkey_configure_list", conf_list, 1, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, 4, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, 16, &e.rc, INLINE },
	{ "mkey_configure_list", conf_list, MAX_ENTRIES, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 1, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 4, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, 16, &e.rc, INLINE },
	{ "mkey_configure_interleaved", conf_interleaved, MAX_ENTRIES - 1, &e.rc, INLINE },
	{ "mkey_configure_sig", sig_list, 2, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "mkey_configure_sig", sig_list, 5, &e.rc, INLINE, .sig = true, .psvs = 2 },
	{ "mkey_configure_crypto", crypto_list, 0, &e.rc, INLINE, .crypto = true },
};

/* ---- posting ---- */

static void fill_lists(void)
{
	int i;

	for (i = 0; i < MAX_ENTRIES; i++) {
		sges[i].addr = (uintptr_t)e.buf + 512 * i;
		sges[i].length = 64 + i;
		sges[i].lkey = e.mr->lkey;
		data[i].addr = (uintptr_t)e.buf + 512 * i;
		data[i].bytes_count = 128 + i;
		data[i].bytes_skip = i;
		data[i].lkey = e.mr->lkey;
	}
}

static void *post(const struct call *c, uint64_t *cost)
{
	struct end *end = c->on;
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)((char *)end->dv.sq.buf +
						  end->posted % end->dv.sq.wqe_cnt * BB);
	uint64_t start;

	qpx = end->qpx;
	mqp = end->mqp;
	start = __rdtsc();
	ibv_wr_start(qpx);
	qpx->wr_id = end->posted;
	qpx->wr_flags = c->flags | IBV_SEND_SIGNALED;
	c->build(c->n);
	OR_DIE(ibv_wr_complete(qpx));
	*cost = __rdtsc() - start;
	ends_wait(&e, e.cq, end->posted);
	if (c->received)
		ends_wait(&e, e.rcq, 0);
	end->posted += ((ntohl(ctrl->qpn_ds) & 0x3f) + 3) / 4 + c->psvs;
	return ctrl;
}

/* Prints a WQE. Return: start of the next WQE */
static unsigned char *print_wqe(const struct mlx5dv_qp *dv, unsigned char *p)
{
	const char *end = (char *)dv->sq.buf + dv->sq.wqe_cnt * BB;
	int i, n = (p[7] & 0x3f) * 16;

	for (i = 0; i < (n + BB - 1) / BB * BB; i++, p++) {
		if ((char *)p == end)
			p = dv->sq.buf;
		if (i < n)
			printf("%02x", *p);
	}
	return (char *)p == end ? dv->sq.buf : p;
}

static void record(const struct call *c)
{
	unsigned char *p;
	uint64_t cost;
	int i;

	if ((c->sig && !e.sig) || (c->crypto && !e.crypto) || (c->both && !e.both))
		return;
	p = post(c, &cost);
	if (!c->name)
		return;
	printf("wqe %s %d ", c->name, c->n);
	p = print_wqe(&c->on->dv, p);
	for (i = 0; i < c->psvs; i++) {
		printf(" ");
		p = print_wqe(&c->on->dv, p);
	}
	printf("\n");
}

static void measure(const struct call *c)
{
	uint64_t best = UINT64_MAX, none = UINT64_MAX, cost;
	int i;

	if ((c->sig && !e.sig) || (c->crypto && !e.crypto) || (c->both && !e.both))
		return;
	for (i = 0; i < ROUNDS; i++) {
		cost = __rdtsc();
		cost = __rdtsc() - cost;
		none = cost < none ? cost : none;
		post(c, &cost);
		best = cost < best ? cost : best;
	}
	printf("bench %s dv %d %llu\n", c->name, c->n, (unsigned long long)(best - none));
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "probe record|cost DEVICE\n");
		return 1;
	}
	ends_create(&e, argv[2]);
	fill_lists();
	if (!strcmp(argv[1], "record")) {
		printf("rc %#x ud %#x dci %#x dct %#x lkey %#x mkey %#x mw %#x buf %p gid %d\n",
		       e.rc.qp->qp_num, e.ud.qp->qp_num, e.dci.qp->qp_num, e.dct->qp_num,
		       e.mr->lkey, e.mkey->lkey, e.mw->rkey, (void *)e.buf, e.sgid_index);
		printf("signatures %#x encryption %#x both %#x\n", e.sig ? e.sig->lkey : 0,
		       e.crypto ? e.crypto->lkey : 0, e.both ? e.both->lkey : 0);
		for (i = 0; i < sizeof(recorded) / sizeof(*recorded); i++)
			record(&recorded[i]);
	} else {
		for (i = 0; i < sizeof(costs) / sizeof(*costs); i++)
			measure(&costs[i]);
	}
	return 0;
}
