# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Rings and doorbell records that begin inside a page, where the program's allocator puts them."""

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
    """Traffic over such rings."""

    def messages(self, resources, offset, **traffic):
        """Traffic between two ends with such rings."""
        allocate, free = allocator_at(offset)
        self.create_players(resources, alloc_func=allocate, free_func=free)
        u.traffic(**self.traffic_args, **traffic)

    def test_rings_rc(self):
        """QPs, at the second place of a page."""
        self.messages(parent.parent_domain_res_cls(RCResources), 64)

    def test_rings_ud(self):
        """QPs, at the last place of a page."""
        self.messages(parent.parent_domain_res_cls(UDResources), PAGE - 64)

    def test_rings_srq(self):
        """A CQ and an SRQ too, in the first half of a page: U-145."""
        self.messages(parent.ParentDomainCqExSrqRes, 1024, is_cq_ex=True)
