#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Access flags of QPs: flags.py DEVICE GID-INDEX

mlx5_ib ignores access flags that no QP of the device has. Newer tests of rdma-core set the FLUSH
flags for each RC QP that uses the calls of ibv_wr_post(3). This program passes each flag to
ibv_modify_qp(); then QPs with all flags execute every operation, with these calls. Prints the
failures, and then exits with 1.
"""

import os
import socket
import sys

from pyverbs import device as d
from pyverbs import enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.wr import SGE, RecvWR

from dmabuf import FAULTS, LW, PAGE, RA, RR, RW, Pd, tell

IGNORED = {"MW_BIND": 1 << 4, "ZERO_BASED": 1 << 5, "ON_DEMAND": 1 << 6, "HUGETLB": 1 << 7,
           "FLUSH_GLOBAL": 1 << 8, "FLUSH_PERSISTENT": 1 << 9, "RELAXED_ORDERING": 1 << 20}
ALL = LW | RW | RR | RA | sum(IGNORED.values())
OPS = e.IBV_QP_EX_WITH_SEND | e.IBV_QP_EX_WITH_SEND_WITH_IMM | e.IBV_QP_EX_WITH_RDMA_WRITE | \
    e.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | e.IBV_QP_EX_WITH_RDMA_READ | \
    e.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | e.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | \
    e.IBV_QP_EX_WITH_BIND_MW
SMALL = 16      # bytes; a CQE of 128 bytes contains the data of a READ of this size
IMM = 0x1234


class Ends:
    """Two QPs with all flags, their memory and completions."""

    def __init__(self, ctx, gid_index):
        self.ctx, self.pd = ctx, Pd(ctx)
        self.cqs = [CQ(ctx, 16) for _ in range(2)]
        self.mrs = [MR(self.pd, PAGE, LW | RW | RR | RA | IGNORED["MW_BIND"]) for _ in range(2)]
        self.qps = [self.qp(cq) for cq in self.cqs]
        route = GlobalRoute(dgid=ctx.query_gid(1, gid_index), sgid_index=gid_index)
        for qp, peer in zip(self.qps, reversed(self.qps)):
            attr = QPAttr(port_num=1)
            attr.qp_access_flags, attr.path_mtu = ALL, e.IBV_MTU_1024
            attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
            attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer = 14, 7, 7, 12
            attr.dest_qp_num = peer.qp_num
            attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
            qp.to_rts(attr)

    def qp(self, cq):
        """An RC QP with the calls of ibv_wr_post(3)."""
        init = QPInitAttrEx(cap=QPCap(max_send_wr=8, max_recv_wr=4), pd=self.pd, scq=cq, rcq=cq,
                            qp_type=e.IBV_QPT_RC, send_ops_flags=OPS,
                            comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
        return QPEx(self.ctx, init)

    def completion(self, end):
        """The next completion of an end. If no completion arrives, records a failure and returns
        None."""
        for _ in range(1000000):
            n, wcs = self.cqs[end].poll()
            if n:
                return wcs[0]
        tell(f"end {end}: no completion")
        return None

    def post(self, what, call, length=SMALL, receives=False, want=e.IBV_WC_SUCCESS):
        """Execute an operation of end 0. With receives, it consumes a receive of end 1."""
        if receives:
            self.qps[1].post_recv(RecvWR(num_sge=1, sg=[self.sge(1, PAGE)]))
        qp = self.qps[0]
        qp.wr_start()
        qp.wr_id, qp.wr_flags = 1, e.IBV_SEND_SIGNALED
        call(qp)
        if length is not None:
            qp.wr_set_sge(self.sge(0, length))
        qp.wr_complete()
        wcs = [self.completion(0)] + ([self.completion(1)] if receives else [])
        for wc in wcs:
            if wc and wc.status != want:
                tell(f"{what}: status {wc.status}, expected {want}")
        return wcs[-1]

    def sge(self, end, length):
        """An SGE of the memory of an end."""
        return SGE(self.mrs[end].buf, length, self.mrs[end].lkey)

    def fill(self, end, byte):
        """Set every byte of the memory of an end."""
        self.mrs[end].write(chr(byte) * PAGE, PAGE)

    def holds(self, what, end, byte, length=SMALL):
        """Check that the first bytes of the memory of an end have this value."""
        if self.mrs[end].read(length, 0) != bytes([byte]) * length:
            tell(f"{what}: end {end} has other data")


def one_by_one(ctx):
    """Set each flag on a separate QP."""
    pd, cq = Pd(ctx), CQ(ctx, 4)
    for name, flag in {**IGNORED, "all": ALL}.items():
        qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_recv_wr=1)))
        attr = QPAttr(port_num=1)
        attr.qp_state, attr.qp_access_flags = e.IBV_QPS_INIT, RW | flag
        try:
            qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT |
                      e.IBV_QP_ACCESS_FLAGS)
        except Exception as error:      # pylint: disable=broad-except
            tell(f"{name}: {error}")
            continue
        got, _ = qp.query(e.IBV_QP_STATE | e.IBV_QP_ACCESS_FLAGS)
        if got.qp_state != e.IBV_QPS_INIT:
            tell(f"{name}: state {got.qp_state}")
        if got.qp_access_flags & ~(LW | RW | RR | RA):
            tell(f"{name}: the device says it has {got.qp_access_flags:#x}")


def operations(ends):
    """Execute each operation, and compare the data."""
    key, at = ends.mrs[1].rkey, ends.mrs[1].buf
    byte = 65
    for what, call, receives in (
            ("send", lambda qp: qp.wr_send(), True),
            ("send with immediate data", lambda qp: qp.wr_send_imm(IMM), True),
            ("write", lambda qp: qp.wr_rdma_write(key, at), False),
            ("write with immediate data", lambda qp: qp.wr_rdma_write_imm(key, at, IMM), True)):
        for length in SMALL, PAGE:
            byte += 1
            ends.fill(0, byte)
            wc = ends.post(what, call, length, receives)
            ends.holds(what, 1, byte, length)
            if wc and "immediate" in what and socket.ntohl(wc.imm_data) != IMM:
                tell(f"{what}: {wc.imm_data:#x}")
    for length in SMALL, PAGE:
        byte += 1
        ends.fill(1, byte)
        ends.post("read", lambda qp: qp.wr_rdma_read(key, at), length)
        ends.holds("read", 0, byte, length)
    ends.fill(1, 0)
    ends.post("fetch and add", lambda qp: qp.wr_atomic_fetch_add(key, at, 7), 8)
    ends.post("compare and swap", lambda qp: qp.wr_atomic_cmp_swp(key, at, 7, 9), 8)
    if ends.mrs[1].read(8, 0) != (9).to_bytes(8, "little"):
        tell("atomics: another value")
    ends.holds("compare and swap", 0, 7, 1)
    ends.fill(0, 90)
    for what, call in (("write", lambda qp: qp.wr_rdma_write(key, at)),
                       ("read", lambda qp: qp.wr_rdma_read(key, at))):
        ends.post(f"{what} of no bytes", call, 0)


def window(ends):
    """End 1 binds a memory window without remote write: a WRITE of end 0 is refused."""
    mw = MW(ends.pd, mw_type=e.IBV_MW_TYPE_2)
    key = (mw.rkey & ~0xff) | ((mw.rkey + 1) & 0xff)
    qp = ends.qps[1]
    qp.wr_start()
    qp.wr_id, qp.wr_flags = 1, e.IBV_SEND_SIGNALED
    qp.wr_bind_mw(mw, key, MWBindInfo(ends.mrs[1], ends.mrs[1].buf, PAGE, LW))
    qp.wr_complete()
    wc = ends.completion(1)
    if wc and wc.status != e.IBV_WC_SUCCESS:
        tell(f"bind: status {wc.status}")
    ends.post("write through the window",
              lambda qp: qp.wr_rdma_write(key, ends.mrs[1].buf), want=e.IBV_WC_REM_ACCESS_ERR)
    mw.close()


def main(name, gid_index):
    """Run the test."""
    ctx = d.Context(name=name)
    one_by_one(ctx)
    if not FAULTS:
        ends = Ends(ctx, int(gid_index))
        operations(ends)
        window(ends)
    sys.stdout.flush()
    os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access


if __name__ == "__main__":
    main(*sys.argv[1:])
