// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.DescriptorRange;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.NetlinkSocket;
import org.softrdma.linux.process.Notification;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.linux.process.SeccompFilter;
import org.softrdma.verbs.Errno;

/**
 * Sockets of the netlink family RDMA: the program has a socket of the family that programs use among themselves, and what it sends is
 * answered from here. Everything but sending is native. One thread.
 */
final class NetlinkCalls {
    /** Longest request; those of libraries have fewer than 100 bytes. */
    private static final int MAX_BYTES = 4096;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOCK_NONBLOCK = 0x800;
    /** struct msghdr: vector and number of its elements. */
    private static final int MSG_VECTOR = 16;
    private static final int MSG_COUNT = 24;
    private static final int MSG_BYTES = 56;

    private final Supervisor supervisor;
    private final ProgramFiles programs;
    private final MemorySegment bytes = Arena.ofAuto().allocate(MAX_BYTES, 8);

    NetlinkCalls(Supervisor supervisor, ProgramFiles programs) {
        this.supervisor = supervisor;
        this.programs = programs;
    }

    /** Answers socket(2): family and protocol were examined by the filter. */
    void socket(Notification call) {
        DescriptorRange numbers = supervisor.numbers().netlink();
        int number = ProcessInfo.freeNumber(call.tid(), numbers.first(), numbers.end());
        int made = number < 0 ? -Errno.EMFILE.value() : NetlinkSocket.open();
        if (made < 0) {
            supervisor.answer(call.id(), number < 0 ? made : -SeccompFilter.EPROTONOSUPPORT);
            return;
        }
        try {
            int type = call.intArgument(1);
            if ((type & SOCK_NONBLOCK) != 0) {
                Descriptors.setNonBlocking(made);
            }
            int result = supervisor.answerWithNumber(call.id(), made, number, (type & SOCK_CLOEXEC) != 0);
            if (result < 0) {
                supervisor.answer(call.id(), result);
            }
        } finally {
            LinuxSockets.close(made);
        }
    }

    void sendto(Notification call) {
        send(call, call.argument(1), call.argument(2));
    }

    void sendmsg(Notification call) {
        long header = call.argument(1);
        ProcessMemory memory = memory(call, header);
        if (!memory.read(header, bytes, 0, MSG_BYTES)) {
            fail(call, Errno.EFAULT);
            return;
        }
        long vector = bytes.get(JAVA_LONG, MSG_VECTOR);
        if (bytes.get(JAVA_LONG, MSG_COUNT) != 1) {
            fail(call, Errno.EINVAL);
            return;
        }
        if (!memory.read(vector, bytes, 0, 2 * JAVA_LONG.byteSize())) {
            fail(call, Errno.EFAULT);
            return;
        }
        send(call, bytes.get(JAVA_LONG, 0), bytes.get(JAVA_LONG, JAVA_LONG.byteSize()));
    }

    private ProcessMemory memory(Notification call, long probe) {
        return supervisor.client(call, probe).memory();
    }

    private void send(Notification call, long address, long length) {
        int port = NetlinkSocket.portOf(call.tid(), call.intArgument(0));
        if (port == NetlinkSocket.NONE) {
            supervisor.resume(call.id());
            return;
        }
        if (length < 0 || length > MAX_BYTES) {
            fail(call, Errno.EINVAL);
            return;
        }
        if (!memory(call, address).read(address, bytes, 0, length)) {
            fail(call, Errno.EFAULT);
            return;
        }
        byte[] answer = programs.netlink().answer(bytes.asSlice(0, length).toArray(JAVA_BYTE));
        if (answer != null && !programs.netlinkSocket().send(port, answer)) {
            supervisor.answer(call.id(), -LinuxSockets.ENOBUFS);
            return;
        }
        supervisor.answer(call.id(), length);
    }

    private void fail(Notification call, Errno errno) {
        supervisor.answer(call.id(), -errno.value());
    }
}
