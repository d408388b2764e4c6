# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The frequency of the processor's time stamp counter, in kHz.

Under TCG, the guest's counter is the counter of the host. On a busy host, a guest that measures its
frequency can be wrong by a factor of three, and its timeouts too. Therefore the host measures the
frequency and passes it to the guest.
"""

import ctypes
import mmap
import platform
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
CODE = bytes.fromhex("0f31 48c1e220 4809d0 c3")
SPAN = 0.1              # seconds between two readings
GOOD = 2e-6             # seconds of a good reading; two such readings have an error of 40 ppm


def _reading(rdtsc):
    """(counter, seconds) at the same time. A busy host interrupts many readings: this is the
    shortest of at most 200 readings."""
    best = None
    for _ in range(200):
        before = time.monotonic()
        count = rdtsc()
        after = time.monotonic()
        if best is None or after - before < best[0]:
            best = (after - before, count, (before + after) / 2)
            if best[0] < GOOD:
                break
    return best[1], best[2]


def khz():
    """The frequency; None if the machine has no such counter, or if it cannot be read."""
    if platform.machine() != "x86_64":
        return None
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return None
    page.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    rdtsc = ctypes.CFUNCTYPE(ctypes.c_uint64)(address)
    first = _reading(rdtsc)
    time.sleep(SPAN)
    second = _reading(rdtsc)
    value = (second[0] - first[0]) / (second[1] - first[1]) / 1000
    return round(value) if value > 0 else None
