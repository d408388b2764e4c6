#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""MRs of many gigabytes: large.py DEVICE GID-INDEX CASE

The memory is small, and mapped many times, one mapping after the other: adjacent pages of the MR
are not adjacent in memory. RDMA WRITEs to offsets far from the beginning of the MR change the
memory, which the program compares. Prints the failures, and then exits with 1.
"""

import ctypes
import mmap
import os
import sys

from pyverbs import device as d
from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.mr import MR
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE

from dmabuf import FAULTS, LW, PAGE, RR, RW, Pd, connected, tell, transfer

GIB, HUGE = 1 << 30, 2 << 20
PROT_NONE, MAP_FIXED, MAP_NORESERVE, MFD_HUGETLB = 0, 0x10, 0x4000, 4
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]


class Mapped:
    """A file of 2 MiB in memory, with as many mappings as times says, at successive addresses."""

    def __init__(self, times, flags=0):
        self.file = os.memfd_create("large", flags)
        os.ftruncate(self.file, HUGE)
        self.view = mmap.mmap(self.file, HUGE)
        if not flags:
            self.scatter()
        self.length = times * HUGE
        area = LIBC.mmap(None, self.length + HUGE, PROT_NONE,
                         mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        self.at = (area + HUGE - 1) & ~(HUGE - 1)
        for i in range(times):
            where = LIBC.mmap(self.at + i * HUGE, HUGE, mmap.PROT_READ | mmap.PROT_WRITE,
                              mmap.MAP_SHARED | MAP_FIXED, self.file, 0)
            if where != self.at + i * HUGE:
                raise OSError(ctypes.get_errno(), "mmap")

    def scatter(self):
        """Allocate the pages of the file alternately with pages of other memory, first every second
        page: adjacent pages of the file are not adjacent in memory."""
        other = mmap.mmap(-1, HUGE)
        for first in 1, 0:
            for i in range(first, HUGE // PAGE, 2):
                self.view[i * PAGE] = 1
                other[i * PAGE] = 1


def register(pd, mapped, what):
    """An MR of the complete mapping. After a failure, records it and returns None."""
    try:
        return MR(pd, mapped.length, LW | RW | RR, mapped.at)
    except PyverbsRDMAError as error:
        tell(f"{what}: {error}")
        return None


def check(ctx, gid_index, mapped, what):
    """Write to several offsets of the MR, also across a page boundary, and compare the memory."""
    pd, cq = Pd(ctx), CQ(ctx, 4)
    qps = connected(ctx, pd, cq, gid_index)
    source = MR(pd, PAGE, LW)
    mr = register(pd, mapped, what)
    if not mr:
        return
    last = mapped.length - 64
    for i, at in enumerate((0, PAGE - 32, mapped.length // 3 & ~63, mapped.length // 2 - 32,
                            (1 << 29) - 32, last)):
        source.write(chr(65 + i) * 64, 64)
        transfer(qps[0], cq, e.IBV_WR_RDMA_WRITE, SGE(source.buf, 64, source.lkey), mr.rkey,
                 mapped.at + at)
        for byte in at, at + 63:
            if mapped.view[byte % HUGE] != 65 + i:
                tell(f"{what}: nothing was written at {at:#x}")
    # the end of the MR as local memory of the sender
    mapped.view[last % HUGE:] = b"Z" * 64
    transfer(qps[0], cq, e.IBV_WR_RDMA_WRITE, SGE(mapped.at + last, 64, mr.lkey), mr.rkey,
             mapped.at)
    if mapped.view[:64] != b"Z" * 64:
        tell(f"{what}: nothing was read at the end")
    mr.close()


def pages(ctx, gid_index):
    """MRs of 4 KiB pages: of about 2 GiB, whose CREATE_MKEY has 4 MiB, and of 4 GiB."""
    for length in 2 * GIB - HUGE, 2 * GIB, 4 * GIB:
        check(ctx, gid_index, Mapped(length // HUGE), f"{length:#x} bytes of pages")


def huge(ctx, gid_index):
    """An MR of 64 GiB of huge pages."""
    check(ctx, gid_index, Mapped(64 * GIB // HUGE, MFD_HUGETLB), "64 GiB of huge pages")


def main(name, gid_index, case):
    """Run a case."""
    {"pages": pages, "huge": huge}[case](d.Context(name=name), int(gid_index))
    sys.stdout.flush()
    os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access


if __name__ == "__main__":
    main(*sys.argv[1:])
