#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""An MR of a dma-buf: dmabuf.py DEVICE GID-INDEX

The dma-buf is memory of a file (/dev/udmabuf). pyverbs can register only dma-bufs of graphics
cards. Therefore this program sends the request to the kernel itself. RDMA WRITE and READ move data
into and out of the dma-buf, and the program compares the file. Then it sends requests that must
fail. Prints the failures, and then exits with 1.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import struct
import sys

from pyverbs import device as d
from pyverbs import enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

PAGE = mmap.PAGESIZE
PAGES = 8
IOCTL, OBJECT_MR, METHOD_REG, METHOD_DESTROY, MANDATORY, MLX5 = 0xc0181b01, 7, 4, 1, 1, 1
UDMABUF_CREATE = 0x40187542
SEAL_SHRINK = 2
LW, RW, RR, RA, ON_DEMAND = 1, 2, 4, 8, 64
FAULTS = []


def tell(text):
    """Record a failure."""
    FAULTS.append(text)
    print(text)


def uverbs(ctx, method, attrs):
    """Call a method of an MR; attrs is a list of (attribute, length, data). Returns the request as
    changed by the kernel."""
    buf = bytearray(struct.pack("<HHHHQII", 24 + 16 * len(attrs), OBJECT_MR, method, len(attrs), 0,
                                MLX5, 0))
    buf += b"".join(struct.pack("<HHHHQ", a, n, MANDATORY, 0, data) for a, n, data in attrs)
    fcntl.ioctl(ctx.cmd_fd, IOCTL, buf, True)
    return buf


class DmaBuf:
    """A dma-buf, and a mapping of its memory."""

    def __init__(self):
        memfd = os.memfd_create("dmabuf", os.MFD_ALLOW_SEALING)
        os.ftruncate(memfd, PAGES * PAGE)
        fcntl.fcntl(memfd, fcntl.F_ADD_SEALS, SEAL_SHRINK)
        self.memory = mmap.mmap(memfd, PAGES * PAGE)
        create = struct.pack("<IIQQ", memfd, 0, 0, PAGES * PAGE)
        with open("/dev/udmabuf", "rb") as device:
            self.fd = fcntl.ioctl(device, UDMABUF_CREATE, bytearray(create), True)

    def register(self, pd, offset, length, va, access=LW | RW | RR, fd=None):
        """Register a part of the dma-buf. Returns (handle, lkey, rkey) of the MR."""
        lkey, rkey = ctypes.c_uint32(), ctypes.c_uint32()
        at = ctypes.addressof
        buf = uverbs(pd.ctx, METHOD_REG, [
            (0, 0, 0), (1, 0, pd.handle), (2, 8, offset), (3, 8, length), (4, 8, va),
            (5, 4, self.fd if fd is None else fd), (6, 4, access), (7, 4, at(lkey)),
            (8, 4, at(rkey))])
        return struct.unpack_from("<Q", buf, 24 + 8)[0], lkey.value, rkey.value


class Pd(PD):
    """A PD with an attribute for its context."""

    def __init__(self, ctx):
        super().__init__(ctx)
        self.ctx = ctx


def connected(ctx, pd, cq, gid_index):
    """Two RC QPs in RTS that are connected to each other."""
    init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_recv_wr=1))
    first = QPAttr(port_num=1)
    first.qp_access_flags = LW | RW | RR | RA
    qps = [QP(pd, init, first) for _ in range(2)]
    route = GlobalRoute(dgid=ctx.query_gid(1, gid_index), sgid_index=gid_index)
    for qp, peer in zip(qps, reversed(qps)):
        attr = QPAttr(port_num=1)
        attr.path_mtu = e.IBV_MTU_1024
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer = 14, 7, 7, 12
        attr.dest_qp_num = peer.qp_num
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
        qp.to_rts(attr)
    return qps


def transfer(qp, cq, opcode, sge, rkey, va):
    """Execute an RDMA operation, which must succeed."""
    wr = SendWR(opcode=opcode, num_sge=1, sg=[sge])
    wr.set_wr_rdma(rkey, va)
    qp.post_send(wr)
    for _ in range(1000000):
        n, wcs = cq.poll()
        if n:
            if wcs[0].status != e.IBV_WC_SUCCESS:
                tell(f"status {wcs[0].status} of operation {opcode}")
            return
    tell(f"operation {opcode} does not complete")


def data(pd, cq, qp, buf):
    """Move data into and out of the dma-buf."""
    va, offset, length = 0x12345678000 + 100, PAGE + 100, 5 * PAGE
    handle, lkey, rkey = buf.register(pd, offset, length, va)
    if lkey != rkey or not lkey:
        tell(f"keys {lkey:#x}, {rkey:#x}")
    mr = MR(pd, length, LW)
    mr.write("".join(chr(97 + i % 26) for i in range(length)), length)
    transfer(qp, cq, e.IBV_WR_RDMA_WRITE, SGE(mr.buf, length, mr.lkey), rkey, va)
    expected = bytes(offset) + mr.read(length, 0) + bytes(PAGES * PAGE - offset - length)
    if buf.memory[:] != expected:
        tell("the file has not what was written, in its place")
    buf.memory[offset:offset + length] = bytes(i % 251 for i in range(length))
    transfer(qp, cq, e.IBV_WR_RDMA_READ, SGE(mr.buf, length, mr.lkey), rkey, va)
    if mr.read(length, 0) != buf.memory[offset:offset + length]:
        tell("what was read is not what the file has")
    # the dma-buf as local memory of the sender
    buf.memory[offset:offset + 64] = bytes(range(64))
    transfer(qp, cq, e.IBV_WR_RDMA_WRITE, SGE(va, 64, lkey), rkey, va + 3 * PAGE)
    if buf.memory[offset + 3 * PAGE:offset + 3 * PAGE + 64] != bytes(range(64)):
        tell("nothing was written from the dma-buf")
    uverbs(pd.ctx, METHOD_DESTROY, [(0, 0, handle)])


def refusals(pd, buf):
    """Send requests that must fail, and a correct request after each."""
    plain = os.open("/dev/null", os.O_RDWR)
    for what, want, args in (
            ("more than there is", "EINVAL", (0, PAGES * PAGE + 1, 0)),
            ("behind the end", "EINVAL", (PAGES * PAGE, PAGE, 0)),
            ("a range that wraps", "EINVAL", ((1 << 64) - PAGE, 2 * PAGE, 0)),
            ("no bytes", "EINVAL", (0, 0, 0)),
            ("another offset in the page", "EINVAL", (0, PAGE, 64)),
            ("remote write without local", "EINVAL", (0, PAGE, 0, RW)),
            ("on-demand paging", "EINVAL", (0, PAGE, 0, LW | ON_DEMAND)),
            ("a file that is no dma-buf", "EINVAL", (0, PAGE, 0, LW, plain)),
            ("no file", "EBADF", (0, PAGE, 0, LW, 999))):
        try:
            buf.register(pd, *args)
        except OSError as error:
            if error.errno != getattr(errno, want):
                tell(f"{what}: {errno.errorcode[error.errno]}, expected {want}")
        else:
            tell(f"{what}: no error, expected {want}")
        handle, _, _ = buf.register(pd, 0, PAGES * PAGE, 0)
        uverbs(pd.ctx, METHOD_DESTROY, [(0, 0, handle)])


def main(name, gid_index):
    """Run all cases. The process ends with one MR."""
    ctx = d.Context(name=name)
    pd, cq, buf = Pd(ctx), CQ(ctx, 16), DmaBuf()
    qps = connected(ctx, pd, cq, int(gid_index))
    data(pd, cq, qps[0], buf)
    refusals(pd, buf)
    buf.register(pd, 0, PAGE, 0)
    sys.stdout.flush()
    os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access


if __name__ == "__main__":
    main(*sys.argv[1:])
