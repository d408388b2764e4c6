# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Indirect keys that libmlx5 configures: cases that the tests of rdma-core do not have.

They run like the tests of rdma-core (pyverbs.sh). Each case has two ends, each with a region of
memory and a few indirect keys. This file computes the expected contents byte by byte. A refused
request puts the QP in ERR: a case has at most one.
"""

import random

import pyverbs.enums as e
import pyverbs.providers.mlx5.mlx5_enums as dve
from pyverbs.mr import MR
from pyverbs.providers.mlx5.mlx5dv_mkey import Mlx5Mkey, Mlx5MkeyConfAttr, Mlx5MrInterleaved
from pyverbs.qp import QPInitAttrEx
from pyverbs.wr import SGE, RecvWR
from tests.mlx5_base import Mlx5RDMATestCase
from tests.test_mlx5_mkey import Mlx5MkeyResources
import tests.utils as u

SIZE = 1 << 16
KEYS = 6
LOCAL = e.IBV_ACCESS_LOCAL_WRITE
READ = e.IBV_ACCESS_REMOTE_READ
WRITE = e.IBV_ACCESS_REMOTE_WRITE
ALL = LOCAL | READ | WRITE


class End(Mlx5MkeyResources):
    """One end of a connection."""

    def __init__(self, **dev_info):
        super().__init__(dv_send_ops_flags=dve.MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, **dev_info)

    def create_mr(self):
        self.mr = MR(self.pd, SIZE, ALL)

    def create_mkey(self):
        flags = dve.MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT
        self.mkeys = [Mlx5Mkey(self.pd, flags, 16) for _ in range(KEYS)]
        flags |= dve.MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE
        self.lent = Mlx5Mkey(self.pd, flags, 4)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.qp_access_flags = ALL
        return attr

    def create_qp_init_attr(self):
        ops = (e.IBV_QP_EX_WITH_SEND | e.IBV_QP_EX_WITH_RDMA_WRITE | e.IBV_QP_EX_WITH_RDMA_READ |
               e.IBV_QP_EX_WITH_LOCAL_INV | e.IBV_QP_EX_WITH_SEND_WITH_INV)
        return QPInitAttrEx(cap=self.create_qp_cap(), pd=self.pd, scq=self.cq, rcq=self.cq,
                            qp_type=e.IBV_QPT_RC, send_ops_flags=ops,
                            comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

    def status(self):
        """Wait for a completion. Returns its status."""
        return u._poll_cq(self.cq)[0].status  # pylint: disable=protected-access

    def post(self, build, sge=None, flags=e.IBV_SEND_SIGNALED):
        """Post the WR of build(qp), and wait. Returns the status."""
        self.qp.wr_start()
        self.qp.wr_flags = flags
        build(self.qp)
        if sge is not None:
            self.qp.wr_set_sge(sge)
        self.qp.wr_complete()
        return self.status()

    def configure(self, key, access=None, layout=None):
        """Configure an indirect key; layout is a list of SGEs, or (laps, blocks)."""
        def build(qp):
            qp.wr_mkey_configure(key, (access is not None) + (layout is not None),
                                 Mlx5MkeyConfAttr())
            if access is not None:
                qp.wr_set_mkey_access_flags(access)
            if isinstance(layout, tuple):
                qp.wr_set_mkey_layout_interleaved(*layout)
            elif layout is not None:
                qp.wr_set_mkey_layout_list(layout)
        return self.post(build, flags=e.IBV_SEND_SIGNALED | e.IBV_SEND_INLINE)

    def invalidate(self, key):
        """Invalidate a key of this end."""
        return self.post(lambda qp: qp.wr_local_inv(key.lkey))

    def write(self, sge, rkey, addr):
        """RDMA WRITE from an SGE. Returns the status."""
        return self.post(lambda qp: qp.wr_rdma_write(rkey, addr), sge)

    def read(self, sge, rkey, addr):
        """RDMA READ into an SGE. Returns the status."""
        return self.post(lambda qp: qp.wr_rdma_read(rkey, addr), sge)

    def plain(self, offset, length):
        """An SGE of the region."""
        return SGE(self.mr.buf + offset, length, self.mr.lkey)

    def fill(self, data):
        """Write data to the complete region."""
        self.mr.write(data, SIZE)

    def bytes(self):
        """The contents of the complete region."""
        return bytearray(self.mr.read(SIZE, 0))


def random_layout(end, rng):
    """(layout, offsets): a random layout of the region, and the offset in the region of each
    byte."""
    at, where = rng.randrange(64), []
    count = rng.randrange(1, 8)
    if rng.random() < 0.5:
        sges = []
        for _ in range(count):
            length = rng.choice((1, 7, 512, 4096, 5000))
            sges.append(end.plain(at, length))
            where += range(at, at + length)
            at += length + rng.randrange(3000)
        return sges, where
    laps, blocks, spans = rng.randrange(1, 6), [], []
    for _ in range(count):
        length, skip = rng.randrange(1, 900), rng.randrange(500)
        blocks.append(Mlx5MrInterleaved(addr=end.mr.buf + at, bytes_count=length,
                                        bytes_skip=skip, lkey=end.mr.lkey))
        spans.append((at, length, length + skip))
        at += laps * (length + skip)
    for lap in range(laps):
        for start, length, stride in spans:
            where += range(start + lap * stride, start + lap * stride + length)
    return (laps, blocks), where


class IndirectTest(Mlx5RDMATestCase):
    """Cases; self.client is the requester, self.server the responder."""

    def setUp(self):
        super().setUp()
        self.rng = random.Random(5)
        self.client = End(**self.dev_info)
        self.server = End(**self.dev_info)
        self.client.pre_run(self.server.psns, self.server.qps_num)
        self.server.pre_run(self.client.psns, self.client.qps_num)

    def good(self, status):
        """A work request must have succeeded."""
        self.assertEqual(status, e.IBV_WC_SUCCESS)

    def refused(self, status, expected=e.IBV_WC_REM_ACCESS_ERR):
        """A work request must have failed with the expected status."""
        self.assertEqual(status, expected)

    def new_data(self):
        """Fill both regions with random data. Returns the data of both."""
        data = [self.rng.randbytes(SIZE) for _ in range(2)]
        self.client.fill(data[0])
        self.server.fill(data[1])
        return map(bytearray, data)

    def some_of(self, where):
        """(start, length) of a random part of a layout; at least one byte."""
        start = self.rng.randrange(len(where))
        return start, self.rng.randrange(1, len(where) - start + 1)

    def test_rdma(self):
        """WRITE to and READ from parts of random layouts, by remote key."""
        for _ in range(20):
            mine, theirs = self.new_data()
            key = self.server.mkeys[0]
            layout, where = random_layout(self.server, self.rng)
            self.good(self.server.configure(key, ALL, layout))
            start, length = self.some_of(where)
            self.good(self.client.write(self.client.plain(99, length), key.rkey, start))
            for i in range(length):
                theirs[where[start + i]] = mine[99 + i]
            self.assertEqual(self.server.bytes(), theirs)

            start, length = self.some_of(where)
            self.good(self.client.read(self.client.plain(5, length), key.rkey, start))
            mine[5:5 + length] = bytes(theirs[where[start + i]] for i in range(length))
            self.assertEqual(self.client.bytes(), mine)

    def test_send_receive(self):
        """Gather from one layout, scatter to another, by local keys."""
        for _ in range(20):
            mine, theirs = self.new_data()
            where, keys = [], []
            for end in (self.client, self.server):
                layout, offsets = random_layout(end, self.rng)
                key = end.mkeys[1]
                self.good(end.configure(key, LOCAL, layout))
                where.append(offsets)
                keys.append(key)
            length = min(map(len, where))
            self.server.qp.post_recv(RecvWR(sg=[SGE(0, len(where[1]), keys[1].lkey)], num_sge=1))
            self.good(self.client.post(lambda qp: qp.wr_send(), SGE(0, length, keys[0].lkey)))
            self.good(self.server.status())
            for i in range(length):
                theirs[where[1][i]] = mine[where[0][i]]
            self.assertEqual(self.server.bytes(), theirs)
            self.assertEqual(self.client.bytes(), mine)

    def nest(self, levels):
        """Configure nested keys of the server: each contains the previous key except ten bytes.
        Returns the rkey of the last key, and the offsets of its bytes in the region."""
        layout, where = random_layout(self.server, self.rng)
        keys = self.server.mkeys
        while len(where) < 200:
            layout, where = random_layout(self.server, self.rng)
        self.good(self.server.configure(keys[0], ALL, layout))
        for i in range(1, levels):
            half = len(where) // 2
            parts = [SGE(half, len(where) - 10 - half, keys[i - 1].lkey),
                     SGE(0, half, keys[i - 1].lkey)]
            self.good(self.server.configure(keys[i], ALL, parts))
            where = where[half:-10] + where[:half]
        return keys[levels - 1].rkey, where

    def test_nested(self):
        """A WRITE by a key with four levels of indirect keys."""
        for _ in range(5):
            mine, theirs = self.new_data()
            rkey, where = self.nest(4)
            self.good(self.client.write(self.client.plain(0, len(where)), rkey, 0))
            for i, offset in enumerate(where):
                theirs[offset] = mine[i]
            self.assertEqual(self.server.bytes(), theirs)

    def test_nested_too_deep(self):
        """A WRITE by a key with five levels of indirect keys is refused."""
        rkey, _ = self.nest(5)
        self.refused(self.client.write(self.client.plain(0, 1), rkey, 0))

    def test_past_the_end(self):
        """A READ of one byte more than the layout has is refused."""
        layout, where = random_layout(self.server, self.rng)
        self.good(self.server.configure(self.server.mkeys[0], ALL, layout))
        self.refused(self.client.read(self.client.plain(0, 2), self.server.mkeys[0].rkey,
                                      len(where) - 1))

    def test_rights_change_alone(self):
        """A configuration with only access flags keeps the layout."""
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, READ | WRITE, [self.server.plain(0, 8)]))
        self.good(self.client.write(self.client.plain(0, 8), key.rkey, 0))
        self.good(self.server.configure(key, READ))
        self.good(self.client.read(self.client.plain(0, 8), key.rkey, 0))
        self.refused(self.client.write(self.client.plain(0, 8), key.rkey, 0))

    def test_layout_changes_alone(self):
        """A configuration with only a layout keeps the access flags."""
        mine, theirs = self.new_data()
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, READ | WRITE, [self.server.plain(0, 8)]))
        self.good(self.server.configure(key, layout=[self.server.plain(100, 4),
                                                     self.server.plain(50, 4)]))
        self.good(self.client.write(self.client.plain(0, 8), key.rkey, 0))
        theirs[100:104] = mine[0:4]
        theirs[50:54] = mine[4:8]
        self.assertEqual(self.server.bytes(), theirs)

    def test_rights_not_inherited(self):
        """An invalidated key has no access flags of its last configuration."""
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, ALL, [self.server.plain(0, 8)]))
        self.good(self.server.invalidate(key))
        self.good(self.server.configure(key, layout=[self.server.plain(0, 8)]))
        self.refused(self.client.read(self.client.plain(0, 8), key.rkey, 0))

    def test_layout_not_inherited(self):
        """An invalidated key has no layout of its last configuration."""
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, ALL, [self.server.plain(0, 8)]))
        self.good(self.server.invalidate(key))
        self.good(self.server.configure(key, ALL))
        self.refused(self.client.read(self.client.plain(0, 8), key.rkey, 0))

    def send_inv(self, rkey):
        """The client invalidates a key of the server."""
        self.server.qp.post_recv(RecvWR(sg=[self.server.plain(0, 8)], num_sge=1))
        return self.client.post(lambda qp: qp.wr_send_inv(rkey), self.client.plain(0, 8))

    def test_invalidated_by_peer(self):
        """A SEND with invalidate frees a key that the peer may invalidate. Configured again, the
        key has no old entries."""
        key = self.server.lent
        for access in (READ, WRITE):
            self.good(self.server.configure(key, access, [self.server.plain(8, 8)]))
            if access == READ:
                self.good(self.client.read(self.client.plain(0, 8), key.rkey, 0))
            else:
                self.good(self.client.write(self.client.plain(0, 8), key.rkey, 0))
            self.good(self.send_inv(key.rkey))
            self.good(self.server.status())
        self.refused(self.client.write(self.client.plain(0, 8), key.rkey, 0))

    def test_not_invalidated_by_peer(self):
        """A SEND with invalidate of a key that the peer may not invalidate is refused."""
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, ALL, [self.server.plain(8, 8)]))
        self.refused(self.send_inv(key.rkey))

    def test_receive_into_free_key(self):
        """A receive into a free key: the SEND fails with an error of the responder's QP."""
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, LOCAL, [self.server.plain(8, 8)]))
        self.good(self.server.invalidate(key))
        self.server.qp.post_recv(RecvWR(sg=[SGE(0, 8, key.lkey)], num_sge=1))
        self.refused(self.client.post(lambda qp: qp.wr_send(), self.client.plain(0, 8)),
                     e.IBV_WC_REM_OP_ERR)
        self.refused(self.server.status(), e.IBV_WC_LOC_PROT_ERR)

    def test_inner_rights(self):
        """A key permits no access that its entries do not permit."""
        read_only = MR(self.server.pd, 4096, READ)
        key = self.server.mkeys[0]
        self.good(self.server.configure(key, ALL, [SGE(read_only.buf, 8, read_only.lkey)]))
        self.good(self.client.read(self.client.plain(0, 8), key.rkey, 0))
        self.refused(self.client.write(self.client.plain(0, 8), key.rkey, 0))

    def bad_pattern(self, laps, **block):
        """A configuration that must be refused."""
        block = Mlx5MrInterleaved(lkey=self.server.mr.lkey, **block)
        self.refused(self.server.configure(self.server.mkeys[0], ALL, (laps, [block])),
                     e.IBV_WC_MW_BIND_ERR)

    def test_stride_overflows(self):
        """The sum of bytes and bytes to skip does not fit into 16 bits; libmlx5 truncates it."""
        self.bad_pattern(2, addr=self.server.mr.buf, bytes_count=0x8000, bytes_skip=0x9000)

    def test_repeat_count_overflows(self):
        """The last laps are beyond the end of the address space."""
        self.bad_pattern(1 << 20, addr=(1 << 64) - (1 << 30), bytes_count=8, bytes_skip=0x1000)
