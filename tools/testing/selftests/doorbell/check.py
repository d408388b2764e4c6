#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compares send doorbells, as mmiotrace logged them, with what was posted.

    check.py count TRACE BASE SIZE
        prints how many send doorbells there are
    check.py chains TRACE BASE SIZE LOG SIMTRACE
        LOG: "qpn N" and a line "chain WQES OPCODE" per post, OPCODE being that of the last WQE;
        SIMTRACE: the simulator's trace of the sending function

A send doorbell is a write of eight bytes at 0x800 or above in a UAR page: the first eight bytes of
the control segment of the last WQE posted, opcode and index, then QP number and size. The write
goes out big-endian, so the value logged is byte-swapped.
"""

import re
import struct
import sys

UAR = 4096
FIRST_UAR = 8
SEND = 0x800


def doorbells(trace, base, size):
    """(opmod_idx_opcode, qpn_ds) of each send doorbell in [base, base + size), in order."""
    found = []
    with open(trace, encoding="ascii", errors="replace") as f:
        for line in f:
            word = line.split()
            if not word or word[0] != "W":
                continue
            addr = int(word[4], 16)
            if not base + FIRST_UAR * UAR <= addr < base + size or addr % UAR < SEND:
                continue
            if word[1] != "8":
                sys.exit(f"a doorbell of {word[1]} bytes: {line}")
            found.append(struct.unpack(">II", struct.pack("<Q", int(word[5], 16))))
    return found


def executed(simtrace, qpn):
    """(index, opcode, ds) of each WQE of a QP, in the order the device executed them."""
    pattern = re.compile(r"QP (0x[0-9a-f]+) WQE (0x[0-9a-f]+) opcode (0x[0-9a-f]+) ds (\d+) ")
    with open(simtrace, encoding="ascii", errors="replace") as f:
        found = [m.groups() for m in map(pattern.search, f) if m]
    return [(int(i, 16), int(op, 16), int(ds)) for q, i, op, ds in found if int(q, 16) == qpn]


def posted(log):
    """The QP number, and (WQEs, opcode of the last) of each chain."""
    with open(log, encoding="ascii") as f:
        words = [line.split() for line in f]
    qpn = [int(w[1]) for w in words if w[:1] == ["qpn"]]
    return qpn[0], [(int(w[1]), int(w[2], 16)) for w in words if w[:1] == ["chain"]]


def check_chains(bells, qpn, chains, wqes):
    """Each chain rang once, with the control segment of its last WQE."""
    bells = [b for b in bells if b[1] >> 8 == qpn]
    print(f"QP {qpn:#x}: {len(chains)} chains, {len(wqes)} WQEs executed, {len(bells)} doorbells")
    if len(wqes) != sum(n for n, _ in chains):
        sys.exit(f"{sum(n for n, _ in chains)} WQEs were posted")
    if len(bells) != len(chains):
        sys.exit("not one doorbell for each chain")
    last = -1
    for (n, opcode), bell in zip(chains, bells):
        last += n
        index, op, ds = wqes[last]
        rung = (bell[0] >> 8 & 0xffff, bell[0] & 0xff, bell[1] & 0x3f)
        if rung != (index, op, ds) or op != opcode or bell[0] >> 24:
            sys.exit(f"rang {rung}, the last WQE is {wqes[last]}, expected opcode {opcode:#x}")


def main(argv):
    """Command line as above; exits non-zero with one line when something differs."""
    what, trace, base, size = argv[1], argv[2], int(argv[3], 0), int(argv[4], 0)
    bells = doorbells(trace, base, size)
    if what == "count":
        print(len(bells))
        return
    qpn, chains = posted(argv[5])
    if not chains:
        sys.exit("no chain was posted")
    check_chains(bells, qpn, chains, executed(argv[6], qpn))


main(sys.argv)
