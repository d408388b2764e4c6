#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Direct I/O with holes in memory: gaps_io.py DEVICE|FILE

Writes 512 KiB to the device by pwritev() from pieces of pages, and reads the data by preadv() into
other pieces. Addresses and lengths of the pieces are random within the limits of the device. Exit
status 1 if the data differs. A file must be on a file system without limits for direct I/O (NFS).
"""

import mmap
import os
import random
import sys

PAGE, SIZE = 4096, 512 * 1024


def pieces(memory, align, sector, rng, total):
    """Views of up to three sectors. Each begins at a random offset in a page, and a hole of a page
    or more separates it from the next view."""
    out, at = [], 0
    while total:
        start = at + rng.randrange(0, PAGE, align)
        length = min(rng.randrange(1, 4) * sector, total)
        out.append(memoryview(memory)[start:start + length])
        total -= length
        at = (start + length + 2 * PAGE - 1) & ~(PAGE - 1)
    return out


def limit(device, name, of_file):
    """A limit of the queue of a block device, by its name in sysfs; of_file if device is a file."""
    path = f"/sys/block/{os.path.basename(device)}/queue/{name}"
    if not os.path.exists(path):
        return of_file
    with open(path, encoding="ascii") as f:
        return int(f.read())


def main():
    """Write, read, compare."""
    device = sys.argv[1]
    # lengths are multiples of sector, and addresses are multiples of align
    sector = limit(device, "logical_block_size", 500)
    align = limit(device, "dma_alignment", 0) + 1
    rng = random.Random(sector)
    data = rng.randbytes(SIZE)
    fd = os.open(device, os.O_RDWR | os.O_DIRECT)
    done = 0
    while done < SIZE:
        step = min(SIZE - done, 64 * 1024)
        out = mmap.mmap(-1, 4 * SIZE)
        back = mmap.mmap(-1, 4 * SIZE)
        sources = pieces(out, align, sector, rng, step)
        offset = done
        for view in sources:
            view[:] = data[offset:offset + len(view)]
            offset += len(view)
        written = os.pwritev(fd, sources, done)
        sinks = pieces(back, align, sector, rng, step)
        read = os.preadv(fd, sinks, done)
        wrong = [i for i, byte in enumerate(b"".join(sinks)) if byte != data[done + i]]
        if written != step or read != step or wrong:
            print(f"at {done}: {written} bytes written, {read} read of {step}; {len(wrong)} wrong"
                  f" from {wrong[:1]} to {wrong[-1:]}; pieces {[len(v) for v in sources][:20]} and"
                  f" {[len(v) for v in sinks][:20]}")
            return 1
        done += step
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(main())
