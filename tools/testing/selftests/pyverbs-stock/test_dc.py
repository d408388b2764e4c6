# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""DC, memory copies and atomics of libmlx5: cases that the tests of rdma-core do not have.

They run like the tests of rdma-core (pyverbs.sh). Each case has two ends with a region of memory.
"""

import struct

import pyverbs.enums as e
import pyverbs.providers.mlx5.mlx5_enums as dve
from pyverbs.mr import MR
from pyverbs.providers.mlx5.mlx5dv import (Mlx5DCIStreamInitAttr, Mlx5DVDCInitAttr,
                                           Mlx5DVQPInitAttr, Mlx5QP)
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPCap
from pyverbs.wr import SGE, RecvWR
from tests.base import DCT_KEY, MIN_RNR_TIMER
from tests.mlx5_base import Mlx5DcResources, Mlx5RcResources, Mlx5RDMATestCase
import tests.utils as u

SIZE = 4096
ALL = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE |
       e.IBV_ACCESS_REMOTE_ATOMIC)
OPS = (e.IBV_QP_EX_WITH_SEND | e.IBV_QP_EX_WITH_SEND_WITH_IMM | e.IBV_QP_EX_WITH_RDMA_WRITE |
       e.IBV_QP_EX_WITH_RDMA_READ | e.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
       e.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
SIGNALED = e.IBV_SEND_SIGNALED
FENCED = SIGNALED | e.IBV_SEND_FENCE


class Region:
    """The region of memory of an end (RcEnd or DcEnd)."""

    def create_mr(self):
        self.mr = MR(self.pd, SIZE, ALL)

    def create_qp_cap(self):
        return QPCap(32, 32, 1, 1)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.qp_access_flags = ALL
        return attr

    def at(self, offset, length=8):
        """An SGE of the region."""
        return SGE(self.mr.buf + offset, length, self.mr.lkey)

    def put(self, offset, value):
        """Store a word."""
        self.mr.write(struct.pack("=Q", value), 8, offset)

    def get(self, offset):
        """Load a word."""
        return struct.unpack("=Q", self.mr.read(8, offset))[0]


class RcEnd(Region, Mlx5RcResources):
    """An end of a reliable connection on which memory can be copied."""

    def create_send_ops_flags(self):
        self.dv_send_ops_flags = dve.MLX5DV_QP_EX_WITH_MEMCPY
        self.send_ops_flags = OPS

    def copy(self, to, start, length=8):
        """Build the WR of a memory copy within the region."""
        self.qp.wr_memcpy(self.mr.lkey, self.mr.buf + to, self.mr.lkey, self.mr.buf + start,
                          length)


class DcEnd(Region, Mlx5DcResources):
    """A DCT, a DCI without streams, and a DCI with 4 streams that can copy memory. The DCI enters
    error when 2 streams are in error."""

    def __init__(self, **dev_info):
        super().__init__(send_ops_flags=OPS, **dev_info)
        self.address = u.get_global_ah(self, self.gid_index, self.ib_port)

    def create_qp_cap(self):
        return QPCap(32, 0, 1, 0)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.max_rd_atomic = 4
        attr.timeout = 10
        attr.retry_cnt = 1
        return attr

    def create_qps(self):
        super().create_qps()
        streams = Mlx5DVDCInitAttr(dci_streams=Mlx5DCIStreamInitAttr(2, 1))
        mask = (dve.MLX5DV_QP_INIT_ATTR_MASK_DC | dve.MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS |
                dve.MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS)
        attr = Mlx5DVQPInitAttr(comp_mask=mask, dc_init_attr=streams,
                                send_ops_flags=dve.MLX5DV_QP_EX_WITH_MEMCPY)
        self.qps.append(Mlx5QP(self.ctx, self.create_qp_init_attr(OPS), attr))
        self.qp_count = 2

    def status(self):
        """Wait for a completion. Returns its status."""
        return u._poll_cq(self.cq)[0].status  # pylint: disable=protected-access

    def post(self, peer, build, sge, stream=None, key=DCT_KEY, dct=None):
        """Post the WR of build(qp) to the peer's DCT, and wait. Returns the status."""
        qp = self.qps[stream is not None]
        qp.wr_start()
        qp.wr_flags = SIGNALED
        build(qp)
        dct = peer.dct_qp.qp_num if dct is None else dct
        if stream is None:
            qp.wr_set_dc_addr(self.address, dct, key)
        else:
            qp.wr_set_dc_addr_stream(self.address, dct, key, stream)
        qp.wr_set_sge(sge)
        qp.wr_complete()
        return self.status()

    def write(self, peer, rkey=None, **how):
        """RDMA WRITE of 8 bytes. Returns the status."""
        rkey = peer.mr.rkey if rkey is None else rkey
        return self.post(peer, lambda qp: qp.wr_rdma_write(rkey, peer.mr.buf), self.at(0), **how)

    def state(self):
        """The state of the DCI with streams."""
        return self.qps[1].query(e.IBV_QP_STATE)[0].cur_qp_state


class DcTest(Mlx5RDMATestCase):
    """Cases of DC; self.client is the requester, self.server the responder."""

    def setUp(self):
        super().setUp()
        self.client = DcEnd(**self.dev_info)
        self.server = DcEnd(**self.dev_info)
        for end in self.client, self.server:
            end.pre_run([0, 0], [0, 0])

    def good(self, status):
        """A work request must have succeeded."""
        self.assertEqual(status, e.IBV_WC_SUCCESS)

    def test_atomics(self):
        """Fetch and add, compare and swap, in the byte order of the host."""
        client, server = self.client, self.server
        rkey, addr = server.mr.rkey, server.mr.buf + 64
        server.put(64, 0x1122334455667788)
        self.good(client.post(server, lambda qp: qp.wr_atomic_fetch_add(rkey, addr, 0x11),
                              client.at(0)))
        self.assertEqual(client.get(0), 0x1122334455667788)
        self.assertEqual(server.get(64), 0x1122334455667799)
        for compare, found, left in ((5, 0x1122334455667799, 0x1122334455667799),
                                     (0x1122334455667799, 0x1122334455667799, 7)):
            self.good(client.post(
                server, lambda qp, old=compare: qp.wr_atomic_cmp_swp(rkey, addr, old, 7),
                client.at(8)))
            self.assertEqual(client.get(8), found)
            self.assertEqual(server.get(64), left)

    def test_read(self):
        """RDMA READ."""
        self.server.put(128, 0x55)
        self.good(self.client.post(
            self.server, lambda qp: qp.wr_rdma_read(self.server.mr.rkey, self.server.mr.buf + 128),
            self.client.at(16)))
        self.assertEqual(self.client.get(16), 0x55)

    def test_immediate(self):
        """A SEND with immediate data into the SRQ."""
        self.client.put(0, 0x66)
        self.server.srq.post_recv(RecvWR(sg=[self.server.at(256, 64)], num_sge=1))
        self.good(self.client.post(self.server, lambda qp: qp.wr_send_imm(0x12345678),
                                   self.client.at(0)))
        u.poll_cq(self.server.cq, data=0x12345678)
        self.assertEqual(self.server.get(256), 0x66)

    def test_wrong_key(self):
        """Requests with another access key are refused, and the DCT still works."""
        self.assertEqual(self.client.write(self.server, stream=0, key=DCT_KEY + 1),
                         e.IBV_WC_REM_ACCESS_ERR)
        self.good(self.client.write(self.server))
        self.good(self.client.write(self.server, stream=1))

    def test_no_such_dct(self):
        """A request to a number that is no DCT gets no response."""
        self.assertEqual(self.client.write(self.server, dct=self.client.qps[0].qp_num),
                         e.IBV_WC_RETRY_EXC_ERR)

    def test_query(self):
        """A query of a DCT returns the attributes that were set for INIT and RTR."""
        attr, _ = self.server.dct_qp.query(
            e.IBV_QP_STATE | e.IBV_QP_ACCESS_FLAGS | e.IBV_QP_MIN_RNR_TIMER | e.IBV_QP_PATH_MTU)
        self.assertEqual(attr.qp_state, e.IBV_QPS_RTR)
        self.assertEqual(attr.qp_access_flags, ALL & ~e.IBV_ACCESS_LOCAL_WRITE)
        self.assertEqual(attr.min_rnr_timer, MIN_RNR_TIMER)
        self.assertEqual(attr.path_mtu, e.IBV_MTU_1024)

    def test_streams(self):
        """Errors, flushes and a reset of one stream. With two streams in error, the DCI is in
        ERR."""
        client, server = self.client, self.server
        self.assertEqual(client.write(server, rkey=0, stream=1), e.IBV_WC_REM_ACCESS_ERR)
        self.assertEqual(client.write(server, stream=1), e.IBV_WC_WR_FLUSH_ERR)
        self.good(client.write(server, stream=2))
        Mlx5QP.modify_dci_stream_channel_id(client.qps[1], 1)
        self.good(client.write(server, stream=1))
        self.assertEqual(client.write(server, rkey=0, stream=3), e.IBV_WC_REM_ACCESS_ERR)
        self.assertEqual(client.state(), e.IBV_QPS_RTS)
        self.assertEqual(client.write(server, rkey=0, stream=0), e.IBV_WC_REM_ACCESS_ERR)
        self.assertEqual(client.state(), e.IBV_QPS_ERR)
        self.assertEqual(client.write(server, stream=2), e.IBV_WC_WR_FLUSH_ERR)

    def test_reset_of_a_good_stream(self):
        """A reset of a stream that is not in error is refused."""
        with self.assertRaises(PyverbsRDMAError):
            Mlx5QP.modify_dci_stream_channel_id(self.client.qps[1], 1)
        self.good(self.client.write(self.server, stream=1))

    def test_copy(self):
        """A memory copy by a DCI."""
        client, qp = self.client, self.client.qps[1]
        client.put(0, 0x77)
        qp.wr_start()
        qp.wr_flags = SIGNALED
        qp.wr_memcpy(client.mr.lkey, client.mr.buf + 512, client.mr.lkey, client.mr.buf, 8)
        qp.wr_complete()
        self.good(client.status())
        self.assertEqual(client.get(512), 0x77)


class OrderTest(Mlx5RDMATestCase):
    """Chains of work requests on RC: later work requests may overtake a copy or an atomic."""

    def setUp(self):
        super().setUp()
        self.client = RcEnd(**self.dev_info)
        self.server = RcEnd(**self.dev_info)
        self.client.pre_run(self.server.psns, self.server.qps_num)
        self.server.pre_run(self.client.psns, self.client.qps_num)

    def write_around(self, build):
        """Post the WRs of build(), then a WRITE of the word at 8 without a fence (to 16), and a
        WRITE with a fence (to 24)."""
        client, server, qp = self.client, self.server, self.client.qp
        client.put(8, 1)
        qp.wr_start()
        qp.wr_flags = SIGNALED
        build(qp)
        for flags, offset in (SIGNALED, 16), (FENCED, 24):
            qp.wr_flags = flags
            qp.wr_rdma_write(server.mr.rkey, server.mr.buf + offset)
            qp.wr_set_sge(client.at(8))
        qp.wr_complete()
        u.poll_cq_ex(client.cq, 3)

    def test_copy_is_overtaken(self):
        """Without a fence, a WRITE sends the old data; with a fence, the copied data."""
        self.client.put(0, 2)
        self.write_around(lambda qp: self.client.copy(8, 0))
        self.assertEqual(self.client.get(8), 2)
        self.assertEqual([self.server.get(16), self.server.get(24)], [1, 2])

    def test_atomic_is_overtaken(self):
        """Without a fence, a WRITE sends the old data; with a fence, the result of an atomic."""
        def build(qp):
            qp.wr_atomic_fetch_add(self.server.mr.rkey, self.server.mr.buf + 64, 1)
            qp.wr_set_sge(self.client.at(8))

        self.server.put(64, 2)
        self.write_around(build)
        self.assertEqual(self.server.get(64), 3)
        self.assertEqual([self.server.get(16), self.server.get(24)], [1, 2])

    def test_copies(self):
        """Memory copies of some lengths, compared byte by byte."""
        for length in 1, 7, 64, 513, SIZE // 2:
            data = bytes((i * 7 + length) & 0xff for i in range(SIZE))
            self.client.mr.write(data, SIZE)
            self.client.qp.wr_start()
            self.client.qp.wr_flags = SIGNALED
            self.client.copy(SIZE // 2, 0, length)
            self.client.qp.wr_complete()
            u.poll_cq_ex(self.client.cq)
            self.assertEqual(self.client.mr.read(SIZE, 0),
                             data[:SIZE // 2] + data[:length] + data[SIZE // 2 + length:])
