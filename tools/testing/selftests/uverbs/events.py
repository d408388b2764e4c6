#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Prints the events of a context with a CQ, SRQs and a QP: events.py DEVICE [SRQS]

Prints the number of the QP, then "ready", and then the name of each asynchronous event when it
arrives. Ends after IBV_EVENT_DEVICE_FATAL, without destroying its objects.
"""

import os
import sys

from pyverbs import device as d
from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr


def main(name, srqs=1):
    """Create, then wait for events."""
    ctx = d.Context(name=name)
    pd = PD(ctx)
    cq = CQ(ctx, 16)
    _srqs = [SRQ(pd, SrqInitAttr(SrqAttr(max_wr=16))) for _ in range(int(srqs))]
    init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_recv_wr=1))
    qp = QP(pd, init, QPAttr(port_num=1))
    print("qp", qp.qp_num)
    print("ready", flush=True)
    while True:
        event = ctx.get_async_event()
        print(d.translate_event_type(event.event_type), flush=True)
        event.ack()
        if event.event_type == e.IBV_EVENT_DEVICE_FATAL:
            # the objects were destroyed with the device
            os._exit(0)     # pylint: disable=protected-access


if __name__ == "__main__":
    main(*sys.argv[1:])
