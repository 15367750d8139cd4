#!/usr/bin/env python3
"""An end of an iWARP connection on the guest's siw, driven from outside by GuestResponder and GuestInitiator of org.softrdma.interop.app.

  siw-peer.py     listens on TCP port 18601 and prints "listening"

Each control connection creates one such end; json_peer.py describes its protocol. Bytes are hexadecimal text.
"""
import time

import json_peer
import pyverbs.cm_enums as ce
import pyverbs.enums as e
from pyverbs.cmid import AddrInfo, CMEvent, CMEventChannel, CMID, ConnParam
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import SendWR, SGE

TCP_PORT = 18601
REMOTE = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ
READS = 4


def attributes(cq=None):
    cap = QPCap(max_send_wr=4, max_recv_wr=8, max_send_sge=1, max_recv_sge=1)
    return QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap)


def parameters():
    return ConnParam(resources=READS, depth=READS)


class Peer:
    """One listener and one connection accepted by it, or one connection initiated by this end."""
    listener = None

    def op_listen(self, r):
        info = AddrInfo(src=r["address"], src_service=str(r["port"]), port_space=ce.RDMA_PS_TCP, flags=ce.RAI_PASSIVE)
        self.listener = CMID(creator=info, qp_init_attr=attributes())
        self.listener.listen()

    def op_accept(self, r):
        """Waits for a request, posts "receives" receives of "bytes" bytes and accepts; returns keys and addresses of the regions."""
        self.id = self.listener.get_request()
        answer = self.prepare(r)
        self.id.accept(parameters())
        return answer

    def op_refuse(self, r):
        """Waits for a request and rejects it."""
        self.listener.get_request().reject(bytes.fromhex(r["data"]))

    def op_connect(self, r):
        """Initiates a connection with a queue pair of its own; returns the resulting event and its private data."""
        self.channel = CMEventChannel()
        self.caller = CMID(creator=self.channel, port_space=ce.RDMA_PS_TCP)
        self.caller.resolve_addr(AddrInfo(dst=r["address"], dst_service=str(r["port"]), port_space=ce.RDMA_PS_TCP))
        self.event()
        self.caller.resolve_route()
        self.event()
        device = Context(cmid=self.caller)
        pd = PD(device)
        self.cq = CQ(device, 8)
        self.qp = QP(pd, attributes(self.cq))
        self.qp.modify(*self.caller.init_qp_attr(e.IBV_QPS_INIT))
        self.memory = MR(pd, r["size"], REMOTE)
        way = parameters()
        way.qpn = self.qp.qp_num
        self.caller.connect(way)
        return self.event()

    def event(self):
        event = CMEvent(self.channel)
        answer = {"event": event.event_str(), "data": bytes(event.private_data).hex()}
        event.ack_cm_event()
        return answer

    def op_event(self, r):
        """Waits for the next event of the initiated connection."""
        return self.event()

    def op_post(self, r):
        """Posts a WRITE, or a SEND that invalidates, on the initiated connection, waits and returns its status."""
        data = bytes.fromhex(r["data"])
        self.memory.write(data, len(data))
        part = SGE(self.memory.buf, len(data), self.memory.lkey)
        wr = SendWR(opcode=r["opcode"], num_sge=1, sg=[part], send_flags=e.IBV_SEND_SIGNALED, imm_data=r["rkey"])
        # The key to invalidate belongs in the field of immediate data and is stored there, but libsiw
        # reads it from the key field of a WRITE.
        wr.set_wr_rdma(r["rkey"], r["address"])
        self.qp.post_send(wr)
        while True:
            got, completions = self.cq.poll(1)
            if got:
                return completions[0].status
            time.sleep(0.001)

    def prepare(self, r):
        self.into = [self.id.reg_msgs(r["bytes"]) for _ in range(r["receives"])]
        for each in self.into:
            self.id.post_recv(each)
        self.writable = self.id.reg_write(r["size"])
        self.regions = {"writable": self.writable, "second": self.id.reg_write(r["size"]), "readable": self.id.reg_read(r["size"]),
                        "foreign": MR(PD(Context(name="siw0")), r["size"], REMOTE), "last": (self.into or [self.writable])[-1]}
        return {name: {"rkey": mr.rkey, "address": mr.buf} for name, mr in self.regions.items()}

    def op_receives(self, r):
        """Returns the statuses of all receives. The connection has ended, so none of them blocks."""
        return [self.id.get_recv_comp().status for _ in self.into]

    def op_receive(self, r):
        """Waits for the first receive; returns its completion and its data."""
        wc = self.id.get_recv_comp()
        return {"status": wc.status, "data": self.into[0].read(wc.byte_len, 0).hex()}

    def op_written(self, r):
        """Returns the contents of the writable region."""
        return self.writable.read(self.writable.length, 0).hex()

    def op_read(self, r):
        """Posts a READ of "bytes" bytes; the peer chooses the data."""
        self.id.post_read(self.writable, r["bytes"], 0, 0, e.IBV_SEND_SIGNALED)

    def op_readStatus(self, r):
        """Waits for the completion of the READ."""
        return self.id.get_send_comp().status

    def op_close(self, r):
        if self.listener:
            self.listener.close()


json_peer.listen(TCP_PORT, Peer)
