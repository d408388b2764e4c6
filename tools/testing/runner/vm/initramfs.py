# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The initramfs: busybox, guest/init and the modules that reach the host's file system.

The guest reads all other files from the host's root: the initramfs is small and is built for each
run. The archive has the kernel's cpio format "newc". This file writes it without a tool and without
root.
"""

import os
import shutil
import subprocess

# Modules that guest/init loads, in this order; those that are built into the kernel are omitted.
MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay")


def _entry(ino, name, mode, data=b"", rdev=(0, 0)):
    fields = (ino, mode, 0, 0, 1, 0, len(data), 0, 0, rdev[0], rdev[1], len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def _modules_needed(directory):
    """Paths of MODULES and of their dependencies, dependencies first."""
    paths = {}
    for top, _, files in os.walk(os.path.join(directory, "kernel")):
        for name in files:
            if name.endswith(".ko"):
                paths[name[:-3].replace("-", "_")] = os.path.join(top, name)
    order = []

    def add(name):
        path = paths.get(name.replace("-", "_"))
        if path is None or path in order:
            return
        done = subprocess.run(["modinfo", "-F", "depends", path], capture_output=True, text=True,
                              check=True)
        for dep in filter(None, done.stdout.strip().split(",")):
            add(dep)
        order.append(path)

    for name in MODULES:
        add(name)
    return order


def _shared_objects(binary):
    """The libraries that a dynamic binary needs; empty for a static one."""
    done = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False)
    if done.returncode:
        return []
    words = done.stdout.split()
    return sorted({w for w in words if w.startswith("/")})


def build(path, modules_dir, init, userland=""):
    """Write the archive to path, for the kernel with the directory modules_dir. userland is the
    root of a guest that does not use the host's root."""
    busybox = f"{userland}/bin/busybox" if userland else shutil.which("busybox")
    if busybox is None:
        raise FileNotFoundError("no busybox: apt-get install busybox-static")
    files = {"init": (init, 0o755), "bin/busybox": (busybox, 0o755)}
    for lib in _shared_objects(busybox):
        files[lib.lstrip("/")] = (lib, 0o755)
    load = []
    for ko in _modules_needed(modules_dir):
        name = f"modules/{os.path.basename(ko)}"
        files[name] = (ko, 0o644)
        load.append(f"/{name}\n")

    dirs = {"dev", "proc", "sys", "host", "rw", "root", "modules"}
    for name in files:
        while "/" in name:
            name = os.path.dirname(name)
            dirs.add(name)
    out = []
    for name in sorted(dirs):
        out.append(_entry(len(out) + 1, name, 0o040755))
    out.append(_entry(len(out) + 1, "dev/console", 0o020600, rdev=(5, 1)))
    out.append(_entry(len(out) + 1, "modules/load", 0o100644, "".join(load).encode()))
    out.append(_entry(len(out) + 1, "bin/sh", 0o120777, b"busybox"))
    for name, (src, mode) in files.items():
        with open(src, "rb") as f:
            out.append(_entry(len(out) + 1, name, 0o100000 | mode, f.read()))
    out.append(_entry(0, "TRAILER!!!", 0))
    with open(path, "wb") as f:
        f.write(b"".join(out))
