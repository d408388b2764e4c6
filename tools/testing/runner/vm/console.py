# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Reads the guest's kernel log: finds the lines in which the kernel reports a fault.

The log is judged line by line as it arrives. A line that matches one of REPORTS is a report, unless
the caller allows it: a test may provoke a message on purpose. A panic cannot be allowed.
"""

import re

PANIC = re.compile(r"Kernel panic - not syncing")

REPORTS = re.compile("|".join((
    r"\bWARNING: ",                          # WARN(), lockdep, RCU
    r"\bBUG: ", r"\bBUG [\w-]+ \(",          # KASAN, atomic sleep, lockups; slab corruption
    r"kernel BUG at",
    r"INFO: possible ", r"INFO: trying to register non-static key",
    r"INFO: task \S+ blocked", r"INFO: rcu\S* .*(stall|starved)", r"INFO: lockdep is turned off",
    r"\bOops\b", r"general protection fault", r"Unable to handle kernel",
    r"refcount_t: ", r"ODEBUG: ", r"DMA-API: (?!preallocated|.*debugging (enabled|disabled))",
    r"\bUBSAN: ", r"\bKCSAN: ", r"ref_tracker: .* has \d+/",
    r"list_(add|del) corruption", r"sysfs: cannot create duplicate", r"kobject: .* tried to ",
    r"unregister_netdevice: waiting for", r"trying to free already-free IRQ",
    r"Trying to vfree\(\)", r"Bad page state", r"page allocation failure",
    r"scheduling while atomic", r"bad: scheduling", r"Slab cache still has objects",
    r"leaking at least", r"watchdog: .*lockup", r"is leaking",
    r"debugfs: \w+ '.*' already present!", r"dma_pool_destroy .* busy", r"DMA mappings left",
)))
# Messages of Debian's kernel about the machine. They match REPORTS, but are no faults.
HARMLESS = re.compile(r"Spectre|lockdep_max_dep_chain")

# Faults of the kernel's code that some VMs report: the name of the fault, and patterns that all
# occur in the first line of the report or in the CONTEXT lines after it.
KNOWN = (
    # A connect command that arrives before its connection is established is executed in the CM's
    # handler: it takes the semaphore under the mutex of the identifier. nvmet_rdma_disable_port()
    # destroys an identifier under the semaphore: it takes the mutex.
    ("nvmet_rdma takes nvmet_config_sem and the mutex of a CM identifier in both orders",
     (r"possible circular locking dependency",
      r"\(&id_priv->handler_mutex\)[^,]*, at: rdma_destroy",
      r"\(nvmet_config_sem\)[^,]*, at: nvmet_")),
)
OURS = re.compile(r"\[(mlx5_ibx|ib_frwr|mlx5sim|nvme_rdma_frwr)\]")

# Faults of stock drivers that a test of these drivers reports in every VM. A report of such a fault
# is printed and fails no test, but lockdep is off in that VM afterwards. mlx5sim may be in the
# report: the softirq that takes a lock may interrupt a thread of mlx5sim.
ACCEPTED = (
    # mlx5_ib_poll_cq() takes the lock of sig_mrs in softirqs when a signature error is in the CQ;
    # mr.c takes it with softirqs on, in xa_store() and xa_cmpxchg().
    ("mlx5_ib takes the lock of sig_mrs in softirqs and with softirqs on",
     (r"SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected",
      r"\(&xa->xa_lock[^,]*, at: mlx5_ib_poll_cq\S* \[mlx5_ib\]",
      r"\(&cq->lock\)[^,]*, at: mlx5_ib_poll_cq\S* \[mlx5_ib\]")),
)
DRIVERS = re.compile(r"\[(mlx5_ibx|ib_frwr|nvme_rdma_frwr)\]")

KEEP = 400          # number of last lines of the log in memory; some are printed after a failure
CONTEXT = 120       # number of lines that belong to a report, after its first line


def find_name(table, ours, lines):
    """The name of the fault in the table whose patterns match the lines of a report. None if no
    fault matches, or if a line matches ours (a module of this tree)."""
    if any(ours.search(text) for text in lines):
        return None
    for name, patterns in table:
        if all(any(re.search(pattern, text) for text in lines) for pattern in patterns):
            return name
    return None


class Console:
    """The kernel log. feed() adds bytes; panicked, reports and ended are the findings so far."""

    def __init__(self, nonce, allow=(), echo=None):
        self.end_mark = f"vm: end {nonce}"
        self.allow = [re.compile(pattern) for pattern in allow]
        self.echo = echo
        self.tail = []
        self.reports = []           # (line, following lines)
        self.panicked = False
        self.ended = False
        self._partial = b""

    def feed(self, data):
        """Process output of the console."""
        lines = (self._partial + data).split(b"\n")
        self._partial = lines.pop()
        for raw in lines:
            self._line(raw.decode("utf-8", "replace").rstrip("\r"))

    def finish(self):
        """Process the last line if it has no newline."""
        if self._partial:
            self.feed(b"\n")

    def _line(self, line):
        if self.echo:
            print(line, file=self.echo, flush=True)
        self.tail.append(line)
        del self.tail[:-KEEP]
        for _, following in self.reports:
            if len(following) < CONTEXT:
                following.append(line)
        if PANIC.search(line):
            self.panicked = True
        if self.end_mark in line:
            self.ended = True
        if REPORTS.search(line) and not HARMLESS.search(line):
            if not any(pattern.search(line) for pattern in self.allow):
                self.reports.append((line, []))

    def take_accepted(self):
        """The names of the reports that are in ACCEPTED, and that therefore fail no test."""
        names = [find_name(ACCEPTED, DRIVERS, [line] + following)
                 for line, following in self.reports]
        self.reports = [report for report, name in zip(self.reports, names) if not name]
        return [name for name in names if name]

    def known_reports(self):
        """The names of the reports if each is one of KNOWN, else an empty list."""
        names = [find_name(KNOWN, OURS, [line] + following) for line, following in self.reports]
        return names if all(names) else []

    def show_tail(self, out, lines=60):
        """Print the last lines of the log."""
        print("vm: ---- last lines of the console ----", file=out)
        for line in self.tail[-lines:]:
            print(line, file=out)
        print("vm: ---- end of the console ----", file=out, flush=True)

    def show_report(self, out):
        """Print the first report with the lines behind it, and the first lines of the others."""
        line, following = self.reports[0]
        print(f"vm: ---- the kernel reported ({len(self.reports)} in all) ----", file=out)
        for text in [line] + following:
            print(text, file=out)
        for line, _ in self.reports[1:10]:
            print(f"vm: also: {line}", file=out)
        print("vm: ---- end of the report ----", file=out, flush=True)
