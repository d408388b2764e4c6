# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Packages of other suites of Debian. The package configuration of the machine does not change.

Apt runs with its lists, caches and package database in a directory of the cache. The address of the
archive is that of the machine's configuration.
"""

import glob
import os
import re
import subprocess

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCH = "amd64"          # architecture of the machine that runs the VM


class ArchiveError(Exception):
    """A package could not be downloaded or unpacked; the text has the reason."""


def archive_uris():
    """{suite: URI} of the archives of Debian in the configuration of the machine. The URI for other
    suites has the key "": the first archive that is not a security archive."""
    done = subprocess.run(["apt-get", "indextargets", "--format",
                           "$(REPO_URI) $(ORIGIN) $(CODENAME)"],
                          capture_output=True, text=True, check=False)
    uris = {}
    for line in done.stdout.splitlines():
        uri, origin, suite = (line.split(" ") + ["", ""])[:3]
        if origin == "Debian":
            uris.setdefault(suite, uri)
            if re.search(r"/debian/?$", uri):
                uris.setdefault("", uri)
    if "" not in uris:
        raise ArchiveError("apt knows no archive of Debian: apt-get update")
    return uris


class Archive:
    """A set of suites for an architecture of Debian, with an empty package database."""

    def __init__(self, base, suites, arch=ARCH):
        self.dir = base
        self.suites = suites
        self.arch = arch

    def _options(self):
        """Options that keep apt inside self.dir."""
        etc = os.path.join(self.dir, "etc")
        values = {
            "Dir::Etc": etc, "Dir::Etc::sourcelist": os.path.join(etc, "sources.list"),
            "Dir::Etc::sourceparts": "/dev/null", "Dir::Etc::parts": "/dev/null",
            "Dir::State": os.path.join(self.dir, "state"),
            "Dir::State::status": os.path.join(self.dir, "status"),
            "Dir::Cache": os.path.join(self.dir, "cache"),
            "APT::Architecture": self.arch, "APT::Architectures": self.arch,
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "root" if os.geteuid() == 0 else "",
            "Acquire::Languages": "none", "Debug::NoLocking": "true",
        }
        return [word for key, value in values.items() for word in ("-o", f"{key}={value}")]

    def _run(self, tool, *argv, cwd=None):
        """The output of apt-get or apt-cache; ArchiveError when it fails."""
        done = subprocess.run([tool, *self._options(), *argv], capture_output=True, text=True,
                              cwd=cwd, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            raise ArchiveError(f"{tool} {' '.join(argv)} for {' '.join(self.suites)} failed:\n"
                               f"{tail}")
        return done.stdout

    def update(self):
        """Get the lists of the suites."""
        for sub in ("etc", "state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.dir, sub), exist_ok=True)
        with open(os.path.join(self.dir, "status"), "a", encoding="ascii"):
            pass
        if not os.path.exists(KEYRING):
            raise ArchiveError("no keys: apt-get install debian-archive-keyring")
        uris = archive_uris()
        with open(os.path.join(self.dir, "etc/sources.list"), "w", encoding="ascii") as f:
            for suite in self.suites:
                uri = uris.get(suite, uris[""])
                f.write(f"deb [signed-by={KEYRING}] {uri} {suite} main\n")
        self._run("apt-get", "update", "-qq")

    def names(self, pattern):
        """Names of packages that match a regular expression completely."""
        found = self._run("apt-cache", "pkgnames").split()
        return [name for name in found if re.fullmatch(pattern, name)]

    def has(self, name):
        """True when there is a package of that name."""
        return bool(self.names(re.escape(name)))

    def unpack(self, names, root, closure=False):
        """Unpack packages into the directory root; with closure, also their dependencies. Scripts
        of packages do not run."""
        if closure:
            self._run("apt-get", "install", "--download-only", "-y", "-qq", *names)
            where = os.path.join(self.dir, "cache/archives")
        else:
            where = os.path.join(self.dir, "debs")
            os.makedirs(where, exist_ok=True)
            self._run("apt-get", "download", "-qq", *names, cwd=where)
        os.makedirs(root, exist_ok=True)
        # base-files creates /bin and /lib as links, so it must be unpacked before files in them
        debs = sorted(glob.glob(os.path.join(where, "*.deb")),
                      key=lambda deb: not os.path.basename(deb).startswith("base-files_"))
        for deb in debs:
            done = subprocess.run(["dpkg-deb", "-x", deb, root], capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                raise ArchiveError(f"dpkg-deb -x {os.path.basename(deb)}: {done.stderr.strip()}")
            os.unlink(deb)
