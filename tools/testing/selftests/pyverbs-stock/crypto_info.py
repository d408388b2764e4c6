#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What test_mlx5_crypto.py of rdma-core wants to know in $MLX5_CRYPTO_TEST_INFO: crypto_info.py

Prints keys, and what 512 and 1024 times the letter c are when they are encrypted with the key of
128 bits, in data units of 512 bytes with tweaks from 0 on. The kernel computes that (AF_ALG); its
cipher has the vectors of IEEE 1619 as a test of its own.
"""

import json
import socket
import struct

KEY = bytes(range(0x30, 0x50))
KEY_256 = bytes(range(0x40, 0x80))
UNIT = 512


def encrypt(key, tweak, data):
    """One data unit."""
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as alg:
        alg.bind(("skcipher", "xts(aes)"))
        alg.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, key)
        op, _ = alg.accept()
        with op:
            op.sendmsg_afalg([data], op=socket.ALG_OP_ENCRYPT, iv=struct.pack("<QQ", tweak, 0))
            return op.recv(len(data))


def main():
    """Print the file."""
    units = [encrypt(KEY, tweak, b"c" * UNIT) for tweak in range(2)]
    print(json.dumps([{
        # of wrapped keys, which no case here uses
        "credential": [0] * 6,
        "wrapped_key": [0] * 5,
        "plaintext_key": struct.unpack("8I", KEY),
        "plaintext_256_bits_key": struct.unpack("16I", KEY_256),
        "encrypted_data_for_512_c": struct.unpack("!64Q", units[0]),
        "encrypted_data_for_1024_c": struct.unpack("!128Q", b"".join(units)),
    }]))


main()
