#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests that layers.py finds the faults that its docstring lists.

Each case of CASES changes some files of a small module, GOOD, compiles it in a temporary directory
and has a list of the expected failures. Each case of TOOL_CASES changes a program, GOOD_TOOL.
Prints the cases with other failures than expected; then the exit status is 1.
"""

import concurrent.futures
import contextlib
import io
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
# pylint: disable=wrong-import-position
import layers

TABLE = """
    types: types.h
    low/
    left/ | right/
    one/ + two/
    main: main.c trace.*
"""
GOOD = {
    "types.h": "struct t { int (*f)(int a); };\nstruct u;\n",
    "low/low.h": """#include "types.h"
/* int in_comment(void); */
int low_get(struct t *t,
\t    int a) __attribute__((cold));
extern int low_count, low_array[2];
extern int (*low_hook)(int a);
#define low_macro(a) do { int low_no(void); \\
\tint low_none(void); } while (0)
#if IS_ENABLED(CONFIG_M_KUNIT_TEST)
int low_for_kunit(void);
#else
struct t *low_more(void);
#endif
static inline int low_inline(struct t *t)
{
\tint low_get(struct t *t, int a);
\treturn low_get(t, 0);
}
typedef int (*low_type)(int a);
""",
    "low/low.c": """#include "low.h"
int low_count, low_array[2], (*low_hook)(int a);
int low_get(struct t *t, int a) { return t->f(a); }
struct t *low_more(void) { return 0; }
""",
    "left/left.h": "int left_get(struct t *t);\n",
    "left/left.c": '#include "low/low.h"\n#include "left/left.h"\n'
                   "int left_get(struct t *t) { return low_inline(t) + low_count; }\n",
    "right/right.h": "int right_get(void);\n",
    "right/right.c": '#include "right.h"\nint right_get(void) { return 1; }\n',
    "one/one.h": "int one_get(void);\n",
    "one/one.c": '#include "one/one.h"\n#include "two/two.h"\n#include "right/right.h"\n'
                 "int one_get(void) { return two_get() + right_get(); }\n",
    "two/two.h": "int two_get(void);\n",
    "two/two.c": '#include "two/two.h"\nint two_get(void) { return 2; }\n',
    "main.c": '#include "one/one.h"\nint (*main_table[])(void) = { one_get };\n',
    "trace.h": "/* */\n" * 400 + "TRACE_EVENT(main_event, int f(void); { 1; })\n",
    "trace.c": '#define TRACE_EVENT(a, b) int main_trace;\n#include "trace.h"\n',
    "tests/m_kunit.c": '#include "main.h"\n',
}
# {fault: ({file: new text, or None to remove the file}, expected failures)}. Special keys: "old" is
# a source file that changes after the build; "options" are the options of the kernel that are on; a
# *.mod file lists its objects, by default those of all source files.
CASES = {
    "nothing": ({}, []),
    "an include of a folder above": (
        {"low/low.c": GOOD["low/low.c"] + '\n#include "one/one.h"\n'},
        ["m/low/low.c:6: includes one/one.h: one is above low"]),
    "an include of a folder beside": (
        {"left/left.h": '#include <right/right.h>\nint left_get(struct t *t);\n'},
        ["m/left/left.h:1: includes right/right.h: right is beside left"]),
    "an include of a test's header": (
        {"main.c": '#include "tests/m.h"\n', "tests/m.h": "\n"},
        ["m/main.c:1: includes tests/m.h: which is in no folder of the module"]),
    "a call of a folder above": (
        {"right/right.c": "int one_inc(void); int right_get(void) { return one_inc(); }\n",
         "one/one.h": "int one_get(void);\nint one_inc(void);\n",
         "one/one.c": "int one_get(void) { return 1; } int one_inc(void) { return 1; }\n"},
        ["m/right/right.c: uses one_inc of one/one.c: one is above right"]),
    "a call of a folder beside": (
        {"right/right.c": "int left_get(void *p); int right_get(void) { return left_get(0); }\n"},
        ["m/right/right.c: uses left_get of left/left.c: left is beside right"]),
    "data of a folder above": (
        {"left/left.c": "extern int main_table[];\n"
                        "int left_get(void *p) { return main_table[1]; }\n"},
        ["m/left/left.c: uses main_table of main.c: main is above left"]),
    "a table with a function of a folder above": (
        {"left/left.c": "int two_get(void); int left_get(void *p) { return 0; }\n"
                        "int (*const left_table[])(void) = { two_get };\n"},
        ["m/left/left.c: uses two_get of two/two.c: two is above left"]),
    "a circle of source files": (
        {"low/low.c": GOOD["low/low.c"] + "int low_b(void); int low_a(void) { return low_b(); }\n",
         "low/b.c": "int low_c(void); int low_b(void) { return low_c(); }\n",
         "low/c.c": "extern int low_count; int low_a(void);\n"
                    "int low_c(void) { return low_count + low_a(); }\n"},
        ["m: a circle of 3: low/b.c low/c.c low/low.c\n    low/b.c -> low/c.c: low_c\n"
         "    low/c.c -> low/low.c: low_a, low_count\n    low/low.c -> low/b.c: low_b"]),
    "a circle of headers": (
        {"right/right.h": '#ifndef R\n#define R\n#include "more.h"\nint right_get(void);\n#endif\n',
         "right/more.h": '#include "right.h"\n'},
        ["m: a circle of 2: right/more.h right/right.h\n"
         "    right/more.h -> right/right.h: #include\n"
         "    right/right.h -> right/more.h: #include"]),
    "a header that declares what another folder defines": (
        {"right/right.h": "int right_get(void);\n\nstruct t *\nlow_more(void);\n"},
        ["m/right/right.h:4: declares low_more, which low/low.c defines"]),
    "a header that declares what no file defines": (
        {"right/right.h": "extern struct list\n  right_list;\nint right_get(void);\n"
                          "int __printf(1, 2) right_no(char *f, ...);\n"},
        ["m/right/right.h:2: declares right_list, which no file defines",
         "m/right/right.h:4: declares right_no, which no file defines"]),
    "a header that declares a function and, for another configuration, defines it inline": (
        {"right/right.h": "int right_get(void);\n#ifdef CONFIG_X\nint right_set(int a);\n#else\n"
                          "static inline int right_set(int a)\n{\n\treturn a;\n}\n#endif\n"},
        []),
    "a header of types that declares a function": (
        {"types.h": "struct t { int (*f)(int a); };\nstruct t *low_more(void);\n"},
        ["m/types.h:2: declares low_more, but types has no source files"]),
    "a long header": (
        {"low/low.h": "\n" * 332 + GOOD["low/low.h"], "types.h": "\n" * 348 + GOOD["types.h"]},
        ["m/low/low.h: 351 lines, at most 350"]),
    "a source file that was not built": (
        {"low/late.c": "int late;\n", "m.mod": "low/low left/left right/right one/one two/two main "
                       "trace gone", "m_kunit.mod": "low/low low/late tests/m_kunit"},
        ["m/low/late.c: not built, so not checked"]),
    "a module that was not built": (
        {"m.mod": ""}, ["m: not built, so not checked"]),
    "a source file that changed since": (
        {"old": "right/right.c"}, ["m/right/right.c: changed since it was built"]),
    "a source file whose option is off": (
        {"options": "", "m.mod": "low/low left/left right/right one/one two/two main"}, []),
    "a source file whose option is on": (
        {"m.mod": "low/low left/left right/right one/one two/two main"},
        ["m/trace.c: not built, so not checked"]),
    "a folder that is not in the table": (
        {"low/new/new.c": "int new;\n"}, ["m/low/new/new.c: in no folder of the table"]),
    "a file of the root that is not in the table": (
        {"other.h": "\n"}, ["m/other.h: in no folder of the table"]),
    "a folder of the table without files": (
        {"left/left.c": None, "left/left.h": None}, ["m: left has no files"]),
}


TOOL = "tools/testing/programs/t"
GOOD_TOOL = {
    f"{TOOL}/t.h": '#include "../other/o.h"\nvoid say(void);\nvoid work(void);\n',
    f"{TOOL}/main.c": '#include "t.h"\nint main(void) { work(); say(); }\n',
    f"{TOOL}/work.c": '#include "t.h"\nvoid work(void) { say(); }\n',
    f"{TOOL}/say.c": '#include "t.h"\nvoid say(void) { }\n',
    "tools/testing/programs/other/o.h": "int other;\n",
}
ORDERED = "t: t.h\nsay: say.c\nwork: work.c\nmain: main.c\n"
# {fault: (changed files, levels of the folder in ORDER or None, expected failures)}
TOOL_CASES = {
    "no circle in a tool": ({}, None, []),
    "a circle in a tool": (
        {f"{TOOL}/say.c": '#include "t.h"\nvoid say(void) { work(); }\n'}, None,
        [f"{TOOL}: a circle of 2: say.c work.c\n    say.c -> work.c: work\n"
         "    work.c -> say.c: say"]),
    "levels of a tool": ({}, ORDERED, []),
    "a use of a level above in a tool": (
        {f"{TOOL}/say.c": "void work(void); void say(void) { work(); }\n",
         f"{TOOL}/work.c": "void work(void) { }\n"}, ORDERED,
        [f"{TOOL}/say.c: uses work of work.c: work is above say"]),
    "a file of a tool without a level": (
        {f"{TOOL}/more.c": "int more;\n"}, ORDERED,
        [f"{TOOL}/more.c: in no folder of the table"]),
}


def write(path, text):
    """Write a file, and create its directory."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def compile_all(root, out, files):
    """Make the objects of the sources and, as Kbuild does, the lists of objects *.mod."""
    sources = [name[:-2] for name in files if name.endswith(".c") and "tests/" not in name]
    for name in sources:
        os.makedirs(os.path.dirname(f"{out}/{name}"), exist_ok=True)
        subprocess.run(["gcc", "-w", "-c", "-DIS_ENABLED(x)=0", "-D__printf(a, b)=", f"-I{root}",
                        f"{root}/{name}.c", "-o", f"{out}/{name}.o"], check=True)
    for mod in ("m.mod", "m_kunit.mod"):
        names = files.get(mod, " ".join(sources) if mod == "m.mod" else "").split()
        write(f"{out}/{mod}", "".join(f"{out}/{name}.o\n" for name in names))


def failures(changes):
    """The output of layers.py for GOOD with these changes."""
    files = {k: v for k, v in (GOOD | changes).items() if v is not None}
    with tempfile.TemporaryDirectory(prefix="layers.") as top:
        for name, text in files.items():
            if name.endswith((".c", ".h")):
                write(f"{top}/m/{name}", text)
        compile_all(f"{top}/m", f"{top}/build/m", files)
        if "old" in files:
            os.utime(f"{top}/build/m/{files['old'][:-2]}.o", (0, 0))
        module = layers.Module(top, "m", TABLE, f"{top}/build")
        return module.check(set(files.get("options", "CONFIG_TRACEPOINTS").split()))


def failures_of_tool(changes, order):
    """The output of layers.py for the tools GOOD_TOOL with these changes."""
    with tempfile.TemporaryDirectory(prefix="layers.") as top:
        for name, text in (GOOD_TOOL | changes).items():
            write(f"{top}/{name}", text)
        write(f"{top}/kdir/Makefile", "")
        layers.ORDER = {TOOL: order} if order else {}
        found = []
        for path in layers.tools(top):
            found += layers.check_tool(top, path, f"{top}/build", f"{top}/kdir", set())
    return found


def main():
    """Run all cases."""
    layers.OPTIONS = {"m/trace.c": "CONFIG_TRACEPOINTS"}
    wrong = []
    with contextlib.redirect_stdout(io.StringIO()), \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(failures, [changes for changes, _ in CASES.values()]))
        results += [failures_of_tool(*case[:2]) for case in TOOL_CASES.values()]
    expectations = [(name, case[-1]) for name, case in (CASES | TOOL_CASES).items()]
    for (name, expected), got in zip(expectations, results):
        if got != expected:
            wrong.append("\n".join([f"{name}: expected", *expected, "but got", *got]))
    print("\n\n".join(wrong), end="\n" if wrong else "")
    print(f"layers: {len(results) - len(wrong)} of {len(results)} cases found as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
