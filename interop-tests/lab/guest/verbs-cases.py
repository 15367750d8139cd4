#!/usr/bin/env python3
"""One verbs exchange between two guests, for recording the packets of kernel rxe.

  verbs-cases.py CASE GID_INDEX                  the server: prints "listening", then serves one client
  verbs-cases.py CASE GID_INDEX SERVER_ADDRESS   the client
  verbs-cases.py --list

Both sides print the keys, addresses and numbers needed to read the capture. Queue pair parameters: path MTU 1024,
timeout 14 (67 ms), RNR timer 12 (0.64 ms), retry counts 7 (2 where a case must exhaust them), client's first PSN 0x123456, server's 0xabcdef, UD Q_Key 0x11111111.
Payload byte i is i % 251 from the client, 255 - i % 251 from the server.
"""
import json
import socket
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SendWR, SGE

TCP_PORT = 18600
SIZE = 65536
QKEY = 0x11111111
IMM = 0xdeadbeef
ACCESS = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ |
          e.IBV_ACCESS_REMOTE_ATOMIC)
CLIENT_PSN, SERVER_PSN = 0x123456, 0xabcdef


class Side:
    """A queue pair, a buffer, and a TCP connection to the other side."""

    def __init__(self, stream, is_client, gid_index, qp_type=e.IBV_QPT_RC, mtu=e.IBV_MTU_1024,
                 sq_psn=None, rq_psn=None, retries=7):
        self.stream, self.is_client, self.qp_type = stream, is_client, qp_type
        self.ctx = Context(name="rxe0")
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 64)
        self.mr = MR(self.pd, SIZE, ACCESS | e.IBV_ACCESS_MW_BIND)
        self.mr.write(bytes((i % 251) if is_client else (255 - i % 251) for i in range(SIZE)), SIZE)
        cap = QPCap(max_send_wr=64, max_recv_wr=64, max_send_sge=2, max_recv_sge=2)
        self.qp = QP(self.pd, QPInitAttr(qp_type=qp_type, scq=self.cq, rcq=self.cq, cap=cap, sq_sig_all=1))
        mine, other = (CLIENT_PSN, SERVER_PSN) if is_client else (SERVER_PSN, CLIENT_PSN)
        mine = mine if sq_psn is None else sq_psn
        gid = self.ctx.query_gid(port_num=1, index=gid_index).gid
        self.me = {"qpn": self.qp.qp_num, "psn": mine, "gid": gid, "addr": self.mr.buf, "rkey": self.mr.rkey}
        self.peer = self.swap(self.me)
        if is_client:
            print("client", self.me, "\nserver", self.peer, flush=True)

        route = GlobalRoute(dgid=GID(self.peer["gid"]), sgid_index=gid_index, hop_limit=64)
        self.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        attr = QPAttr(port_num=1)
        if qp_type == e.IBV_QPT_UD:
            attr.qkey = QKEY
            attr.sq_psn = mine
        else:
            attr.qp_access_flags = ACCESS
            attr.path_mtu = mtu
            attr.dest_qp_num = self.peer["qpn"]
            attr.rq_psn = self.peer["psn"] if rq_psn is None else rq_psn
            attr.sq_psn = mine
            attr.ah_attr = self.ah_attr
            attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer = 14, retries, 7, 12
            attr.max_rd_atomic = attr.max_dest_rd_atomic = 16
        self.qp.to_rts(attr)
        self.meet()

    def swap(self, value):
        self.stream.write((json.dumps(value) + "\n").encode())
        return json.loads(self.stream.readline())

    def meet(self):
        """Waits until both sides have reached this point."""
        self.swap("here")

    def recv(self, length=SIZE, offset=0):
        self.qp.post_recv(RecvWR(num_sge=1, sg=[SGE(self.mr.buf + offset, length, self.mr.lkey)]))

    def post(self, opcode, length, imm=0, flags=0, rdma=None, atomic=None, ud=None):
        wr = SendWR(opcode=opcode, num_sge=1, sg=[SGE(self.mr.buf, length, self.mr.lkey)], imm_data=imm,
                    send_flags=e.IBV_SEND_SIGNALED | flags)
        if rdma:
            wr.set_wr_rdma(*rdma)
        if atomic:
            wr.set_wr_atomic(*atomic)
        if ud:
            wr.set_wr_ud(*ud)
        self.qp.post_send(wr)

    def done(self, count=1, seconds=10):
        """Waits for completions and prints them."""
        end = time.monotonic() + seconds
        while count:
            got, completions = self.cq.poll(1)
            for wc in completions[:got]:
                print("client" if self.is_client else "server", "completion: status", wc.status, "opcode", wc.opcode,
                      "bytes", wc.byte_len, "imm", hex(socket.ntohl(wc.imm_data)), "flags", wc.wc_flags, flush=True)
                count -= 1
            if time.monotonic() > end:
                raise SystemExit("no completion in time")

    def remote(self):
        return self.peer["rkey"], self.peer["addr"]


def simple(opcode, length, imm=0, recv=False, rdma=True, flags=0, **qp):
    """The client posts one request; the server receives it when it consumes a receive."""
    def run(stream, client, gid_index):
        s = Side(stream, client, gid_index, **qp)
        if not client and recv:
            s.recv()
        s.meet()
        if client:
            s.post(opcode, length, imm=imm, flags=flags, rdma=s.remote() if rdma else None)
            s.done()
        elif recv:
            s.done()
        s.meet()
    return run


def several(stream, client, gid_index):
    """Three SENDs posted back to back, the last one solicited; then one SEND from the server."""
    s = Side(stream, client, gid_index)
    for _ in range(3):
        s.recv(4096)
    s.meet()
    if client:
        for i in range(3):
            s.post(e.IBV_WR_SEND, 100 + i, flags=e.IBV_SEND_SOLICITED if i == 2 else 0)
        s.done(4)
    else:
        s.done(3)
        s.post(e.IBV_WR_SEND, 7)
        s.done(1)
    s.meet()


def send_inv(stream, client, gid_index):
    """The server binds a type 2 memory window; the client writes through it, then invalidates it with a SEND, then
    writes again and is refused."""
    s = Side(stream, client, gid_index)
    window = 0
    if not client:
        mw = MW(s.pd, e.IBV_MW_TYPE_2)
        info = MWBindInfo(s.mr, s.mr.buf, SIZE, ACCESS & ~e.IBV_ACCESS_LOCAL_WRITE)
        wr = SendWR(opcode=e.IBV_WR_BIND_MW)
        wr.set_bind_wr(mw, info)
        s.qp.post_send(wr)
        s.done()
        # The bind used the next key; pyverbs still returns the previous one.
        window = (mw.rkey & ~0xff) | ((mw.rkey + 1) & 0xff)
        s.recv()
    window = max(window, s.swap(window))
    print("window rkey", hex(window), flush=True)
    if client:
        s.post(e.IBV_WR_RDMA_WRITE, 64, rdma=(window, s.peer["addr"]))
        s.done()
        s.post(e.IBV_WR_SEND_WITH_INV, 33, imm=window)
        s.done()
        s.post(e.IBV_WR_RDMA_WRITE, 64, rdma=(window, s.peer["addr"]))
        s.done()
    else:
        s.done()
    s.meet()


def atomic(opcode, first, second):
    def run(stream, client, gid_index):
        s = Side(stream, client, gid_index)
        if not client:
            s.mr.write(bytes.fromhex("8877665544332211"), 8)     # 0x1122334455667788 on a little-endian machine
        s.meet()
        if client:
            s.post(opcode, 8, atomic=(*s.remote(), first, second))
            s.done()
            print("old value", s.mr.read(8, 0).hex(), flush=True)
        s.meet()
        if not client:
            print("server memory", s.mr.read(8, 0).hex(), flush=True)
    return run


def rnr(stream, client, gid_index):
    """SEND before the server has a receive: RNR NAKs until it posts one, 30 ms later."""
    s = Side(stream, client, gid_index)
    s.meet()
    if client:
        s.post(e.IBV_WR_SEND, 33)
        s.done()
    else:
        time.sleep(0.03)
        s.recv()
        s.done()
    s.meet()


def bad_key(opcode):
    def run(stream, client, gid_index):
        s = Side(stream, client, gid_index)
        if client:
            rkey, addr = s.remote()
            s.post(opcode, 64, rdma=(rkey ^ 0xff, addr))
            s.done()
        s.meet()
    return run


def too_long(stream, client, gid_index):
    """A SEND of 2500 bytes into a receive of 100."""
    s = Side(stream, client, gid_index)
    if not client:
        s.recv(100)
    s.meet()
    if client:
        s.post(e.IBV_WR_SEND, 2500)
    s.done()
    s.meet()


def psn_gap(stream, client, gid_index):
    """The client's first PSN is 5 ahead of what the server expects: NAK PSN sequence error, then retries
    until the retry count is exhausted."""
    s = Side(stream, client, gid_index, sq_psn=CLIENT_PSN, rq_psn=None if client else CLIENT_PSN - 5, retries=2)
    if not client:
        s.recv()
    s.meet()
    if client:
        s.post(e.IBV_WR_SEND, 33)
        s.done(seconds=20)
    s.meet()


def psn_wrap(stream, client, gid_index):
    """A WRITE of five packets whose PSNs wrap at 0xffffff, then a READ of five packets."""
    s = Side(stream, client, gid_index, sq_psn=0xfffffe if client else None)
    if client:
        s.post(e.IBV_WR_RDMA_WRITE, 5000, rdma=s.remote())
        s.done()
        s.post(e.IBV_WR_RDMA_READ, 5000, rdma=s.remote())
        s.done()
    s.meet()


def dead_peer(stream, client, gid_index):
    """The server destroys its queue pair; the client's SEND is retried until the retry count is exhausted."""
    s = Side(stream, client, gid_index, retries=2)
    if not client:
        s.qp.close()
    s.meet()
    if client:
        s.post(e.IBV_WR_SEND, 33)
        s.done(seconds=30)
    s.meet()


def ud(opcode, length, imm=0):
    def run(stream, client, gid_index):
        s = Side(stream, client, gid_index, qp_type=e.IBV_QPT_UD)
        if not client:
            s.recv()
        s.meet()
        if client:
            s.post(opcode, length, imm=imm, flags=e.IBV_SEND_SOLICITED,
                   ud=(AH(s.pd, attr=s.ah_attr), s.peer["qpn"], QKEY))
        s.done()
        if not client:
            print("grh", s.mr.read(40, 0).hex(), flush=True)
        s.meet()
    return run


BE_IMM = socket.htonl(IMM)
UC = {"qp_type": e.IBV_QPT_UC}
CASES = {
    "rc-send-0": simple(e.IBV_WR_SEND, 0, recv=True, rdma=False),
    "rc-send-2500": simple(e.IBV_WR_SEND, 2500, recv=True, rdma=False),
    "rc-send-several": several,
    "rc-send-imm": simple(e.IBV_WR_SEND_WITH_IMM, 33, imm=BE_IMM, recv=True, rdma=False),
    "rc-send-imm-3001": simple(e.IBV_WR_SEND_WITH_IMM, 3001, imm=BE_IMM, recv=True, rdma=False),
    "rc-send-inv": send_inv,
    "rc-write-33": simple(e.IBV_WR_RDMA_WRITE, 33),
    "rc-write-2500": simple(e.IBV_WR_RDMA_WRITE, 2500),
    "rc-write-mtu4096": simple(e.IBV_WR_RDMA_WRITE, 10000, mtu=e.IBV_MTU_4096),
    "rc-write-imm": simple(e.IBV_WR_RDMA_WRITE_WITH_IMM, 33, imm=BE_IMM, recv=True),
    "rc-write-imm-2500": simple(e.IBV_WR_RDMA_WRITE_WITH_IMM, 2500, imm=BE_IMM, recv=True),
    "rc-read-33": simple(e.IBV_WR_RDMA_READ, 33),
    "rc-read-2500": simple(e.IBV_WR_RDMA_READ, 2500),
    "rc-read-mtu256": simple(e.IBV_WR_RDMA_READ, 1000, mtu=e.IBV_MTU_256),
    "rc-cmp-swap": atomic(e.IBV_WR_ATOMIC_CMP_AND_SWP, 0x1122334455667788, 0xa1b2c3d4e5f60718),
    "rc-cmp-swap-differs": atomic(e.IBV_WR_ATOMIC_CMP_AND_SWP, 1, 2),
    "rc-fetch-add": atomic(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 0x0102030405060708, 0),
    "rc-nak-rnr": rnr,
    "rc-nak-psn": psn_gap,
    "rc-nak-write-key": bad_key(e.IBV_WR_RDMA_WRITE),
    "rc-nak-read-key": bad_key(e.IBV_WR_RDMA_READ),
    "rc-nak-too-long": too_long,
    "rc-psn-wrap": psn_wrap,
    "rc-dead-peer": dead_peer,
    "uc-send-2500": simple(e.IBV_WR_SEND, 2500, recv=True, rdma=False, **UC),
    "uc-send-imm": simple(e.IBV_WR_SEND_WITH_IMM, 33, imm=BE_IMM, recv=True, rdma=False, **UC),
    "uc-write-2500": simple(e.IBV_WR_RDMA_WRITE, 2500, **UC),
    "uc-write-imm-2500": simple(e.IBV_WR_RDMA_WRITE_WITH_IMM, 2500, imm=BE_IMM, recv=True, **UC),
    "ud-send": ud(e.IBV_WR_SEND, 33),
    "ud-send-imm": ud(e.IBV_WR_SEND_WITH_IMM, 33, imm=BE_IMM),
}


def main(args):
    if args == ["--list"]:
        print("\n".join(CASES))
        return
    case, gid_index, server = CASES[args[0]], int(args[1]), args[2:]
    if server:
        sock = socket.create_connection((server[0], TCP_PORT), 10)
    else:
        listener = socket.create_server(("::", TCP_PORT), family=socket.AF_INET6, dualstack_ipv6=True)
        print("listening", flush=True)
        sock, _ = listener.accept()
    # Binary and unbuffered: a text stream for both directions loses its read-ahead data at a write.
    with sock.makefile("rwb", buffering=0) as stream:
        case(stream, bool(server), gid_index)


main(sys.argv[1:])
