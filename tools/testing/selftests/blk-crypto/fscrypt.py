#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Encryption of files, by the ioctls of <linux/fscrypt.h>:

	fscrypt.py key MOUNT
		add the key to a file system
	fscrypt.py policy DIRECTORY FLAGS LOG
		encrypt the files of an empty directory with that key. FLAGS is a sum of
		FSCRYPT_POLICY_FLAG_*; LOG is log2 of the bytes of a data unit, 0 for the
		size of a block
"""

import fcntl
import os
import struct
import sys

KEY = bytes(range(64))
SPEC = "II32s"                  # fscrypt_key_specifier
ADD_KEY = SPEC + "II32s64s"     # fscrypt_add_key_arg, followed by the key
ADD_KEY_BYTES = 80              # size of fscrypt_add_key_arg without the key
POLICY = "BBBBB3s16s"           # fscrypt_policy_v2
POLICY_V1_BYTES = 12
BY_IDENTIFIER = 2               # FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER
VERSION = 2                     # FSCRYPT_POLICY_V2
AES_256_XTS = 1
AES_256_CTS = 4
READ = 2                        # direction bits of _IOR() and _IOWR()
WRITE = 1


def ioctl(path, way, number, size, arg):
    """Call an ioctl of fscrypt on a directory; returns the argument as changed by the kernel."""
    request = way << 30 | size << 16 | ord("f") << 8 | number
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return fcntl.ioctl(fd, request, arg)
    finally:
        os.close(fd)


def add_key(path):
    """Add the key; returns the identifier that the kernel derives from it."""
    arg = struct.pack(ADD_KEY, BY_IDENTIFIER, 0, b"", len(KEY), 0, b"", KEY)
    done = ioctl(path, READ | WRITE, 23, ADD_KEY_BYTES, arg)
    return struct.unpack_from(SPEC, done)[2][:16]


def main(argv):
    """Execute the command of the arguments."""
    if argv[0] == "key":
        add_key(argv[1])
        return
    arg = struct.pack(POLICY, VERSION, AES_256_XTS, AES_256_CTS, int(argv[2]), int(argv[3]), b"",
                      add_key(argv[1]))
    ioctl(argv[1], READ, 19, POLICY_V1_BYTES, arg)


main(sys.argv[1:])
