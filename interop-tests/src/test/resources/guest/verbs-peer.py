#!/usr/bin/env python3
"""A queue pair of the guest's kernel, driven from outside: the peer of org.softrdma.interop.app.

  verbs-peer.py     listens on TCP port 18600 and prints "listening"

Each control connection creates one queue pair; json_peer.py describes its protocol. Immediate data is the number formed by its four
bytes in network order. Bytes are hexadecimal text.
"""
import socket
import time

import json_peer
import pyverbs.cm_enums as ce
import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cmid import AddrInfo, CMEvent, CMEventChannel, CMID
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import RecvWR, SendWR, SGE

TCP_PORT = 18600
STATES = ["RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"]
WITH_IMM = (e.IBV_WR_SEND_WITH_IMM, e.IBV_WR_RDMA_WRITE_WITH_IMM)
RDMA = (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_WRITE_WITH_IMM, e.IBV_WR_RDMA_READ)
SERVICES = {"RC": e.IBV_QPT_RC, "UC": e.IBV_QPT_UC, "UD": e.IBV_QPT_UD}
FLUSH, ATOMIC_WRITE = 14, 15
MULTICAST_QPN = 0xffffff
GRH = 40
ACCESS_FLUSH_GLOBAL = 1 << 8      # named in later releases only
ATOMIC = (e.IBV_WR_ATOMIC_CMP_AND_SWP, e.IBV_WR_ATOMIC_FETCH_AND_ADD)


class Peer:
    """A queue pair, one region of "size" bytes, and the objects created by requests."""

    def op_open(self, r):
        """Creates the queue pair; returns its address, keys and first PSN."""
        self.settings = r
        self.ctx = Context(name="rxe0")
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 512)
        self.mr = MR(self.pd, r["size"], r["regionAccess"])
        self.mr.write(bytes(r["size"]), r["size"])
        cap = QPCap(max_send_wr=128, max_recv_wr=128, max_send_sge=4, max_recv_sge=4, max_inline_data=r["inline"])
        self.srq = SRQ(self.pd, SrqInitAttr(SrqAttr(max_wr=r["srq"], max_sge=4))) if r["srq"] else None
        self.extended = bool(r["qpAccess"] & ACCESS_FLUSH_GLOBAL)
        service = SERVICES[r["service"]]
        if self.extended:
            ops = e.IBV_QP_EX_WITH_FLUSH | e.IBV_QP_EX_WITH_ATOMIC_WRITE | e.IBV_QP_EX_WITH_RDMA_WRITE
            self.qp = QPEx(self.ctx, QPInitAttrEx(
                qp_type=service, scq=self.cq, rcq=self.cq, cap=cap, sq_sig_all=0, pd=self.pd, send_ops_flags=ops,
                comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
        else:
            self.qp = QP(self.pd, QPInitAttr(qp_type=service, scq=self.cq, rcq=self.cq, srq=self.srq, cap=cap, sq_sig_all=0))
        self.windows, self.type_one, self.foreign = [], None, None
        self.handles, self.member = [], None
        gid = self.ctx.query_gid(port_num=1, index=r["gidIndex"]).gid
        gid = gid.replace(":", "") if isinstance(gid, str) else bytes(gid).hex()
        return {"qpn": self.qp.qp_num, "gid": gid, "address": self.mr.buf, "rkey": self.mr.rkey, "lkey": self.mr.lkey}

    def op_connect(self, r):
        """Moves the queue pair from RESET to RTS."""
        s = self.settings
        self.peer = r
        attr = QPAttr(port_num=1)
        if s["service"] == "UD":
            attr.qkey, attr.sq_psn = s["qkey"], s["psn"]
            self.qp.to_rts(attr)
            return
        attr.qp_access_flags = s["qpAccess"]
        attr.path_mtu = s["mtu"]
        attr.dest_qp_num = r["qpn"]
        attr.rq_psn, attr.sq_psn = r["psn"], s["psn"]
        attr.ah_attr = self.way_to(r["gid"])
        attr.timeout, attr.retry_cnt, attr.rnr_retry = s["timeout"], s["retryCount"], s["rnrRetry"]
        attr.min_rnr_timer = s["minRnrTimer"]
        attr.max_rd_atomic, attr.max_dest_rd_atomic = s["maxRdAtomic"], s["maxDestRdAtomic"]
        self.qp.to_rts(attr)

    def way_to(self, gid):
        groups = ":".join(gid[i:i + 4] for i in range(0, 32, 4))
        route = GlobalRoute(dgid=GID(groups), sgid_index=self.settings["gidIndex"], hop_limit=64)
        return AHAttr(gr=route, is_global=1, port_num=1)

    def op_fill(self, r):
        data = bytes.fromhex(r["data"])
        self.mr.write(data, len(data), r["offset"])

    def op_bytes(self, r):
        return self.mr.read(r["length"], r["offset"]).hex()

    def sges(self, r):
        lkey = r.get("lkey", self.mr.lkey)
        # pyverbs requires an element; one of 0 bytes is equivalent to none.
        return [SGE(self.mr.buf + offset, length, lkey) for offset, length in r["sges"] or [(0, 0)]]

    def op_receive(self, r):
        sges = self.sges(r)
        (self.srq or self.qp).post_recv(RecvWR(wr_id=r["wrId"], num_sge=len(sges), sg=sges))

    def op_post(self, r):
        opcode, sges = r["opcode"], self.sges(r)
        if self.extended:
            self.post_extended(r, sges)
            return
        imm = r["immediate"]
        wr = SendWR(wr_id=r["wrId"], opcode=opcode, num_sge=len(sges), sg=sges, send_flags=r["flags"],
                    imm_data=socket.htonl(imm) if opcode in WITH_IMM else imm)
        if opcode in RDMA:
            wr.set_wr_rdma(r["rkey"], r["address"])
        elif opcode in ATOMIC:
            wr.set_wr_atomic(r["rkey"], r["address"], r["compareAdd"], r["swap"])
        if self.settings["service"] == "UD":
            pd = PD(self.ctx) if r["foreignHandle"] else self.pd
            handle = AH(pd, attr=self.way_to(r["group"] or self.peer["gid"]))
            self.handles += [handle, pd]
            wr.set_wr_ud(handle, MULTICAST_QPN if r["group"] else self.peer["qpn"], r["qkey"])
        self.qp.post_send(wr)

    def post_extended(self, r, sges):
        """Posts a WRITE, FLUSH or ATOMIC WRITE with the calls of later releases."""
        self.qp.wr_start()
        self.qp.wr_id, self.qp.wr_flags = r["wrId"], r["flags"]
        if r["opcode"] == FLUSH:
            self.qp.wr_flush(r["rkey"], r["address"], r["flushed"], e.IBV_FLUSH_GLOBAL, e.IBV_FLUSH_RANGE)
        elif r["opcode"] == ATOMIC_WRITE:
            offset, length = r["sges"][0]
            self.qp.wr_atomic_write(r["rkey"], r["address"], self.mr.read(length, offset))
        else:
            self.qp.wr_rdma_write(r["rkey"], r["address"])
            self.qp.wr_set_sge_list(len(sges), sges)
        self.qp.wr_complete()

    def op_completions(self, r):
        """Returns up to "count" completions; fewer after the timeout."""
        found, end = [], time.monotonic() + r["seconds"]
        while len(found) < r["count"]:
            got, completions = self.cq.poll(r["count"] - len(found))
            for wc in completions[:got]:
                found.append({"wrId": wc.wr_id, "status": wc.status, "opcode": wc.opcode, "bytes": wc.byte_len,
                              "immediate": socket.ntohl(wc.imm_data), "raw": wc.imm_data, "flags": wc.wc_flags,
                              "source": wc.src_qp})
            if not got:
                if time.monotonic() >= end:
                    break
                time.sleep(0.001)   # leaves the processor to rxe's own work
        return found

    def op_bind(self, r):
        """Allocates a type 2 window and binds it; returns its key."""
        window = MW(self.pd, e.IBV_MW_TYPE_2)
        wr = SendWR(opcode=e.IBV_WR_BIND_MW, wr_id=r["wrId"], send_flags=e.IBV_SEND_SIGNALED)
        wr.set_bind_wr(window, MWBindInfo(self.mr, self.mr.buf + r["offset"], r["length"], r["access"]))
        self.qp.post_send(wr)
        self.windows.append(window)
        # The bind uses the next key; pyverbs still returns the previous one.
        return (window.rkey & ~0xff) | ((window.rkey + 1) & 0xff)

    def op_bindTypeOne(self, r):
        """Binds the one type 1 window, or with length 0 ends its binding; returns its key."""
        if not self.type_one:
            self.type_one = MW(self.pd, e.IBV_MW_TYPE_1)
            self.windows.append(self.type_one)
        info = MWBindInfo(self.mr, self.mr.buf + r["offset"], r["length"], r["access"])
        self.qp.bind_mw(self.type_one, MWBind(info, e.IBV_SEND_SIGNALED, r["wrId"]))
        return self.type_one.rkey

    def op_join(self, r):
        """Joins a group through the connection manager, which also joins it in the host's IP stack, and posts one receive."""
        channel = CMEventChannel()
        member = CMID(creator=channel, port_space=ce.RDMA_PS_UDP)
        member.bind_addr(AddrInfo(src=r["from"], flags=ce.RAI_PASSIVE | ce.RAI_NUMERICHOST, port_space=ce.RDMA_PS_UDP))
        member.create_qp(QPInitAttr(qp_type=e.IBV_QPT_UD, cap=QPCap(max_send_wr=1, max_recv_wr=4)))
        self.group_memory = member.reg_msgs(GRH + 4096)
        member.join_multicast(addr=AddrInfo(src=r["group"], port_space=ce.RDMA_PS_UDP))
        event = CMEvent(channel)
        if event.event_type != ce.RDMA_CM_EVENT_MULTICAST_JOIN:
            raise RuntimeError(event.event_str())
        event.ack_cm_event()
        member.post_recv(self.group_memory)
        self.channel, self.member = channel, member

    def op_fromGroup(self, r):
        """Waits for a datagram sent to the group."""
        wc = self.member.get_recv_comp()
        if wc.status != e.IBV_WC_SUCCESS:
            raise RuntimeError("status %d" % wc.status)
        return {"source": wc.src_qp, "immediate": socket.ntohl(wc.imm_data),
                "payload": self.group_memory.read(wc.byte_len - GRH, GRH).hex()}

    def op_foreign(self, r):
        """Returns the key of an equal region in another protection domain."""
        self.foreign_pd = PD(self.ctx)
        self.foreign = MR(self.foreign_pd, r["size"], self.settings["regionAccess"])
        return {"rkey": self.foreign.rkey, "address": self.foreign.buf}

    def op_deregister(self, r):
        self.mr.close()

    def op_state(self, r):
        attr, _ = self.qp.query(e.IBV_QP_STATE)
        return STATES[attr.qp_state]

    def op_raw(self, r):
        """Sends one datagram from 10.77.0.x, without IP ID, past rxe."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.setsockopt(socket.SOL_IP, 10, 2)       # IP_MTU_DISCOVER, IP_PMTUDISC_DO
            sock.bind((r["from"], r["port"]))
            sock.sendto(bytes.fromhex(r["packet"]), (r["to"], 4791))

    def op_close(self, r):
        for window in self.windows:     # a queue pair with a bound window cannot be destroyed
            window.close()
        if self.member:
            self.group_memory.close()
            self.member.close()
        for handle in self.handles:     # address handles before their protection domain
            if handle is not self.pd:
                handle.close()
        self.qp.close()
        if self.srq:
            self.srq.close()


json_peer.listen(TCP_PORT, Peer)
