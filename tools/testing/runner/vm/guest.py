# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One guest: its run directory, its QEMU, and its result.

The run directory is in the host's temporary directory. It belongs to one run, and is removed after
the run. The guest accesses all files of the host by 9p. QEMU's serial console, its monitor and
three virtio-serial ports (control, output, errors) are socket pairs. Nothing has a fixed name or
number: any number of guests can run at the same time.
"""

import glob
import os
import re
import secrets
import selectors
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import foreign
import initramfs
import kernel
import machine
from console import Console

HERE = os.path.dirname(os.path.realpath(__file__))
TREE = os.path.realpath(os.path.join(HERE, "../../../.."))

# Exit statuses that are not the status of the command.
STATUS_KNOWN = 119      # the kernel reported a fault in KNOWN of console.py, and nothing else
STATUS_REPORT = 120     # the kernel reported something (WARNING, BUG, KASAN, lockdep, ...)
STATUS_PANIC = 121      # the kernel panicked
STATUS_LEAK = 122       # kmemleak found unreferenced memory
STATUS_DIED = 123       # the guest ended without the line "end NONCE"
STATUS_TIMEOUT = 124    # the guest did not end in time
STATUS_HOST = 125       # the guest could not be started
STATUS_SETUP = 126      # the devices could not be set up

TAINT_WARN = 1 << 9
TAINT_DIE = 1 << 7
# directories that a guest cannot share with the host: it mounts file systems there
OWN_DIRS = ("/proc", "/sys", "/dev", "/run")


class GuestError(Exception):
    """The guest cannot be started; the text has the reason."""


def kvm_works():
    """True when a guest boots under KVM. In a nested VM, /dev/kvm may exist although KVM fails."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    stamp = os.path.join(kernel.cache_dir(), "kvm")
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        boot = f.read().strip()
    try:
        with open(stamp, encoding="ascii") as f:
            words = f.read().split()
        if len(words) == 2 and words[0] == boot:
            return words[1] == "yes"
    except FileNotFoundError:
        pass
    image = os.path.join(kernel.stock(), "image")
    argv = ["qemu-system-x86_64", "-accel", "kvm", "-cpu", "host", "-machine", "q35", "-m", "256",
            "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", image,
            "-append", "console=ttyS0 panic=-1"]
    try:
        out = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                             check=False).stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b""
    # the guest has no root file system: this panic shows that the kernel has booted
    works = b"Unable to mount root fs" in out
    with open(stamp, "w", encoding="ascii") as f:
        f.write(f"{boot} {'yes' if works else 'no'}\n")
    return works


def parse_size(text):
    """Converts a size such as '3G' or '512M' to bytes; GuestError for any other form."""
    match = re.fullmatch(r"(\d+)([MG])", text)
    if not match:
        raise GuestError(f"not a size: {text} (say 512M or 3G)")
    return int(match[1]) << (30 if match[2] == "G" else 20)


class Guest:
    """A guest: run() prepares and starts it, waits for its end, and returns the exit status."""

    def __init__(self, opts):
        self.opts = opts
        self.dir = None
        self.nonce = secrets.token_hex(8)
        self.kernel_dir = None
        self.release = None
        self.machine = None
        self.userland = ""      # root directory of the guest; empty if it uses the host's root
        self.qemu = None
        self.socks = {}
        self.ctl = {}
        self.ctl_partial = b""
        self.console = Console(self.nonce, opts.allow_warn,
                               sys.stderr if opts.verbose else None)
        self.console_file = None
        self.verdict = None
        self.started = 0.0

    # ---- preparation ----

    def find_modules(self):
        """Our .ko files for the guest's kernel: name to path."""
        found = {}
        for top in self.opts.ko or [os.path.join(TREE, "build", self.release)]:
            if self.opts.ko and not os.path.isdir(top):
                raise GuestError(f"--ko {top}: not a directory")
            for path, _, files in os.walk(top):
                for name in files:
                    if name.endswith(".ko"):
                        found[name] = os.path.join(path, name)
        return found

    def make_modroot(self):
        """Make a directory for modprobe: links to the kernel's modules, ours in extra/, and in
        updates/ the modules that replace modules of the kernel."""
        src = os.path.join(self.kernel_dir, "lib/modules", self.release)
        dst = os.path.join(self.dir, "modroot/lib/modules", self.release)
        os.makedirs(os.path.join(dst, "extra"))
        for name in os.listdir(src):
            if name == "kernel":
                os.symlink(os.path.join(src, name), os.path.join(dst, name))
            elif name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
                shutil.copy(os.path.join(src, name), dst)
        targets = {os.path.join(dst, "extra", n): p for n, p in self.find_modules().items()}
        if self.opts.replace:
            os.makedirs(os.path.join(dst, "updates"))
            built = glob.glob(os.path.join(self.opts.replace, self.release, "*.ko"))
            if not built:
                raise GuestError(f"--replace {self.opts.replace}: no module for {self.release}")
            targets |= {os.path.join(dst, "updates", os.path.basename(p)): p for p in built}
        for target, path in targets.items():
            # strip the debug information, most of a module's size: the guest reads modules by 9p,
            # which is slow
            kernel.run([f"{self.machine.binutils}strip", "--strip-debug", "-o", target, path])
        kernel.run(["depmod", "-b", os.path.join(self.dir, "modroot"), self.release])

    def write_files(self):
        """Write the environment, the command and the initramfs to the run directory."""
        o = self.opts
        env = {
            "VM_NONCE": self.nonce, "VM_TREE": TREE, "VM_MODULES": o.modules,
            "VM_BASE": str(self.machine.reserved_base), "VM_SIZE": str(parse_size(o.reserve)),
            "VM_DEVICES": str(o.devices), "VM_MMIOTRACE": "1" if o.mmiotrace else "0",
            "VM_LEAK_SCAN": "0" if o.no_leak_scan else "1",
            "VM_DEBUG_KERNEL": "1" if o.debug_kernel else "0",
            "VM_ACCEL": o.accel, "PROVIDER": o.provider,
        }
        for item in o.env:
            name, sep, value = item.partition("=")
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise GuestError(f"--env {item}: not a variable name")
            env[name] = value if sep else os.environ.get(name, "")
        with open(os.path.join(self.dir, "env"), "w", encoding="utf-8") as f:
            for name, value in env.items():
                f.write(f"export {name}={shlex.quote(value)}\n")
        cwd = os.getcwd()
        if any(cwd == d or cwd.startswith(d + "/") for d in OWN_DIRS):
            cwd = "/"
        with open(os.path.join(self.dir, "cmd"), "w", encoding="utf-8") as f:
            f.write(f"cd {shlex.quote(cwd)} || exit 125\nexec {shlex.join(o.command)}\n")
        initramfs.build(os.path.join(self.dir, "initrd"),
                        os.path.join(self.kernel_dir, "lib/modules", self.release),
                        os.path.join(HERE, "guest/init"), self.userland)

    def prepare(self):
        """Find the kernel and the machine, and create the run directory."""
        o = self.opts
        self.kernel_dir = kernel.debug(o.kernel) if o.debug_kernel else kernel.stock(o.kernel)
        self.release = kernel.release_of(self.kernel_dir)
        name = foreign.machine_of(self.kernel_dir)
        if name:
            self.userland = foreign.userland(name)
        kind = machine.MACHINES[name]
        if o.accel not in ("kvm", "tcg"):
            o.accel = "kvm" if not o.icount and kind.kvm and kvm_works() else "tcg"
        if o.accel == "kvm" and not kind.kvm or o.mmiotrace and name:
            raise GuestError(f"no KVM and no mmiotrace for {name}")
        self.machine = kind(o, parse_size(o.mem), parse_size(o.reserve))
        self.dir = tempfile.mkdtemp(prefix="mlx5-vm.")
        os.chmod(self.dir, 0o755)
        self.make_modroot()
        self.write_files()

    # ---- QEMU ----

    def append(self):
        """The kernel command line."""
        words = [
            f"console={self.machine.console}", "loglevel=7", "panic=-1", "oops=panic", "nokaslr",
            "mitigations=off", "random.trust_cpu=on", "audit=0",
            "softlockup_panic=1", "watchdog_thresh=60",
            "sysctl.kernel.hung_task_panic=1", "sysctl.kernel.hung_task_timeout_secs=300",
            "rcupdate.rcu_cpu_stall_timeout=180", "log_buf_len=4M", "apparmor=0", "selinux=0",
            f"vm.dir={self.dir}", f"vm.guest={HERE}/guest", *self.machine.append(),
        ]
        if self.userland:
            words += [f"vm.root={self.userland}",
                      f"vm.share={TREE}:{self.kernel_dir}:{self.dir}"]
        if self.opts.accel == "tcg" and self.opts.smp > 1:
            # QEMU before 8.1 may execute a stale translation of code that another processor has
            # just patched ("Oops: int3"). Nearly all patching happens during boot. The kernel
            # therefore boots on one processor, and guest/init starts the others.
            words.append("maxcpus=1")
        return " ".join(words + self.opts.append)

    def qemu_argv(self, fds):
        """QEMU's command line; fds maps console, ctl, out and err to descriptors."""
        o = self.opts
        argv = [self.machine.qemu, "-nodefaults", "-no-user-config", "-display", "none",
                "-no-reboot", "-m", o.mem, "-smp", str(o.smp),
                "-kernel", os.path.join(self.kernel_dir, "image"),
                "-initrd", os.path.join(self.dir, "initrd"), "-append", self.append(),
                *self.machine.argv()]
        for name, fd in fds.items():
            argv += ["-chardev", f"socket,id={name},fd={fd}"]
        argv += ["-serial", "chardev:console", "-device", "virtio-serial-pci"]
        for nr, name in enumerate(("ctl", "out", "err"), 1):
            argv += ["-device", f"virtserialport,nr={nr},chardev={name},name={name}"]
        argv += ["-mon", "chardev=mon,mode=readline", "-device", "virtio-rng-pci",
                 "-fsdev", "local,id=host,path=/,security_model=passthrough,readonly=on,"
                 "multidevs=remap",
                 "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"]
        return argv + o.qemu

    def start(self):
        """Start QEMU with the far ends of the socket pairs."""
        theirs = {}
        for name in ("console", "ctl", "out", "err", "mon"):
            self.socks[name], theirs[name] = socket.socketpair()
        fds = {name: sock.fileno() for name, sock in theirs.items()}
        self.started = time.monotonic()
        try:
            self.qemu = subprocess.Popen(self.qemu_argv(fds), stdin=subprocess.DEVNULL,
                                         pass_fds=list(fds.values()))
        except FileNotFoundError as e:
            raise GuestError(f"no QEMU: apt-get install {self.machine.package}") from e
        finally:
            for sock in theirs.values():
                sock.close()

    def stop(self):
        """Kill QEMU if it runs, close the sockets and files, and remove the run directory."""
        if self.qemu and self.qemu.poll() is None:
            self.qemu.kill()
            self.qemu.wait()
        for sock in self.socks.values():
            sock.close()
        if self.console_file:
            self.console_file.close()
        if self.dir:
            shutil.rmtree(self.dir, ignore_errors=True)

    # ---- while it runs ----

    def _control(self, data):
        lines = (self.ctl_partial + data).split(b"\n")
        self.ctl_partial = lines.pop()
        for raw in lines:
            word, _, value = raw.decode("ascii", "replace").partition(" ")
            self.ctl[word] = value
            if self.opts.verbose:
                print(f"vm: {time.monotonic() - self.started:.1f}s {word} {value}", file=sys.stderr)

    def _take(self, name, data):
        if name == "console":
            self.console.feed(data)
            if self.console_file:
                self.console_file.write(data)
                self.console_file.flush()
        elif name == "ctl":
            self._control(data)
        elif name in ("out", "err"):
            stream = sys.stdout if name == "out" else sys.stderr
            stream.buffer.write(data)
            stream.buffer.flush()

    def _pump(self, until, done):
        """Receive data until done() is true or the time is over; False if QEMU closed all
        sockets."""
        with selectors.DefaultSelector() as sel:
            for name, sock in self.socks.items():
                sel.register(sock, selectors.EVENT_READ, name)
            while sel.get_map() and not done():
                left = until - time.monotonic()
                if left <= 0:
                    return True
                for key, _ in sel.select(min(left, 1.0)):
                    try:
                        data = key.fileobj.recv(65536)
                    except ConnectionResetError:
                        data = b""
                    if data:
                        self._take(key.data, data)
                    else:
                        sel.unregister(key.fileobj)
            return bool(sel.get_map())

    def complete(self):
        """True when the control port and the console have the line with the nonce."""
        return self.ctl.get("end") == self.nonce and self.console.ended

    def _say_why_it_hangs(self):
        """Make the guest print its blocked tasks (sysrq w), and then, by an NMI, its CPUs."""
        print("vm: out of time; asking the guest what it is doing", file=sys.stderr)
        try:
            self.socks["ctl"].sendall(b"w\n")
            self._pump(time.monotonic() + 3, lambda: False)
            self.socks["mon"].sendall(b"nmi\n")
            self._pump(time.monotonic() + 3, lambda: False)
        except OSError:
            pass

    def judge(self):
        """The exit status of the worst result; prints the cause on stderr."""
        err, con = sys.stderr, self.console
        for name in con.take_accepted():
            print(f"vm: accepted fault of a stock driver: {name}", file=err)
        if con.panicked or con.reports:
            if con.panicked:
                con.show_tail(err)
                print("vm: the guest panicked", file=err)
                return STATUS_PANIC
            con.show_report(err)
            for name in con.known_reports():
                print(f"vm: known fault of the kernel: {name}", file=err)
            return STATUS_KNOWN if con.known_reports() else STATUS_REPORT
        if not self.complete():
            con.show_tail(err)
            print(f"vm: the guest ended early (QEMU status {self.qemu.poll()})", file=err)
            return STATUS_DIED
        taint = int(self.ctl.get("taint", "0"))
        if taint & (TAINT_WARN | TAINT_DIE) and not con.allow:
            con.show_tail(err)
            print(f"vm: the kernel is tainted {taint} by a warning that the console does not show",
                  file=err)
            return STATUS_REPORT
        wanted = self.opts.debug_kernel and not self.opts.no_leak_scan and "exit" in self.ctl
        leaks = self.ctl.get("leaks", "nobody looked" if wanted else "0")
        if leaks != "0":
            con.show_tail(err)
            print(f"vm: unreferenced objects found by kmemleak: {leaks}", file=err)
            return STATUS_LEAK
        if "exit" in self.ctl:
            return int(self.ctl["exit"])
        con.show_tail(err)
        print(f"vm: setting the devices up failed ({self.ctl.get('setup', '?')})", file=err)
        return STATUS_SETUP

    def run(self):
        """Prepare, start, wait, judge."""
        try:
            self.prepare()
            if self.opts.console:
                # stop() closes the file, after the last write
                # pylint: disable-next=consider-using-with
                self.console_file = open(self.opts.console, "wb")
            self.start()
            alive = self._pump(self.started + self.opts.timeout, self.complete)
            timed_out = alive and not self.complete()
            if timed_out:
                self._say_why_it_hangs()
            elif not alive:
                self.qemu.wait()
            self.console.finish()
            if timed_out:
                self.console.show_tail(sys.stderr, 120)
                print(f"vm: no end after {self.opts.timeout} s", file=sys.stderr)
                return STATUS_TIMEOUT
            return self.judge()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            self.stop()
