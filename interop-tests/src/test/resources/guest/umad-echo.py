#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Management datagrams of a vendor's class through the system's libibumad, by GID, every byte checked.

umad-echo.py serve DEVICE       returns each request with all bits of its data inverted, until it is killed
umad-echo.py send DEVICE INDEX ADDRESS COUNT
                                sends requests from the GID of that index, checks the answers, and then sends one that nobody answers
"""
import ctypes
import errno
import os
import socket
import struct
import sys

CLASS, VERSION, GET, GET_RESPONSE, UNSERVED = 0x33, 1, 0x01, 0x81, 0x02
OUI = (ctypes.c_uint8 * 3)(0x00, 0x14, 0x06)
HEADER, MAD, DATA = 64, 256, 40
TIMEOUT_MS, SOON_MS = 20000, 100

umad = ctypes.CDLL('libibumad.so.3', use_errno=True)


def checked(result, what):
    if result < 0:
        sys.exit('%s: %d, errno %d' % (what, result, ctypes.get_errno()))
    return result


def open_port(device, methods):
    checked(umad.umad_init(), 'umad_init')
    port = checked(umad.umad_open_port(device.encode(), 1), 'umad_open_port')
    if umad.umad_size() != HEADER:
        sys.exit('the header has %d bytes' % umad.umad_size())
    mask = (ctypes.c_long * 2)(methods, 0)
    return port, checked(umad.umad_register_oui(port, CLASS, 0, OUI, mask), 'umad_register_oui')


def send(port, agent, packet, timeout_ms):
    checked(umad.umad_send(port, agent, packet, MAD, timeout_ms, 0), 'umad_send')


def receive(port, timeout_ms):
    packet, length = ctypes.create_string_buffer(HEADER + MAD), ctypes.c_int(MAD)
    agent = checked(umad.umad_recv(port, packet, ctypes.byref(length), timeout_ms), 'umad_recv')
    return agent, umad.umad_status(packet), packet, length.value


def serve(device):
    port, agent = open_port(device, 1 << GET)
    print('serving', flush=True)
    while True:
        _, status, packet, length = receive(port, -1)
        if status or length != MAD:
            sys.exit('status %d, %d bytes' % (status, length))
        packet[HEADER + 3] = GET_RESPONSE
        packet[HEADER + DATA:HEADER + MAD] = bytes(each ^ 0xff for each in packet.raw[HEADER + DATA:])
        send(port, agent, packet, 0)


def request(index, gid, method, number, data):
    packet = ctypes.create_string_buffer(HEADER + MAD)
    struct.pack_into('>I', packet, 20, 1)                                       # queue pair 1
    struct.pack_into('BBBB', packet, 32, 1, index, 64, 0)                       # with a GID, own index, hop limit
    packet[36:52] = gid
    struct.pack_into('>BBBB4xQ', packet, HEADER, 1, CLASS, VERSION, method, number)
    packet[HEADER + 37:HEADER + 40] = bytes(OUI)
    packet[HEADER + DATA:HEADER + MAD] = data
    return packet


def main_send(device, index, address, count):
    gid = socket.inet_pton(socket.AF_INET6, address) if ':' in address else bytes(10) + b'\xff\xff' + socket.inet_aton(address)
    port, agent = open_port(device, 0)
    for number in range(1, count + 1):
        data = os.urandom(MAD - DATA)
        send(port, agent, request(index, gid, GET, number, data), TIMEOUT_MS)
        answered, status, packet, length = receive(port, -1)
        tid = struct.unpack_from('>Q', packet, HEADER + 8)[0]
        if (answered, status, length, tid & 0xffffffff) != (agent, 0, MAD, number) or packet.raw[36:52] != gid:
            sys.exit('answer of agent %d, status %d, %d bytes, tid %x' % (answered, status, length, tid))
        if packet.raw[HEADER + DATA:] != bytes(each ^ 0xff for each in data):
            sys.exit('wrong data in answer %d' % number)
    send(port, agent, request(index, gid, UNSERVED, 0, bytes(MAD - DATA)), SOON_MS)
    _, status, _, length = receive(port, -1)
    if (status, length) != (errno.ETIMEDOUT, 24):
        sys.exit('a request without answer: status %d, %d bytes' % (status, length))
    checked(umad.umad_unregister(port, agent), 'umad_unregister')
    checked(umad.umad_close_port(port), 'umad_close_port')
    print('%d answers are right' % count)


if sys.argv[1] == 'serve':
    serve(sys.argv[2])
main_send(sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
