// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of WQEs that libmlx5 (rdma-core 44) wrote.
 *
 * The bytes were recorded from the send queues of a process on stock mlx5_ib
 * (Linux 6.12.117): tools/testing/programs/libmlx5/probe.c makes the calls, and
 * record.sh there prints the bytes, which are unchanged here. The same calls of
 * <rdma/mlx5dv.h> must write the same bytes.
 *
 * In two fields mlx5_ibx differs on purpose; the suite sets them to the values
 * of libmlx5:
 *
 *  - the fence of a configuration: libmlx5 uses the fence that the previous WQE
 *    requires, mlx5_ibx the fence that the device requires before a UMR;
 *  - the GRH bit of an address vector, which is reserved on RoCE: mlx5_ibx sets
 *    it, as mlx5_ib does (recorded_kunit.c).
 *
 * The suite does not cover:
 *
 *  - invalidations: ib_post_send() writes the same as mlx5_ib
 *    (recorded_kunit.c), and ib_wr_local_inv() also clears length and access
 *    (wr_kunit.c). libmlx5 changes more fields, because its invalidations also
 *    serve memory windows;
 *  - the signature of a raw WQE: libmlx5 keeps it, mlx5_ibx clears it
 *    (wr_kunit.c);
 *  - layouts that the device reads from memory, which libmlx5 does not have.
 */

#include <linux/unaligned.h>

#include "dv/mkey.h"
#include "kunit.h"

#define DV_UD_QPN	0x43
#define DV_DCTN		0x40000
#define DV_LKEY		0x1300
#define DV_RKEY		0x1300
#define DV_MKEY		0x1500
#define DV_WINDOW	0x1405
#define DV_BUF		0x700000000000
#define DV_OPAQUE	0x55eac4429880
#define DV_OPAQUE_LKEY	0x1600
#define DV_ENTRIES	48
#define DV_IMM		cpu_to_be32(0xa1b2c3d4)
#define DV_QKEY		0x11111111
#define DV_DC_KEY	0x1122334455667788
#define DV_STREAM	0x5a5

#define INLINE		IB_SEND_INLINE
#define SOLICITED	IB_SEND_SOLICITED
#define FENCED		IB_SEND_FENCE

/* addresses and keys of the work requests that probe.c posts */
struct dv {
	struct mlx5dv_qp_ex *mqp;
	struct ib_qp_ex *qpx;
	struct ibx_mkey mkey;
	struct ibx_ah ah;
	u8 bytes[64];
	struct ib_sge sge[DV_ENTRIES];
	struct mlx5dv_mr_interleaved data[DV_ENTRIES];
};

struct dv_case {
	const char *name;
	void (*build)(struct dv *d, int n);
	int n;
	enum ib_qp_type type;
	unsigned int flags;		/* in addition to IB_SEND_SIGNALED */
	const char *hex;
	u8 pending_fence;		/* required by the previous WQE */
};

#define SMALL	MLX5_FENCE_MODE_INITIATOR_SMALL

static const u32 rw = IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;

static void begin_conf(struct dv *d, u8 setters)
{
	const struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(d->mqp, &d->mkey.dv, setters, &attr);
}

static void conf_list(struct dv *d, int n)
{
	begin_conf(d, 2);
	mlx5dv_wr_set_mkey_access_flags(d->mqp, rw);
	mlx5dv_wr_set_mkey_layout_list(d->mqp, n, d->sge);
}

static void conf_interleaved(struct dv *d, int n)
{
	begin_conf(d, 2);
	mlx5dv_wr_set_mkey_access_flags(d->mqp, rw);
	mlx5dv_wr_set_mkey_layout_interleaved(d->mqp, 2, n, d->data);
}

static void conf_access(struct dv *d, int n)
{
	begin_conf(d, 1);
	mlx5dv_wr_set_mkey_access_flags(d->mqp, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC);
}

static void conf_nothing(struct dv *d, int n)
{
	begin_conf(d, 0);
}

static void mr_list(struct dv *d, int n)
{
	mlx5dv_wr_mr_list(d->mqp, &d->mkey.dv, rw, n, d->sge);
}

static void mr_interleaved(struct dv *d, int n)
{
	mlx5dv_wr_mr_interleaved(d->mqp, &d->mkey.dv, rw, 2, n, d->data);
}

static void send_data(struct dv *d, int n)
{
	ib_wr_send(d->qpx);
	ib_wr_set_sge_list(d->qpx, n, d->sge);
}

static void send_imm(struct dv *d, int n)
{
	ib_wr_send_imm(d->qpx, DV_IMM);
	ib_wr_set_inline_data(d->qpx, d->bytes, n);
}

static void send_inv(struct dv *d, int n)
{
	ib_wr_send_inv(d->qpx, DV_WINDOW);
	ib_wr_set_sge_list(d->qpx, n, d->sge);
}

static void rdma_write(struct dv *d, int n)
{
	ib_wr_rdma_write(d->qpx, DV_RKEY, DV_BUF + 4096);
	ib_wr_set_sge_list(d->qpx, n, d->sge);
}

static void rdma_write_inline(struct dv *d, int n)
{
	ib_wr_rdma_write(d->qpx, DV_RKEY, DV_BUF + 4096);
	ib_wr_set_inline_data(d->qpx, d->bytes, n);
}

static void rdma_write_imm(struct dv *d, int n)
{
	ib_wr_rdma_write_imm(d->qpx, DV_RKEY, DV_BUF + 4096, DV_IMM);
	ib_wr_set_sge_list(d->qpx, n, d->sge);
}

static void rdma_read(struct dv *d, int n)
{
	ib_wr_rdma_read(d->qpx, DV_RKEY, DV_BUF + 4096);
	ib_wr_set_sge(d->qpx, DV_LKEY, DV_BUF, 64);
}

static void cmp_swp(struct dv *d, int n)
{
	ib_wr_atomic_cmp_swp(d->qpx, DV_RKEY, DV_BUF + 4096, 0x0102030405060708,
			     0x1112131415161718);
	ib_wr_set_sge(d->qpx, DV_LKEY, DV_BUF, 8);
}

static void fetch_add(struct dv *d, int n)
{
	ib_wr_atomic_fetch_add(d->qpx, DV_RKEY, DV_BUF + 4096, 0x1112131415161718);
	ib_wr_set_sge(d->qpx, DV_LKEY, DV_BUF, 8);
}

static void copy_memory(struct dv *d, int n)
{
	mlx5dv_wr_memcpy(d->mqp, DV_LKEY, DV_BUF + 4096, DV_LKEY, DV_BUF, n);
}

/* a READ; the ring must replace its wqe_index */
static void post_raw(struct dv *d, int n)
{
	const __be32 wqe[] = {
		cpu_to_be32(0x00999910), cpu_to_be32(0x00004203), cpu_to_be32(0x00000008), 0,
		cpu_to_be32(upper_32_bits(DV_BUF)), cpu_to_be32(lower_32_bits(DV_BUF + 4096)),
		cpu_to_be32(DV_RKEY), 0,
		cpu_to_be32(n), cpu_to_be32(DV_LKEY),
		cpu_to_be32(upper_32_bits(DV_BUF)), cpu_to_be32(lower_32_bits(DV_BUF)),
	};

	mlx5dv_wr_raw_wqe(d->mqp, wqe);
}

static void set_ud(struct dv *d)
{
	ib_wr_set_ud_addr(d->qpx, &d->ah.ibah, DV_UD_QPN, DV_QKEY);
}

static void ud_send(struct dv *d, int n)
{
	send_data(d, n);
	set_ud(d);
}

static void ud_send_imm(struct dv *d, int n)
{
	ib_wr_send_imm(d->qpx, DV_IMM);
	set_ud(d);
	ib_wr_set_inline_data(d->qpx, d->bytes, n);
}

static void set_dc(struct dv *d)
{
	mlx5dv_wr_set_dc_addr(d->mqp, &d->ah.ibah, DV_DCTN, DV_DC_KEY);
}

static void set_dc_stream(struct dv *d)
{
	mlx5dv_wr_set_dc_addr_stream(d->mqp, &d->ah.ibah, DV_DCTN, DV_DC_KEY, DV_STREAM);
}

static void dc_send(struct dv *d, int n)
{
	send_data(d, n);
	set_dc(d);
}

static void dc_send_stream(struct dv *d, int n)
{
	send_data(d, n);
	set_dc_stream(d);
}

static void dc_send_imm(struct dv *d, int n)
{
	send_imm(d, n);
	set_dc(d);
}

static void dc_write(struct dv *d, int n)
{
	rdma_write(d, n);
	set_dc(d);
}

static void dc_write_inline(struct dv *d, int n)
{
	rdma_write_inline(d, n);
	set_dc_stream(d);
}

static void dc_write_imm(struct dv *d, int n)
{
	rdma_write_imm(d, n);
	set_dc_stream(d);
}

static void dc_read(struct dv *d, int n)
{
	rdma_read(d, n);
	set_dc(d);
}

static void dc_cmp_swp(struct dv *d, int n)
{
	cmp_swp(d, n);
	set_dc(d);
}

static void dc_fetch_add(struct dv *d, int n)
{
	fetch_add(d, n);
	set_dc_stream(d);
}

static const struct dv_case dv_cases[] = {
	{ "mkey_configure_list", conf_list, 1, IB_QPT_RC, INLINE,
	  HEX(00000025 0000420c 00000008 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000040
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mkey_configure_list", conf_list, 2, IB_QPT_RC, INLINE,
	  HEX(00000325 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000081
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mkey_configure_list", conf_list, 4, IB_QPT_RC, INLINE,
	  HEX(00000625 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000106
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600) },
	{ "mkey_configure_list", conf_list, 5, IB_QPT_RC, INLINE,
	  HEX(00000925 00004210 00000028 00001500 80000000 00080000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mkey_configure_list", conf_list, 48, IB_QPT_RC, INLINE,
	  HEX(00000d25 00004238 00000028 00001500 80000000 00300000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00001068
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000045 00001300 00007000 00000a00
	      00000046 00001300 00007000 00000c00 00000047 00001300 00007000 00000e00
	      00000048 00001300 00007000 00001000 00000049 00001300 00007000 00001200
	      0000004a 00001300 00007000 00001400 0000004b 00001300 00007000 00001600
	      0000004c 00001300 00007000 00001800 0000004d 00001300 00007000 00001a00
	      0000004e 00001300 00007000 00001c00 0000004f 00001300 00007000 00001e00
	      00000050 00001300 00007000 00002000 00000051 00001300 00007000 00002200
	      00000052 00001300 00007000 00002400 00000053 00001300 00007000 00002600
	      00000054 00001300 00007000 00002800 00000055 00001300 00007000 00002a00
	      00000056 00001300 00007000 00002c00 00000057 00001300 00007000 00002e00
	      00000058 00001300 00007000 00003000 00000059 00001300 00007000 00003200
	      0000005a 00001300 00007000 00003400 0000005b 00001300 00007000 00003600
	      0000005c 00001300 00007000 00003800 0000005d 00001300 00007000 00003a00
	      0000005e 00001300 00007000 00003c00 0000005f 00001300 00007000 00003e00
	      00000060 00001300 00007000 00004000 00000061 00001300 00007000 00004200
	      00000062 00001300 00007000 00004400 00000063 00001300 00007000 00004600
	      00000064 00001300 00007000 00004800 00000065 00001300 00007000 00004a00
	      00000066 00001300 00007000 00004c00 00000067 00001300 00007000 00004e00
	      00000068 00001300 00007000 00005000 00000069 00001300 00007000 00005200
	      0000006a 00001300 00007000 00005400 0000006b 00001300 00007000 00005600
	      0000006c 00001300 00007000 00005800 0000006d 00001300 00007000 00005a00
	      0000006e 00001300 00007000 00005c00 0000006f 00001300 00007000 00005e00) },
	{ "mkey_configure_interleaved", conf_interleaved, 1, IB_QPT_RC, INLINE,
	  HEX(00001b25 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000100
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000080 00000400 00000002 00000001 00800080 00001300 00007000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mkey_configure_interleaved", conf_interleaved, 2, IB_QPT_RC, INLINE,
	  HEX(00001e25 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000202
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000101 00000400 00000002 00000002 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00000000 00000000 00000000 00000000) },
	{ "mkey_configure_interleaved", conf_interleaved, 3, IB_QPT_RC, INLINE,
	  HEX(00002125 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000306
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000183 00000400 00000002 00000003 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00840082 00001300 00007000 00000400) },
	{ "mkey_configure_interleaved", conf_interleaved, 4, IB_QPT_RC, INLINE,
	  HEX(00002425 00004210 00000028 00001500 80000000 00080000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 0000040c
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000206 00000400 00000002 00000004 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00840082 00001300 00007000 00000400
	      00860083 00001300 00007000 00000600 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mkey_configure_access", conf_access, 0, IB_QPT_RC, INLINE,
	  HEX(00002825 00004208 00000028 00001500 80000000 00000000 00000000 203c2000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00004800 ffffff00 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mkey_configure", conf_nothing, 0, IB_QPT_RC, INLINE,
	  HEX(00002a25 00004208 00000028 00001500 80000000 00000000 00000000 20002000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "mr_list", mr_list, 3, IB_QPT_RC, INLINE,
	  HEX(00002c25 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 000000c3
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000000 00000000 00000000 00000000) },
	{ "mr_interleaved", mr_interleaved, 3, IB_QPT_RC, INLINE,
	  HEX(00002f25 0000420c 00000028 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000306
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000183 00000400 00000002 00000003 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00840082 00001300 00007000 00000400) },
	{ "mr_list", mr_list, 1, IB_QPT_RC, INLINE | FENCED,
	  HEX(00003425 0000420c 00000088 00001500 80000000 00040000 00000000 203c2001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000040
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "send", send_data, 2, IB_QPT_RC, 0,
	  HEX(0000370a 00004203 00000028 00000000 00000040 00001300 00007000 00000000
	      00000041 00001300 00007000 00000200),
	  SMALL },
	{ "send", send_data, 0, IB_QPT_RC, SOLICITED,
	  HEX(0000380a 00004201 0000000a 00000000) },
	{ "send_imm", send_imm, 5, IB_QPT_RC, FENCED,
	  HEX(0000390b 00004202 00000088 a1b2c3d4 80000005 01080f16 1d000000 00000000) },
	{ "send_inv", send_inv, 1, IB_QPT_RC, SOLICITED | FENCED,
	  HEX(00003d01 00004202 0000008a 00001405 00000040 00001300 00007000 00000000) },
	{ "rdma_write", rdma_write, 2, IB_QPT_RC, 0,
	  HEX(00003e08 00004204 00000008 00000000 00007000 00001000 00001300 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200) },
	{ "rdma_write_inline", rdma_write_inline, 21, IB_QPT_RC, 0,
	  HEX(00003f08 00004204 00000008 00000000 00007000 00001000 00001300 00000000
	      80000015 01080f16 1d242b32 3940474e 555c636a 71787f86 8d000000 00000000) },
	{ "rdma_write_imm", rdma_write_imm, 1, IB_QPT_RC, 0,
	  HEX(00004009 00004203 00000008 a1b2c3d4 00007000 00001000 00001300 00000000
	      00000040 00001300 00007000 00000000) },
	{ "rdma_read", rdma_read, 0, IB_QPT_RC, 0,
	  HEX(00004110 00004203 00000008 00000000 00007000 00001000 00001300 00000000
	      00000040 00001300 00007000 00000000) },
	{ "atomic_cmp_swp", cmp_swp, 0, IB_QPT_RC, 0,
	  HEX(00004211 00004204 00000008 00000000 00007000 00001000 00001300 00000000
	      11121314 15161718 01020304 05060708 00000008 00001300 00007000 00000000) },
	{ "atomic_fetch_add", fetch_add, 0, IB_QPT_RC, 0,
	  HEX(00004312 00004204 00000008 00000000 00007000 00001000 00001300 00000000
	      11121314 15161718 00000000 00000000 00000008 00001300 00007000 00000000) },
	{ "memcpy", copy_memory, 64, IB_QPT_RC, 0,
	  HEX(0100442f 00004204 00000008 00000000 00000000 00001600 000055ea c4429880
	      00000040 00001300 00007000 00000000 00000040 00001300 00007000 00001000) },
	{ "memcpy", copy_memory, 4095, IB_QPT_RC, FENCED,
	  HEX(0100452f 00004204 00000088 00000000 00000000 00001600 000055ea c4429880
	      00000fff 00001300 00007000 00000000 00000fff 00001300 00007000 00001000) },
	{ "raw_wqe", post_raw, 64, IB_QPT_RC, 0,
	  HEX(00004610 00004203 00000008 00000000 00007000 00001000 00001300 00000000
	      00000040 00001300 00007000 00000000) },
	{ "ud_send", ud_send, 2, IB_QPT_UD, 0,
	  HEX(0000000a 00004306 00000008 00000000 11111111 00000000 80000043 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200) },
	{ "ud_send_imm", ud_send_imm, 21, IB_QPT_UD, SOLICITED,
	  HEX(0000020b 00004306 0000000a a1b2c3d4 11111111 00000000 80000043 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      80000015 01080f16 1d242b32 3940474e 555c636a 71787f86 8d000000 00000000) },
	{ "dc_send", dc_send, 2, IB_QPT_DRIVER, 0,
	  HEX(0000000a 00004406 00000008 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200) },
	{ "dc_send_stream", dc_send_stream, 1, IB_QPT_DRIVER, 0,
	  HEX(0000020a 00004405 0005a508 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00000040 00001300 00007000 00000000) },
	{ "dc_send_imm", dc_send_imm, 5, IB_QPT_DRIVER, SOLICITED,
	  HEX(0000040b 00004405 0000000a a1b2c3d4 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      80000005 01080f16 1d000000 00000000) },
	{ "dc_write", dc_write, 2, IB_QPT_DRIVER, 0,
	  HEX(00000608 00004407 00000008 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00007000 00001000 00001300 00000000 00000040 00001300 00007000 00000000
	      00000041 00001300 00007000 00000200) },
	{ "dc_write_inline", dc_write_inline, 21, IB_QPT_DRIVER, 0,
	  HEX(00000808 00004407 0005a508 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00007000 00001000 00001300 00000000 80000015 01080f16 1d242b32 3940474e
	      555c636a 71787f86 8d000000 00000000) },
	{ "dc_write_imm", dc_write_imm, 1, IB_QPT_DRIVER, 0,
	  HEX(00000a09 00004406 0005a508 a1b2c3d4 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00007000 00001000 00001300 00000000 00000040 00001300 00007000 00000000) },
	{ "dc_read", dc_read, 0, IB_QPT_DRIVER, FENCED,
	  HEX(00000c10 00004406 00000088 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00007000 00001000 00001300 00000000 00000040 00001300 00007000 00000000) },
	{ "dc_cmp_swp", dc_cmp_swp, 0, IB_QPT_DRIVER, 0,
	  HEX(00000e11 00004407 00000008 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00007000 00001000 00001300 00000000 11121314 15161718 01020304 05060708
	      00000008 00001300 00007000 00000000) },
	{ "dc_fetch_add", dc_fetch_add, 0, IB_QPT_DRIVER, 0,
	  HEX(00001012 00004407 0005a508 00000000 11223344 55667788 80040000 0600e341
	      00000000 0215b300 00012040 00312345 00000000 00000000 0000ffff c0a84d01
	      00007000 00001000 00001300 00000000 11121314 15161718 00000000 00000000
	      00000008 00001300 00007000 00000000) },
	{ "memcpy", copy_memory, 64, IB_QPT_DRIVER, 0,
	  HEX(0100122f 00004404 00000008 00000000 00000000 00001600 000055ea c4429880
	      00000040 00001300 00007000 00000000 00000040 00001300 00007000 00001000) },
};

static void dv_desc(const struct dv_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %d (recorded from libmlx5)", c->name, c->n);
}

KUNIT_ARRAY_PARAM(dv, dv_cases, dv_desc);

/* the AH of probe.c, whose destination is the device itself */
static void create_dv_ah(struct dv *d)
{
	static const u8 dgid[16] = { [10] = 0xff, 0xff, 192, 168, 77, 1 };
	static const u8 dmac[ETH_ALEN] = { 0x02, 0x15, 0xb3, 0x00, 0x00, 0x01 };
	const struct ibx_enc_av p = {
		.dgid = dgid, .dmac = dmac, .sgid_index = 3, .sl = 3, .hop_limit = 64,
		.tclass = 0x20, .flow_label = 0x12345,
		.udp_sport = rdma_flow_label_to_udp_sport(0x12345),
	};

	ibx_enc_av(&d->ah.av, &p);
	d->ah.av.grh_gid_fl &= ~cpu_to_be32(BIT(30));
}

static struct dv *create_dv(struct kt *kt)
{
	struct dv *d = kunit_kzalloc(kt->test, sizeof(*d), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(kt->test, d);
	d->mqp = &kt->qp->dv;
	d->qpx = &d->mqp->qp_ex;
	d->mkey.dv.lkey = DV_MKEY;
	d->mkey.dv.rkey = DV_MKEY;
	d->mkey.key = DV_MKEY;
	d->mkey.has.max_entries = DV_ENTRIES;
	for (i = 0; i < DV_ENTRIES; i++) {
		d->sge[i] = (struct ib_sge){ DV_BUF + 512 * i, 64 + i, DV_LKEY };
		d->data[i] = (struct mlx5dv_mr_interleaved){
			DV_BUF + 512 * i, 128 + i, i, DV_LKEY,
		};
	}
	for (i = 0; i < sizeof(d->bytes); i++)
		d->bytes[i] = i * 7 + 1;
	create_dv_ah(d);
	return d;
}

/* sets the state in which probe.c posted the WQE that begins with @want */
static void set_dv_qp(struct kt *kt, const struct dv_case *c, const u8 *want)
{
	struct ibx_sq *sq = &kt->qp->sq;

	ibx_sq_set_qpn(sq, get_unaligned_be24(want + 4));
	sq->cur_post = get_unaligned_be16(want + 1);
	sq->umr_fence = c->flags & FENCED ? MLX5_FENCE_MODE_NONE : want[11] & 0xe0;
	sq->next_fence = c->pending_fence;
	sq->max_umr_inline = DV_ENTRIES * 16;
	sq->dma_lkey = cpu_to_be32(DV_OPAQUE_LKEY);
	kt->dev->mmo.max = BIT_ULL(31);
	kt->dev->mmo.opaque_dma = DV_OPAQUE;
	kt->qp->dc.streams = c->type == IB_QPT_DRIVER;
}

static void recorded_dv(struct kunit *test)
{
	const struct dv_case *c = test->param_value;
	struct kt *kt = kt_create(test, c->type);
	struct dv *d = create_dv(kt);
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	static u8 want[1024];

	KUNIT_ASSERT_NOT_NULL(test, flat);
	KUNIT_ASSERT_NE(test, kt_parse_hex(test, c->hex, want, sizeof(want)), 0);
	set_dv_qp(kt, c, want);
	d->qpx->wr_flags = c->flags | IB_SEND_SIGNALED;

	KUNIT_ASSERT_EQ(test, ib_wr_start(d->qpx), 0);
	c->build(d, c->n);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(d->qpx), 0);
	kt_unroll(kt, get_unaligned_be16(want + 1), flat);
	kt_expect_bytes(test, c->name, flat, c->hex);
}

static struct kunit_case recorded_dv_tests[] = {
	KUNIT_CASE_PARAM(recorded_dv, dv_gen_params),
	{}
};

static struct kunit_suite recorded_dv_suite = {
	.name = "mlx5_ibx_recorded_dv",
	.test_cases = recorded_dv_tests,
};

kunit_test_suite(recorded_dv_suite);
