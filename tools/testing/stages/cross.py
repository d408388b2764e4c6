#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Build the modules for kernels of other machines, without a warning: cross.py [MACHINE...]

The kernels are Debian 12's 6.12 (runner/vm/foreign.py). The compilers are packages of Debian; if
root runs this program, it installs missing ones. For big-endian machines, sparse checks every file.
Prints a line for each machine; logs are build/cross/<machine>.log. Exit status 0 if all machines
passed.
"""

import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.realpath(os.path.join(HERE, "../../.."))
sys.path.insert(0, os.path.join(HERE, "../runner/vm"))
# pylint: disable=wrong-import-position
import foreign
import kernel
from archive import ArchiveError

LOGS = os.path.join(TOP, "build/cross")
BIG_ENDIAN = ("s390x",)
FAULTS = re.compile(r"\bwarning\b|\berror\b", re.IGNORECASE)
TAIL = 20


class Failure(Exception):
    """The build for a machine failed. The text of the exception is the message to print."""


def run(log, *argv, fails=False):
    """Run a command and append its output to the file log. Returns the output. Raises Failure if
    the command fails, or with fails, if it succeeds."""
    env = {k: v for k, v in os.environ.items() if k not in ("ARCH", "MAKEFLAGS", "MFLAGS")}
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, errors="replace", check=False, env=env)
    with open(log, "a", encoding="utf-8") as f:
        f.write(f"$ {' '.join(argv)}\n{done.stdout}")
    if bool(done.returncode) != fails:
        tail = "\n".join(done.stdout.splitlines()[-TAIL:])
        raise Failure(f"{tail}\nstatus {done.returncode} of {' '.join(argv)}")
    return done.stdout


def expected(arch):
    """The modules that a build for a machine makes, without test modules."""
    machine = foreign.machine(arch)
    names = {"ib_frwr"}
    if machine.bits == 64:
        names.add("mlx5_ibx")
    return names | ({"mlx5sim"} if machine.simulated else set())


def check_refusal(log, build):
    """For a 32-bit kernel, mlx5_ibx must not compile, and the compiler must print the reason."""
    text = run(log, *build, "CONFIG_MLX5_IBX=m", "drivers/infiniband/hw/mlx5_ibx/main.o",
               fails=True)
    if "not for 32-bit kernels" not in text:
        raise Failure(f"mlx5_ibx does not say why it is not for 32-bit kernels: {log}")


def build(arch):
    """Build all modules for a machine from scratch. Returns the line to print."""
    machine = foreign.machine(arch)
    log = os.path.join(LOGS, f"{arch}.log")
    with open(log, "w", encoding="utf-8"):
        pass
    foreign.need(arch)
    directory = foreign.headers(arch)
    release = kernel.release_of(directory)
    command = [os.path.join(HERE, "build.sh"), os.path.join(directory, "build")]
    if not machine.simulated:
        command.append("selftest-dirs=")    # no VM can load the modules of the tests
    run(log, *command, "clean")
    sparse = ["C=2"] if arch in BIG_ENDIAN else []
    text = run(log, *command, f"-j{os.environ.get('JOBS') or os.cpu_count()}", "W=1", *sparse,
               "modules")
    faults = [line for line in text.splitlines() if FAULTS.search(line)]
    if faults:
        raise Failure("\n".join(faults[:TAIL]))
    modules = glob.glob(os.path.join(TOP, "build", release, "**/*.ko"), recursive=True)
    names = {os.path.basename(path)[:-3] for path in modules}
    missing = expected(arch) - names
    if missing:
        raise Failure(f"not built: {' '.join(sorted(missing))}")
    if machine.bits == 32:
        check_refusal(log, command)
    return (f"{arch} {release}: {len(names)} modules, no warning" +
            (", of sparse neither" if sparse else "") +
            (", mlx5_ibx refused" if machine.bits == 32 else ""))


def main(argv):
    """Build for each machine. A failure does not prevent the other builds."""
    os.makedirs(LOGS, exist_ok=True)
    failed = 0
    for arch in argv or foreign.MACHINES:
        try:
            print(build(arch), flush=True)
        except (ArchiveError, Failure, kernel.KernelError, OSError) as e:
            print(f"{arch}: failed\n{e}", flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
