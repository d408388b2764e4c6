#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which tests to run after an edit: tests_of.py FILE... | --table | --check

Prints the KUnit suites and selftests that test the files; --table prints the tests of all source
files. FILE is a path, or the end of only one path, such as wq/post.c. "make vmtest F=FILE" runs
these tests. --check prints the faults of TABLE.

TABLE declares the tests. A line without a bar is a folder. Each line below the folder is a row:

	patterns of files, relative to that folder | suites | selftests

The row of a file is the first row that matches. It has the suites that call functions of the file;
"*" stands for all suites of the module, "-" for no suite. Names of suites are without the prefix of
their module (PREFIXES). A selftest is TEST or TEST:DRIVER. TEST without a driver runs on mlx5_ibx
if its PROVIDERS have mlx5_ibx, else on the first of its PROVIDERS. The first selftest of a row
finds most mistakes in the file, in a short time. Selftests that take long are last or are omitted.

The stage "rows" of tools/testing/check calls --check. These are faults: a source file without a
row; a row that matches no file; a pattern that matches every name (a new file must need a new row);
a suite or a selftest that does not exist. stages/rows_test.py provokes each of these faults.
"""

import dataclasses
import fnmatch
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "runner"))
# pylint: disable=wrong-import-position
import selftest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SOURCES = ("drivers", "include", "samples")
SUITE = re.compile(r"struct kunit_suite \w+ = \{[^}]*?\.name\s*=\s*\"([^\"]+)\"", re.S)
PREFIXES = {
    "drivers/infiniband/core/frwr": ("ib_frwr_",),
    "drivers/infiniband/hw/mlx5_ibx": ("mlx5_ibx_",),
    "drivers/infiniband/hw/mlx5dv_ib": (),
    "drivers/infiniband/sw/mlx5sim": ("sim_", "mlx5sim_"),
}
TABLE = """
drivers/infiniband/core/frwr
    main.c                      | -                     | frwr frwr:rdma_rxe
    provider.c                  | mr                    | frwr frwr:rdma_rxe
    frwr.h pool.h               | *                     | frwr frwr:rdma_rxe pi faults
    ctx.[ch] pool.c release.[ch] | -                    | frwr frwr:rdma_rxe nvme-frwr faults
    compat.h                    | list bio              | frwr
    fallback.c                  | mr list pi            | frwr:rdma_rxe frwr:mlx5_ib
    dma.c                       | pi bio list mr        | frwr frwr:rdma_rxe
    build.c                     | mr wr list            | frwr frwr:rdma_rxe
    part.c                      | part list             | frwr frwr:rdma_rxe
    mr.c                        | mr wr list bio pi     | frwr frwr:rdma_rxe faults
    pi.c                        | pi                    | pi pi-nvme
    wr.c                        | wr list mr            | frwr frwr:rdma_rxe frwrtrace
    trace.[ch]                  | -                     | frwrtrace frwrtrace:rdma_rxe

drivers/infiniband/hw/mlx5_ibx
    main.[ch]                   | -                     | probe counters claim faults
    notifier.c                  | -                     | verbs cq srq counters probe faults
    caps.c ops.c                | -                     | verbs badinput counters uverbs
    claim.c                     | -                     | claim probe
    claim_list.[ch]             | claim                 | claim
    trace.[ch]                  | -                     | trace
    log.h                       | -                     | faults
    ibx.h dev.h ring.h          | *                     | verbs uverbs wr cq srq faults
    compat.h                    | -                     | uverbs cq counters crypto probe
    conf.h                      | wr sig crypto both    | sig crypto mkey
    dc.h                        | wr recorded_dv poll   | dc
    integrity.h                 | pi sig                | pi pi-nvme
    sig.h                       | sig pi recorded_sig   | sig pi
    backend.h                   | sig                   | backend:mlx5_ib wr:mlx5_ib sig:mlx5_ib
    xrc.h                       | -                     | uverbs kill
    debugfs.c dv/mkeys_show.c   | -                     | mkey uverbs faults

drivers/infiniband/hw/mlx5dv_ib
    main.c sq.c mlx5dv_ib.h     | -                     | backend:mlx5_ib wr:mlx5_ib mkey:mlx5_ib
    layout.c                    | -                     | backend:mlx5_ib
    mlx5_ib_dv.h                | -                     | backend:mlx5_ib_dv sig:mlx5_ib_dv
    sig.c                       | -                     | sig:mlx5_ib backend:mlx5_ib sig:mlx5_ib_dv

drivers/infiniband/hw/mlx5_ibx/devx
    table.[ch]                  | devx                  | devx devx-kernel fuzz
    obj.[ch]                    | -                     | devx devx-kernel fuzz
    event_key.[ch]              | devx_event            | devx devx-kernel
    event.[ch]                  | -                     | devx devx-kernel
    channel.c                   | devx_channel          | devx devx-kernel
    async.[ch]                  | -                     | devx devx-kernel
    pages.[ch]                  | umem                  | devx devx-kernel
    umem.c                      | -                     | devx devx-kernel

drivers/infiniband/hw/mlx5_ibx/keys
    umr_qp.[ch] mr_key.[ch]     | -                     | uverbs kill

drivers/infiniband/hw/mlx5_ibx/abi
    abi.h                       | abi                   | uverbs devx kill fuzz
    check.[ch]                  | abi                   | uverbs fuzz
    keep.[ch]                   | -                     | devx uverbs kill fuzz late
    devx*.[ch]                  | -                     | devx kill fuzz
    mr.c                        | -                     | uverbs devx kill fuzz late
    mw.c                        | -                     | uverbs devx kill fuzz late
    cq.c                        | -                     | uverbs devx kill fuzz late
    qp.c                        | -                     | uverbs devx kill fuzz late
    srq.c                       | -                     | uverbs devx kill fuzz late
    xrc.c                       | -                     | uverbs kill fuzz
    pin.c                       | -                     | uverbs kill fuzz
    uar.c uctx.c                | -                     | uverbs devx kill fuzz
    udata.c                     | -                     | uverbs devx fuzz
    device.c pd.c ah.c ops.c    | -                     | uverbs pyverbs-xts kill

drivers/infiniband/hw/mlx5_ibx/dv
    dv.h                        | wr                    | mkey wr crypto sig
    companion.[ch] register.h stand_in.c | -             | backend:mlx5_ib wr:mlx5_ib mkey:mlx5_ib
    qp.c                        | -                     | wr dc memcpy faults
    query.c                     | -                     | wr dc sig crypto
    dc.c                        | wr recorded_dv        | dc wr
    memcpy.c                    | wr recorded_dv        | memcpy wr
    wr.[ch]                     | wr recorded_dv raw poll sig both crypto | wr dc mkey sig
    wr_mkey.c                   | wr recorded_dv sig crypto both | mkey wr sig
    wr_sig.c                    | sig recorded_sig both | sig pi crypto mkey
    wr_crypto.c set_crypto.c    | crypto both recorded_sig | crypto
    crypto.h                    | crypto                | crypto blk-crypto
    dek.c login.c               | -                     | crypto faults
    dek_blk.c                   | -                     | crypto
    mkey.[ch]                   | -                     | mkey sig crypto faults
    mkey_pool.c                 | -                     | mkey faults
    layout.c                    | -                     | mkey faults
    devx.[ch] devx_verbs.c      | -                     | devx-kernel
    devx_event.c devx_async.c   | -                       | devx-kernel
    devx_umem.c                 | -                     | devx-kernel
    devx_uar.c                  | -                     | devx-kernel

drivers/infiniband/hw/mlx5_ibx/verbs
    verbs.h                     | -                     | verbs cq srq badinput uverbs faults
    ah.c                        | -                     | verbs badinput
    cq.c                        | -                     | cq verbs badinput rings sig uverbs faults
    event.c                     | -                     | verbs srq cq badinput counters
    qp.c                        | - | verbs badinput counters srq dc rings sig faults
    qp_modify.c                 | -                     | verbs badinput counters dc uverbs
    qp_table.c                  | -                     | verbs cq counters sig uverbs faults
    dct.c                       | -                     | dc uverbs faults
    drain.c                     | -                     | verbs dc srq frwr
    srq.c                       | -                     | srq badinput faults
    mr.c                        | -                     | keys gaps verbs uverbs faults
    mr_list.c                   | -                     | gaps verbs rings faults
    mr_pi.c                     | -                     | pi pi-nvme faults
    sig.c                       | -                     | sig pi faults
    pd.c                        | -                     | verbs keys faults
    mcast.c                     | -                     | uverbs kill
    mad.c port.c                | -                     | counters probe verbs
    counters.c query.c          | -                     | counters verbs probe
    restrack.c sysfs.c          | -                     | counters uverbs

drivers/infiniband/hw/mlx5_ibx/wq
    wq.h parts.h                | *                     | verbs wr cq keys srq faults
    wqe.[ch]                    | post wr recorded recorded_dv | verbs wr rings
    post.c                      | post recorded poll pi gaps | verbs wr rings keys doorbell faults
    post_pi.c                   | pi sig                | pi pi-nvme
    post_umr.c                  | umr_qp                | uverbs
    open.[ch]                   | wr                    | wr
    sq.c                        | post poll recorded recorded_dv | verbs wr rings
    rq.c                        | post poll srq_ring    | verbs cq srq
    srq_ring.c                  | srq_ring poll         | srq
    poll.c                      | poll resize sig gaps  | verbs cq wr keys srq faults
    map.c                       | gaps frwr             | gaps keys frwr verbs
    key_marks.c                 | gaps                  | gaps
    map_pi.c                    | pi                    | pi
    sig.c                       | sig pi both           | sig pi
    unit.c                      | crypto both           | crypto

drivers/infiniband/hw/mlx5_ibx/enc
    enc.h                       | enc_basic enc_umr enc_mkey recorded | verbs wr keys
    av.c                        | enc_av recorded post  | verbs dc
    bsf.[ch]                    | sig recorded_sig pi both | sig pi
    pi.h                        | pi recorded_sig       | pi sig
    psv.h                       | sig pi                | sig pi
    crypto.[ch]                 | crypto both           | crypto
    cqe.c                       | dec_cqe poll          | verbs keys cq
    devattr.[ch]                | limits                | verbs counters badinput
    geom.[ch]                   | qp_geom limits        | verbs badinput rings srq
    layout.[ch]                 | enc_layout recorded_dv | mkey gaps
    mkc.[ch]                    | mkc                   | keys mkey uverbs
    qpc.[ch]                    | qpc qp_step           | verbs badinput dc uverbs
    rate.[ch]                   | rate qpc              | verbs counters
    sg_list.[ch]                | sg_list mtt_partial klm_partial gaps | gaps frwr verbs
    umr.h                       | enc_umr enc_mkey umr_qp recorded_dv | mkey keys uverbs

drivers/infiniband/hw/mlx5_ibx/cmd
    cmd.[ch]                    | -                     | verbs faults srq uverbs
    buf.c                       | -                     | rings verbs cq srq faults
    counter.c                   | -                     | counters
    cq.c                        | -                     | cq verbs uverbs faults
    dct.c                       | -                     | dc faults
    dek.c                       | -                     | crypto faults
    dev.c                       | -                     | probe verbs counters
    mcg.[ch]                    | -                     | uverbs kill
    mkey.c                      | -                     | keys mkey uverbs faults
    psv.c                       | -                     | sig pi faults
    qp.c                        | -                     | verbs counters dc uverbs faults
    srq.c                       | -                     | srq uverbs faults
    uar.c                       | -                     | uverbs devx-kernel faults
    xrc.[ch]                    | -                     | uverbs kill

drivers/infiniband/sw/mlx5sim
    main.c                      | -                     | probe:mlx5_ib cycles:mlx5_ib

drivers/infiniband/sw/mlx5sim/core
    core.h sim.h                | *                     | verbs violations simfaults
    compat.h                    | sig crypto            | sig crypto verbs
    bits.[ch]                   | cmd bsf crypto mmo    | verbs violations
    devs.c                      | -                     | probe:mlx5_ib simfaults
    fault.[ch]                  | fault                 | simfaults faults
    stats.[ch]                  | -                     | violations counters
    thread.c                    | -                     | hwthread:mlx5_ib verbs

drivers/infiniband/sw/mlx5sim/host
    host.h                      | dma                   | verbs pages violations
    bar.c                       | -                     | vfio simfaults verbs
    cfg.[ch]                    | -                     | probe:mlx5_ib simfaults vfio
    dma.h                       | dma                   | verbs violations pages keys
    dma.c                       | -                     | verbs violations pages keys
    msix.c                      | -                     | vfio simfaults verbs
    pci.c                       | -                     | probe:mlx5_ib simfaults vfio

drivers/infiniband/sw/mlx5sim/obj
    objects.h obj.h             | *                     | verbs violations faults
    obj.c                       | -                     | violations verbs faults
    bsf.c                       | bsf sig               | sig pi pyverbs-xts
    sig.h                       | sig bsf sig_flow      | sig pi
    caps.[ch]                   | umr flow atomic bsf cmd crypto | violations sig crypto counters
    cbsf.c                      | crypto                | crypto pyverbs-xts
    crypto.h xts.c              | crypto                | crypto pyverbs-xts
    keywrap.c                   | crypto                | crypto
    cq.c                        | -                     | verbs cq violations doorbell
    entry.c                     | cmd                   | verbs cq violations vfio
    eq.c                        | -                     | vfio verbs simfaults doorbell
    klm.[ch]                    | indirect umr          | mkey gaps violations
    mkey.[ch]                   | access umr            | keys violations mkey
    pool.[ch]                   | pool                  | pages violations
    qset.[ch]                   | flow                  | counters violations

drivers/infiniband/sw/mlx5sim/net
    net.h fabric.c              | cqe packets           | verbs keys smc
    netdev.c uplink.c           | -                     | probe:mlx5_ib verbs nvmeof

drivers/infiniband/sw/mlx5sim/dp
    dp.h qp_run.[ch] msg.h      | *                     | verbs violations dc
    access.[ch]                 | access sig_flow       | keys violations verbs mkey
    cqe.c                       | cqe                   | verbs keys cq
    crypt.[ch]                  | crypto                | crypto
    dc.c dct.c                  | dc                    | dc violations
    stream.c                    | dc                    | dc
    guard.c                     | sig crypto            | sig pi
    mmo.c                       | mmo sig_flow          | memcpy violations
    psv.c                       | sig_flow              | sig pi violations
    recv.c                      | flow xrc              | srq verbs violations
    requester.c                 | flow ring fence packets atomic dc xrc | verbs wr keys violations
    responder.c                 | flow atomic packets   | verbs keys violations
    sig.[ch]                    | sig sig_flow          | sig pi
    sigerr.c                    | sig_flow              | sig pi
    wire.c                      | sig_flow crypto       | sig crypto pi
    ud.c                        | cqe flow              | verbs uverbs
    uar.c                       | -                     | doorbell verbs vfio
    umr.[ch] umr_check.c        | umr                   | violations mkey gaps
    wqe.[ch]                    | wqe umr               | violations verbs wr

drivers/infiniband/sw/mlx5sim/cmd
    cmd.h handlers.h            | cmd                   | violations verbs vfio
    cmd.c                       | -                     | violations verbs vfio
    table.c                     | -                     | violations devx vfio
    ring.c                      | -                     | vfio simfaults violations probe:mlx5_ib
    mailbox.c                   | cmd                   | vfio violations
    buf.c                       | -                     | violations rings devx
    cq.c                        | -                     | violations cq devx
    dci.c dct.c                 | -                     | dc violations
    dek.c                       | -                     | crypto violations
    login.c                     | -                     | crypto
    eq.c                        | -                     | vfio violations
    genobj.c                    | -                     | crypto violations
    hca.c set_caps.c            | -                     | violations vfio probe:mlx5_ib
    mcg.c                       | -                     | violations uverbs
    mkey.c                      | -                     | violations keys mkey
    pages.c                     | -                     | pages vfio violations
    pd.c                        | -                     | violations devx
    port.c                      | -                     | counters verbs violations
    psv.c                       | -                     | violations sig
    qp.c qp_modify.c            | -                     | violations verbs devx
    qp_ext.c                    | qp_ext                | violations uverbs
    qset.c                      | -                     | counters violations
    srq.c                       | -                     | violations srq uverbs
    uar.c umem.c                | -                     | violations devx

drivers/infiniband/sw/mlx5sim/device
    device.[ch]                 | -                     | probe:mlx5_ib simfaults
    fault_state.c               | -                     | simfaults faults
    pass.c                      | -                     | simfaults verbs
    plug.c                      | -                     | probe:mlx5_ib simfaults unplug:mlx5_ib
    power.c                     | -                     | simfaults counters unplug:mlx5_ib

drivers/infiniband/sw/mlx5sim/fs
    fs.h debugfs.c              | -                     | violations counters simfaults
    fault_text.c                | fault                 | simfaults
    faults.c                    | -                     | simfaults faults
    mkeys.c                     | -                     | keys mkey

include/rdma
    ib_frwr*.h                  | -                     | frwr frwr:rdma_rxe pi
    ib_wr.h                     | -                     | wr
    mlx5dv.h                    | -                     | wr mkey dc memcpy
    mlx5dv_sig.h                | -                     | sig
    mlx5dv_*crypto*.h           | -                     | crypto blk-crypto
    mlx5dv_devx*.h              | -                     | devx-kernel

samples/first_ulp
    first_ulp.c                 | -                     | first-ulp first-ulp:rdma_rxe
    first_conn.h first_ulp.h first_ulp_peer.c | -       | first-ulp first-ulp:rdma_rxe demo-mkey

samples/mkey_demo
    mkey_demo.c                 | -                     | demo-mkey demo-mkey:mlx5_ib

samples
    frwr_initiator.[ch]         | -                     | frwr
    mkey_layouts.[ch]           | -                     | mkey
    devx_writer.[ch]            | -                     | devx-kernel
    crypto_disk.[ch] compat.h   | -                     | blk-crypto
"""


@dataclasses.dataclass
class Row:
    """A row of the table. Each pattern begins with the folder."""
    folder: str
    patterns: list
    suites: list
    tests: list

    def has(self, path):
        """True if a pattern of the row matches the path."""
        return any(matches(pattern, path) for pattern in self.patterns)

    def __str__(self):
        return f"{self.folder}: {' '.join(p[len(self.folder) + 1:] for p in self.patterns)}"


class UnknownFile(Exception):
    """No row names the file, or no file has the name."""


def matches(pattern, path):
    """True if a path matches a pattern. "*" does not match "/"."""
    pattern, path = pattern.split("/"), path.split("/")
    return len(pattern) == len(path) and all(map(fnmatch.fnmatchcase, path, pattern))


def read_table(text):
    """The rows of a table."""
    rows, folder = [], ""
    for line in filter(str.strip, text.splitlines()):
        cells = [cell.split() for cell in line.split("|")]
        if len(cells) == 1:
            folder = line.strip()
        elif len(cells) == 3:
            patterns, suites, tests = cells
            rows.append(Row(folder, [f"{folder}/{p}" for p in patterns],
                            [s for s in suites if s != "-"], tests))
        else:
            raise ValueError(f"not a row: {line.strip()}")
    return rows


ROWS = read_table(TABLE)


def row_of(path, rows):
    """The row of a file, or None; path is relative to the tree."""
    return next((row for row in rows if row.has(path)), None)


def source_files(tree=TOP):
    """Paths of the files that need a row, relative to the tree. Probes (compat/) need no row: the
    stage features checks them."""
    return sorted(os.path.relpath(path, tree)
                  for place in SOURCES
                  for path in glob.glob(f"{tree}/{place}/**/*.[ch]", recursive=True)
                  if "/tests/" not in path and "/compat/" not in path
                  and not path.endswith(".mod.c"))


def find_file(name, paths):
    """The path with this name: the path itself, or the only path that ends with the name."""
    path = os.path.relpath(os.path.realpath(name), TOP)
    found = [p for p in paths if p in (path, name)] or \
        [p for p in paths if p.endswith(f"/{name}")]
    if len(found) > 1:
        raise UnknownFile(f"{name} is one of {' '.join(found)}")
    if not found:
        raise UnknownFile(f"{name}: no source file of {' '.join(SOURCES)} has that name")
    return found[0]


# ---- suites and selftests ------------------------------------------------------------------------

def suites_in(tree=TOP):
    """Names of the KUnit suites that the sources define."""
    names = set()
    for path in glob.glob(f"{tree}/drivers/infiniband/*/*/tests/*.c"):
        with open(path, encoding="utf-8") as f:
            names.update(SUITE.findall(f.read()))
    return names


def full_names(suite, folder, known):
    """The full names, or patterns, of a suite of a row; empty if there is no such suite."""
    prefixes = next((p for module, p in PREFIXES.items()
                     if f"{folder}/".startswith(f"{module}/")), ())
    if suite == "*":
        return [prefix + "*" for prefix in prefixes]
    return [prefix + suite for prefix in prefixes if prefix + suite in known]


def with_driver(test):
    """(test, driver) of a selftest of a row."""
    name, _, driver = test.partition(":")
    config = selftest.read_config(name)
    drivers = config["PROVIDERS"].split()
    if driver and driver not in drivers:
        raise selftest.TestError(f"selftest {name} is not for {driver}")
    if config["HOST"] == "1":
        return name, ""
    return name, driver or ("mlx5_ibx" if "mlx5_ibx" in drivers else drivers[0])


def kunit_suites(path):
    """The KUnit suites of a file, by their full names."""
    row, known = row_of(path, ROWS), suites_in()
    return [name for suite in row.suites for name in full_names(suite, row.folder, known)]


def selftests(path, kernel="stock"):
    """(test, driver) of the selftests of a file that run on a kernel."""
    pairs = map(with_driver, row_of(path, ROWS).tests)
    return [(test, driver) for test, driver in pairs
            if kernel in selftest.read_config(test)["KERNELS"].split()]


# ---- faults of the table -------------------------------------------------------------------------

def faults_of_names(row, known):
    """Suites and selftests of a row that do not exist."""
    for suite in row.suites:
        if not full_names(suite, row.folder, known):
            yield f"{row}: no KUnit suite {suite!r}"
    if not row.tests:
        yield f"{row}: no selftest"
    for test in row.tests:
        try:
            with_driver(test)
        except selftest.TestError as e:
            yield f"{row}: {e}"


def faults(rows, paths, known):
    """All faults of the rows. paths: the source files; known: the names of the KUnit suites."""
    for path in paths:
        if not row_of(path, rows):
            yield f"{path}: no row says which tests judge it"
    used = [row_of(path, rows) for path in paths]
    for row in rows:
        if not any(row is other for other in used):
            yield f"{row}: no file, or the rows above have them all"
        for pattern in row.patterns:
            folder = os.path.dirname(pattern)
            if any(matches(pattern, f"{folder}/qqq.{end}") for end in "ch"):
                yield f"{row}: {os.path.basename(pattern)} matches a file of any name"
        yield from faults_of_names(row, known)


# ---- output --------------------------------------------------------------------------------------

def text_of(path, kernel="stock"):
    """The tests of a file on a kernel, in three lines."""
    tests = (test if driver in ("", "none", "mlx5_ibx") else f"{test}:{driver}"
             for test, driver in selftests(path, kernel))
    return (f"{path}\n    KUnit:     {' '.join(kunit_suites(path)) or 'none'}"
            f"\n    selftests: {' '.join(tests) or f'none on the {kernel} kernel'}")


def main(argv):
    """Print the tests of the files, or the faults of the table."""
    if not argv or argv[0].startswith("-") and argv not in (["--table"], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    paths = source_files()
    if argv == ["--check"]:
        found = [*faults(ROWS, paths, suites_in())]
        print("\n".join([*found, f"{len(ROWS)} rows, {len(paths)} files, {len(found)} faults"]))
        return 1 if found else 0
    try:
        for path in paths if argv == ["--table"] else [find_file(name, paths) for name in argv]:
            print(text_of(path))
    except (UnknownFile, selftest.TestError) as e:
        print(f"tests_of: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
