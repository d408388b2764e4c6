# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Rings and doorbell records that begin inside a page: the allocator of the program places them."""

import resource

import pyverbs.mem_alloc as mem

from tests import test_parent_domain as parent
from tests.base import RCResources, UDResources
import tests.utils as u

PAGE = resource.getpagesize()


def allocator_at(offset):
    """(allocate, free): allocate() returns memory at that offset in its page."""
    real = {}

    def allocate(_pd, _context, size, alignment, _type):
        start = mem.posix_memalign(offset + size, max(alignment, PAGE))
        real[start + offset] = start
        return start + offset

    def free(_pd, _context, ptr, _type):
        mem.free(real.pop(ptr))

    return allocate, free


class RingTest(parent.ParentDomainTrafficTest):
    """Traffic with rings and doorbell records that begin inside a page."""

    def messages(self, resources, offset, **traffic):
        """Send messages between two ends whose rings begin at an offset in a page."""
        allocate, free = allocator_at(offset)
        self.create_players(resources, alloc_func=allocate, free_func=free)
        u.traffic(**self.traffic_args, **traffic)

    def test_rings_rc(self):
        """Rings of RC QPs begin at byte 64 of a page, the second possible offset."""
        self.messages(parent.parent_domain_res_cls(RCResources), 64)

    def test_rings_ud(self):
        """Rings of UD QPs begin at the last 64 bytes of a page."""
        self.messages(parent.parent_domain_res_cls(UDResources), PAGE - 64)

    def test_rings_srq(self):
        """Rings of a CQ and an SRQ, too, begin at byte 1024 of a page: U-145."""
        self.messages(parent.ParentDomainCqExSrqRes, 1024, is_cq_ex=True)
