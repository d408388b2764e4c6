#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Both ends of SMC connections: peer.py serve|talk ADDRESS PORT [CONNECTIONS MEGABYTES]

"serve" sends all received bytes back, until it is killed. "talk" opens all connections at the same
time. On each connection, it sends random bytes in pieces of odd sizes, and reads meanwhile. Exit
status 1 if the returned bytes differ.
"""

import random
import socket
import sys
import threading

IPPROTO_SMC = 256       # linux/in.h; Python lacks this name


def smc_socket():
    """A socket that uses RDMA if the peer supports it, and otherwise TCP."""
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC)


def give_back(conn):
    """Send the received bytes of a connection back."""
    with conn:
        while data := conn.recv(100000):
            conn.sendall(data)


def serve(addr):
    """Accept connections without end."""
    listener = smc_socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(addr)
    listener.listen(16)
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=give_back, args=(conn,), daemon=True).start()


def send_all(sock, data, rng):
    """Send data in pieces of random sizes."""
    at = 0
    while at < len(data):
        step = rng.choice((1, 77, 4096, 65537))
        sock.sendall(data[at:at + step])
        at += step
    sock.shutdown(socket.SHUT_WR)


def talk_once(addr, seed, size, wrong):
    """Send and receive on one connection; adds errors to the list wrong."""
    rng = random.Random(seed)
    data = rng.randbytes(size)
    back = bytearray()
    with smc_socket() as sock:
        sock.connect(addr)
        sender = threading.Thread(target=send_all, args=(sock, data, rng), daemon=True)
        sender.start()
        while len(back) < size and (piece := sock.recv(65536)):
            back += piece
        sender.join()
    if bytes(back) != data:
        wrong.append(f"connection {seed}: {len(back)} of {size} bytes, not those sent")


def talk(addr, connections, megabytes):
    """Open all connections. Returns the list of their errors."""
    wrong = []
    done = []

    def one(seed):
        talk_once(addr, seed, megabytes << 20, wrong)
        done.append(seed)

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(done) != connections:
        wrong.append(f"{connections - len(done)} connections broke")
    return wrong


def main():
    """Serve or talk."""
    addr = (sys.argv[2], int(sys.argv[3]))
    if sys.argv[1] == "serve":
        return serve(addr)
    wrong = talk(addr, int(sys.argv[4]), int(sys.argv[5]))
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
