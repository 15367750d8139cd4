# SPDX-License-Identifier: Apache-2.0
"""Accepts whatever a kernel's server registers with the port mapper of its host, so that nfsd starts without rpcbind. Nothing is kept."""
import socket
import struct
import threading

PORT = 111
LAST_FRAGMENT = 0x80000000
# After the XID: a reply, accepted, an empty verifier, success, true.
ACCEPTED = struct.pack(">6I", 1, 0, 0, 0, 0, 1)


def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def serve(connection):
    try:
        while True:
            length = struct.unpack(">I", receive(connection, 4))[0] & ~LAST_FRAGMENT
            reply = receive(connection, length)[:4] + ACCEPTED
            connection.sendall(struct.pack(">I", LAST_FRAGMENT | len(reply)) + reply)
    except (EOFError, OSError):
        connection.close()


def main():
    listener = socket.create_server(("127.0.0.1", PORT))
    print("listening", flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


main()
