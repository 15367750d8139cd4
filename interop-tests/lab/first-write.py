#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A text written into the memory of another process, with rdma-core's Python binding. first-write.cpp does the same.

  first-write.py ADDRESS PORT         server, for one client
  first-write.py ADDRESS PORT TEXT    client
"""
import struct
import sys

import pyverbs.cm_enums as ce
import pyverbs.enums as e
from pyverbs.cmid import CMID, AddrInfo
from pyverbs.qp import QPCap, QPInitAttr

TEXT_BYTES = 64
# Address and key of the memory, in network byte order.
OFFER = struct.Struct("!QI")


def attributes():
    return QPInitAttr(cap=QPCap(max_send_wr=2, max_recv_wr=2))


def await_completion(wc, what):
    if wc.status != e.IBV_WC_SUCCESS:
        raise RuntimeError(f"{what}: {wc}")


def receive(cmid):
    await_completion(cmid.get_recv_comp(), "receive")


def send(cmid, mr, length):
    cmid.post_send(mr, e.IBV_SEND_SIGNALED, length)
    await_completion(cmid.get_send_comp(), "send")


def serve(address, port):
    with CMID(creator=AddrInfo(src=address, src_service=port, port_space=ce.RDMA_PS_TCP, flags=ce.RAI_PASSIVE),
              qp_init_attr=attributes()) as listener:
        listener.listen()
        client = listener.get_request()
        text, done, offer = client.reg_write(TEXT_BYTES), client.reg_msgs(1), client.reg_msgs(OFFER.size)
        offer.write(OFFER.pack(text.buf, text.rkey), OFFER.size)
        client.post_recv(done)
        client.accept()
        send(client, offer, OFFER.size)
        receive(client)
        print("written here:", text.read(TEXT_BYTES, 0).rstrip(b"\0").decode(), flush=True)
        client.disconnect()
        client.close()


def ask(address, port, words):
    with CMID(creator=AddrInfo(dst=address, dst_service=port, port_space=ce.RDMA_PS_TCP), qp_init_attr=attributes()) as server:
        text, done, offer = server.reg_msgs(TEXT_BYTES), server.reg_msgs(1), server.reg_msgs(OFFER.size)
        words = words.encode()[:TEXT_BYTES - 1]
        text.write(words.ljust(TEXT_BYTES, b"\0"), TEXT_BYTES)
        server.post_recv(offer)
        server.connect()
        receive(server)
        remote, rkey = OFFER.unpack(offer.read(OFFER.size, 0))
        server.post_write(text, TEXT_BYTES, remote, rkey, e.IBV_SEND_SIGNALED)
        await_completion(server.get_send_comp(), "write")
        send(server, done, 1)
        server.disconnect()


if len(sys.argv) == 3:
    serve(sys.argv[1], sys.argv[2])
elif len(sys.argv) == 4:
    ask(sys.argv[1], sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__)
