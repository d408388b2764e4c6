#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks the layers of each module: layers.py BUILD KDIR

BUILD is build/<release>, where the module was built; KDIR has that kernel's configuration. LAYERS
declares the folders of each module from bottom to top. A line is a level, with one or more entries

	name/			the files of a subdirectory
	name: FILE...		files of the module's directory, as shell patterns; the first entry
				that matches counts

Two folders of a level may use each other in "a + b", but not in "a | b". A file may use its folder
and the folders below. A file uses the files that it includes and, by nm, the files that define the
undefined symbols of its object file. A table of functions uses each of its functions. If a
static inline function of a header calls another function, the source files that call the inline
function use the callee.

Prints each folder with its level, the number of its files and the folders it uses, then the number
of circles in the module. Faults:

  - an include of a header in a folder above, on the same level, or in no folder of the table
  - a use of a function or variable of a folder above or on the same level
  - a circle of source files or of headers that use each other
  - a header that declares a function or variable that no source file of its folder defines. In a
    folder without source files, each declaration of a function is a fault. It is no fault if the
    header also defines the function, inline for another configuration
  - a header of more than MAX_HEADER lines, except headers named trace.h
  - a source file that was not built since it changed, unless its option in OPTIONS is off
  - a file in no folder of the table, a folder of the table without files

Objects of KUnit modules, objects without a source, and files under tests/ are not checked.

The folders of test modules and programs below TOOLS are checked, too, each separately. Such a
folder has one level, unless ORDER has its levels, and its includes may leave the folder. Programs
are compiled to build/layers, only for this check. layers_test.py provokes each of these faults.
"""

import fnmatch
import glob
import os
import re
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
LAYERS = {
    "drivers/infiniband/core/frwr": """
        frwr: *
    """,
    "drivers/infiniband/hw/mlx5_ibx": """
        types: backend.h ibx.h compat.h conf.h dc.h dev.h integrity.h log.h ring.h sig.h xrc.h
        trace: trace.h trace.c
        enc/
        wq/ | cmd/
        verbs/
        devx/ | keys/
        dv/ | abi/
        main: main.[ch] ops.c notifier.c caps.c claim.c claim_list.[ch] debugfs.c
    """,
    "drivers/infiniband/sw/mlx5sim": """
        core/
        host/
        obj/
        net/
        dp/
        cmd/
        device/
        fs/
        main: main.c
    """,
}
MODULES, PROGRAMS = TOOLS = "tools/testing/modules", "tools/testing/programs"
# levels of folders below TOOLS
ORDER = {
    "tools/testing/programs/vfio": """
        referee: referee.h bits.h
        die: die.c
        memory: memory.c
        pci: pci.c
        cmd: cmd.c
        pages: pages.c
        events: events.c
        hca: hca.c
        queues: queues.c
        main: main.c
    """,
}
# source files and modules that are built only with an option
OPTIONS = {
    "drivers/infiniband/hw/mlx5_ibx/trace.c": "CONFIG_TRACEPOINTS",
    "tools/testing/modules/blk_crypto_test": "CONFIG_BLK_INLINE_ENCRYPTION",
}
MAX_HEADER = 350

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
DIRECTIVE = re.compile(r"\s*#\s*(\w+)(.*)")
ATTRIBUTE = re.compile(r"\b__(?:printf|scanf|acquires|releases|must_hold|cond_acquires|attribute__|"
                       r"aligned|alloc_size|malloc|section)\s*\((?:[^()]|\([^()]*\))*\)")


# ---- the table -----------------------------------------------------------------------------------

class Folder:
    """A folder of the table. Folders with the same level and cell may use each other."""

    def __init__(self, text, level, cell):
        name, _, files = text.partition(":")
        self.name = name.strip().rstrip("/")
        self.patterns = files.split()
        self.level = level
        self.cell = cell

    def has(self, path):
        """True if a file belongs to this folder; the path is relative to the module."""
        where, name = os.path.split(path)
        if not self.patterns:
            return where == self.name
        return not where and any(fnmatch.fnmatch(name, p) for p in self.patterns)

    def may_use(self, other):
        """True if files of this folder may use files of the other folder."""
        return other.level < self.level or (other.level, other.cell) == (self.level, self.cell)

    def against(self, other):
        """The position of another folder that files of this folder may not use."""
        return f"{other.name} is {'above' if other.level > self.level else 'beside'} {self.name}"


def parse_table(text):
    """Folders of a module, bottom to top."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [Folder(part, level, cell) for level, line in enumerate(lines)
            for cell, parts in enumerate(line.split("|")) for part in parts.split("+")]


# ---- C text --------------------------------------------------------------------------------------

def blank(match):
    """The text of a match, with spaces in the place of all characters except newlines."""
    return re.sub(r"[^\n]", " ", match[0])


def without_directives(text):
    """C text with blank lines in the place of preprocessor lines and of code for KUnit only."""
    out, stack, continued = [], [], False
    for line in text.split("\n"):
        match = None if continued else DIRECTIVE.match(line)
        if match and match[1].startswith("if"):
            stack.append("KUNIT" in match[2])
        elif match and match[1] in ("else", "elif") and stack:
            stack[-1] = "KUNIT" in match[2]
        elif match and match[1] == "endif" and stack:
            stack.pop()
        out.append("" if match or continued or any(stack) else line)
        continued = (match or continued) and line.endswith("\\")
    return "\n".join(out)


def statements(text):
    """(offset, text) of each statement outside of functions that ends with a semicolon."""
    depth, start, body = 0, 0, 0
    for at, char in enumerate(text):
        if char in "({":
            if char == "{" and depth == 0:
                body = at
            depth += 1
        elif char in ")}":
            depth -= 1
            head = text[start:body] if char == "}" else ""
            # the end of a function, or of a call of a macro in capitals: no semicolon is needed
            if depth == 0 and (head.rstrip().endswith(")") or
                               re.match(r"\s*[A-Z][A-Z0-9_]*\s*\(", text[start:at])):
                start = at + 1
        elif char == ";" and depth == 0:
            yield start, text[start:at]
            start = at + 1


def declared(statement):
    """Names that a statement of a header declares without defining them."""
    words = re.sub(r"\[[^]]*\]", "", ATTRIBUTE.sub("", statement)).strip()
    if re.match(r"(static|typedef)\b", words) or "{" in words:
        return []
    head, parenthesis, rest = words.partition("(")
    if not parenthesis:
        names = words.split(",") if words.startswith("extern") else []
        return [re.search(r"(\w*)\s*$", name)[1] for name in names]
    if rest.startswith("*"):
        return re.findall(r"^[*\s]+(\w+)", rest) if words.startswith("extern") else []
    match = re.search(r"\w[\s*]+(\w+)\s*$", head)
    return [match[1]] if match else []


def declarations(text):
    """(line number, name) of each function and variable that a header declares."""
    text = without_directives(COMMENT_OR_STRING.sub(blank, text))
    for start, statement in statements(text):
        for name in declared(statement):
            at = start + re.search(rf"\b{name}\b", statement).start()
            yield text.count("\n", 0, at) + 1, name


# ---- a module ------------------------------------------------------------------------------------

class Module:
    """One module: its files, their includes, and the symbols that their objects define and use.
    With tool, the module is one folder below TOOLS, and its includes may leave the folder."""

    def __init__(self, top, path, table, build, tool=False):
        self.path = path
        self.tool = tool
        self.name = os.path.basename(path)
        self.root = os.path.join(top, path)
        self.build = os.path.join(build, path)
        self.folders = parse_table(table)
        self.files = {}         # path relative to the module: the Folder of the file, or None
        self.text = {}
        self.uses = {}          # (file, file): {symbol or "#include"}
        self.owner = {}         # symbol: the file that defines it
        self.failures = []
        self._find_files()

    def fail(self, text):
        """Record a fault."""
        self.failures.append(text)

    def _find_files(self):
        for where, dirs, names in os.walk(self.root):
            # probes of the kernel (compat/) are compiled separately
            dirs[:] = [] if self.tool else sorted(set(dirs) - {"tests", "compat"})
            for name in sorted(names):
                if name.endswith((".c", ".h")) and not name.endswith(".mod.c"):
                    path = os.path.relpath(os.path.join(where, name), self.root)
                    self.files[path] = next((f for f in self.folders if f.has(path)), None)
                    with open(os.path.join(where, name), encoding="utf-8") as f:
                        self.text[path] = f.read()

    def in_folder(self, folder, suffix=(".c", ".h")):
        """Files of a folder."""
        return [p for p, f in self.files.items() if f is folder and p.endswith(suffix)]

    def check_table(self):
        """Each file belongs to a folder, and each folder has files."""
        for path, folder in self.files.items():
            if not folder:
                self.fail(f"{self.path}/{path}: in no folder of the table")
        for folder in self.folders:
            if not self.in_folder(folder):
                self.fail(f"{self.path}: {folder.name} has no files")

    def check_headers(self):
        """No header has more than MAX_HEADER lines."""
        for path, text in self.text.items():
            lines = text.count("\n")
            if path.endswith(".h") and os.path.basename(path) != "trace.h" and lines > MAX_HEADER:
                self.fail(f"{self.path}/{path}: {lines} lines, at most {MAX_HEADER}")

    def resolve(self, path, name):
        """The path of an included file, relative to the module; None if the module lacks the
        file."""
        for base in (os.path.dirname(path), ""):
            found = os.path.normpath(os.path.join(base, name))
            if os.path.isfile(os.path.join(self.root, found)):
                return found
        return None

    def check_includes(self):
        """No file includes a header that it may not use."""
        for path, text in self.text.items():
            for match in INCLUDE.finditer(text):
                target = self.resolve(path, match[1])
                if not target or self.tool and target.startswith("../"):
                    continue
                line = text.count("\n", 0, match.start()) + 1
                mine, other = self.files[path], self.files.get(target)
                if target in self.files:
                    self.uses.setdefault((path, target), set()).add("#include")
                if target not in self.files:
                    why = "which is in no folder of the module"
                elif mine and other and not mine.may_use(other):
                    why = mine.against(other)
                else:
                    continue
                self.fail(f"{self.path}/{path}:{line}: includes {target}: {why}")

    def objects(self, options):
        """{source: object} of the build; reports a missing or old object as a fault."""
        listed = set()
        for mod in glob.glob(f"{self.build}/*.mod"):
            if not mod.endswith("_kunit.mod"):
                with open(mod, encoding="utf-8") as f:
                    listed |= {p[p.rindex(f"{self.path}/") + len(self.path) + 1:]
                               for p in f.read().split() if f"{self.path}/" in p}
        found = {}
        if not listed:
            self.fail(f"{self.path}: not built, so not checked")
            return found
        for source in (p for p in self.files if p.endswith(".c")):
            path = os.path.join(self.build, source[:-2] + ".o")
            option = OPTIONS.get(f"{self.path}/{source}")
            if source[:-2] + ".o" in listed and os.path.isfile(path):
                found[source] = path
                if os.path.getmtime(path) < os.path.getmtime(os.path.join(self.root, source)):
                    self.fail(f"{self.path}/{source}: changed since it was built")
            elif not option or option in options:
                self.fail(f"{self.path}/{source}: not built, so not checked")
        return found

    def read_symbols(self, objects):
        """Find the file that defines each symbol of the module, and the files that use the
        symbol."""
        source = {path: name for name, path in objects.items()}
        lines = subprocess.run(["nm", "-A", "-P", *source], text=True, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        used = []
        for line in lines:
            path, _, rest = line.partition(": ")
            symbol, kind = rest.split()[:2]
            if kind in "Uwv":
                used.append((source[path], symbol))
            elif kind in "TDBRGSCVWA":
                self.owner[symbol] = source[path]
        for path, symbol in used:
            if self.owner.get(symbol, path) != path:
                self.uses.setdefault((path, self.owner[symbol]), set()).add(symbol)

    def check_uses(self):
        """No file uses a symbol of a file that it may not use."""
        for (path, target), symbols in sorted(self.uses.items()):
            mine, other = self.files[path], self.files[target]
            if mine and other and not mine.may_use(other):
                for symbol in sorted(symbols - {"#include"}):
                    self.fail(f"{self.path}/{path}: uses {symbol} of {target}: "
                              f"{mine.against(other)}")

    def check_declarations(self):
        """A header declares only symbols that its folder defines."""
        for path in (p for p, folder in self.files.items() if folder and p.endswith(".h")):
            folder = self.files[path]
            for line, name in declarations(self.text[path]):
                owner = self.owner.get(name)
                if not self.in_folder(folder, ".c"):
                    why = f"but {folder.name} has no source files"
                elif not owner and re.search(rf"\b{name}\([^;{{]*\)\n{{", self.text[path]):
                    continue
                elif not owner:
                    why = "which no file defines"
                elif self.files[owner] is not folder:
                    why = f"which {owner} defines"
                else:
                    continue
                self.fail(f"{self.path}/{path}:{line}: declares {name}, {why}")

    def circles(self):
        """Lists of files that use each other, each sorted."""
        direct, reach = {}, {}
        for path, target in self.uses:
            direct.setdefault(path, set()).add(target)
        for path in self.files:
            reach[path], todo = set(), [path]
            while todo:
                new = direct.get(todo.pop(), set()) - reach[path]
                reach[path] |= new
                todo += new
        found = {tuple(sorted(q for q in reach[p] if p in reach[q])) for p in reach}
        return sorted(c for c in found if c)

    def check_circles(self):
        """No file uses itself through other files. Returns the number of circles."""
        circles = self.circles()
        for members in circles:
            ties = [f"\n    {a} -> {b}: {', '.join(sorted(self.uses[a, b]))}"
                    for a in members for b in members if (a, b) in self.uses]
            self.fail(f"{self.path}: a circle of {len(members)}: {' '.join(members)}"
                      + "".join(ties))
        return len(circles)

    def report(self, circles):
        """Print the folders and the number of circles."""
        for folder in self.folders if not self.tool else ():
            used = {self.files[b] for a, b in self.uses if self.files[a] is folder} - {folder, None}
            names = [f.name for f in self.folders if f in used]
            print(f"{self.name:<9} {folder.name:<7} level {folder.level}"
                  f" {len(self.in_folder(folder)):3} files  uses {' '.join(names) or '-'}")
        print(f"{self.name}: {circles} circles")

    def check(self, options):
        """Run all checks; returns the faults."""
        self.check_table()
        self.check_headers()
        self.check_includes()
        option = OPTIONS.get(self.path)
        objects = self.objects(options) if not option or option in options else {}
        if objects:
            self.read_symbols(objects)
            self.check_uses()
            if not self.tool:
                self.check_declarations()
        self.report(self.check_circles())
        return self.failures


def options_on(kdir):
    """Options of a kernel that are y or m."""
    with open(os.path.join(kdir, "include/config/auto.conf"), encoding="utf-8") as f:
        return set(re.findall(r"^(CONFIG_\w+)=[ym]$", f.read(), re.M))


def header_of(kdir):
    """The file <linux/mlx5/mlx5_ifc.h> of a kernel, which the programs include."""
    with open(os.path.join(kdir, "Makefile"), encoding="utf-8") as f:
        common = re.search(r"^include (.*-common)/Makefile$", f.read(), re.M)
    return os.path.join(common[1] if common else kdir, "include/linux/mlx5/mlx5_ifc.h")


def compile_program(top, path, build, header):
    """Make the objects of a program, and their list, as Kbuild does for a module."""
    out = os.path.join(build, path)
    os.makedirs(out, exist_ok=True)
    sources = glob.glob(os.path.join(top, path, "*.c"))
    objects = [os.path.join(out, os.path.basename(s)[:-2] + ".o") for s in sources]
    for source, obj in zip(sources, objects):
        subprocess.run(["gcc", "-c", "-w", f'-DMLX5_IFC="{header}"', source, "-o", obj], check=True)
    with open(os.path.join(out, os.path.basename(path) + ".mod"), "w", encoding="utf-8") as f:
        f.writelines(f"{obj}\n" for obj in objects)


def tools(top):
    """Folders with sources below TOOLS, except probes of the kernel."""
    found = {os.path.dirname(p) for place in TOOLS
             for p in glob.glob(f"{top}/{place}/**/*.c", recursive=True) if "/compat/" not in p}
    return sorted(os.path.relpath(p, top) for p in found)


def check_tool(top, path, build, kdir, options):
    """A line for each fault of a folder below TOOLS."""
    if path.startswith(PROGRAMS):
        build = os.path.join(top, "build/layers")
        compile_program(top, path, build, header_of(kdir))
    table = ORDER.get(path, f"{os.path.basename(path)}: *")
    return Module(top, path, table, build, tool=True).check(options)


def main(build, kdir):
    """Check every module and tool, print the faults."""
    failures = []
    options = options_on(kdir)
    for path, table in LAYERS.items():
        failures += Module(TOP, path, table, build).check(options)
    for path in tools(TOP):
        failures += check_tool(TOP, path, build, kdir, options)
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: layers.py BUILD KDIR", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
