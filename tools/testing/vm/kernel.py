#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernels to boot and to build against, kept in a cache outside the tree.

	kernel.py stock [VER]	unpack Debian's kernel image
	kernel.py debug		configure and build the debug kernel (debug.config)
	kernel.py source	unpack Debian's kernel source
	kernel.py release	say which stock kernel is the default

Each of the first three prints the directory. A kernel directory holds

	image			what QEMU boots
	release			what uname -r says there
	lib/modules/<release>/	its modules, uncompressed (under TCG that takes seconds each)
	build/			(debug) the KDIR to build modules against

Rules: a directory is renamed to its name, or marked, when complete, so that a directory
with its name is usable; a lock per directory makes others wait instead of building it twice. The
key of the debug kernel is a hash of its source package's version and of the options in
debug.config. Nothing here is ever deleted: remove ${XDG_CACHE_HOME:-~/.cache}/mlx5-frwr to get the
space back.
"""

import contextlib
import fcntl
import glob
import hashlib
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
SERIES = "6.12"
SOURCE_PACKAGE = f"linux-source-{SERIES}"
DEBUG_CONFIG = os.path.join(HERE, "debug.config")
# Hardware that no guest of ours has; dropping it makes depmod several times faster.
PRUNED = ("drivers/gpu", "drivers/media", "drivers/net/wireless", "drivers/staging", "drivers/iio",
          "drivers/usb", "drivers/hid", "drivers/input", "sound")


class KernelError(Exception):
    """A kernel could not be had; the text says why and what to do."""


def log(text):
    print(f"kernel: {text}", file=sys.stderr, flush=True)


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(base, "mlx5-frwr")
    os.makedirs(path, exist_ok=True)
    return path


def run(argv, **kwargs):
    """Run a command; KernelError with the end of its output when it fails."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **kwargs)
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-30:])
        raise KernelError(f"{' '.join(argv)} failed ({done.returncode}):\n{tail}")
    return done.stdout


@contextlib.contextmanager
def locked(path):
    """Hold the lock that belongs to path while it is being made."""
    with open(path + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def package_version(name):
    """Installed version of a Debian package, or None."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name],
                          capture_output=True, text=True, check=False)
    words = done.stdout.split()
    return words[1] if len(words) == 2 and words[0] == "installed" else None


# ---- stock kernel --------------------------------------------------------------------------------

def default_release():
    """The newest Debian kernel of our series whose headers are installed."""
    def key(release):
        return [int(n) for n in re.findall(r"\d+", release)]

    found = [p.split("/")[3] for p in glob.glob(f"/lib/modules/{SERIES}.*-amd64/build")]
    if not found:
        raise KernelError(f"no kernel headers: apt-get install linux-headers-{SERIES}-amd64")
    return max(found, key=key)


def fetch_package(name, into):
    """Download a Debian package and unpack it into a directory."""
    with tempfile.TemporaryDirectory() as tmp:
        os.chmod(tmp, 0o755)
        log(f"downloading {name}")
        run(["apt-get", "download", name], cwd=tmp)
        debs = glob.glob(os.path.join(tmp, "*.deb"))
        if len(debs) != 1:
            raise KernelError(f"apt-get download {name} left {len(debs)} packages")
        run(["dpkg-deb", "-x", debs[0], into])


def copy_modules(src, dst):
    """Copy a module tree without PRUNED, uncompressing as it goes."""
    for top, dirs, files in os.walk(src):
        rel = os.path.relpath(top, src)
        kept = []
        for name in dirs:
            path = os.path.join(top, name)
            if os.path.relpath(path, os.path.join(src, "kernel")) not in PRUNED and \
                    not os.path.islink(path):
                kept.append(name)
        dirs[:] = kept
        os.makedirs(os.path.join(dst, rel), exist_ok=True)
        for name in files:
            path = os.path.join(top, name)
            if name.endswith(".ko.xz"):
                with open(path, "rb") as f:
                    data = lzma.decompress(f.read())
                with open(os.path.join(dst, rel, name[:-3]), "wb") as f:
                    f.write(data)
            elif name.endswith(".ko") or name in ("modules.order", "modules.builtin",
                                                  "modules.builtin.modinfo"):
                shutil.copy(path, os.path.join(dst, rel, name))
    order = os.path.join(dst, "modules.order")
    if os.path.exists(order):
        with open(order, encoding="ascii") as f:
            text = f.read().replace(".ko.xz", ".ko")
        with open(order, "w", encoding="ascii") as f:
            f.write(text)


def copy_image(src, dst):
    """Copy a kernel image, unpacked if it can be: under TCG a guest takes a second to do it itself.

    The header of a bzImage says where in it the compressed kernel lies (Documentation/arch/x86/
    boot.rst); Debian's is packed with zstd, and boots unpacked because it has CONFIG_PVH."""
    with open(src, "rb") as f:
        data = f.read()
    if data[0x202:0x206] == b"HdrS" and shutil.which("zstd"):
        start, length = struct.unpack_from("<II", data, 0x248)
        start += (data[0x1f1] + 1) * 512
        done = subprocess.run(["zstd", "-dcq"], input=data[start:start + length],
                              capture_output=True, check=False)
        if done.stdout.startswith(b"\x7fELF"):
            with open(dst, "wb") as f:
                f.write(done.stdout)
            return
    shutil.copy(src, dst)


def stock(release=None):
    """Directory of Debian's own kernel, unpacked on first use."""
    release = release or default_release()
    if not re.fullmatch(r"[0-9A-Za-z.+~-]+", release):
        raise KernelError(f"not a kernel release: {release}")
    final = os.path.join(cache_dir(), f"stock-{release}")
    with locked(final):
        if os.path.isdir(final):
            return final
        tmp = tempfile.mkdtemp(dir=cache_dir(), prefix="stock.")
        try:
            root = "/"
            if not (os.path.exists(f"/boot/vmlinuz-{release}")
                    and os.path.isdir(f"/lib/modules/{release}/kernel")):
                root = os.path.join(tmp, "deb")
                fetch_package(f"linux-image-{release}", root)
            log(f"unpacking the modules of {release}")
            copy_image(os.path.join(root, f"boot/vmlinuz-{release}"), os.path.join(tmp, "image"))
            copy_modules(os.path.join(root, "lib/modules", release),
                         os.path.join(tmp, "lib/modules", release))
            shutil.rmtree(os.path.join(tmp, "deb"), ignore_errors=True)
            with open(os.path.join(tmp, "release"), "w", encoding="ascii") as f:
                f.write(release + "\n")
            os.chmod(tmp, 0o755)
            os.rename(tmp, final)
        except BaseException:
            shutil.rmtree(tmp, ignore_errors=True)
            raise
    return final


# ---- source and debug kernel ---------------------------------------------------------------------

def source():
    """Debian's kernel source, unpacked on first use: (directory, package version)."""
    version = package_version(SOURCE_PACKAGE)
    archive = f"/usr/src/{SOURCE_PACKAGE}.tar.xz"
    if not version or not os.path.exists(archive):
        raise KernelError(f"no kernel source: apt-get install {SOURCE_PACKAGE}")
    final = os.path.join(cache_dir(), f"source-{version}")
    with locked(final):
        if not os.path.isdir(final):
            log(f"unpacking {archive}")
            with tempfile.TemporaryDirectory(dir=cache_dir(), prefix="source.") as tmp:
                run(["tar", "-xf", archive, "-C", tmp])
                os.rename(os.path.join(tmp, SOURCE_PACKAGE), final)
    return final, version


def debug_key(version):
    """What the debug kernel is made from; a comment in debug.config does not rebuild it."""
    with open(DEBUG_CONFIG, encoding="ascii") as f:
        options = "".join(line for line in f if line.startswith("CONFIG_"))
    return hashlib.sha256(f"{version}\0{options}".encode()).hexdigest()[:16]


def configure(tree, build, fragment):
    """allnoconfig plus a fragment; KernelError names each line that did not take effect."""
    os.makedirs(build, exist_ok=True)
    run(["make", "-C", tree, f"O={build}", f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig"])
    with open(os.path.join(build, ".config"), encoding="ascii") as f:
        have = set(f.read().splitlines())
    with open(fragment, encoding="ascii") as f:
        want = [line for line in f.read().splitlines() if line.startswith("CONFIG_")]
    lost = [line for line in want if line not in have]
    if lost:
        raise KernelError(f"{fragment}: without effect in this source: {' '.join(lost)}")


def compile_debug(tree, build):
    """Build kernel and modules; the output goes to build/log, its end into the KernelError."""
    jobs = os.environ.get("VM_BUILD_JOBS") or str(os.cpu_count() or 1)
    log(f"building the debug kernel, about 20 CPU minutes; see {build}/log")
    with open(os.path.join(build, "log"), "w", encoding="utf-8") as f:
        done = subprocess.run(["make", "-C", tree, f"O={build}", f"-j{jobs}", "vmlinux", "modules"],
                              stdout=f, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        with open(os.path.join(build, "log"), encoding="utf-8", errors="replace") as f:
            tail = "".join(f.readlines()[-30:])
        raise KernelError(f"the debug kernel does not build:\n{tail}")


def finish_debug(tree, build, final):
    """Install image and modules beside a complete build, then drop what only the build needed."""
    release = run(["make", "-s", "-C", tree, f"O={build}", "kernelrelease"]).split()[-1]
    run(["make", "-C", tree, f"O={build}", f"INSTALL_MOD_PATH={final}", "DEPMOD=true",
         "modules_install"])
    run(["strip", "-s", "-o", os.path.join(final, "image"), os.path.join(build, "vmlinux")])
    for link in ("build", "source"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(final, "lib/modules", release, link))
    for top, dirs, files in os.walk(build):
        if top == build:
            dirs[:] = [d for d in dirs if d not in ("scripts", "tools", "include")]
        for name in files:
            path = os.path.join(top, name)
            if name.endswith((".o", ".ko", ".a", ".cmd", ".mod.c")) or name.startswith(".tmp_"):
                if top != build or name.startswith((".tmp_", "vmlinux.")):
                    os.unlink(path)
    with open(os.path.join(final, "release"), "w", encoding="ascii") as f:
        f.write(release + "\n")


def debug():
    """Directory of the debug kernel, built on first use."""
    tree, version = source()
    final = os.path.join(cache_dir(), f"debug-{debug_key(version)}")
    done = os.path.join(final, "complete")
    with locked(final):
        if os.path.exists(done):
            return final
        # make records absolute paths in build/, so this one is built where it stays
        build = os.path.join(final, "build")
        configure(tree, build, DEBUG_CONFIG)
        compile_debug(tree, build)
        finish_debug(tree, build, final)
        with open(done, "w", encoding="ascii"):
            pass
    return final


def release_of(directory):
    with open(os.path.join(directory, "release"), encoding="ascii") as f:
        return f.read().strip()


def main(argv):
    what = argv[1] if len(argv) > 1 else ""
    try:
        if what == "stock" and len(argv) <= 3:
            print(stock(*argv[2:]))
        elif what == "debug" and len(argv) == 2:
            print(debug())
        elif what == "source" and len(argv) == 2:
            print(source()[0])
        elif what == "release" and len(argv) == 2:
            print(default_release())
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except KernelError as e:
        log(str(e))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
