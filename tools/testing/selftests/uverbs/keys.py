#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Mkeys that MRs of a process use one after the other: keys.py DEVICE GID-INDEX COMMANDS CASE

COMMANDS is the file of the simulated device that counts firmware commands. Prints the failures, and
then exits with 1.
"""

import ctypes
import errno
import mmap
import os
import struct
import sys
import time

import pyverbs.providers.mlx5.mlx5_enums as dve
from pyverbs import device as d
from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.mr import MR
from pyverbs.providers.mlx5.mlx5dv import Mlx5DVQPInitAttr, Mlx5QP, Wqe, WqeCtrlSeg
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPAttr, QPCap, QPInitAttrEx
from pyverbs.wr import SGE, SendWR

from dmabuf import FAULTS, LW, PAGE, RA, RR, RW, Pd, connected, tell, transfer

MW_BIND, RELAXED = 1 << 4, 1 << 20      # access
HUGE, MAP_HUGETLB = 2 << 20, 0x40000
KEPT, TOO_MANY = 4096, 8192     # pages
UMR, UMR_MASK, MTT_BITS = 0x25, 0x209e2143, 3   # values of the driver
MAX_FREE = 1024                 # free mkeys that the driver keeps at most
MORE = 76
YOUNG = 20                      # seconds; the driver destroys free mkeys after 30


class Memory:
    """Anonymous memory that is not contiguous, or of huge pages, and its MRs."""

    def __init__(self, pages, flags=0):
        self.area = mmap.mmap(-1, pages * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | flags)
        if not flags:
            self.area.madvise(mmap.MADV_NOHUGEPAGE)
        self.at = ctypes.addressof(ctypes.c_char.from_buffer(self.area))

    def mr(self, pd, pages, access=LW | RW | RR):
        """An MR of the first pages."""
        return MR(pd, pages * PAGE, access, self.at)


class Ends:
    """A context with two QPs that are connected to each other, and a source of data."""

    def __init__(self, name, gid_index, commands):
        self.ctx = d.Context(name=name)
        self.pd, self.cq = Pd(self.ctx), CQ(self.ctx, 16)
        self.gid_index, self.commands = int(gid_index), commands
        self.connect()
        self.memory = Memory(TOO_MANY + 1)
        self.source = MR(self.pd, PAGE, LW)

    def connect(self):
        """Create two new QPs in RTS."""
        self.qps = connected(self.ctx, self.pd, self.cq, self.gid_index)

    def count(self, *names):
        """Number of executions of these firmware commands."""
        with open(self.commands, encoding="ascii") as f:
            return sum(int(line.split()[2]) for line in f if line.split()[1] in names)

    def mkey_commands(self):
        """Number of CREATE_MKEY and DESTROY_MKEY commands."""
        return self.count("CREATE_MKEY", "DESTROY_MKEY")

    def free_mkeys(self):
        """Number of free mkeys of the driver."""
        pci = os.path.basename(os.path.dirname(self.commands))
        with open(f"/sys/kernel/debug/mlx5/{pci}/mlx5_ibx/free_mkeys", encoding="ascii") as f:
            return int(f.read())

    def mappings(self):
        """Number of DMA mappings of the device at this moment."""
        with open(os.path.join(os.path.dirname(self.commands), "info"), encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("dma_mappings "))

    def refuse(self, command):
        """The next such firmware command fails."""
        with open(os.path.join(os.path.dirname(self.commands), "faults/command"), "w",
                  encoding="ascii") as f:
            f.write(f"fail {command} 1 INT_ERR")

    def write(self, mr, offset, byte, memory=None):
        """Execute an RDMA WRITE of 16 bytes to an MR. The bytes must arrive in memory."""
        memory = memory or self.memory
        self.source.write(chr(byte) * 16, 16)
        transfer(self.qps[0], self.cq, e.IBV_WR_RDMA_WRITE, SGE(self.source.buf, 16,
                                                                self.source.lkey),
                 mr.rkey, mr.buf + offset)
        if memory.area[offset:offset + 16] != bytes([byte]) * 16:
            tell(f"key {mr.rkey:#x}: nothing was written at {offset}")

    def status(self, rkey, at, opcode=e.IBV_WR_RDMA_WRITE):
        """Execute an RDMA WRITE, or an atomic operation that adds 1. Returns its status."""
        atomic = opcode == e.IBV_WR_ATOMIC_FETCH_AND_ADD
        wr = SendWR(opcode=opcode, num_sge=1,
                    sg=[SGE(self.source.buf, 8 if atomic else 16, self.source.lkey)])
        if atomic:
            wr.set_wr_atomic(rkey, at, 1, 0)
        else:
            wr.set_wr_rdma(rkey, at)
        self.qps[0].post_send(wr)
        return completion(self.cq)

    def refused(self, what, rkey, opcode=e.IBV_WR_RDMA_WRITE):
        """Check that an operation that the key does not permit is refused. Creates new QPs before
        and after."""
        before = self.memory.area[:16]
        self.connect()
        status = self.status(rkey, self.memory.at, opcode)
        if status != e.IBV_WC_REM_ACCESS_ERR:
            tell(f"{what}: status {status}")
        if self.memory.area[:16] != before:
            tell(f"{what}: the memory has changed")
        self.connect()


def completion(cq):
    """Status of the next completion."""
    for _ in range(1000000):
        n, wcs = cq.poll()
        if n:
            return wcs[0].status
    return "none"


def reused(ends):
    """After the first MR, MRs of the same size need no commands: sizes whose list is inline, and
    sizes whose list the device fetches."""
    for pages in 1, 5, 32, 33, 300, KEPT:
        for access in LW | RW | RR, LW | RW | RELAXED:
            ends.memory.mr(ends.pd, pages, access).close()
            before, keys = ends.mkey_commands(), []
            for i in range(8):
                mr = ends.memory.mr(ends.pd, pages, access)
                ends.write(mr, 0, 65 + i)
                ends.write(mr, pages * PAGE - 16, 97 + i)
                keys.append(mr.rkey)
                mr.close()
            if ends.mkey_commands() != before:
                tell(f"{pages} pages: {ends.mkey_commands() - before} commands")
            if len(set(keys)) != 8 or len({key >> 8 for key in keys}) != 1:
                tell(f"{pages} pages: keys {[hex(key) for key in keys]}")


def rights(ends):
    """A key has the access rights of the current MR of the mkey, not of the previous MR."""
    ends.memory.mr(ends.pd, 1).close()
    mr = ends.memory.mr(ends.pd, 1, LW)
    ends.refused("a key for local use", mr.rkey)
    mr.close()
    other = Pd(ends.ctx)
    mr = ends.memory.mr(other, 1)
    ends.refused("a key of another PD", mr.rkey)
    mr.close()
    other.close()
    ends.memory.mr(ends.pd, 8).close()
    mr = ends.memory.mr(ends.pd, 1)
    status = ends.status(mr.rkey, mr.buf + PAGE)
    if status != e.IBV_WC_REM_ACCESS_ERR:
        tell(f"a page of the MR before: status {status}")
    mr.close()


def atomics(ends):
    """The current MR of the mkey determines whether atomic operations are permitted."""
    add = e.IBV_WR_ATOMIC_FETCH_AND_ADD
    ends.memory.mr(ends.pd, 1).close()
    before = ends.mkey_commands()
    for i in range(2):
        mr = ends.memory.mr(ends.pd, 1, LW | RW | RA)
        status = ends.status(mr.rkey, mr.buf, add)
        if status != e.IBV_WC_SUCCESS:
            tell(f"an atomic operation: status {status}")
        if int.from_bytes(ends.memory.area[:8], sys.byteorder) != i + 1:
            tell(f"nothing was added to {ends.memory.area[:8].hex()}")
        mr.close()
        mr = ends.memory.mr(ends.pd, 1)
        ends.refused("an atomic operation without the right", mr.rkey, add)
        mr.close()
    if ends.mkey_commands() != before:
        tell(f"{ends.mkey_commands() - before} commands")


def page_sizes(ends):
    """MRs of huge pages and MRs of small pages use an mkey alternately."""
    huge = Memory(3 * HUGE // PAGE, MAP_HUGETLB)
    ends.memory.mr(ends.pd, 8).close()
    before = ends.mkey_commands()
    for i in range(2):
        for memory, pages in (huge, 3 * HUGE // PAGE), (ends.memory, 8):
            mr = memory.mr(ends.pd, pages)
            for offset in (0, mr.length // 2 + PAGE - 8, mr.length - 16):
                ends.write(mr, offset, 65 + i, memory)
            mr.close()
    if ends.mkey_commands() != before:
        tell(f"{ends.mkey_commands() - before} commands")


def stale(ends):
    """The key of a deregistered MR permits no access, also while another MR uses the mkey."""
    mr = ends.memory.mr(ends.pd, 1)
    old = mr.rkey
    ends.write(mr, 0, 65)
    mr.close()
    ends.refused("the key of a destroyed MR", old)
    mr = ends.memory.mr(ends.pd, 1)
    if mr.rkey == old or mr.rkey >> 8 != old >> 8:
        tell(f"key {mr.rkey:#x} after {old:#x}")
    ends.refused("the key of the MR before", old)
    ends.write(mr, 0, 66)
    mr.close()


def own(ends):
    """MRs that do not use free mkeys: each creates and destroys an mkey by commands."""
    for what, pages, access in (("too many pages", TOO_MANY, LW | RW | RR),
                                ("memory windows", 1, LW | RW | MW_BIND)):
        before = ends.mkey_commands()
        mr = ends.memory.mr(ends.pd, pages, access)
        ends.write(mr, pages * PAGE - 16, 65)
        mr.close()
        if ends.mkey_commands() != before + 2:
            tell(f"{what}: {ends.mkey_commands() - before} commands")


def refused_commands(ends):
    """A refused CREATE_MKEY leaves no object; the MR of a refused DESTROY_MKEY stays."""
    ends.refuse("CREATE_MKEY")
    try:
        ends.memory.mr(ends.pd, TOO_MANY)
    except PyverbsRDMAError:
        pass
    else:
        tell("an MR without its mkey")
    mr = ends.memory.mr(ends.pd, TOO_MANY)
    ends.refuse("DESTROY_MKEY")
    try:
        mr.close()
    except PyverbsRDMAError:
        pass
    else:
        tell("an MR was deregistered, and its mkey was not destroyed")
    ends.write(mr, TOO_MANY * PAGE - 16, 65)
    mr.close()


def many(name, gid_index, commands):
    """Four processes register MRs at the same time, while this process has the device open."""
    def run():
        ends = Ends(name, gid_index, commands)
        for i in range(64):
            mr = ends.memory.mr(ends.pd, 1 + i % 64)
            ends.write(mr, 0, 65 + i % 26)
            mr.close()
        sys.stdout.flush()
        os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access

    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            run()
        children.append(child)
    ends = Ends(name, gid_index, commands)
    before = ends.mkey_commands()
    for child in children:
        if os.waitpid(child, 0)[1]:
            tell("a process has failed")
    # at most two mkeys for each process and each of four sizes
    if ends.mkey_commands() > before + 32:
        tell(f"{ends.mkey_commands() - before} commands for 256 MRs")


def two(name, gid_index, commands):
    """A process gets an mkey that another process has used. The other process has no access by the
    old or the new key."""
    child_sends, parent_sends = os.pipe(), os.pipe()

    def send(pipe, *numbers):
        os.write(pipe[1], struct.pack("QQ", *numbers))

    def receive(pipe):
        return struct.unpack("QQ", os.read(pipe[0], 16))

    child = os.fork()
    ends = Ends(name, gid_index, commands)
    if not child:
        mr = ends.memory.mr(ends.pd, 1)
        ends.write(mr, 0, 65)
        old = mr.rkey
        # wait until the other process is ready
        receive(parent_sends)
        mr.close()
        send(child_sends, old, 0)
        key, at = receive(parent_sends)
        for what, rkey, where in (("the old key", old, ends.memory.at),
                                  ("the old key, memory of another process", old, at),
                                  ("the key of another process", key, at)):
            ends.connect()
            status = ends.status(rkey, where)
            if status != e.IBV_WC_REM_ACCESS_ERR:
                tell(f"{what}: status {status}")
        sys.stdout.flush()
        os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access
    send(parent_sends, 0, 0)
    old, _ = receive(child_sends)
    mr = ends.memory.mr(ends.pd, 1)
    ends.write(mr, 0, 66)
    if mr.rkey == old or mr.rkey >> 8 != old >> 8:
        tell(f"key {mr.rkey:#x} after {old:#x} of another process")
    send(parent_sends, mr.rkey, mr.buf)
    if os.waitpid(child, 0)[1]:
        tell("the other process has failed")
    if ends.memory.area[:16] != b"B" * 16:
        tell("the memory has changed")
    ends.write(mr, 0, 67)
    mr.close()


def pages_of_process(ends):
    """A process posts a UMR with pages: the device refuses it, and the MR is unchanged."""
    mr = ends.memory.mr(ends.pd, 1)
    init = QPInitAttrEx(cap=QPCap(max_send_wr=4, max_send_sge=12), pd=ends.pd, scq=ends.cq,
                        rcq=ends.cq, qp_type=e.IBV_QPT_RC, send_ops_flags=e.IBV_QP_EX_WITH_SEND,
                        comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
    qp = Mlx5QP(ends.ctx, init, Mlx5DVQPInitAttr(
        comp_mask=dve.MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
        send_ops_flags=dve.MLX5DV_QP_EX_WITH_RAW_WQE))
    attr = QPAttr(port_num=1)
    qp.to_init(attr)
    peer, _ = ends.qps[0].query(e.IBV_QP_AV | e.IBV_QP_PATH_MTU)
    attr.path_mtu, attr.ah_attr, attr.dest_qp_num = peer.path_mtu, peer.ah_attr, qp.qp_num
    attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer = 14, 7, 7, 12
    qp.to_rts(attr)
    ctrl = WqeCtrlSeg()
    ctrl.fm_ce_se, ctrl.opmod_idx_opcode = dve.MLX5_WQE_CTRL_CQ_UPDATE, UMR
    ctrl.qpn_ds, ctrl.imm = 12 | qp.qp_num << 8, mr.lkey
    umr = bytes([0x80, 0, 0, 0, 0, 4, 0, 0]) + UMR_MASK.to_bytes(8, "big") + bytes(32)
    mkey = bytes([0, 0, 0xbd, 0]) + (0xffffff00 | mr.lkey & 0xff).to_bytes(4, "big") + bytes(8) + \
        mr.buf.to_bytes(8, "big") + PAGE.to_bytes(8, "big") + bytes(20) + \
        bytes([0, 0, 0, 4, 0, 0, 0, 12]) + bytes(4)
    qp.wr_start()
    qp.wr_raw_wqe(Wqe([ctrl, umr, mkey, MTT_BITS.to_bytes(8, "big") + bytes(56)]))
    qp.wr_complete()
    status = completion(ends.cq)
    if status != e.IBV_WC_MW_BIND_ERR:
        tell(f"a UMR of a process on its MR: status {status}")
    ends.write(mr, 0, 65)
    mr.close()


def crowd(ends):
    """Of the mkeys of many MRs, MAX_FREE stay free; commands destroy the others at once. On a slow
    machine, more mkeys are destroyed, by age."""
    mrs = [ends.memory.mr(ends.pd, 1) for _ in range(MAX_FREE + MORE)]
    before = ends.count("DESTROY_MKEY")
    began = time.monotonic()
    for mr in mrs:
        mr.close()
    free, destroyed = ends.free_mkeys(), ends.count("DESTROY_MKEY") - before
    slow = time.monotonic() - began > YOUNG
    if free > MAX_FREE or free < MAX_FREE and not slow:
        tell(f"{free} free mkeys, expected {MAX_FREE}")
    if destroyed < MORE or destroyed > MORE and not slow:
        tell(f"{destroyed} mkeys were destroyed, expected {MORE}")


def aged(ends):
    """Free mkeys are destroyed after half a minute."""
    for pages in 1, 64:
        ends.memory.mr(ends.pd, pages).close()
    before = ends.mkey_commands()
    time.sleep(15)
    if ends.mkey_commands() != before:
        tell("a free mkey went back at once")
    time.sleep(30)
    if ends.mkey_commands() < before + 2:
        tell(f"{ends.mkey_commands() - before} commands after 45 seconds")


def mended(ends):
    """After an error of the UMR QP, one MR uses commands, and later MRs use UMRs again."""
    for _ in range(2):
        mr = ends.memory.mr(ends.pd, 1)
        ends.write(mr, 0, 65)
        mr.close()
    before = ends.mkey_commands()
    mr = ends.memory.mr(ends.pd, 1)
    ends.write(mr, 0, 66)
    mr.close()
    if ends.mkey_commands() != before:
        tell(f"{ends.mkey_commands() - before} commands although the UMR QP works again")


def stalled(ends):
    """The UMR QP has stopped a second time: MRs use commands, and do not wait."""
    ends.memory.mr(ends.pd, 1).close()
    start = time.monotonic()
    by_command(ends)
    if time.monotonic() - start > 30:
        tell(f"{time.monotonic() - start} seconds")


def fails(what, code, function, *args):
    """Call a verb, which must fail with this errno."""
    try:
        function(*args)
    except PyverbsRDMAError as error:
        if error.error_code != code:
            tell(f"{what}: {error}")
    else:
        tell(f"{what}: no error")


def lost(name, gid_index, commands):
    """A UMR is lost, and the UMR QP cannot be reset: the MRs of other contexts use commands."""
    loser, ends = Ends(name, gid_index, commands), Ends(name, gid_index, commands)
    pd, old = Pd(loser.ctx), ends.memory.mr(ends.pd, 1)
    ends.write(old, 0, 65)
    print("ready", flush=True)
    sys.stdin.readline()
    fails("an MR whose UMR is lost", errno.ETIMEDOUT, loser.memory.mr, pd, 1)
    before = ends.count("DEALLOC_PD")
    pd.close()
    if ends.count("DEALLOC_PD") != before:
        tell("the number of a PD that an mkey may enter later is used again")
    before = ends.mappings()
    try:
        mr = ends.memory.mr(ends.pd, 64)
        ends.write(mr, 63 * PAGE, 66)
        keys = [old.rkey, mr.rkey]
        mr.close()
    except PyverbsRDMAError as error:
        tell(f"an MR of another context: {error}")
        keys = [old.rkey]
    if ends.mappings() != before:
        tell(f"another context: {ends.mappings() - before} more mappings after a new MR")
    before = ends.mappings()
    old.close()
    if ends.mappings() != before - 1:
        tell(f"another context: {before - ends.mappings()} mappings less without an MR of a page")
    for key in keys:
        ends.refused("the key of a destroyed MR", key)


def missed(ends):
    """
    The interrupts of the UMR QP are lost. The driver finds the completions of two UMRs without an
    interrupt; then MRs use commands.
    """
    mr = ends.memory.mr(ends.pd, 1)
    print("ready", flush=True)
    sys.stdin.readline()
    before, start = ends.mkey_commands(), time.monotonic()
    mr.close()
    mr = ends.memory.mr(ends.pd, 1)
    ends.write(mr, 0, 65)
    if ends.mkey_commands() != before:
        tell(f"{ends.mkey_commands() - before} commands instead of UMRs that were executed")
    if not 110 < time.monotonic() - start < 300:
        tell(f"{time.monotonic() - start} seconds for two UMRs without interrupt")
    start = time.monotonic()
    mr.close()
    by_command(ends)
    if time.monotonic() - start > 30:
        tell(f"{time.monotonic() - start} seconds")


def by_command(ends):
    """Check that MRs use commands, and not the UMR QP."""
    for i in range(4):
        before = ends.mkey_commands()
        mr = ends.memory.mr(ends.pd, 64)
        ends.write(mr, 63 * PAGE, 65 + i)
        mr.close()
        if ends.mkey_commands() < before + 2:
            tell(f"{ends.mkey_commands() - before} commands")


def main(name, gid_index, commands, case):
    """Run a case."""
    if case in ("many", "two", "lost"):
        globals()[case](name, gid_index, commands)
    else:
        globals()[case](Ends(name, gid_index, commands))
    sys.stdout.flush()
    os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access


if __name__ == "__main__":
    main(*sys.argv[1:])
