#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command under a seccomp filter that refuses what the default profiles of Docker, Podman or containerd refuse, on x86-64.

A call is refused if one of the three refuses it to a process without capabilities; of the refused calls, those are listed that a JVM or
softrdma might use or that act on other processes. clone3 fails with ENOSYS, as with Docker, the others with EPERM.
"""
import ctypes
import os
import struct
import sys

ALLOW, ERRNO = 0x7fff0000, 0x00050000
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
REFUSED = {'clone3': 435, 'process_vm_readv': 310, 'process_vm_writev': 311, 'ptrace': 101, 'kcmp': 312, 'pidfd_getfd': 438,
           'process_madvise': 440, 'unshare': 272, 'setns': 308, 'mount': 165, 'umount2': 166, 'pivot_root': 155, 'chroot': 161,
           'bpf': 321, 'perf_event_open': 298, 'userfaultfd': 323, 'io_uring_setup': 425, 'io_uring_enter': 426,
           'io_uring_register': 427, 'keyctl': 250, 'add_key': 248, 'request_key': 249, 'mbind': 237, 'set_mempolicy': 238,
           'get_mempolicy': 239, 'move_pages': 279, 'quotactl': 179, 'syslog': 103, 'open_by_handle_at': 304}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


def instruction(code, k, on_true=0, on_false=0):
    return struct.pack('=HBBI', code, on_true, on_false, k)


filter_program = instruction(LOAD, 0)
for name, number in REFUSED.items():
    filter_program += instruction(JUMP_EQUAL, number, 0, 1) + instruction(RETURN, ERRNO | (38 if name == 'clone3' else 1))
filter_program += instruction(RETURN, ALLOW)

program = ctypes.create_string_buffer(filter_program, len(filter_program))
argument = ctypes.create_string_buffer(struct.pack('=HxxxxxxQ', len(filter_program) // 8, ctypes.addressof(program)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, argument, 0, 0):
    sys.exit('seccomp: errno %d' % ctypes.get_errno())
os.execvp(sys.argv[1], sys.argv[1:])
