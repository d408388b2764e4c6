#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Requests that libraries do not send, sent to the kernel: bad.py /dev/infiniband/uverbsN CASE

The structures are in <rdma/ib_user_verbs.h>, <rdma/mlx5-abi.h> and <rdma/rdma_user_ioctl_cmds.h>.
Each request is sent once with each error, and must fail with the expected errno. Before and after,
the correct request must succeed. Prints the failures, and then exits with 1.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import struct
import sys

GET_CONTEXT, ALLOC_PD, REG_MR, REREG_MR, DEREG_MR, ALLOC_MW, DEALLOC_MW = 0, 3, 9, 11, 13, 14, 16
CREATE_CQ, RESIZE_CQ, DESTROY_CQ, CREATE_QP, DESTROY_QP = 18, 19, 20, 24, 27
CREATE_SRQ, DESTROY_SRQ, OPEN_XRCD, CLOSE_XRCD, CREATE_XSRQ = 32, 35, 37, 38, 39
IOCTL, NS, OBJECT_DEVICE, OBJECT_PD, OBJECT_UAR = 0xc0181b01, 0x1000, 0, 1, 0x1008
QUERY_CONTEXT, PD_QUERY, QUERY_PORT = 4, NS, NS
UAR_ALLOC, UAR_DESTROY, MANDATORY = NS, NS + 1, 1
MLX5, NC = 1, 1                 # driver, type of a UAR
LW, RW, MW_BIND, ON_DEMAND, OPTIONAL = 1, 2, 16, 64, 1 << 29     # access; the last is unknown
TRANS, CHANGE_PD, ACCESS = 1, 2, 4      # flags of changes to an MR
RC, RAW, XRC_INI, XRC_TGT, DRIVER = 2, 8, 9, 10, 255     # QP types
NO_INDEX = 0xffffff             # a QP without user index
UAR, DCT, DCI, STREAM = 1 << 10, 1 << 4, 1 << 5, 1 << 11        # flags of QPs
MAX_CQE = (1 << 22) - 1         # log_max_cq_sz of the simulated device is 22
PAGE = mmap.PAGESIZE
FAULTS = []


def tell(text):
    """Record a failure."""
    FAULTS.append(text)
    print(text)


def memory(pages):
    """(object that owns the memory, address) of zeroed memory."""
    area = mmap.mmap(-1, pages * PAGE)
    return area, ctypes.addressof(ctypes.c_char.from_buffer(area))


def change(fields, **new):
    """A copy of fields with other values."""
    return dict(fields, **new)


class Context:
    """An open device file."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def write(self, command, core, driver, out_len, has_response=True):
        """Execute a command and return its response."""
        out = ctypes.create_string_buffer(max(out_len, 8))
        body = (struct.pack("<Q", ctypes.addressof(out)) if has_response else b"") + core + driver
        body += bytes(-len(body) % 4)
        head = struct.pack("<IHH", command, (len(body) + 8) // 4, out_len // 4)
        os.write(self.fd, head + body)
        return out.raw

    def ioctl(self, method, attrs, kind=OBJECT_UAR):
        """Call a method of an object; attrs is a list of (attribute, length, data). Returns the
        request as changed by the kernel."""
        head = struct.pack("<HHHHQII", 24 + 16 * len(attrs), kind, method, len(attrs), 0,
                           MLX5, 0)
        buf = bytearray(head + b"".join(struct.pack("<HHHHQ", NS + a, n, MANDATORY, 0, data)
                                        for a, n, data in attrs))
        fcntl.ioctl(self.fd, IOCTL, buf, True)
        return buf

    def open(self, request, out_len=8 + 72):
        """GET_CONTEXT: returns the response of the driver."""
        return self.write(GET_CONTEXT, b"", request, out_len)[8:]

    def uar(self, kind=NC):
        """Allocate a UAR. Returns (handle, offset for mmap(), index)."""
        offset, length, index = ctypes.c_uint64(), ctypes.c_uint32(), ctypes.c_uint32()
        at = ctypes.addressof
        buf = self.ioctl(UAR_ALLOC, [(0, 0, 0), (1, 8, kind), (2, 8, at(offset)),
                                     (3, 4, at(length)), (4, 4, at(index))])
        handle = struct.unpack_from("<Q", buf, 24 + 8)[0]
        if length.value != PAGE:
            tell(f"a UAR has {length.value} bytes")
        return handle, offset.value, index.value

    def query(self, room=72):
        """QUERY_CONTEXT: the response of GET_CONTEXT again."""
        resp = ctypes.create_string_buffer(room)
        self.ioctl(QUERY_CONTEXT, [(0, room, ctypes.addressof(resp))], OBJECT_DEVICE)
        return resp.raw

    def port(self, number, room=40):
        """QUERY_PORT: the response."""
        resp = ctypes.create_string_buffer(b"\xff" * room, room)
        self.ioctl(QUERY_PORT, [(0, 4, number), (1, room, ctypes.addressof(resp))], OBJECT_DEVICE)
        return resp.raw

    def pdn(self, handle, room=4):
        """The number of a PD."""
        number = ctypes.c_uint32()
        self.ioctl(PD_QUERY, [(0, 0, handle), (1, room, ctypes.addressof(number))], OBJECT_PD)
        return number.value

    def free_uar(self, handle):
        """Destroy the handle of a UAR."""
        self.ioctl(UAR_DESTROY, [(0, 0, handle)])

    def map(self, offset, length=PAGE, prot=mmap.PROT_WRITE, flags=mmap.MAP_SHARED):
        """Map the device file by mmap() of the C library: the mmap of Python checks the size of the
        file."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                              ctypes.c_int, ctypes.c_long]
        got = libc.mmap(None, length, prot, flags, self.fd, offset)
        if got == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "mmap")
        libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        libc.munmap(got, length)

    def pd(self):
        """Allocate a PD: its handle."""
        return struct.unpack_from("<I", self.write(ALLOC_PD, b"", b"", 8))[0]


REQUEST = {"bfregs": 16, "low": 4, "flags": 0, "comp_mask": 0, "cqe": 1, "r0": 0, "r1": 0, "r2": 0,
           "caps": 3}


def request(**new):
    """A struct mlx5_ib_alloc_ucontext_req_v2, with other values for some fields of REQUEST."""
    return struct.pack("<IIIIBBHIQ", *change(REQUEST, **new).values())


def fails(what, want, function, *args, **kwargs):
    """Call a function, which must fail with the errno named want."""
    try:
        function(*args, **kwargs)
    except OSError as e:
        if e.errno != getattr(errno, want):
            tell(f"{what}: {errno.errorcode[e.errno]}, expected {want}")
    else:
        tell(f"{what}: no error, expected {want}")


def contexts(path):
    """Lengths, flags and masks of GET_CONTEXT."""
    right = request()
    for what, want, req, room in (
            ("an unknown flag", "EOPNOTSUPP", request(flags=1 << 31), 80),
            ("DEVX and an unknown flag", "EOPNOTSUPP", request(flags=3), 80),
            ("comp_mask", "EOPNOTSUPP", request(comp_mask=1), 80),
            ("reserved0", "EOPNOTSUPP", request(r0=1), 80),
            ("reserved1", "EOPNOTSUPP", request(r1=1), 80),
            ("reserved2", "EOPNOTSUPP", request(r2=1), 80),
            ("a library without UARs of its own", "EOPNOTSUPP", request(caps=1), 80),
            ("the request of an old library", "EOPNOTSUPP", right[:24], 80),
            ("4 bytes too few", "EINVAL", right[:12], 80),
            ("nothing", "EINVAL", b"", 80),
            ("a longer request", "EOPNOTSUPP", right + b"\0\0\0\1", 80),
            ("no room", "EINVAL", right, 8),
            ("DEVX and no room", "EINVAL", request(flags=1), 8),
            ("room up to response_length, but for a word", "EINVAL", right, 8 + 40)):
        ctx = Context(path)
        fails(what, want, ctx.open, req, room)
        ctx.open(right)         # a correct request on the same file succeeds
        os.close(ctx.fd)
    for what, req, room in (("longer, but 0", right + bytes(64), 80),
                            ("DEVX", request(flags=1), 80),
                            ("unknown lib_caps", request(caps=0xfffffffffffffffe), 80),
                            ("the least room", right, 8 + 44)):
        ctx = Context(path)
        resp = ctx.open(req, room)
        told = struct.unpack_from("<I", resp, 40)[0]
        if told != room - 8:
            tell(f"{what}: response_length {told} of {room - 8}")
        os.close(ctx.fd)
    twice = Context(path)
    twice.open(right)
    fails("a second time", "EINVAL", twice.open, right)
    os.close(twice.fd)


def mappings(path):
    """Mappings with offsets that the driver has not returned, wrong sizes or protection."""
    ctx, other = Context(path), Context(path)
    for c in (ctx, other):
        c.open(request())
    handle, offset, _ = ctx.uar()
    read, write, execute = mmap.PROT_READ, mmap.PROT_WRITE, mmap.PROT_EXEC
    clock, info = 0x500 * PAGE, 0x700 * PAGE
    ctx.map(offset)
    ctx.map(clock, prot=read)
    ctx.map(info, prot=read)
    for what, want, args in (
            ("two pages", "EINVAL", {"offset": offset, "length": 2 * PAGE}),
            ("private", "EINVAL", {"offset": offset, "flags": mmap.MAP_PRIVATE}),
            ("executable", "EPERM", {"offset": offset, "prot": read | execute}),
            ("the page after", "EINVAL", {"offset": offset + PAGE}),
            ("the page before", "EINVAL", {"offset": offset - PAGE}),
            ("index 0", "EINVAL", {"offset": 0x10000 * PAGE}),
            ("beyond 32 bits", "EINVAL", {"offset": (1 << 32) * PAGE + offset}),
            ("a regular page", "EOPNOTSUPP", {"offset": 0}),
            ("an uncached page", "EOPNOTSUPP", {"offset": 0x300 * PAGE}),
            ("an unknown command", "EINVAL", {"offset": 0x900 * PAGE}),
            ("the clock to write", "EPERM", {"offset": clock, "prot": read | write}),
            ("the clock executable", "EPERM", {"offset": clock, "prot": read | execute}),
            ("two pages of the clock", "EINVAL",
             {"offset": clock, "prot": read, "length": 2 * PAGE}),
            ("a clock that is not there", "EINVAL", {"offset": clock + PAGE, "prot": read}),
            ("the clock's page to write", "EPERM", {"offset": info, "prot": read | write}),
            ("the clock's page executable", "EPERM", {"offset": info, "prot": read | execute}),
            ("two of the clock's pages", "EINVAL",
             {"offset": info, "prot": read, "length": 2 * PAGE}),
            ("the clock's page, private", "EINVAL",
             {"offset": info, "prot": read, "flags": mmap.MAP_PRIVATE}),
            ("another version of the clock's page", "EOPNOTSUPP",
             {"offset": info + PAGE, "prot": read})):
        fails(what, want, ctx.map, **args)
    fails("the UAR of another context", "EINVAL", other.map, offset)
    fails("a UAR of an unknown type", "EOPNOTSUPP", ctx.uar, 2)
    fails("no such handle", "ENOENT", ctx.free_uar, handle + 77)
    ctx.map(offset)
    ctx.free_uar(handle)
    fails("a UAR that was destroyed", "EINVAL", ctx.map, offset)
    fails("its handle", "ENOENT", ctx.free_uar, handle)


class Maker:
    """A context with a PD, a UAR and memory, and the fields of correct requests."""

    def __init__(self, path, **new):
        self.ctx = Context(path)
        # with a user context, like libmlx5
        self.ctx.open(request(**change({"flags": 1}, **new)))
        self.pd = self.ctx.pd()
        self.handle, _, self.uar = self.ctx.uar()
        self.area, self.at = memory(64)
        self.cq_fields = {"cqe": 63, "vector": 0, "buf": self.at, "db": self.at + 60 * PAGE,
                          "size": 64, "comp": 0, "format": 0, "flags": 2, "uar": self.uar, "r0": 0,
                          "r1": 0}
        self.qp_fields = {"type": RC, "cq": 0, "srq": 0, "is_srq": 0, "buf": self.at + 16 * PAGE,
                          "db": self.at + 60 * PAGE + 64, "sq": 64, "rq": 64, "shift": 4,
                          "flags": 1 << 10, "uidx": 5, "uar": self.uar, "sq_buf": 0, "ece": 0,
                          "stream": 0, "errored": 0, "r": 0}
        self.srq_fields = {"wr": 63, "sge": 1, "buf": self.at + 32 * PAGE,
                           "db": self.at + 60 * PAGE + 128, "flags": 0, "r0": 0, "uidx": 0,
                           "r1": 0}

    def cq(self, cut=0, extra=b"", room=16, **new):
        """CREATE_CQ: its handle."""
        f = change(self.cq_fields, **new)
        core = struct.pack("<QIIiI", 0, f.pop("cqe"), f.pop("vector"), -1, 0)
        driver = struct.pack("<QQIBBHHHI", *f.values()) + extra
        out = self.ctx.write(CREATE_CQ, core, driver[:len(driver) - cut], room)
        return struct.unpack_from("<I", out)[0]

    def qp(self, cut=0, extra=b"", room=64, **new):
        """CREATE_QP: its handle."""
        f = change(self.qp_fields, **new)
        kind, cq, srq, is_srq = (f.pop(k) for k in ("type", "cq", "srq", "is_srq"))
        core = struct.pack("<QIIIIIIIIIBBBB", 0, self.pd, cq, cq, srq, 4, 4, 1, 1, 0, 0, kind,
                           is_srq, 0)
        driver = struct.pack("<QQIIIIIIQIBBH", *f.values()) + extra
        out = self.ctx.write(CREATE_QP, core, driver[:len(driver) - cut], room)
        return struct.unpack_from("<I", out)[0]

    def srq(self, cut=0, extra=b"", room=24, **new):
        """CREATE_SRQ: its handle."""
        f = change(self.srq_fields, **new)
        core = struct.pack("<QIIII", 0, self.pd, f.pop("wr"), f.pop("sge"), 0)
        driver = struct.pack("<QQIIII", *f.values()) + extra
        out = self.ctx.write(CREATE_SRQ, core, driver[:len(driver) - cut], room)
        return struct.unpack_from("<I", out)[0]

    def resize(self, cq, cut=0, extra=b"", **new):
        """RESIZE_CQ: the number of entries."""
        f = change({"cqe": 255, "buf": self.at + 8 * PAGE, "size": 64, "r0": 0, "r1": 0}, **new)
        core = struct.pack("<II", cq, f.pop("cqe"))
        driver = struct.pack("<QHHI", *f.values()) + extra
        out = self.ctx.write(RESIZE_CQ, core, driver[:len(driver) - cut], 8)
        return struct.unpack_from("<I", out)[0]

    def xrcd(self, fd=-1):
        """OPEN_XRCD: its handle."""
        core = struct.pack("<iI", fd, os.O_CREAT)
        return struct.unpack_from("<I", self.ctx.write(OPEN_XRCD, core, b"", 4))[0]

    def xsrq(self, cq, xrcd, cut=0, extra=b"", room=24, **new):
        """CREATE_XSRQ of type XRC: its handle."""
        f = change(self.srq_fields, **new)
        core = struct.pack("<QIIIIIIII", 0, 1, self.pd, f.pop("wr"), f.pop("sge"), 0, 0, xrcd, cq)
        driver = struct.pack("<QQIIII", *f.values()) + extra
        out = self.ctx.write(CREATE_XSRQ, core, driver[:len(driver) - cut], room)
        return struct.unpack_from("<I", out)[0]

    def rereg(self, handle, flags, start=0, length=0, access=LW, pd=None):
        """REREG_MR: its lkey."""
        core = struct.pack("<IIQQQII", handle, flags, start, length, start,
                           self.pd if pd is None else pd, access)
        return struct.unpack_from("<I", self.ctx.write(REREG_MR, core, b"", 8))[0]

    def mw(self, kind, driver=b"", room=16):
        """ALLOC_MW: (handle, rkey)."""
        core = struct.pack("<IBBBB", self.pd, kind, 0, 0, 0)
        return struct.unpack_from("<II", self.ctx.write(ALLOC_MW, core, driver, room))

    def mr(self, start, length, access, va=None):
        """REG_MR: its handle."""
        core = struct.pack("<QQQII", start, length, start if va is None else va, self.pd, access)
        return struct.unpack_from("<I", self.ctx.write(REG_MR, core, b"", 12))[0]

    def destroy(self, command, handle):
        """Destroy a CQ, QP, SRQ, MR, memory window or XRC domain."""
        core = struct.pack("<I", handle)
        if command in (DEREG_MR, DEALLOC_MW, CLOSE_XRCD):
            self.ctx.write(command, core, b"", 0, has_response=False)
        else:
            self.ctx.write(command, core + bytes(4), b"", 8)


SHARED = (
    ("memory that is not there", "EFAULT", {"buf": 16 * PAGE}),
    ("memory that wraps", "EINVAL", {"buf": (1 << 64) - PAGE}),
    ("a buffer off its place", "EINVAL", {"buf": 16 * PAGE + 4}),
    ("no doorbell records", "EFAULT", {"db": 16 * PAGE}),
    ("doorbell records off their place", "EINVAL", {"db": 16 * PAGE + 4}))


def sweep(make, destroy, wrong):
    """Send the correct request, each wrong request, and the correct request again."""
    destroy(make())
    for what, want, new in wrong + SHARED:
        fails(what, want, make, **new)
    destroy(make())


def cqs(path):
    """Fields of CREATE_CQ."""
    m, other = Maker(path), Maker(path)
    sweep(m.cq, lambda h: m.destroy(DESTROY_CQ, h), (
        ("no entries", "EINVAL", {"cqe": 0}),
        ("all ones entries", "EINVAL", {"cqe": 0xffffffff}),
        ("2^31 entries", "EINVAL", {"cqe": 1 << 31}),
        ("one entry too many", "EINVAL", {"cqe": MAX_CQE + 1, "buf": 16 * PAGE}),
        ("most entries, and no memory", "EFAULT", {"cqe": MAX_CQE, "buf": 16 * PAGE}),
        ("a vector that is not there", "EINVAL", {"vector": 9999}),
        ("CQEs of 0 bytes", "EINVAL", {"size": 0}),
        ("CQEs of 256 bytes", "EINVAL", {"size": 256}),
        ("compressed CQEs", "EOPNOTSUPP", {"comp": 1}),
        ("padded CQEs", "EOPNOTSUPP", {"flags": 3}),
        ("real time", "EOPNOTSUPP", {"flags": 6}),
        ("an unknown flag", "EOPNOTSUPP", {"flags": 0x8002}),
        ("no UAR", "EOPNOTSUPP", {"flags": 0}),
        ("UAR 0", "EINVAL", {"uar": 0}),
        ("the UAR of another context", "EINVAL", {"uar": other.uar}),
        ("reserved0", "EOPNOTSUPP", {"r0": 1}),
        ("reserved1", "EOPNOTSUPP", {"r1": 1}),
        ("a short request", "EINVAL", {"cut": 8}),
        ("a longer request", "EOPNOTSUPP", {"extra": b"\1\0\0\0"}),
        ("no room for the number", "EINVAL", {"room": 8})))
    m.destroy(DESTROY_CQ, m.cq(size=128, buf=m.at))
    m.destroy(DESTROY_CQ, m.cq(extra=bytes(16)))
    for size, offset in (64, 64), (64, PAGE - 64), (128, 128), (128, PAGE - 128):
        m.destroy(DESTROY_CQ, m.cq(size=size, buf=m.at + offset))
    fails("entries of 128 bytes at one of 64", "EINVAL", m.cq, size=128, buf=m.at + 64)


def indices_of_old_cqes(path):
    """In a context with CQEs of version 0, which have no user index, QPs have no user index."""
    m = Maker(path, cqe=0)
    m.qp_fields["cq"] = cq = m.cq()
    for index in 0, 5, 0xfffffe, 1 << 24:
        fails(f"user index {index:#x} with CQEs of version 0", "EINVAL", m.qp, uidx=index)
    m.destroy(DESTROY_QP, m.qp(uidx=NO_INDEX))
    m.destroy(DESTROY_CQ, cq)


def qps(path):
    """Fields of CREATE_QP, and a UAR that is destroyed before its QP."""
    m, other = Maker(path), Maker(path)
    m.qp_fields["cq"] = cq = m.cq()
    sweep(m.qp, lambda h: m.destroy(DESTROY_QP, h), (
        ("a driver's type", "EOPNOTSUPP", {"type": DRIVER}),
        ("an RC QP that is a DCI", "EOPNOTSUPP", {"flags": UAR | DCI}),
        ("a raw packet QP", "EOPNOTSUPP", {"type": RAW}),
        ("signed WQEs", "EOPNOTSUPP", {"flags": 1 << 10 | 1}),
        ("an unknown flag", "EOPNOTSUPP", {"flags": 1 << 10 | 1 << 31}),
        ("no UAR", "EOPNOTSUPP", {"flags": 0}),
        ("a register of the driver", "EOPNOTSUPP", {"flags": 1 << 3}),
        ("UAR 0", "EINVAL", {"uar": 0}),
        ("all ones as UAR", "EINVAL", {"uar": 0xffffffff}),
        ("the UAR of another context", "EINVAL", {"uar": other.uar}),
        ("a second buffer", "EOPNOTSUPP", {"sq_buf": m.at}),
        ("ECE", "EOPNOTSUPP", {"ece": 1}),
        ("streams", "EOPNOTSUPP", {"stream": 1}),
        ("reserved", "EOPNOTSUPP", {"r": 1}),
        ("user index of 25 bits", "EINVAL", {"uidx": 1 << 24}),
        ("too many sends", "EINVAL", {"sq": 1 << 30}),
        ("sends that are no power of two", "EINVAL", {"sq": 63}),
        ("receives that are no power of two", "EINVAL", {"rq": 63}),
        ("WQEs of 1 byte", "EINVAL", {"shift": 0}),
        ("WQEs that are too large", "EINVAL", {"shift": 20}),
        ("shift of all ones", "EINVAL", {"shift": 0xffffffff}),
        ("a short request", "EINVAL", {"cut": 20}),
        ("a longer request", "EOPNOTSUPP", {"extra": b"\1\0\0\0"}),
        ("no room for the response", "EINVAL", {"room": 32})))
    for offset in 64, PAGE - 64:
        m.destroy(DESTROY_QP, m.qp(buf=m.at + 16 * PAGE + offset))
    for index in 0, 0xfffffe, NO_INDEX:
        m.destroy(DESTROY_QP, m.qp(uidx=index))
    indices_of_old_cqes(path)
    qp = m.qp()
    m.ctx.free_uar(m.handle)
    fails("a UAR that was destroyed", "EINVAL", m.qp)
    fails("a CQ in use", "EBUSY", m.destroy, DESTROY_CQ, cq)
    m.destroy(DESTROY_QP, qp)
    m.destroy(DESTROY_CQ, cq)


def srqs(path):
    """Fields of CREATE_SRQ."""
    m = Maker(path)
    m.destroy(DESTROY_SRQ, m.srq(wr=0))
    sweep(m.srq, lambda h: m.destroy(DESTROY_SRQ, h), (
        ("all ones WRs", "EINVAL", {"wr": 0xffffffff}),
        ("all ones SGEs", "EINVAL", {"sge": 0xffffffff}),
        ("signed WQEs", "EOPNOTSUPP", {"flags": 1}),
        ("reserved0", "EOPNOTSUPP", {"r0": 1}),
        ("reserved1", "EOPNOTSUPP", {"r1": 1}),
        ("a short request", "EINVAL", {"cut": 16}),
        ("a longer request", "EOPNOTSUPP", {"extra": b"\1\0\0\0"}),
        ("a user index of 25 bits", "EINVAL", {"uidx": 1 << 24}),
        ("a place that an RMP cannot name", "EINVAL", {"buf": m.at + 32 * PAGE + 2048}),
        ("no room for the number", "EINVAL", {"room": 16})))
    m.destroy(DESTROY_SRQ, m.srq(buf=m.at + 32 * PAGE + 1984))
    cq = m.qp_fields["cq"] = m.cq()
    srq = m.srq()
    fails("receives beside an SRQ", "EINVAL", m.qp, is_srq=1, srq=srq)
    qp = m.qp(is_srq=1, srq=srq, rq=0)
    fails("an SRQ in use", "EBUSY", m.destroy, DESTROY_SRQ, srq)
    for command, handle in ((DESTROY_QP, qp), (DESTROY_SRQ, srq), (DESTROY_CQ, cq)):
        m.destroy(command, handle)


def mrs(path):
    """Fields of REG_MR."""
    m = Maker(path)
    m.destroy(DEREG_MR, m.mr(m.at + 5, 3 * PAGE, LW))
    for what, want, args in (
            ("no bytes", "EINVAL", (m.at, 0, LW)),
            ("memory that is not there", "EFAULT", (16 * PAGE, PAGE, LW)),
            ("memory that wraps", "EINVAL", ((1 << 64) - PAGE, 2 * PAGE, LW)),
            ("remote write without local", "EINVAL", (m.at, PAGE, RW)),
            ("windows and remote write without local", "EINVAL", (m.at, PAGE, RW | MW_BIND)),
            ("on-demand paging", "EOPNOTSUPP", (m.at, PAGE, LW | ON_DEMAND)),
            ("another offset in the page", "EINVAL", (m.at, PAGE, LW, m.at + 1)),
            ("addresses that wrap", "EINVAL", (m.at, 2 * PAGE, LW, (1 << 64) - PAGE))):
        fails(what, want, m.mr, *args)
    m.destroy(DEREG_MR, m.mr(m.at, 64 * PAGE, LW, 0))
    m.destroy(DEREG_MR, m.mr(m.at, PAGE, LW | MW_BIND))
    m.destroy(DEREG_MR, m.mr(m.at, PAGE, LW | OPTIONAL))


def reregs(path):
    """Fields of REREG_MR."""
    m = Maker(path)
    mr, other_pd = m.mr(m.at, PAGE, LW), m.ctx.pd()
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    read_only = libc.mmap(None, PAGE, mmap.PROT_READ, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, 0)
    to_read = m.mr(read_only, PAGE, 0)
    keys = {m.rereg(mr, ACCESS, access=LW | RW | OPTIONAL), m.rereg(mr, CHANGE_PD, pd=other_pd),
            m.rereg(mr, TRANS, m.at + PAGE, 2 * PAGE), m.rereg(to_read, CHANGE_PD, pd=other_pd)}
    # the keys of each MR do not change
    if len(keys) != 2:
        tell(f"keys {keys}")
    for what, want, handle, args in (
            ("nothing", "EINVAL", mr, (0,)),
            ("an unknown flag", "EOPNOTSUPP", mr, (8,)),
            ("memory that is not there", "EFAULT", mr, (TRANS, 16 * PAGE, PAGE)),
            ("no bytes", "EINVAL", mr, (TRANS, m.at, 0)),
            ("on-demand paging", "EOPNOTSUPP", mr, (ACCESS, 0, 0, LW | ON_DEMAND)),
            ("remote write without local", "EINVAL", mr, (ACCESS, 0, 0, RW)),
            ("memory for reading, to write", "EACCES", to_read, (ACCESS, 0, 0, LW)),
            ("no such PD", "ENOENT", mr, (CHANGE_PD, 0, 0, LW, other_pd + 77)),
            ("no such MR", "ENOENT", mr + 77, (ACCESS,))):
        fails(what, want, m.rereg, handle, *args)
        m.rereg(mr, ACCESS)
    for handle in mr, to_read:
        m.destroy(DEREG_MR, handle)


def mws(path):
    """Fields of ALLOC_MW."""
    m = Maker(path)
    for what, want, args in (
            ("type 0", "EINVAL", (0,)),
            ("type 3", "EINVAL", (3,)),
            ("comp_mask", "EOPNOTSUPP", (1, struct.pack("<IBBH", 1, 0, 0, 0))),
            ("reserved1", "EOPNOTSUPP", (1, struct.pack("<IBBH", 0, 0, 1, 0))),
            ("reserved2", "EOPNOTSUPP", (1, struct.pack("<IBBH", 0, 0, 0, 1))),
            ("a longer request", "EOPNOTSUPP", (1, bytes(8) + b"\1\0\0\0"))):
        fails(what, want, m.mw, *args)
    for kind in 1, 2:
        for driver in b"", struct.pack("<IBBH", 0, 255, 0, 0), bytes(16):
            handle, rkey = m.mw(kind, driver, 8 if driver else 16)
            if not rkey:
                tell("a memory window without key")
            m.destroy(DEALLOC_MW, handle)


def resizes(path):
    """Fields of RESIZE_CQ."""
    m = Maker(path)
    cq, wide = m.cq(), m.cq(size=128, buf=m.at + 2 * PAGE)
    for handle, cqe, new, want in ((cq, 63, {}, 63), (cq, 255, {}, 255), (cq, 100, {}, 127),
                                   (cq, 63, {"buf": m.at + 8 * PAGE + 64}, 63),
                                   (wide, 127, {"size": 128}, 127)):
        got = m.resize(handle, cqe=cqe, **new)
        if got != want:
            tell(f"{got} entries for {cqe}, expected {want}")
    for what, want, new in (
            ("no entries", "EINVAL", {"cqe": 0}),
            ("all ones entries", "EINVAL", {"cqe": 0xffffffff}),
            ("2^30 entries", "EINVAL", {"cqe": 1 << 30}),
            ("entries of another size", "EINVAL", {"size": 128}),
            ("entries of 0 bytes", "EINVAL", {"size": 0}),
            ("reserved0", "EOPNOTSUPP", {"r0": 1}),
            ("reserved1", "EOPNOTSUPP", {"r1": 1}),
            ("a ring off its place", "EINVAL", {"buf": m.at + 8 * PAGE + 4}),
            ("memory that is not there", "EFAULT", {"buf": 16 * PAGE}),
            ("a short request", "EINVAL", {"cut": 8}),
            ("a longer request", "EOPNOTSUPP", {"extra": b"\1\0\0\0"})):
        fails(what, want, m.resize, cq, **new)
    m.resize(cq)
    for handle in cq, wide:
        m.destroy(DESTROY_CQ, handle)


def xrcs(path):
    """Domains, SRQs and QPs of XRC."""
    m = Maker(path)
    xrcd = m.xrcd()
    m.qp_fields["cq"] = cq = m.cq()
    ini = {"type": XRC_INI, "rq": 0}
    m.destroy(DESTROY_SRQ, m.xsrq(cq, xrcd, wr=0))
    sweep(lambda **new: m.xsrq(cq, xrcd, **new), lambda h: m.destroy(DESTROY_SRQ, h), (
        ("all ones SGEs", "EINVAL", {"sge": 0xffffffff}),
        ("a flag", "EOPNOTSUPP", {"flags": 1}),
        ("reserved0", "EOPNOTSUPP", {"r0": 1}),
        ("a user index of 25 bits", "EINVAL", {"uidx": 1 << 24}),
        ("a short request", "EINVAL", {"cut": 16}),
        ("no room for the number", "EINVAL", {"room": 16})))
    m.destroy(DESTROY_SRQ, m.xsrq(cq, xrcd, buf=m.at + 32 * PAGE + 4032))
    fails("no such domain", "EINVAL", m.xsrq, cq, xrcd + 77)
    sweep(lambda **new: m.qp(**change(ini, **new)), lambda h: m.destroy(DESTROY_QP, h), (
        ("receives of an initiator", "EINVAL", {"rq": 64}),
        ("an initiator that is a DCI", "EOPNOTSUPP", {"flags": UAR | DCI}),
        ("user index of 25 bits", "EINVAL", {"uidx": 1 << 24})))
    srq, first = m.xsrq(cq, xrcd), m.qp(**ini)
    pd, m.pd = m.pd, xrcd       # an XRC target has the handle of its domain in the field of the PD
    target = m.qp(type=XRC_TGT)
    m.pd = xrcd + 77
    fails("a target in no domain", "EINVAL", m.qp, type=XRC_TGT)
    m.pd = pd
    fails("a domain in use", "EBUSY", m.destroy, CLOSE_XRCD, xrcd)
    fails("an XRC SRQ of an RC QP", "EINVAL", m.qp, is_srq=1, srq=srq, rq=0)
    for command, handle in ((DESTROY_QP, first), (DESTROY_QP, target), (DESTROY_SRQ, srq),
                            (CLOSE_XRCD, xrcd), (DESTROY_CQ, cq)):
        m.destroy(command, handle)


def dcs(path):
    """DCIs and DCTs."""
    m = Maker(path)
    m.qp_fields["cq"] = cq = m.cq()
    srq = m.srq()
    dci = {"type": DRIVER, "rq": 0, "flags": UAR | DCI}
    dct = {"type": DRIVER, "rq": 0, "sq": 0, "flags": DCT, "is_srq": 1, "srq": srq,
           "sq_buf": 0xbadc0de, "uar": 0, "buf": 0, "db": 0}
    sweep(lambda **new: m.qp(**change(dci, **new)), lambda h: m.destroy(DESTROY_QP, h), (
        ("receives of a DCI", "EINVAL", {"rq": 64}),
        ("a DCI without UAR", "EOPNOTSUPP", {"flags": DCI}),
        ("a DCI that is a DCT", "EOPNOTSUPP", {"flags": UAR | DCI | DCT}),
        ("an access key of a DCI", "EOPNOTSUPP", {"sq_buf": 1}),
        ("streams without their flag", "EOPNOTSUPP", {"stream": 1}),
        ("2^25 streams", "EINVAL", {"flags": UAR | DCI | STREAM, "stream": 25}),
        ("2^25 streams in error", "EINVAL", {"flags": UAR | DCI | STREAM, "errored": 25})))
    m.destroy(DESTROY_QP, m.qp(**change(dci, flags=UAR | DCI | STREAM, stream=1, errored=1)))
    for what, want, new in (
            ("a DCT without SRQ", "EINVAL", {"is_srq": 0}),
            ("a DCT with streams", "EOPNOTSUPP", {"flags": DCT | STREAM}),
            ("user index of 25 bits", "EINVAL", {"uidx": 1 << 24}),
            ("no room for the response", "EINVAL", {"room": 32})):
        fails(what, want, m.qp, **change(dct, **new))
    handle = m.qp(**dct)
    fails("an SRQ in use", "EBUSY", m.destroy, DESTROY_SRQ, srq)
    for command, handle in ((DESTROY_QP, handle), (DESTROY_SRQ, srq), (DESTROY_CQ, cq)):
        m.destroy(command, handle)


def queries(path):
    """Requests of a process about a context that it has imported."""
    m = Maker(path)
    ctx = Context(path)
    fails("a file without context", "EINVAL", ctx.query)
    first = ctx.open(request())
    if ctx.query() != first[:72]:
        tell("QUERY_CONTEXT differs from GET_CONTEXT")
    if ctx.query(200)[72:] != bytes(128):
        tell("QUERY_CONTEXT leaves something behind its response")
    for room in 0, 71:
        fails(f"room for {room} bytes", "EINVAL", ctx.query, room)
    if m.ctx.port(1, 64) != bytes(64):
        tell("QUERY_PORT finds a switch")
    for port in 0, 2, 0xffffffff:
        fails(f"port {port}", "EINVAL", m.ctx.port, port)
    fails("room for 39 bytes", "EINVAL", m.ctx.port, 1, 39)
    if m.ctx.pdn(m.pd) == m.ctx.pdn(m.ctx.pd()):
        tell("two PDs with one number")
    fails("no such PD", "ENOENT", m.ctx.pdn, m.pd + 77)
    fails("no room for its number", "EINVAL", m.ctx.pdn, m.pd, 3)


def left(path):
    """The process ends with objects of all kinds."""
    m = Maker(path)
    m.qp_fields["cq"] = m.cq()
    m.qp(is_srq=1, srq=m.srq(), rq=0)
    m.mr(m.at, PAGE, LW)
    m.mw(2)
    xrcd = m.xrcd()
    m.xsrq(m.qp_fields["cq"], xrcd, buf=m.at + 40 * PAGE)
    m.qp(type=XRC_INI, rq=0)
    m.qp(type=DRIVER, rq=0, flags=UAR | DCI)
    m.pd = xrcd
    m.qp(type=XRC_TGT)
    m.ctx.map(0x500 * PAGE, prot=mmap.PROT_READ)


if __name__ == "__main__":
    globals()[sys.argv[2]](sys.argv[1])
    sys.exit(1 if FAULTS else 0)
