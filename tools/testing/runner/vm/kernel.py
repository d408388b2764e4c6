#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernels to boot and to build against, kept in a cache outside the tree.

	kernel.py stock [NAME]	unpack Debian's kernel image
	kernel.py debug		configure and build the debug kernel (debug.config)
	kernel.py source [NAME]	unpack the source of Debian's 6.12, or parts of the source of NAME
	kernel.py release	print the output of uname -r on the stock kernel
	kernel.py kdir		print the KDIR to build modules for the stock kernel
	kernel.py headers	print the directory whose include/ has the stock kernel's headers

NAME or the variable KERNEL selects the stock kernel:

	6.12			(default) the newest kernel of Debian 12 whose headers are installed
	a release		another kernel of Debian 12, such as 6.12.117+deb12-amd64
	6.12-trixie, 7		the kernel of Debian 13, and the newest kernel of its backports
				(SUITES). Image, headers and their compiler are downloaded from
				Debian's archive to the cache. The version does not change until
				its directory is removed
	6.12-rt			the kernel of Debian 12 with PREEMPT_RT, from Debian's archive; the
				debug kernel has PREEMPT_RT then, too (rt.config)
	6.12-arm64		the kernel of Debian 12 for arm64, emulated, with the programs of
				Debian 12 for arm64 (foreign.py)
	a directory		any other kernel, with the files listed below, and with build/

stock, debug and source print a directory. A kernel directory has the files

	image			the file that QEMU boots
	release			output of uname -r on this kernel
	lib/modules/<release>/	the modules, uncompressed: a guest under TCG takes seconds to
				decompress a module
	build/			the KDIR to build modules for it (absent for 6.12 and for a release)
	root/			(other suites) headers, compiler and tools, for inroot

Rules: a directory gets its name when it is complete; the directory of a debug kernel gets the file
"complete" instead. A lock per directory prevents that two processes build the same directory. The
key of a debug kernel is a hash of the version of its source package and of the options in
debug.config and rt.config. A process that is killed ends the programs that it runs, and removes
incomplete files. No other file in the cache is ever deleted: remove
${XDG_CACHE_HOME:-~/.cache}/mlx5-frwr to free the space.
"""

import contextlib
import ctypes
import fcntl
import glob
import hashlib
import lzma
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
# pylint: disable=wrong-import-position
from archive import Archive, ArchiveError

HERE = os.path.dirname(os.path.realpath(__file__))
SERIES = "6.12"
RT = f"{SERIES}-rt"
# kernels of other suites or configurations: the names of the suites, and a pattern of the versions;
# the newest version that matches is used
SUITES = {
    "6.12-trixie": (("trixie",), r"6\.12\.\d+"),
    RT: (("bookworm", "bookworm-security"), r"6\.12\.\d+"),
    "7": (("trixie", "trixie-backports"), r"7\.\d+\.\d+"),
}
FOREIGN = {f"{SERIES}-arm64": "arm64"}     # kernels of other machines
# programs that the build system of the headers calls and that are not dependencies of the headers
# (the headers of 7.x depend on the compiler, but not on the assembler and the linker)
TOOLS = ("base-files", "bash", "binutils", "ccache", "coreutils", "dash", "diffutils", "findutils",
         "gawk", "grep", "make", "perl-base", "sed", "tar", "xz-utils")
SOURCE_PACKAGE = f"linux-source-{SERIES}"
SOURCE_BYTES = 1800 << 20       # size of the unpacked source
PR_SET_PDEATHSIG = 1            # of prctl(2)
DEBUG_CONFIG = os.path.join(HERE, "debug.config")
# unpacked parts of the source of another suite's kernel: ULPs and drivers that tests build
SOURCE_PARTS = ("Makefile", "drivers/infiniband", "drivers/nvme", "drivers/vfio",
                "include/trace/events", "lib", "net/sunrpc")
RT_CONFIG = os.path.join(HERE, "rt.config")
# Drivers of hardware that no guest has. Without these modules, depmod is several times faster.
PRUNED = ("drivers/gpu", "drivers/media", "drivers/net/wireless", "drivers/staging", "drivers/iio",
          "drivers/usb", "drivers/hid", "drivers/input", "sound")


class KernelError(Exception):
    """A kernel is not available. The text of the exception is the reason, often with a remedy."""


def log(text):
    print(f"kernel: {text}", file=sys.stderr, flush=True)


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(base, "mlx5-frwr")
    os.makedirs(path, exist_ok=True)
    return path


def end_with_parent():
    """Get SIGTERM when the parent process ends, such as a shell that is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextlib.contextmanager
def program(argv, **kwargs):
    """A process for a with block. The end of the block ends the process and its children."""
    with subprocess.Popen(argv, process_group=0, **kwargs) as proc:
        try:
            yield proc
        finally:
            if proc.poll() is None:
                os.killpg(proc.pid, signal.SIGTERM)


def run(argv, **kwargs):
    """Run a command; KernelError with the end of its output when it fails."""
    with program(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                 **kwargs) as proc:
        output = proc.communicate()[0]
    if proc.returncode and "No space left on device" in output:
        raise KernelError(f"{argv[0]}: no space left on device; the cache is {cache_dir()}")
    if proc.returncode:
        tail = "\n".join(output.splitlines()[-30:])
        raise KernelError(f"{' '.join(argv)} failed ({proc.returncode}):\n{tail}")
    return output


@contextlib.contextmanager
def locked(path):
    """Hold the lock of path while path is created."""
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

def numbers(text):
    """The numbers in a version or release, for comparisons."""
    return [int(n) for n in re.findall(r"\d+", text)]


def newest_installed():
    """The newest Debian kernel of our series whose headers are installed."""
    found = [p.split("/")[3] for p in glob.glob(f"/lib/modules/{SERIES}.*-amd64/build")]
    if not found:
        raise KernelError(f"no kernel headers: apt-get install linux-headers-{SERIES}-amd64")
    return max(found, key=numbers)


def selected():
    """The name of the stock kernel to use; empty for the default."""
    name = os.environ.get("KERNEL", "")
    return "" if name == SERIES else name


def default_release():
    """The release (uname -r) of the selected stock kernel."""
    name = selected()
    if name in SUITES or name in FOREIGN or "/" in name:
        return release_of(stock(name))
    return name or newest_installed()


def default_kdir():
    """The KDIR against which modules for the selected stock kernel are built."""
    name = selected()
    if name in SUITES or name in FOREIGN or "/" in name:
        return os.path.join(stock(name), "build")
    return f"/lib/modules/{default_release()}/build"


def default_headers():
    """The directory with the headers of the selected stock kernel: its KDIR, or the -common
    directory if Debian has split the headers."""
    kdir = os.path.realpath(default_kdir())
    with open(os.path.join(kdir, "Makefile"), encoding="utf-8") as f:
        found = re.search(r"^include .*?([^/\s]+-common)/Makefile$", f.read(), re.MULTILINE)
    return os.path.join(os.path.dirname(kdir), found[1]) if found else kdir


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
    """Copy a module tree without PRUNED; the copies of the modules are uncompressed."""
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
    """Copy a kernel image, unpacked if possible: a guest under TCG takes a second to unpack it.

    The header of a bzImage has the position of the compressed kernel (Documentation/arch/x86/
    boot.rst). Debian compresses it with zstd. It boots unpacked because it has CONFIG_PVH."""
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


def stock(name=None):
    """Directory of a stock kernel, unpacked on first use."""
    name = name or selected()
    if "/" in name:
        return own_kernel(os.path.abspath(name))
    if name in FOREIGN:
        # foreign.py imports this file
        import foreign      # pylint: disable=import-outside-toplevel
        return foreign.stock(FOREIGN[name])
    if name in SUITES:
        return from_suite(name)
    return from_debian_12(name or newest_installed())


def own_kernel(path):
    """Check the directory of a kernel that the user made. KernelError if it is not complete."""
    for part in ("image", "release", "build/Makefile"):
        if not os.path.exists(os.path.join(path, part)):
            raise KernelError(f"{path}: no {part}; kernel.py says what a kernel directory holds")
    modules = os.path.join(path, "lib/modules", release_of(path))
    if not os.path.isdir(modules):
        raise KernelError(f"{modules}: no such directory")
    return path


@contextlib.contextmanager
def made_at(final):
    """A temporary directory, which is renamed to final on success."""
    tmp = tempfile.mkdtemp(dir=cache_dir(), prefix="kernel.")
    try:
        yield tmp
        os.chmod(tmp, 0o755)
        os.rename(tmp, final)
    except BaseException:
        shutil.rmtree(tmp, ignore_errors=True)
        raise


def write_release(path, release):
    """The file release of a kernel directory."""
    with open(os.path.join(path, "release"), "w", encoding="ascii") as f:
        f.write(release + "\n")


def from_debian_12(release):
    """Directory of a kernel of Debian 12, the suite of the machine itself."""
    if not re.fullmatch(r"[0-9A-Za-z.+~-]+", release):
        raise KernelError(f"not a kernel release: {release}")
    final = os.path.join(cache_dir(), f"stock-{release}")
    with locked(final):
        if os.path.isdir(final):
            return final
        with made_at(final) as tmp:
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
            write_release(tmp, release)
    return final


# ---- kernels of other suites ---------------------------------------------------------------------

def image_packages(archive, release):
    """Names of the packages that contain the image and the modules: one package, or three."""
    split = [f"linux-{part}-{release}" for part in ("binary", "modules", "base")]
    return split if archive.has(split[0]) else [f"linux-image-{release}"]


def find_image(root, release):
    """The kernel image among unpacked packages."""
    for path in (f"usr/lib/modules/{release}/vmlinuz", f"boot/vmlinuz-{release}"):
        if os.path.exists(os.path.join(root, path)):
            return os.path.join(root, path)
    raise KernelError(f"the packages of {release} have no kernel image where it is known to be")


def merge_usr(root):
    """Move bin, sbin, lib and lib64 of unpacked packages to usr, as the installer of Debian 12
    does."""
    for name in ("bin", "sbin", "lib", "lib64"):
        path = os.path.join(root, name)
        if os.path.isdir(path) and not os.path.islink(path):
            os.makedirs(os.path.join(root, "usr", name), exist_ok=True)
            run(["cp", "-a", path + "/.", os.path.join(root, "usr", name)])
            shutil.rmtree(path)
            os.symlink(f"usr/{name}", path)


def from_suite(name):
    """Directory of a kernel of another suite, with headers and the compiler that they need."""
    suites, version = SUITES[name]
    inputs = repr((suites, version, TOOLS))
    key = hashlib.sha256(inputs.encode()).hexdigest()[:8]
    final = os.path.join(cache_dir(), f"suite-{name}-{key}")
    with locked(final):
        if os.path.isdir(final):
            return final
        log(f"downloading a kernel of {suites[-1]}, its headers and their compiler: 150 MB")
        with made_at(final) as tmp:
            archive = Archive(os.path.join(tmp, "apt"), suites)
            archive.update()
            prefix = "linux-headers-"
            flavour = "rt-amd64" if name == RT else "amd64"
            found = archive.names(f"{prefix}{version}\\+deb\\d+-{flavour}")
            if not found:
                raise KernelError(f"{' '.join(suites)}: no package {prefix}{version}")
            release = max(found, key=numbers)[len(prefix):]
            root = os.path.join(tmp, "root")
            archive.unpack([prefix + release, *TOOLS], root, closure=True)
            merge_usr(root)
            if not os.path.lexists(os.path.join(root, "usr/bin/awk")):
                os.symlink("gawk", os.path.join(root, "usr/bin/awk"))
            os.symlink(f"root/usr/src/{prefix}{release}", os.path.join(tmp, "build"))
            image = os.path.join(tmp, "packages")
            archive.unpack(image_packages(archive, release), image)
            copy_image(find_image(image, release), os.path.join(tmp, "image"))
            source = os.path.join(image, "usr/lib/modules", release)
            if not os.path.isdir(source):
                source = os.path.join(image, "lib/modules", release)
            copy_modules(source, os.path.join(tmp, "lib/modules", release))
            shutil.rmtree(image)
            shutil.rmtree(archive.dir)
            write_release(tmp, release)
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
            # remove directories of killed processes: this process has the lock
            for left in glob.glob(glob.escape(final) + ".*/"):
                shutil.rmtree(left, ignore_errors=True)
            if shutil.disk_usage(cache_dir()).free < SOURCE_BYTES:
                raise KernelError(f"no space in {cache_dir()}: {SOURCE_BYTES >> 20} MB are needed")
            log(f"unpacking {archive}")
            with tempfile.TemporaryDirectory(dir=cache_dir(),
                                             prefix=os.path.basename(final) + ".") as tmp:
                run(["tar", "-xf", archive, "-C", tmp])
                os.rename(os.path.join(tmp, SOURCE_PACKAGE), final)
    return final, version


def unpack_source_parts(archive, series, into):
    """Unpack SOURCE_PARTS of the source package of a series of kernels, such as 7.3."""
    package = f"linux-source-{series}"
    with tempfile.TemporaryDirectory(dir=into, prefix="source.") as tmp:
        archive.unpack([package], tmp)
        run(["tar", "-xf", os.path.join(tmp, f"usr/src/{package}.tar.xz"), "-C", tmp,
             *(f"{package}/{part}" for part in SOURCE_PARTS)])
        os.rename(os.path.join(tmp, package), os.path.join(into, "source"))


def version_of_source(path):
    """The version that the Makefile of a kernel source names, as a list of numbers."""
    with open(os.path.join(path, "Makefile"), encoding="utf-8") as f:
        return numbers(" ".join(re.findall(r"^(?:VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$", f.read(),
                                           re.MULTILINE)))


def source_of_suite(name):
    """SOURCE_PARTS of the source of another suite's kernel; KernelError when the archive has only
    another version of the source."""
    suites, _ = SUITES[name]
    path = from_suite(name)
    final = os.path.join(path, "source")
    version = numbers(release_of(path))[:3]
    with locked(final):
        if not os.path.isdir(final):
            log(f"downloading the source of {release_of(path)}: 150 MB")
            with tempfile.TemporaryDirectory(dir=path, prefix="apt.") as tmp:
                archive = Archive(tmp, suites)
                archive.update()
                unpack_source_parts(archive, f"{version[0]}.{version[1]}", path)
    if version_of_source(final) != version:
        raise KernelError(f"{final} is of another version than the kernel: remove {path} to get"
                          " the newest one of both")
    return final


def option(line):
    """The option that a line of a configuration sets or clears, or None for other lines."""
    found = re.match(r"(CONFIG_\w+)=|# (CONFIG_\w+) is not set$", line)
    return found and (found[1] or found[2])


def options(path):
    """The lines of a configuration that set or clear options."""
    with open(path, encoding="ascii") as f:
        return [line for line in f.read().splitlines() if option(line)]


def replaced(lines, changes):
    """Lines of a configuration, with changes in place of the lines of the same options."""
    names = {option(line) for line in changes}
    return [line for line in lines if option(line) not in names] + changes


def debug_configs(name):
    """The configurations of the debug kernel that belongs to a stock kernel: each one changes
    the previous one."""
    return [DEBUG_CONFIG, RT_CONFIG] if name == RT else [DEBUG_CONFIG]


def debug_key(version, configs):
    """A hash of the inputs of a debug kernel. Comments in debug.config are no inputs."""
    text = "".join(line + "\n" for path in configs for line in options(path))
    return hashlib.sha256(f"{version}\0{text}".encode()).hexdigest()[:16]


def configure(tree, build, *configs):
    """Configure a kernel: allnoconfig with the first configuration; then allnoconfig with that
    result, changed by the next configuration. KernelError names each line that did not take effect.

    With CONFIG_EXPERT, allnoconfig clears options that other kernels always have, such as futexes.
    Therefore rt.config, which sets CONFIG_EXPERT, changes a complete configuration."""
    result = os.path.join(build, ".config")
    fragment = os.path.join(build, "fragment.config")
    os.makedirs(build, exist_ok=True)
    lines = want = []
    for path in configs:
        lines = replaced(lines, options(path))
        want = replaced(want, options(path))
        with open(fragment, "w", encoding="ascii") as f:
            f.writelines(line + "\n" for line in lines)
        run(["make", "-C", tree, f"O={build}", f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig"])
        lines = options(result)
    lost = [line for line in want if line.startswith("CONFIG_") and line not in lines]
    if lost:
        raise KernelError(f"{configs[-1]}: without effect in this source: {' '.join(lost)}")


def compile_debug(tree, build):
    """Build kernel and modules. The output goes to build/log; its end is in the KernelError."""
    jobs = os.environ.get("VM_BUILD_JOBS") or str(os.cpu_count() or 1)
    log(f"building the debug kernel, about 20 CPU minutes; see {build}/log")
    with open(os.path.join(build, "log"), "w", encoding="utf-8") as f:
        with program(["make", "-C", tree, f"O={build}", f"-j{jobs}", "vmlinux", "modules"],
                     stdout=f, stderr=subprocess.STDOUT) as make:
            make.wait()
    if make.returncode:
        with open(os.path.join(build, "log"), encoding="utf-8", errors="replace") as f:
            tail = "".join(f.readlines()[-30:])
        raise KernelError(f"the debug kernel does not build:\n{tail}")


def finish_debug(tree, build, final):
    """Install image and modules of a complete build, and remove files that only the build used."""
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
    write_release(final, release)


def debug(name=None):
    """Directory of the debug kernel that belongs to a stock kernel, built on first use."""
    tree, version = source()
    configs = debug_configs(name or selected())
    final = os.path.join(cache_dir(), f"debug-{debug_key(version, configs)}")
    done = os.path.join(final, "complete")
    with locked(final):
        if os.path.exists(done):
            return final
        # make records absolute paths in build/, so this kernel is built in its final directory
        build = os.path.join(final, "build")
        configure(tree, build, *configs)
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
        elif what == "source" and len(argv) <= 3:
            print(source_of_suite(argv[2]) if argv[2:] and argv[2] in SUITES else source()[0])
        elif what == "release" and len(argv) == 2:
            print(default_release())
        elif what == "kdir" and len(argv) == 2:
            print(default_kdir())
        elif what == "headers" and len(argv) == 2:
            print(default_headers())
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except (ArchiveError, KernelError, OSError) as e:
        log(str(e))
        return 1
    except KeyboardInterrupt:
        log("interrupted")
        return 130
    return 0


if __name__ == "__main__":
    sys.modules["kernel"] = sys.modules["__main__"]     # for foreign.py
    # raise an exception, so that incomplete directories are removed
    end_with_parent()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv))
