"""Control of a program in the guest from outside, over TCP.

One connection is one Peer, in a process of its own. Requests and answers are JSON objects, one per line, alternating: {"op": NAME, ...} is
answered with {"ok": VALUE} or {"error": TEXT}. Each request is executed by the method op_NAME of Peer; "close" is the last request.
"""
import json
import os
import signal
import socket
import sys
import traceback


def serve(sock, peer):
    with sock.makefile("rb") as stream:
        for line in stream:
            request = json.loads(line)
            try:
                answer = {"ok": getattr(peer, "op_" + request["op"])(request)}
            except Exception as problem:
                traceback.print_exc()
                answer = {"error": f"{type(problem).__name__}: {problem}"}
            sock.sendall(json.dumps(answer).encode() + b"\n")
            if request["op"] == "close":
                break


def listen(port, peer_class):
    """Prints "listening" and serves connections; never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)       # children are reaped automatically
    listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
    print("listening", flush=True)
    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if os.fork() == 0:
            listener.close()
            serve(sock, peer_class())
            sock.close()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        sock.close()
