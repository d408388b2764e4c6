# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device encrypts and decrypts files of the directory $DM_CRYPT; dm-crypt does the same."""

import os
import struct

from pyverbs.providers.mlx5.mlx5dv_crypto import Mlx5CryptoAttr, Mlx5DEK, Mlx5DEKInitAttr
from pyverbs.providers.mlx5.mlx5dv_mkey import Mlx5MkeyConfAttr
from pyverbs.wr import RecvWR, SendWR, SGE
import pyverbs.enums as e
import pyverbs.providers.mlx5.mlx5_enums as dve

from tests import test_mlx5_crypto as crypto
import tests.utils as u


def contents(name):
    """The contents of a file of the directory $DM_CRYPT."""
    with open(os.path.join(os.environ["DM_CRYPT"], name), "rb") as file:
        return file.read()


class DmCryptTest(crypto.Mlx5CryptoTrafficTest):
    """Each SEND has a complete file; the receiver writes the data to another file."""

    def prepare(self, size):
        """Create both ends and a DEK."""
        flags = dve.MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO | dve.MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT
        self.create_players(crypto.Mlx5CryptoResources,
                            dv_send_ops_flags=dve.MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
                            mkey_create_flags=flags, msg_size=size)
        attr = Mlx5DEKInitAttr(self.client.pd, key=contents("key"),
                               key_size=dve.MLX5DV_CRYPTO_KEY_SIZE_256,
                               key_purpose=dve.MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
                               comp_mask=dve.MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, crypto_login=None)
        self.dek = Mlx5DEK(self.client.ctx, attr)

    def configure(self, mkey, size, **attrs):
        """Configure the layout and the crypto attributes of an mkey."""
        end = self.client
        end.qp.wr_start()
        end.qp.wr_flags = e.IBV_SEND_SIGNALED | e.IBV_SEND_INLINE
        end.qp.wr_mkey_configure(mkey, 3, Mlx5MkeyConfAttr())
        end.qp.wr_set_mkey_access_flags(e.IBV_ACCESS_LOCAL_WRITE)
        end.qp.wr_set_mkey_layout_list([SGE(end.mr.buf, size, end.mr.lkey)])
        end.qp.wr_set_mkey_crypto(Mlx5CryptoAttr(dek=self.dek, **attrs))
        end.qp.wr_complete()
        u.poll_cq(end.cq)

    def send(self, mkey, name, **attrs):
        """Send a file by an mkey, and write the received bytes to NAME.sent."""
        data = contents(name)
        self.configure(mkey, len(data), crypto_standard=dve.MLX5DV_CRYPTO_STANDARD_AES_XTS, **attrs)
        self.client.mr.write(data, len(data))
        self.server.qp.post_recv(RecvWR(num_sge=1, sg=[
            SGE(self.server.mr.buf, len(data), self.server.mr.lkey)]))
        self.client.qp.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1,
                                        sg=[SGE(0, len(data), mkey.lkey)]))
        u.poll_cq(self.client.cq)
        u.poll_cq(self.server.cq)
        with open(os.path.join(os.environ["DM_CRYPT"], name + ".sent"), "wb") as file:
            file.write(self.server.mr.read(len(data), 0))

    def both_ways(self, unit):
        """Encrypt the file "plain", decrypt the file "stored"; "tweak" has the first tweak."""
        attrs = {"data_unit_size": unit,
                 "initial_tweak": struct.pack("<QQ", int(contents("tweak")), 0)}
        self.prepare(len(contents("plain")))
        self.send(self.client.wire_enc_mkey, "plain", encrypt_on_tx=True, **attrs)
        self.send(self.client.mem_enc_mkey, "stored", encrypt_on_tx=False, **attrs)

    def test_dm_crypt_512(self):
        """Sectors of 512 bytes."""
        self.both_ways(dve.MLX5DV_BLOCK_SIZE_512)

    def test_dm_crypt_4096(self):
        """Sectors of 4096 bytes."""
        self.both_ways(dve.MLX5DV_BLOCK_SIZE_4096)
