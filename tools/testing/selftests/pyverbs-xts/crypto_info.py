#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The contents of $MLX5_CRYPTO_TEST_INFO for test_mlx5_crypto.py of rdma-core: crypto_info.py

Prints keys in plaintext; the same keys and the credential of the simulated device, wrapped with its
import KEK (RFC 3394); and the ciphertext of 512 and of 1024 letters c with the key of 128 bits, in
data units of 512 bytes with tweaks from 0 on. The kernel computes the ciphertext (AF_ALG); it tests
its cipher with the vectors of IEEE 1619.
"""

import json
import socket
import struct

KEY = bytes(range(0x30, 0x50))
KEY_256 = bytes(range(0x40, 0x80))
UNIT = 512
# the values in cmd/login.c of mlx5sim
KEK = bytes(range(16))
CREDENTIAL = b"mlx5sim: credential 0 of all its devices"


def cipher(name, key, data, **args):
    """Encrypt data with a cipher of the kernel."""
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as alg:
        alg.bind(("skcipher", name))
        alg.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, key)
        op, _ = alg.accept()
        with op:
            op.sendmsg_afalg([data], op=socket.ALG_OP_ENCRYPT, **args)
            return op.recv(len(data))


def encrypt(key, tweak, data):
    """Encrypt one data unit with its tweak."""
    return cipher("xts(aes)", key, data, iv=struct.pack("<QQ", tweak, 0))


def wrap(data):
    """Wrap a key or credential. Returns a list of numbers of 64 bits, one more than data has."""
    check = b"\xa6" * 8
    halves = [data[at:at + 8] for at in range(0, len(data), 8)]
    for step in range(6 * len(halves)):
        at = step % len(halves)
        block = cipher("ecb(aes)", KEK, check + halves[at])
        check = struct.pack("!Q", struct.unpack("!Q", block[:8])[0] ^ (step + 1))
        halves[at] = block[8:]
    return struct.unpack(f"!{len(halves) + 1}Q", check + b"".join(halves))


def main():
    """Print the file."""
    units = [encrypt(KEY, tweak, b"c" * UNIT) for tweak in range(2)]
    print(json.dumps([{
        "credential": wrap(CREDENTIAL),
        "wrapped_key": wrap(KEY),
        "wrapped_256_bits_key": wrap(KEY_256),
        "plaintext_key": struct.unpack("8I", KEY),
        "plaintext_256_bits_key": struct.unpack("16I", KEY_256),
        "encrypted_data_for_512_c": struct.unpack("!64Q", units[0]),
        "encrypted_data_for_1024_c": struct.unpack("!128Q", b"".join(units)),
    }]))


main()
