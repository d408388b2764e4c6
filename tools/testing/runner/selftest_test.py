#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests that selftest.py detects each failure in the output of a test or of a VM.

A case of CASES has a name, the driver, the output and the exit status of a test, and the expected
faults. REPORTS and STOCK_REPORTS are reports of the kernel with the expected verdict. AGAIN are
tests whose VMs end with a known report. HANGS are tests with a case that hangs. Prints the cases
whose result is not the expected result; then the exit status is 1.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "vm")]
# pylint: disable=wrong-import-position
import console
import selftest

# skips.allow of these cases; a line without a reason allows no skip
LIST = """# TEST/CASE DRIVER reason
t/only_siw	siw	it cannot
t/mlx	mlx5_*	neither can
t/on_*	*	nothing can
t/no_reason	*
"""
CASES = [
    ("passes", "siw", "1..1\nok 1 a", 0, []),
    ("skip on the driver of its line", "siw", "1..2\nok 1 a\nok 2 only_siw # SKIP", 0, []),
    ("skip on another driver", "rdma_rxe", "1..2\nok 1 a\nok 2 only_siw # SKIP", 0,
     ["skip not listed in skips.allow: t/only_siw rdma_rxe"]),
    ("skip on a driver of a pattern", "mlx5_ibx", "1..2\nok 1 a\nok 2 mlx # SKIP", 0, []),
    ("skip on a driver beside a pattern", "siw", "1..2\nok 1 a\nok 2 mlx # SKIP", 0,
     ["skip not listed in skips.allow: t/mlx siw"]),
    ("skip on any driver", "rdma_rxe", "1..2\nok 1 a\nok 2 on_all # SKIP why", 0, []),
    ("skip without a driver", "", "1..2\nok 1 a\nok 2 on_all # SKIP", 0, []),
    ("skip of a driver's line without a driver", "", "1..2\nok 1 a\nok 2 only_siw # SKIP", 0,
     ["skip not listed in skips.allow: t/only_siw"]),
    ("skip without a reason", "siw", "1..2\nok 1 a\nok 2 no_reason # SKIP", 0,
     ["skip not listed in skips.allow: t/no_reason siw"]),
    ("skip that is not listed", "siw", "1..2\nok 1 a\nok 2 b # SKIP", 0,
     ["skip not listed in skips.allow: t/b siw"]),
    ("nothing but skips", "siw", "1..1\nok 1 only_siw # SKIP", 4, ["nothing was tested"]),
    ("no plan", "siw", "ok 1 a", 0, ["no plan"]),
    ("fewer than planned", "siw", "1..2\nok 1 a", 0, ["2 results planned, 1 found"]),
    ("out of order", "siw", "1..2\nok 2 a\nok 1 b", 0,
     ["result 2 where 1 was due", "result 1 where 2 was due"]),
    ("fails and exits with 0", "siw", "1..1\nnot ok 1 a", 0, ["exit status 0 with 1 failed cases"]),
    ("passes and exits with 1", "siw", "1..1\nok 1 a", 1, ["exit status 1 with 0 failed cases"]),
    ("killed", "siw", "1..1\nok 1 a", 124, ["ended with status 124"]),
]
# lines of a report of lockdep, and whether it is known
LOCKDEP = "WARNING: possible circular locking dependency detected"
MUTEX = "ffff888109dd6420 (&id_priv->handler_mutex){+.+.}-{3:3}, at: rdma_destroy_id+0x16/0x30"
SEM = "ffffffffa06ac650 (nvmet_config_sem){++++}-{3:3}, at: nvmet_port_subsys_drop_link+0x4a/0x300"
THEIRS, OURS = "nvmet_rdma_disable_port+0x38/0x2d0 [nvmet_rdma]", "ibx_cq_poll+0x1/0x30 [mlx5_ibx]"
REPORTS = [
    ("both locks", (LOCKDEP, MUTEX, SEM, THEIRS), True),
    ("another lock", (LOCKDEP, MUTEX, SEM.replace("nvmet_config_sem", "&qp->mutex"), THEIRS),
     False),
    ("another warning", (LOCKDEP.replace("circular", "recursive"), MUTEX, SEM, THEIRS), False),
    ("a module of ours", (LOCKDEP, MUTEX, SEM, OURS), False),
    ("another report behind it", (LOCKDEP, MUTEX, SEM, THEIRS, "WARNING: CPU: 0 PID: 1"), False),
    ("no report", (MUTEX, SEM), False),
]

# lines of a report of lockdep on a stock driver, and whether it is accepted
ORDER = "WARNING: SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected"
XA = "ffff888109255df8 (&xa->xa_lock#20){+.+.}-{2:2}, at: mlx5_ib_poll_cq+0xc37/0x4fd0 [mlx5_ib]"
CQ = "ffff888108fce2a0 (&cq->lock){..-.}-{2:2}, at: mlx5_ib_poll_cq+0xbc/0x4fd0 [mlx5_ib]"
SIM = "sim_msix_raise+0xee/0x140 [mlx5sim]"
STOCK_REPORTS = [
    ("locks of mlx5_ib", (ORDER, XA, CQ, SIM), True),
    ("a lock of mlx5_ibx", (ORDER, XA.replace("[mlx5_ib]", "[mlx5_ibx]"), CQ, SIM), False),
    ("mlx5_ibx in it", (ORDER, XA, CQ, OURS), False),
    ("another kind", (LOCKDEP, XA, CQ), False),
    ("a report behind it", (ORDER, XA, CQ, "BUG: KASAN: slab-use-after-free in f+0x1/0x2"), False),
]

# name; exit statuses of the VMs of a test, which is repeated after a known report; True if the test
# passes
AGAIN = [
    ("known fault once", (119, 0), True),
    ("known fault twice", (119, 119, 0), True),
    ("known fault in each VM", (119, 119, 119, 0), False),
    ("another report", (120, 0), False),
    ("a report behind a known fault", (119, 120), False),
]

# name; output and exit status of each VM of a test with AGAIN in its config; failed cases; faults
HANGS = [
    ("none hangs", [("1..2\nok 1 a\nok 2 b", 0)], [], []),
    ("one hangs, as known", [("1..3\nok 1 a\nok 2 b", 5), ("ok 3 c", 0)], [], []),
    ("one hangs", [("1..3\nok 1 a\nnot ok 2 b", 5), ("ok 3 c", 0)], ["b"], []),
    ("two hang", [("1..3\nnot ok 1 a", 5), ("not ok 2 b", 5), ("ok 3 c", 0)], ["a", "b"], []),
    ("the last one hangs", [("1..2\nok 1 a\nnot ok 2 b", 5), ("", 0)], ["b"], []),
    ("one fails behind it", [("1..2\nok 1 a", 5), ("not ok 2 b", 1)], ["b"], []),
    ("hangs before any case", [("", 5)], [],
     ["no plan", "nothing was tested", "ended with status 5"]),
    ("the kernel reports", [("1..2\nok 1 a", 5), ("ok 2 b", 120)], [], ["ended with status 120"]),
    ("a case is missing", [("1..3\nok 1 a", 5), ("ok 3 c", 0)], [],
     ["result 3 where 2 was due", "3 results planned, 2 found"]),
]


def outcome_of_vms(vms):
    """The failed cases and faults of a test with AGAIN, given the output and status of its VMs."""
    def vm(argv, _show):
        first = len(selftest.results(seen)) + 1
        if f"KTAP_FIRST={first}" not in argv:
            yield 0, "another case first"
        text, status = next(left)
        seen.extend(text.splitlines())
        yield from ((0, line) for line in text.splitlines())
        yield 0, status

    seen, left = [], iter(vms)
    selftest.run = vm
    config = selftest.DEFAULTS | {"AGAIN": "1"}
    out = selftest.run_one("wr", "siw", "stock", config, show=lambda line: None)
    return out.failed, out.faults


def passes_with(statuses):
    """Whether the last test passes if the VMs end with the statuses: [for VMs with one test, for
    VMs with two tests]."""
    def vm(tests):
        for test in tests:
            yield 0, f"# in_turn: {test}"
            yield 0, "1..1"
            yield 0, "ok 1 a"
            yield 0, f"# in_turn: {test} ended with 0"
        yield 0, next(left)

    good = []
    for tests in (["wr"], ["wr", "mkey"]):
        left = iter(statuses)
        selftest.run = lambda argv, show, tests=tests: vm(tests)
        runs = [(test, "siw", "stock", selftest.DEFAULTS) for test in tests]
        good.append(selftest.run_vm(runs, lambda line: None)[-1].good)
    return good


def console_of(lines):
    """A console with these lines."""
    con = console.Console("nonce")
    con.feed("".join(f"[   82.239234] {line}\n" for line in lines).encode())
    return con


def is_known(lines):
    """Whether a console with these lines has known reports only."""
    return bool(console_of(lines).known_reports())


def is_accepted(lines):
    """Whether a console with these lines has accepted reports only."""
    con = console_of(lines)
    return bool(con.take_accepted()) and not con.reports


def main():
    """Judge each case."""
    wrong = 0
    for name, lines, want in REPORTS:
        if is_known(lines) != want:
            wrong += 1
            print(f"{name}: {'not ' if want else ''}known")
    for name, lines, want in STOCK_REPORTS:
        if is_accepted(lines) != want:
            wrong += 1
            print(f"{name}: {'not ' if want else ''}accepted")
    for name, statuses, want in AGAIN:
        if passes_with(statuses) != [want, want]:
            wrong += 1
            print(f"{name}: {passes_with(statuses)}, expected {want} of both")
    for name, vms, failed, faults in HANGS:
        if outcome_of_vms(vms) != (failed, faults):
            wrong += 1
            print(f"{name}: {outcome_of_vms(vms)}, expected {failed} and {faults}")
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as allowed:
        allowed.write(LIST)
        allowed.flush()
        selftest.ALLOWED = allowed.name
        for name, provider, text, status, want in CASES:
            found = selftest.judge("t", provider, "stock", text.splitlines(), status).faults
            if found != want:
                wrong += 1
                print(f"{name}: {found}, expected {want}")
    count = len(CASES) + len(AGAIN) + len(REPORTS) + len(STOCK_REPORTS) + len(HANGS)
    print(f"selftest: {count} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
