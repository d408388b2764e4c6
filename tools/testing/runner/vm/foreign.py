# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernels of machines other than x86-64: headers to build modules against with a cross compiler,
and, for machines that a VM can have, image, modules and programs.

The kernel is the newest 6.12 that a suite of Debian 12 has for the machine. The programs of its
build system are those for x86-64 of the same version. In the cache,

	headers-<machine>-<key>/	holds release, build/ (a KDIR) and the packages
	userland-<machine>-<key>/	is the root directory of a guest: packages of Debian 12
	stock-<machine>-<key>/		is a kernel directory as kernel.py describes it; the file
					machine has the name of the machine

The rules of kernel.py apply.
"""

import glob
import hashlib
import os
import shutil
from typing import NamedTuple

import kernel
from archive import Archive

# programs that the runner and the selftests call in a guest
PROGRAMS = (
    "base-files", "base-passwd", "bash", "bsdutils", "busybox-static", "coreutils", "dash",
    "diffutils", "e2fsprogs", "ethtool", "findutils", "fio", "gawk", "grep", "gzip", "hostname",
    "ibverbs-providers", "ibverbs-utils", "iproute2", "iputils-ping", "kmod", "libc-bin",
    "libibverbs-dev", "libpam-runtime", "login", "mount", "ncurses-bin", "nvme-cli", "perftest",
    "perl", "procps", "python3", "python3-pyverbs", "rdma-core", "rdmacm-utils", "sed", "tar",
    "util-linux",
)
SECURITY = ("bookworm", "bookworm-security")
BACKPORTS = ("bookworm", "bookworm-backports")


class Machine(NamedTuple):
    """An architecture of Debian."""
    flavour: str            # the last word of the release of its kernel
    gnu: str                # prefix of the compiler, and part of the name of its package
    suites: tuple = BACKPORTS   # suites of Debian that have the kernel
    bits: int = 64
    simulated: bool = False     # mlx5sim is built

    @property
    def compiler(self):
        """The package with the cross compiler."""
        return f"gcc-{self.gnu}"


MACHINES = {
    "arm64": Machine("arm64", "aarch64-linux-gnu", SECURITY, simulated=True),
    "ppc64el": Machine("powerpc64le", "powerpc64le-linux-gnu"),
    "s390x": Machine("s390x", "s390x-linux-gnu"),
    "armhf": Machine("armmp", "arm-linux-gnueabihf", bits=32),
}


def machine(arch):
    """The Machine of a name; KernelError for other names."""
    if arch not in MACHINES:
        raise kernel.KernelError(f"no machine {arch!r}; there are: {' '.join(MACHINES)}")
    return MACHINES[arch]


def unpack_headers(tmp, arch):
    """Unpack the headers of the newest kernel for a machine to a directory, with a link build and
    the file release."""
    prefix = "linux-headers-"
    flavour, suites = machine(arch).flavour, machine(arch).suites
    archive = Archive(os.path.join(tmp, "apt"), suites, arch)
    archive.update()
    found = archive.names(f"{prefix}6\\.12\\.\\d+\\+deb12-{flavour}")
    if not found:
        raise kernel.KernelError(f"{' '.join(suites)}: no kernel 6.12 for {arch}")
    release = max(found, key=kernel.numbers)[len(prefix):]
    version = release.removesuffix(f"-{flavour}")
    root = os.path.join(tmp, "packages")
    archive.unpack([prefix + release, f"{prefix}{version}-common"], root)
    shutil.rmtree(archive.dir)
    # programs that run here
    archive = Archive(os.path.join(tmp, "apt"), suites)
    archive.update()
    archive.unpack([f"linux-kbuild-{version}"], root)
    shutil.rmtree(archive.dir)
    # The Makefile of the package includes the common Makefile by its absolute path on an installed
    # system. Replace it by a Makefile with a relative path.
    build = os.path.join("packages/usr/src", prefix + release)
    with open(os.path.join(tmp, build, "Makefile"), "w", encoding="ascii") as f:
        f.write("include $(dir $(lastword $(MAKEFILE_LIST)))../"
                f"{prefix}{version}-common/Makefile\n")
    os.symlink(build, os.path.join(tmp, "build"))
    kernel.write_release(tmp, release)


def need(arch, *packages):
    """Install the compiler for a machine and other packages. KernelError if some are missing."""
    deps = os.path.join(kernel.HERE, "../../stages/deps.sh")
    kernel.run([deps, "--only", machine(arch).compiler, *packages])


def made(kind, arch, inputs, make):
    """The directory of a kind for a machine, made on first use by make(directory, machine)."""
    key = hashlib.sha256(repr((*machine(arch), inputs)).encode()).hexdigest()[:8]
    final = os.path.join(kernel.cache_dir(), f"{kind}-{arch}-{key}")
    with kernel.locked(final):
        if not os.path.isdir(final):
            kernel.log(f"downloading the {kind} for {arch}")
            with kernel.made_at(final) as tmp:
                make(tmp, arch)
    return final


def headers(arch):
    """The directory with the headers of the kernel for a machine."""
    return made("headers", arch, (), unpack_headers)


def unpack_userland(tmp, arch):
    """Make a directory the root of a guest. Scripts of packages do not run: this function creates
    the files and links of these scripts that a guest needs."""
    for name in ("bin", "sbin", "lib"):
        os.makedirs(os.path.join(tmp, "usr", name))
        os.symlink(f"usr/{name}", os.path.join(tmp, name))
    archive = Archive(os.path.join(tmp, "apt"), ("bookworm",), arch)
    archive.update()
    archive.unpack(PROGRAMS, tmp, closure=True)
    shutil.rmtree(archive.dir)
    for name in ("passwd", "group"):
        shutil.copy(os.path.join(tmp, f"usr/share/base-passwd/{name}.master"),
                    os.path.join(tmp, "etc", name))
    for name, target in (("usr/bin/awk", "gawk"), ("usr/bin/sh", "dash")):
        if not os.path.lexists(os.path.join(tmp, name)):
            os.symlink(target, os.path.join(tmp, name))
    for name in ("doc", "locale", "man"):
        shutil.rmtree(os.path.join(tmp, "usr/share", name), ignore_errors=True)


def userland(arch):
    """The root directory of a guest."""
    return made("userland", arch, PROGRAMS, unpack_userland)


def unpack_kernel(tmp, arch):
    """Make a directory a kernel directory."""
    directory = headers(arch)
    release = kernel.release_of(directory)
    archive = Archive(os.path.join(tmp, "apt"), machine(arch).suites, arch)
    archive.update()
    packages = os.path.join(tmp, "packages")
    archive.unpack([f"linux-image-{release}"], packages)
    shutil.rmtree(archive.dir)
    kernel.copy_image(kernel.find_image(packages, release), os.path.join(tmp, "image"))
    modules, = glob.glob(os.path.join(packages, "**/lib/modules", release), recursive=True)
    kernel.copy_modules(modules, os.path.join(tmp, "lib/modules", release))
    shutil.rmtree(packages)
    os.symlink(os.path.join(directory, "build"), os.path.join(tmp, "build"))
    with open(os.path.join(tmp, "machine"), "w", encoding="ascii") as f:
        f.write(f"{arch}\n")
    kernel.write_release(tmp, release)


def stock(arch):
    """The kernel directory for a machine that a VM can have. Installs compiler and QEMU."""
    need(arch, "qemu-system-arm")
    return made("stock", arch, (), unpack_kernel)


def machine_of(directory):
    """The name of the machine of a kernel directory; empty for x86-64."""
    try:
        with open(os.path.join(directory, "machine"), encoding="ascii") as f:
            return f.read().strip()
    except FileNotFoundError:
        return ""
