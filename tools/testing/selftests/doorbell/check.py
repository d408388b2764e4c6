#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compares the doorbells in the log of mmiotrace with the posted work requests and the counters of
the device.

    check.py count TRACE BASE SIZE
        prints the number of send doorbells
    check.py chains TRACE BASE SIZE LOG SIMTRACE
        checks the send doorbells of one QP. LOG: "qpn N" and a line "chain WQES OPCODE" per post,
        where OPCODE is the opcode of the last WQE; SIMTRACE: the simulator's trace of the sending
        function
    check.py queues TRACE BAR FROM SIMTRACE
        checks that each object rings only on the UAR page of the object; that the register was
        written for each event of a CQ, with the arm word of the doorbell record; and that an EQ was
        armed for each interrupt. BAR: address of the BAR of a function; SIMTRACE: the trace of the
        function, which began when TRACE had FROM lines

A send doorbell is a write of eight bytes at 0x800 or above in a UAR page. The value is the first
eight bytes of the control segment of the last posted WQE: opcode and index, then QP number and
size. The bytes are big-endian; the log of mmiotrace shows them in the byte order of the CPU.
"""

import re
import struct
import sys

UAR = 4096
BAR_SIZE = 1 << 24
FIRST_UAR = 8
CQ_ARM = 0x20
EQ_ARM = 0x40
SEND = 0x800


def writes(trace, base, size, first=0):
    """(page, offset, bytes, value) of each write to a UAR page in [base, base + size), in order."""
    with open(trace, encoding="ascii", errors="replace") as f:
        for number, line in enumerate(f):
            word = line.split()
            if number < first or not word or word[0] != "W":
                continue
            addr = int(word[4], 16)
            if base + FIRST_UAR * UAR <= addr < base + size:
                yield (addr - base) // UAR, addr % UAR, int(word[1]), int(word[5], 16)


def two_words(width, value):
    """The two big-endian words of a doorbell."""
    if width != 8:
        sys.exit(f"a doorbell of {width} bytes: {value:#x}")
    return struct.unpack(">II", struct.pack("<Q", value))


def doorbells(trace, base, size):
    """(opmod_idx_opcode, qpn_ds) of each send doorbell in [base, base + size), in order."""
    return [two_words(width, value) for _, off, width, value in writes(trace, base, size)
            if off >= SEND]


def acted(simtrace, pattern):
    """The hexadecimal numbers of the groups of a pattern, for each line of the trace that
    matches."""
    with open(simtrace, encoding="ascii", errors="replace") as f:
        found = [m.groups() for m in map(re.compile(pattern).search, f) if m]
    return [tuple(int(word, 16) for word in words) for words in found]


def check_page(kind, number, page, pages):
    """Exit with a message if an object rang on another page than its UAR page."""
    if number in pages and pages[number] != page:
        sys.exit(f"{kind} {number:#x} of page {pages[number]:#x} rang on page {page:#x}")


def check_cqs(bells, events):
    """Check that the register was written for each CQ event, with the arm word of the record."""
    rung = {(page, *two_words(width, value)) for page, off, width, value in bells if off == CQ_ARM}
    pages = {cqn: page for cqn, page, _ in events}
    for page, _, cqn in rung:
        check_page("CQ", cqn, page, pages)
    for cqn, page, arm in events:
        if (page, arm, cqn) not in rung:
            sys.exit(f"CQ {cqn:#x}: the register was not written for the arm word {arm:#010x}")
    print(f"{len(events)} events of {len(pages)} CQs, {len(rung)} arm doorbells")


def check_sqs(bells, wqes):
    """Check that each QP rang, and only on its UAR page."""
    pages = dict(wqes)
    rung = [(page, two_words(width, value)[1] >> 8) for page, off, width, value in bells
            if off >= SEND]
    for page, qpn in rung:
        check_page("QP", qpn, page, pages)
    silent = set(pages) - {qpn for _, qpn in rung}
    if silent:
        sys.exit(f"QPs that never rang: {sorted(silent)}")
    print(f"{len(pages)} QPs, {len(rung)} send doorbells")


def check_eqs(bells, interrupts):
    """Check that each EQ was armed for each interrupt except the first, on its UAR page."""
    pages = dict(interrupts)
    armed = []
    for page, off, width, value in bells:
        if off == EQ_ARM and width == 4:
            armed.append(struct.unpack(">I", struct.pack("<I", value))[0] >> 24)
            check_page("EQ", armed[-1], page, pages)
    for eqn in pages:
        raised = sum(1 for number, _ in interrupts if number == eqn)
        if armed.count(eqn) < raised - 1:
            sys.exit(f"EQ {eqn:#x}: {raised} interrupts, armed {armed.count(eqn)} times")
    print(f"{len(interrupts)} interrupts of {len(pages)} EQs, {len(armed)} arm doorbells")


def check_queues(trace, bar, first, simtrace):
    """Check the doorbells of one function against the trace of the device."""
    bells = list(writes(trace, bar, BAR_SIZE, first))
    events = acted(simtrace, r"cq (0x[0-9a-f]+) uar (0x[0-9a-f]+) event arm ([0-9a-f]+)")
    wqes = acted(simtrace, r"QP (0x[0-9a-f]+) WQE .* opcode .* uar (0x[0-9a-f]+)$")
    interrupts = acted(simtrace, r"eq (0x[0-9a-f]+) uar (0x[0-9a-f]+) interrupt")
    for what, found in ("CQ event", events), ("WQE", wqes), ("interrupt", interrupts):
        if not found:
            sys.exit(f"no {what} in the simulator's trace")
    # all doorbells of the log: a CQ may have been armed before the simulator's trace began
    check_cqs(writes(trace, bar, BAR_SIZE), events)
    check_sqs(bells, wqes)
    check_eqs(bells, interrupts)


def executed(simtrace, qpn):
    """(index, opcode, ds) of each WQE of a QP, in the order of their execution."""
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
    """Check that each chain rang once, with the control segment of its last WQE."""
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
    """Execute the command line; exits non-zero with one line if a check fails."""
    what, trace, base, size = argv[1], argv[2], int(argv[3], 0), int(argv[4], 0)
    if what == "queues":
        check_queues(trace, base, size, argv[5])
        return
    bells = doorbells(trace, base, size)
    if what == "count":
        print(len(bells))
        return
    qpn, chains = posted(argv[5])
    if not chains:
        sys.exit("no chain was posted")
    check_chains(bells, qpn, chains, executed(argv[6], qpn))


main(sys.argv)
