#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The datagrams of ibping through the kernel's own /dev/infiniband/umad0, by GID, which ibping itself does not support.

umad-ping.py serve             answers pings until it is killed
umad-ping.py ping INDEX ADDRESS COUNT TIMEOUT
                               pings from the GID of that index, and prints the name in each answer; TIMEOUT in ms for each answer
"""
import fcntl
import os
import socket
import struct
import sys

PING_CLASS, CLASS_VERSION, GET, GET_RESPONSE = 0x32, 1, 0x01, 0x81
OUI = bytes([0x00, 0x14, 0x05])
GSI_QKEY = 0x80010000
REGISTER_AGENT = 3 << 30 | 28 << 16 | 0x1b << 8 | 1      # _IOWR(0x1b, 1, struct ib_user_mad_reg_req)
ENABLE_PKEY = 0x1b << 8 | 3                              # _IO(0x1b, 3)
HEADER = '=5I2I HBB BBBB 16s I H6x'                      # struct ib_user_mad_hdr, its wire fields swapped below


def register(device, methods):
    fcntl.ioctl(device, ENABLE_PKEY)
    request = bytearray(struct.pack('=I4I3B3sBx', 0, methods, 0, 0, 0, 1, PING_CLASS, CLASS_VERSION, OUI, 0))
    fcntl.ioctl(device, REGISTER_AGENT, request)
    return struct.unpack_from('=I', request)[0]


def header(agent, index, gid, timeout_ms):
    return struct.pack(HEADER, agent, 0, timeout_ms, 0, 256, socket.htonl(1), socket.htonl(GSI_QKEY), 0, 0, 0,
                       1, index, 64, 0, gid, 0, 0)


def serve(device):
    agent = register(device, 1 << GET)
    print('serving', flush=True)
    while True:
        packet = os.read(device, 64 + 256)
        index, gid, mad = packet[33], packet[36:52], bytearray(packet[64:])
        mad[3] = GET_RESPONSE
        mad[40:] = socket.gethostname().encode().ljust(216, b'\0')
        os.write(device, header(agent, index, gid, 0) + mad)


def ping(device, index, address, count, timeout_ms):
    agent = register(device, 0)
    if ':' in address:
        gid = socket.inet_pton(socket.AF_INET6, address)
    else:
        gid = bytes(10) + b'\xff\xff' + socket.inet_aton(address)
    for number in range(1, count + 1):
        mad = bytearray(256)
        struct.pack_into('>BBBB4xQ', mad, 0, 1, PING_CLASS, CLASS_VERSION, GET, number)
        mad[37:40] = OUI
        os.write(device, header(agent, index, gid, timeout_ms) + mad)
        packet = os.read(device, 64 + 256)
        status = struct.unpack_from('=I', packet, 4)[0]
        if status or packet[64 + 3] != GET_RESPONSE:
            sys.exit('no answer: status %d' % status)
        print('Pong from', packet[64 + 40:].split(b'\0')[0].decode(), flush=True)


def main():
    device = os.open('/dev/infiniband/umad0', os.O_RDWR)
    if sys.argv[1] == 'serve':
        serve(device)
    ping(device, int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))


main()
