#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ibv_rereg_mr() without a new mkey: reregs.py DEVICE GID-INDEX COMMANDS CASE

The keys of the MR do not change, as the manual page requires, and the device permits the accesses
that the changed MR permits. COMMANDS is the file of the simulated device that counts firmware
commands. Prints the failures, and then exits with 1.
"""

import errno
import os
import sys

from pyverbs import enums as e
from pyverbs.mr import MR

from dmabuf import FAULTS, LW, PAGE, RA, RR, RW, Pd, tell
from keys import MW_BIND, RELAXED, TOO_MANY, Ends, Memory, fails

TRANS, CHANGE_PD, ACCESS = 1, 2, 4
ADD = e.IBV_WR_ATOMIC_FETCH_AND_ADD
OURS = os.environ["PROVIDER"] == "mlx5_ibx"


class Kept:
    """An MR whose keys do not change."""

    def __init__(self, ends, pages, access, memory=None):
        self.ends, self.memory = ends, memory or ends.memory
        self.mr = MR(ends.pd, pages * PAGE, access, self.memory.at)
        self.keys = self.mr.lkey, self.mr.rkey

    def rereg(self, what, *args, keeps=True):
        """Reregister the MR, with the arguments of MR.rereg(). The keys must not change (keeps is
        True), must change (False), or may change (None)."""
        self.mr.rereg(*args)
        if keeps is not None and ((self.mr.lkey, self.mr.rkey) == self.keys) != keeps:
            tell(f"{what}: keys {self.mr.lkey:#x} {self.mr.rkey:#x} after {self.keys}")
        self.keys = self.mr.lkey, self.mr.rkey

    def access(self, what, access, keeps=True):
        """Change the access flags."""
        self.rereg(what, ACCESS, None, 0, 0, access, keeps=keeps)

    def allows(self, what, opcode=e.IBV_WR_RDMA_WRITE, at=None):
        """Check that an operation by the peer succeeds."""
        status = self.ends.status(self.mr.rkey, at or self.memory.at, opcode)
        if status != e.IBV_WC_SUCCESS:
            tell(f"{what}: status {status}")
            self.ends.connect()

    def refuses(self, what, opcode=e.IBV_WR_RDMA_WRITE):
        """Check that an operation by the peer is refused, and changes no memory."""
        self.ends.refused(what, self.mr.rkey, opcode)


def access_of(ends, pages, more=0):
    """Enable and disable remote write of an MR."""
    kept = Kept(ends, pages, LW | more)
    kept.refuses("an MR for local use")
    for _ in range(3):
        kept.access("remote write", LW | RW | more)
        kept.allows("an MR with remote write")
        kept.access("no remote write", LW | RR | more)
        kept.refuses("an MR without remote write again")
    kept.mr.close()


def access(ends):
    """Access flags of MRs that use free mkeys, and of MRs with separate mkeys."""
    access_of(ends, 1)
    access_of(ends, 64)
    access_of(ends, TOO_MANY)
    access_of(ends, 1, MW_BIND)


def atomic(ends):
    """Disable and enable remote atomic access of an MR."""
    kept = Kept(ends, 1, LW | RA)
    kept.allows("an MR with atomics", ADD)
    kept.access("no atomics", LW)
    kept.refuses("an MR without atomics", ADD)
    kept.access("atomics again", LW | RA)
    kept.allows("an MR with atomics again", ADD)
    kept.mr.close()


def pds(ends):
    """In another PD, the QPs cannot use an MR. In its first PD, it has its access flags again."""
    other = Pd(ends.ctx)
    for pages in 1, TOO_MANY:
        kept = Kept(ends, pages, LW | RW)
        kept.rereg("another PD", CHANGE_PD, other, 0, 0, 0)
        kept.refuses("an MR of another PD")
        kept.rereg("its first PD", CHANGE_PD, ends.pd, 0, 0, 0)
        kept.allows("an MR of its first PD again")
        kept.rereg("both", CHANGE_PD | ACCESS, other, 0, 0, LW)
        kept.rereg("both again", CHANGE_PD | ACCESS, ends.pd, 0, 0, LW | RW)
        kept.allows("an MR with both changed back")
        kept.mr.close()
    other.close()


def addresses(ends):
    """Change the memory of an MR; the keys do not change: less memory, and as much as the mkey has
    space for."""
    more = Memory(16)
    kept = Kept(ends, 5, LW | RW | RR)
    ends.source.write("x" * 16, 16)
    for memory, pages in ((more, 2), (ends.memory, 5), (more, 8)):
        # mlx5_ib of newer kernels has mkeys without space for more pages than the MR had
        keeps = True if OURS or pages <= 5 else None
        kept.rereg(f"{pages} pages", TRANS, None, memory.at, pages * PAGE, 0, keeps=keeps)
        memory.area[:16], kept.memory = bytes(16), memory
        kept.allows(f"an MR of {pages} pages")
        if memory.area[:16] == bytes(16):
            tell("nothing was written to the new memory")
        kept.allows("its last bytes", at=memory.at + pages * PAGE - 16)
        ends.connect()
        if ends.status(kept.mr.rkey, memory.at + pages * PAGE) != e.IBV_WC_REM_ACCESS_ERR:
            tell(f"more than {pages} pages")
        ends.connect()
    ends.connect()
    if ends.status(kept.mr.rkey, ends.memory.at) != e.IBV_WC_REM_ACCESS_ERR:
        tell("the memory before")
    ends.connect()
    # change all attributes in one call
    kept.rereg("all", TRANS | ACCESS | CHANGE_PD, ends.pd, ends.memory.at, 3 * PAGE, LW | RW)
    kept.memory = ends.memory
    kept.allows("an MR with all changed")
    kept.mr.close()


def others(ends):
    """Changes that a UMR cannot make: the MR gets new keys, and works."""
    kept = Kept(ends, 1, LW | RW)
    kept.access("relaxed ordering", LW | RW | RELAXED, keeps=False)
    kept.allows("an MR with relaxed ordering")
    kept.rereg("more pages", TRANS, None, ends.memory.at, 4097 * PAGE, 0, keeps=False)
    kept.allows("an MR of more pages", at=ends.memory.at + 4097 * PAGE - 16)
    kept.mr.close()


def no_commands(ends):
    """Changes by UMRs need no firmware command."""
    kept, other = Kept(ends, 5, LW | RW), Pd(ends.ctx)
    before = ends.mkey_commands()
    kept.access("rights", LW)
    kept.rereg("a PD", CHANGE_PD, other, 0, 0, 0)
    kept.rereg("memory", TRANS, None, ends.memory.at + PAGE, 4 * PAGE, 0)
    if ends.mkey_commands() != before:
        tell(f"{ends.mkey_commands() - before} commands")
    kept.mr.close()
    other.close()


def failing(ends):
    """The UMR QP is in ERR: the MR gets another mkey, and works."""
    kept = Kept(ends, 5, LW | RW)
    print("ready", flush=True)
    sys.stdin.readline()
    for what, args in (("rights", (ACCESS, None, 0, 0, LW | RW | RR)),
                       ("memory", (TRANS, None, ends.memory.at, 4 * PAGE, 0))):
        kept.mr.rereg(*args)
        kept.keys = kept.mr.lkey, kept.mr.rkey
        kept.allows(what)
    kept.mr.close()


def own_lost(ends):
    """
    The UMR of an MR with a separate mkey is lost, and the UMR QP cannot be reset: the driver does
    not destroy the mkey.
    """
    kept, other = Kept(ends, TOO_MANY, LW | RW), Pd(ends.ctx)
    print("ready", flush=True)
    sys.stdin.readline()
    fails("a UMR that is lost", errno.ETIMEDOUT, kept.mr.rereg, CHANGE_PD | ACCESS, other, 0, 0, LW)
    commands, mappings = ends.count("DESTROY_MKEY", "DEALLOC_PD"), ends.mappings()
    kept.mr.close()
    if ends.mappings() != mappings:
        tell(f"{mappings - ends.mappings()} mappings less, of memory that the mkey still has")
    other.close()
    if ends.count("DESTROY_MKEY", "DEALLOC_PD") != commands:
        tell("commands reuse the number of an mkey or a PD that a UMR names")


def ordering(ends, key):
    """The text in which the simulated device prints the relaxed ordering of an mkey."""
    with open(os.path.join(os.path.dirname(ends.commands), "mkeys"), encoding="ascii") as f:
        return next(line.split()[-1] for line in f if line.startswith(f"mkey {key:#x} "))


def relaxed(ends):
    """Enable and disable relaxed ordering of an MR."""
    kept = Kept(ends, 1, LW | RW)
    for access_flags, expected in ((LW | RW | RELAXED, "wr-"), (LW | RW, "---")) * 2:
        kept.access("relaxed ordering", access_flags)
        if ordering(ends, kept.mr.rkey) != expected:
            tell(f"ordering {ordering(ends, kept.mr.rkey)}, expected {expected}")
        kept.allows("an MR with other ordering")
    kept.mr.close()


def spoiled(ends):
    """A lost UMR may have enabled relaxed ordering: no MR with strict ordering gets the mkey."""
    kept = Kept(ends, 1, LW | RW)
    index = kept.mr.rkey >> 8
    print("ready", flush=True)
    sys.stdin.readline()
    kept.access("relaxed ordering", LW | RW | RELAXED, keeps=False)
    if kept.mr.rkey >> 8 == index:
        tell("an mkey with a lost UMR is used again")
    strict = [Kept(ends, 1, LW | RW) for _ in range(3)]
    for mr in strict:
        if ordering(ends, mr.mr.rkey) != "---":
            tell(f"an MR with strict ordering: {ordering(ends, mr.mr.rkey)}")
        mr.mr.close()
    kept.mr.close()


def missed(ends):
    """The interrupt of a UMR is lost; the UMR has changed the MR."""
    kept = Kept(ends, 1, LW | RW)
    print("ready", flush=True)
    sys.stdin.readline()
    kept.access("relaxed ordering", LW | RW | RELAXED)
    kept.allows("an MR with relaxed ordering")
    kept.mr.close()


def main(name, gid_index, commands, case):
    """Run a case."""
    globals()[case](Ends(name, gid_index, commands))
    sys.stdout.flush()
    os._exit(1 if FAULTS else 0)    # pylint: disable=protected-access


if __name__ == "__main__":
    main(*sys.argv[1:])
