# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Machines that a guest can be: QEMU's program and options, and words of the kernel's command
line."""

import tsc


class X86:
    """A PC."""
    qemu = "qemu-system-x86_64"
    package = "qemu-system-x86"
    binutils = ""           # prefix of strip
    kvm = True              # KVM is possible, if the host supports it
    console = "ttyS0"

    def __init__(self, opts, mem, reserve):
        """mem and reserve: bytes of memory, and the part for the simulator."""
        self.opts = opts
        self.mem = mem
        self.reserve = reserve
        self.reserved_base = 0x10000000     # above any kernel image, below any initrd

    def append(self):
        """Words of the kernel command line."""
        words = [
            "no5lvl", "tsc=reliable", "nmi_watchdog=0",
            # on a busy host, the kernel's test of the timer may fail, because the emulated timer
            # is late
            "no_timer_check", "unknown_nmi_panic",
            f"memmap={self.reserve >> 20}M${self.reserved_base:#x}",
        ]
        frequency = tsc.khz() if self.opts.accel == "tcg" and not self.opts.icount else None
        if frequency:
            words.append(f"tsc_early_khz={frequency}")
        return words

    def argv(self):
        """Options of QEMU for machine and processor."""
        argv = ["-machine", "q35,sata=off,smbus=off,usb=off"]
        if self.opts.accel == "kvm":
            return argv + ["-accel", "kvm", "-cpu", "host"]
        return argv + tcg(self.opts) + ["-cpu", "max,la57=off"]


class Arm64:
    """QEMU's board without hardware of a vendor, emulated, with memory from 1 GiB on."""
    qemu = "qemu-system-aarch64"
    package = "qemu-system-arm"
    binutils = "aarch64-linux-gnu-"
    kvm = False
    console = "ttyAMA0"

    def __init__(self, opts, mem, reserve):
        self.opts = opts
        self.reserve = reserve
        self.kept = mem - reserve
        self.reserved_base = (1 << 30) + self.kept

    def append(self):
        """Words of the kernel command line."""
        return [f"mem={self.kept >> 20}M"]

    def argv(self):
        """Options of QEMU for machine and processor: one without features that are slow to
        emulate, such as authentication of pointers and vectors of any length."""
        return ["-machine", "virt,gic-version=3"] + tcg(self.opts) + ["-cpu", "neoverse-n1"]


def tcg(opts):
    """Options for emulation."""
    if opts.icount:
        return ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"]
    return ["-accel", "tcg,thread=multi,tb-size=512"]


MACHINES = {"": X86, "arm64": Arm64}
