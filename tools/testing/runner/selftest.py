# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs the tests under tools/testing/selftests and judges their output.

A test is a directory with an executable test.sh, which prints KTAP on its standard output and exits
with 0 (passed), 1 (failed) or 4 (all cases skipped). The directory may have a file config with
lines NAME=value:

	PROVIDERS="mlx5_ib mlx5_ibx"	drivers on which the test runs, each in a separate VM;
					mlx5_ib_dv is mlx5_ib, patched by tools/ulps/mlx5_ib_dv
	KERNELS="stock debug"		kernels for which the test is meant
	TIMEOUT				seconds that the test takes at most on an idle machine, on
					the stock kernel. A test that takes longer is reported as
					slow; a test that takes PATIENCE times as long hangs
	SMP MEM DEVICES MODULES APPEND	options of vm/run with these names. A check without
					--full ignores an SMP above 1
	MMIOTRACE=1 ICOUNT=1		options of vm/run with these names
	ALLOW_WARN="regex"		kernel reports that the test causes on purpose
	ENV="NAME=value ..."		additional variables in the environment of the test
	SUITES="name ..."		suites of kernel test modules that the test runs; the
					test gets this variable in its environment
	HOST=1				the test runs on the host, once, without a VM
	CHECK="mlx5_ibx"		drivers on which a check without --full runs the test on
					the stock kernel; by default all PROVIDERS, like
					"check --full"
	DEBUG="mlx5_ibx"		drivers on which "check --full" runs the test on the debug
					kernel; by default mlx5_ibx, or all PROVIDERS if mlx5_ibx
					is not among PROVIDERS
	SERIES="6.12"			series of kernels for which the test is meant: a check
					with KERNEL= of another series reports that it omits the
					test
	SHARE=1				a test that passes leaves the VM unchanged: a check runs
					such tests one after the other in the same VM
	BACKEND=1			on mlx5_ib, the test needs mlx5dv_ib, which is built on the
					host first
	AGAIN=1				a case of the test may hang, or make the VM unusable: the
					test then exits with 5, and its remaining cases run in
					another VM, with two more variables: KTAP_FIRST is the
					number of the first remaining case, and KTAP_HUNG_CASES
					has the names of the cases that hung

An executable prepare.sh of a test runs on the host first, to build the files that the VM needs; its
arguments are the kernel, stock or debug, and the driver.

The kernel of a run is "stock" (the kernel that KERNEL in the environment selects), "debug", or the
name of another stock kernel that vm/kernel.py lists, such as "7".

A test in a VM gets the variables of PASSED_ON that are set in the environment of this program.
FULL=1, which "check --full" sets for the stock kernel, requests a complete test. Without FULL=1, a
test may omit or sample parts that take a long time.

If the kernel of a VM reports a known fault of the kernel (vm/console.py lists these), the results
do not count, and the tests run again in another VM, at most twice.

A test without output does not pass. A test fails if it prints no plan, fewer or more results than
planned, or results out of order; if its exit status is not 0, 1 or 4, is 1 without a "not ok", or
is not 1 although there is a "not ok"; if it skips all cases; and if it skips a case that the file
skips.allow does not list for the driver.
"""

import concurrent.futures
import dataclasses
import functools
import fnmatch
import os
import re
import shlex
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
TESTS = os.path.join(os.path.dirname(HERE), "selftests")
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
ALLOWED = os.path.join(HERE, "skips.allow")
PATCHED = "mlx5_ib_dv"  # the driver is mlx5_ib, patched by tools/ulps/mlx5_ib_dv
SKIPPED = 4
HUNG = 5                # exit status of a test with AGAIN: a case hung
KNOWN_FAULT = 119       # status of vm/run
ATTEMPTS = 3            # highest number of VMs for a test, if they end with known faults
PASSED_ON = ("FULL", "CASES", "OPS", "CYCLES", "FUZZ_SEED", "FUZZ_SECONDS", "KILL_SEED")
DEBUG_SLOWER = 4        # factor of the duration of a test on the debug kernel
ARM64_SLOWER = 2        # factor of the duration of a test on an emulated arm64
PATIENCE = 4            # a test hangs if it takes this many times its TIMEOUT
TOGETHER = 3300         # highest sum of the TIMEOUTs of tests that share a VM

DEFAULTS = {
    "PROVIDERS": "mlx5_ib mlx5_ibx", "KERNELS": "stock debug", "TIMEOUT": "300", "SMP": "",
    "MEM": "", "DEVICES": "", "MODULES": None, "APPEND": "", "MMIOTRACE": "", "ICOUNT": "",
    "ALLOW_WARN": "", "ENV": "", "SUITES": "", "HOST": "", "CHECK": None, "DEBUG": None,
    "SHARE": "", "AGAIN": "", "SERIES": "", "BACKEND": "",
}
# settings that must be equal for tests that share a VM
SAME = [key for key in DEFAULTS if key not in ("PROVIDERS", "KERNELS", "TIMEOUT", "CHECK",
                                              "DEBUG", "SUITES", "SERIES", "BACKEND")]
RUNNING = set()         # processes of run()
SHOW = functools.partial(print, flush=True)
RESULT = re.compile(r"^(not ok|ok) (\d+)(?: +(?:- +)?(.*?))?\s*$")
IN_TURN = re.compile(r"# in_turn: ([\w-]+)(?: ended with (\d+))?")
DIRECTIVE = re.compile(r"\s*#\s*SKIP\b\s*(.*)$", re.IGNORECASE)


class TestError(Exception):
    """A test cannot run: it does not exist, or its config has a wrong line."""


@dataclasses.dataclass
class Outcome:
    """Result of one test on one driver and kernel: its cases, and faults of the test itself."""
    name: str
    passed: list = dataclasses.field(default_factory=list)
    failed: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    usual: float = 0.0      # seconds after which the test is reported as slow
    vm_status: int = 0      # exit status of the VM, in the Outcome of the last test in this VM

    @property
    def good(self):
        """True if no case failed and the test has no fault."""
        return not self.failed and not self.faults

    def summary(self):
        """A line with the result, and a line for slowness and for each fault."""
        text = (f"{self.name}: {len(self.passed)} passed, {len(self.failed)} failed, "
                f"{len(self.skipped)} skipped ({self.seconds:.0f} s)")
        if self.usual and self.seconds > self.usual:
            text += f"\n{self.name}: slow: {self.seconds:.0f} s, usually {self.usual:.0f} at most"
        for fault in self.faults:
            text += f"\n{self.name}: {fault}"
        return text


def all_tests():
    """Names of all tests."""
    return sorted(d for d in os.listdir(TESTS) if os.path.exists(os.path.join(TESTS, d, "test.sh")))


def read_config(name):
    """Settings of a test."""
    if name not in all_tests():
        raise TestError(f"no test {name!r}; there are: {' '.join(all_tests())}")
    config = dict(DEFAULTS)
    path = os.path.join(TESTS, name, "config")
    if not os.path.exists(path):
        return config
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            key, sep, value = words[0].partition("=")
            if len(words) > 1 or not sep or key not in DEFAULTS:
                raise TestError(f"{path}: not understood: {line.strip()}")
            config[key] = value
    return config


def allowed_skip(test, provider, case):
    """True if skips.allow lists the case for the driver, with a reason. provider is empty for a
    test on the host and for KUnit."""
    with open(ALLOWED, encoding="utf-8") as f:
        for line in f:
            words = line.split(None, 2)
            if len(words) == 3 and not words[0].startswith("#"):
                if fnmatch.fnmatchcase(f"{test}/{case}", words[0]) and \
                        fnmatch.fnmatchcase(provider, words[1]):
                    return True
    return False


def run_name(test, provider, kernel):
    """The name of a run in messages."""
    return f"{test} {provider} {kernel}" if provider else f"{test} host"


def results(lines):
    """The results among the lines of KTAP."""
    return [match for match in map(RESULT.match, lines) if match]


def judge(test, provider, kernel, lines, status):
    """An Outcome from the lines of KTAP and the exit status."""
    out = Outcome(run_name(test, provider, kernel))
    plan = None
    seen = 0
    for line in lines:
        if re.fullmatch(r"1\.\.\d+", line.strip()) and not line.startswith(" "):
            if plan is not None:
                out.faults.append("a second plan")
            plan = int(line.strip()[3:])
        match = RESULT.match(line)
        if not match:
            continue
        seen += 1
        if int(match[2]) != seen:
            out.faults.append(f"result {match[2]} where {seen} was due")
        text = match[3] or f"case {seen}"
        skip = DIRECTIVE.search(text)
        case = DIRECTIVE.sub("", text).strip() or f"case {seen}"
        if match[1] == "not ok":
            out.failed.append(case)
        elif skip:
            out.skipped.append(case)
            if not allowed_skip(test, provider, case):
                out.faults.append("skip not listed in skips.allow: "
                                  f"{test}/{case} {provider}".rstrip())
        else:
            out.passed.append(case)
    if plan is None:
        out.faults.append("no plan")
    elif plan != seen:
        out.faults.append(f"{plan} results planned, {seen} found")
    if not out.passed and not out.failed:
        out.faults.append("nothing was tested")
    if status not in (0, 1, SKIPPED):
        out.faults.append(f"ended with status {status}")
    elif (status == 1) != bool(out.failed):
        out.faults.append(f"exit status {status} with {len(out.failed)} failed cases")
    return out


def usual_seconds(kernel, config):
    """The longest duration of a test on a kernel, on an idle machine."""
    name = os.environ.get("KERNEL", "") if kernel == "stock" else kernel
    slower = ARM64_SLOWER if name.endswith("-arm64") else 1
    return int(config["TIMEOUT"]) * (DEBUG_SLOWER if kernel == "debug" else slower)


def seconds_of(kernel, config):
    """Seconds after which a test on a kernel is judged to hang."""
    return PATIENCE * usual_seconds(kernel, config)


def vm_argv(config, provider, kernel, seconds=None):
    """The command line of vm/run for a test, or for tests with a common limit of seconds."""
    argv = [os.path.join(HERE, "vm/run"), "--timeout", str(seconds or seconds_of(kernel, config))]
    if provider == PATCHED:
        argv += ["--provider", "mlx5_ib", "--replace", os.path.join(TOP, "build/patched"),
                 "--env", "PATCHED=1"]
    else:
        argv += ["--provider", provider]
    for key in ("SMP", "MEM", "DEVICES"):
        if config[key]:
            argv += [f"--{key.lower()}", config[key]]
    if config["MODULES"] is not None:
        argv += ["--modules", config["MODULES"]]
    if config["APPEND"]:
        argv += [f"--append={config['APPEND']}"]
    if config["ALLOW_WARN"]:
        argv += [f"--allow-warn={config['ALLOW_WARN']}"]
    for key in ("MMIOTRACE", "ICOUNT"):
        if config[key] == "1":
            argv += [f"--{key.lower()}"]
    for item in shlex.split(config["ENV"]):
        argv += ["--env", item]
    for name in PASSED_ON:
        if os.environ.get(name):
            argv += ["--env", name]
    if kernel == "debug":
        argv += ["--debug-kernel"]
    elif kernel != "stock":
        argv += ["--kernel", kernel]
    return argv


def run(argv, show):
    """Run a command without input. Yields (time, line) for each line, then (time, exit status)."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "DEBUG", "T")}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", env=env) as proc:
        RUNNING.add(proc)
        try:
            for line in proc.stdout:
                show(line.rstrip("\n"))
                yield time.monotonic(), line.rstrip("\n")
        except BaseException:
            proc.terminate()
            raise
        finally:
            RUNNING.discard(proc)
    yield time.monotonic(), proc.returncode


def run_again(argv, command, show):
    """Run a test with AGAIN, and continue in another VM after each case that hangs. Returns the
    lines of all VMs, the time of the end, and the status of the test."""
    lines, hung, failed = [], [], False
    while True:
        envs = ["--env", f"KTAP_FIRST={len(results(lines)) + 1}",
                "--env", f"KTAP_HUNG_CASES={' '.join(hung)}"]
        before = len(results(lines))
        *more, (end, status) = run(argv + envs + command, show)
        lines += [line for _, line in more]
        failed |= any(match[1] == "not ok" for match in results(lines))
        if status != HUNG:
            return lines, end, int(failed) if status in (0, 1) else status
        if len(results(lines)) == before:
            return lines, end, status
        hung.append(results(lines)[-1][3])


def prepare(test, provider, kernel):
    """Build the files that a test needs: mlx5dv_ib, the patched mlx5_ib, and what prepare.sh of the
    test builds. Returns the output of the first command that fails, else ""."""
    commands = []
    script = os.path.join(TESTS, test, "prepare.sh")
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "DEBUG", "T")}
    if kernel not in ("stock", "debug"):
        env["KERNEL"], kernel = kernel, "stock"
    if read_config(test)["BACKEND"] == "1" and provider in ("mlx5_ib", PATCHED):
        commands.append([os.path.join(HERE, "prepare_ulp.sh"), "mlx5_ib", kernel])
    if provider == PATCHED:
        commands.append([os.path.join(HERE, "prepare_ulp.sh"), PATCHED, kernel])
    if os.path.exists(script):
        commands.append([script, kernel, provider])
    for argv in commands:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            return f"{os.path.basename(argv[0])}: {done.stdout.strip()}"
    return ""


def run_one(test, provider, kernel, config, show=SHOW):
    """Run a test once, showing its output line by line."""
    command = [os.path.join(TESTS, test, "test.sh")]
    argv = []
    if config["HOST"] != "1":
        argv = vm_argv(config, provider, kernel) + ["--env", f"SUITES={config['SUITES']}"]
        command = ["--"] + command
    name = run_name(test, provider, kernel)
    show(f"# {name}")
    start = time.monotonic()
    error = prepare(test, provider, kernel)
    if error:
        show(f"# {error}")
        return Outcome(name, faults=[error], seconds=time.monotonic() - start)
    if config["AGAIN"] == "1":
        lines, end, status = run_again(argv, command, show)
    else:
        *timed, (end, status) = run(argv + command, show)
        lines = [line for _, line in timed]
    out = judge(test, provider, kernel, lines, status)
    out.seconds = end - start
    out.usual = usual_seconds(kernel, config)
    out.vm_status = status
    show(f"# {out.summary()}".replace("\n", "\n# "))
    return out


def run_in_turn(tests, provider, kernel, config, show=SHOW):
    """Run tests one after the other in one VM. Returns an Outcome for each test. Faults of the VM
    are recorded in the Outcome of the last test."""
    configs = {t: read_config(t) for t in tests}
    errors = {t: prepare(t, provider, kernel) for t in tests}
    seconds = {t: seconds_of(kernel, configs[t]) for t in tests}
    argv = vm_argv(config, provider, kernel, sum(seconds.values()))
    argv += ["--", os.path.join(HERE, "in_turn.sh")]
    show(f"# {provider} {kernel}: {' '.join(tests)}")
    outs, now, lines, since = {}, None, [], time.monotonic()
    argv += [f"{t}={seconds[t]}={configs[t]['SUITES']}" for t in tests]
    for when, line in run(argv, show):
        match = IN_TURN.fullmatch(str(line))
        if not match:
            lines.append(line)
        elif not match[2]:
            now, lines = match[1], []
        elif match[1] == now:
            outs[now] = judge(now, provider, kernel, lines, int(match[2]))
            outs[now].seconds, since = when - since, when
            outs[now].usual = usual_seconds(kernel, configs[now])
    status = lines[-1]
    for test in tests:
        if test not in outs:
            outs[test] = judge(test, provider, kernel,
                               lines[:-1] if test == now else [], status or 1)
            outs[test].seconds = when - since if test == now else 0
        if errors[test]:
            outs[test].faults.append(errors[test])
    outs[tests[-1]].vm_status = status
    if status:
        outs[tests[-1]].faults.append(f"the VM of {' '.join(tests)} ended with status {status}")
    for test in tests:
        show(f"# {outs[test].summary()}".replace("\n", "\n# "))
    return [outs[test] for test in tests]


def runs_of(test, providers=None, kernel="stock", only_meant=False):
    """The arguments of run_one() for each driver of a test. With only_meant, the result is empty if
    the test is not meant for the kernel."""
    config = read_config(test)
    if only_meant and kernel not in config["KERNELS"].split():
        return []
    if config["HOST"] == "1":
        return [(test, "", kernel, config)] if kernel == "stock" or not only_meant else []
    if providers is None:
        providers = config["PROVIDERS"].split()
    return [(test, p, kernel, config) for p in providers]


def providers_of_check(config, kernel, full):
    """The drivers on which a check, with --full or without, runs a test."""
    every = config["PROVIDERS"].split()
    if kernel == "debug":
        ours = ["mlx5_ibx"] if "mlx5_ibx" in every else every
        return ours if config["DEBUG"] is None else config["DEBUG"].split()
    return every if full or config["CHECK"] is None else config["CHECK"].split()


def left_out(release):
    """The tests whose SERIES excludes a kernel release."""
    def fits(test):
        series = read_config(test)["SERIES"].split()
        return not series or any(release.startswith(f"{s}.") for s in series)

    return [test for test in all_tests() if not fits(test)]


def runs_of_check(kernel, full, without=()):
    """The runs of a check on a kernel, with --full or without it. Tests in without are omitted.
    Without --full, an SMP above 1 is ignored."""
    runs = [run for test in all_tests() if test not in without
            for run in runs_of(test, providers_of_check(read_config(test), kernel, full), kernel,
                               only_meant=True)]
    if full:
        return runs
    return [(*run[:3], run[3] | {"SMP": run[3]["SMP"] if run[3]["SMP"] == "1" else ""})
            for run in runs]


def run_test(test, providers=None, kernel="stock", only_meant=False):
    """Run a test on each of its drivers, one after the other. Yields an Outcome per run."""
    for run in runs_of(test, providers, kernel, only_meant):
        yield run_vm([run], SHOW)[0]


def share(runs):
    """Lists of the runs, longest list first. The runs of a list share a VM. The limit TOGETHER
    prevents that in the end all other runs have ended and one VM still runs."""
    lists = {}
    for nr, (test, provider, kernel, config) in enumerate(runs):
        same = (provider, kernel, *(config[k] for k in SAME))
        key = same if config["SHARE"] == "1" else nr
        sharing = lists.setdefault(key, [[]])
        if sum(int(r[3]["TIMEOUT"]) for r in sharing[-1]) + int(config["TIMEOUT"]) > TOGETHER:
            sharing.append([])
        sharing[-1].append((test, provider, kernel, config))
    return sorted((r for sharing in lists.values() for r in sharing if r),
                  key=lambda runs: -sum(seconds_of(*r[2:]) for r in runs))


def run_vm(runs, show):
    """Execute runs that share a VM. Returns an Outcome for each run."""
    def once():
        if len(runs) == 1:
            return [run_one(*runs[0], show=show)]
        return run_in_turn([r[0] for r in runs], *runs[0][1:], show=show)

    outs = once()
    for _ in range(1, ATTEMPTS):
        if outs[-1].vm_status != KNOWN_FAULT:
            break
        show("# the kernel met a known fault of its own: again, in another VM")
        outs = once()
    return outs


def run_together(runs, jobs):
    """Execute runs, in several VMs at the same time. The output of a VM is printed when the VM has
    ended. Yields an Outcome per run."""
    def quietly(runs):
        lines = []
        outs = run_vm(runs, lines.append)
        SHOW("\n".join(lines))
        return outs

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(quietly, r)
                                                         for r in share(runs)]):
                yield from done.result()
        except BaseException:
            # do not wait for the threads: each waits for a VM
            pool.shutdown(wait=False, cancel_futures=True)
            for proc in list(RUNNING):
                proc.terminate()
            raise


def exit_with(main, name):
    """Exit with the status of main(). SIGINT and SIGTERM raise an exception, so that the programs
    that main() has started are ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)


def report(error):
    """Print the reason why a test cannot run."""
    print(f"vmtest: {error}", file=sys.stderr)
