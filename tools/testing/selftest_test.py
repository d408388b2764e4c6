#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Shows that selftest.py notices what must not pass for success.

Each case of CASES is the output and exit status of a test, the driver it ran on, and the faults to
expect. Prints the cases that get others; exit status 1 if any does.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
# pylint: disable=wrong-import-position
import selftest

# a line without a reason, or without a driver, allows nothing
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


def main():
    """Judge each case."""
    wrong = 0
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as allowed:
        allowed.write(LIST)
        allowed.flush()
        selftest.ALLOWED = allowed.name
        for name, provider, text, status, want in CASES:
            found = selftest.judge("t", provider, "stock", text.splitlines(), status).faults
            if found != want:
                wrong += 1
                print(f"{name}: {found}, expected {want}")
    print(f"selftest: {len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
