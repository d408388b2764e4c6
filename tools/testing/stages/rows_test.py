#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests that rows.py and tests_of.py find the faults that their docstrings list.

Each case of CASES changes the text of one file of a small tree, and has the faults that rows.py
must find. Each case of CLASS_CASES changes HEADER or TABLE. Each case of MAP_CASES changes the
table MAP or the list FILES, and has the faults that tests_of.py must find. Prints the cases with
other faults than expected; then the exit status is 1.
"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
# pylint: disable=wrong-import-position
import rows
import tests_of

PAGE = """Page
====

U-01
  A QP does this,
  and that.

  :class: inferred
  :source: a
    book
  :silicon might: do another thing
  :relied on by: ``keys.c``, ``refused``, selftest ``verbs``
  :probe: ``probe_this``

U-03
  A CQ does that.

  :class: backed by a driver
  :source: its code
  :silicon might: not
  :relied on by: nothing
  :probe: none: no verb does it
"""
SOURCES = {
    "drivers/sim/dp.c": "/* U-01, and U-03 */\n",
    "tools/testing/modules/ibx_test/keys.c": '\t{ "refused", refused },\n',
    "tools/testing/modules/ibx_test/probe.c": '\t{ "probe_this", probe_this },\n',
    "tools/testing/selftests/verbs/test.sh": "",
}
# name, file ("" is the page), old text, new text, faults
CASES = (
    ("good", "", "", "", ()),
    ("no rows", "", "U-", "V-", ("no rows", "drivers/sim/dp.c: U-01 is no row",
                                 "drivers/sim/dp.c: U-03 is no row")),
    ("order", "", "U-03", "U-01", ("U-01: not above U-01", "drivers/sim/dp.c: U-03 is no row")),
    ("no field", "", "  :source: a\n    book\n", "", ("U-01: no 'source'",)),
    ("empty field", "", "its code", "", ("U-03: no 'source'",)),
    ("unknown field", "", ":class: inf", ":klass: inf",
     ("U-01: no 'class'", "U-01: unknown field 'klass'",
      "U-01: the class is none of: invented, inferred, backed by ")),
    ("class", "", "inferred", "guessed",
     ("U-01: the class is none of: invented, inferred, backed by ",)),
    ("no statement", "", "  A CQ does that.\n", "", ("U-03: no statement",)),
    ("unknown file", "", "``keys.c``", "``locks.c``",
     ("U-01: locks.c is neither a file nor a test",)),
    ("unknown case", "", "``refused``", "``granted``",
     ("U-01: granted is neither a file nor a test",)),
    ("a case in a macro", "tools/testing/modules/ibx_test/keys.c", '{ "refused", refused }',
     "BT_CASE(refused)", ()),
    ("a case in a macro, as a string", "tools/testing/modules/ibx_test/keys.c",
     '{ "refused", refused }', 'V_DCT("refused-here", refused)', ()),
    ("unknown selftest", "", "``verbs``", "``nouns``",
     ("U-01: nouns is neither a file nor a test",)),
    ("unknown probe", "", "``probe_this``", "``probe_that``", ("U-01: no probe probe_that",)),
    ("probe without a name", "", "``probe_this``", "by hand", ("U-01: the probe has no name",)),
    ("no reason", "", "none: no verb does it", "none", ("U-03: the probe has no name",)),
    ("not quoted", "drivers/sim/dp.c", ", and U-03", "", ("U-03: no source file quotes it",)),
    ("no such row", "drivers/sim/dp.c", "U-03", "U-03, U-04",
     ("drivers/sim/dp.c: U-04 is no row",)),
)
HEADER = "enum sim_vio {\n\tSIM_VIO_one,\t/* 1 */\n\tSIM_VIO_two_more,\t/* 2 */\n};\n"
TABLE = """   * - class
     - rule
     - source
   * - ``one``
     - A rule.
     - a book
   * - ``two_more``
     - A rule, which
       is long.
     - a driver
"""
# name, old text, new text of HEADER or TABLE, faults
CLASS_CASES = (
    ("good classes", "", "", ()),
    ("no classes", "SIM_VIO", "SIM", ("no classes of violations", "class one does not exist",
                                      "class two_more does not exist")),
    ("no row", "``two_more``", "two_more", ("class two_more has no rule and source",)),
    ("no source", "     - a driver\n", "", ("class two_more has no rule and source",)),
    ("unknown class", "SIM_VIO_one", "SIM_VIO_none",
     ("class none has no rule and source", "class one does not exist")),
    ("order of classes", "SIM_VIO_one,\t/* 1 */\n\tSIM_VIO_two_more",
     "SIM_VIO_two_more,\n\tSIM_VIO_one", ("the classes are in another order",)),
)
IBX = "drivers/infiniband/hw/mlx5_ibx"
MAP = f"""
{IBX}
    main.[ch]       | -         | probe verbs:mlx5_ib

{IBX}/wq
    po*.c           | post poll | verbs
    wq.h            | *         | verbs ibxtrace
"""
FILES = [f"{IBX}/main.c", f"{IBX}/main.h", f"{IBX}/wq/poll.c", f"{IBX}/wq/post.c", f"{IBX}/wq/wq.h"]
KNOWN = {"mlx5_ibx_post", "mlx5_ibx_poll"}
# name, old text, new text of MAP, additional file, faults
MAP_CASES = (
    ("good map", "", "", "", ()),
    ("a file without a row", "", "", f"{IBX}/wq/sq.c",
     (f"{IBX}/wq/sq.c: no row says which tests judge it",)),
    ("a folder without a row", "", "", f"{IBX}/new/main.c",
     (f"{IBX}/new/main.c: no row says which tests judge it",)),
    ("a file in a folder below", "", "", f"{IBX}/wq/po/st.c",
     (f"{IBX}/wq/po/st.c: no row says which tests judge it",)),
    ("a row without a file", "wq.h", "qw.h", "",
     (f"{IBX}/wq/wq.h: no row says which tests judge it",
      f"{IBX}/wq: qw.h: no file, or the rows above have them all")),
    ("a row that hides another", "po*.c  ", "po*.c wq.h", "",
     (f"{IBX}/wq: wq.h: no file, or the rows above have them all",)),
    ("a row for any file", "po*.c", "*.c", "",
     (f"{IBX}/wq: *.c: *.c matches a file of any name",)),
    ("an unknown suite", "post poll", "post pole", "",
     (f"{IBX}/wq: po*.c: no KUnit suite 'pole'",)),
    ("an unknown selftest", "probe", "prove", "", (f"{IBX}: main.[ch]: no test 'prove'",)),
    ("a driver that the selftest is not for", "verbs:mlx5_ib", "verbs:mlx4_ib", "",
     (f"{IBX}: main.[ch]: selftest verbs is not for mlx4_ib",)),
    ("a row without a selftest", "| probe verbs:mlx5_ib", "|", "",
     (f"{IBX}: main.[ch]: no selftest",)),
)


def faults_of_map(old, new, more):
    """The faults that tests_of.py finds in the changed table. The text after ";" is removed."""
    table = tests_of.read_table(MAP.replace(old, new) if old else MAP)
    paths = FILES + [more] if more else FILES
    return [fault.partition(";")[0] for fault in tests_of.faults(table, paths, KNOWN)]


def main():
    """Run the cases."""
    wrong = 0
    for name, old, new, more, expected in MAP_CASES:
        found = faults_of_map(old, new, more)
        if sorted(found) != sorted(expected):
            wrong += 1
            print(f"{name}: expected {sorted(expected)}, found {sorted(found)}")
    for name, path, old, new, expected in CASES:
        page, sources = PAGE, dict(SOURCES)
        if path:
            sources[path] = sources[path].replace(old, new)
        elif old:
            page = page.replace(old, new)
        found = sorted(rows.faults(page, sources))
        if found != sorted(expected):
            wrong += 1
            print(f"{name}: expected {sorted(expected)}, found {found}")
    for name, old, new, expected in CLASS_CASES:
        header = HEADER.replace(old, new) if old else HEADER
        table = TABLE.replace(old, new) if old else TABLE
        found = sorted(rows.faults_of_classes(table, header))
        if found != sorted(expected):
            wrong += 1
            print(f"{name}: expected {sorted(expected)}, found {found}")
    total = len(CASES) + len(CLASS_CASES) + len(MAP_CASES)
    print(f"{total - wrong} of {total} cases as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
