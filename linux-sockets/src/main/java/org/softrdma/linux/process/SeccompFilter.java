// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.softrdma.linux.process.BpfAssembler.Label;

/**
 * The filter of a program that is to see devices of this host: which of its system calls are notified to a {@link SeccompListener}. All
 * others run at full speed.
 *
 * <p>Notified are calls with a path that may be a device's or below sysfs; calls on descriptors from the first number on that the listener
 * hands out, whose result must not show what the files are; in ranges of numbers also reads, writes and ioctls; the ioctl of verbs on any
 * descriptor; and netlink sockets of the RDMA family, by which libraries find devices. Programs of another architecture on the same
 * kernel (i386, x32) are let through, and find no device.
 *
 * <p>The call {@code write} comes first: doorbells are writes on verbs descriptors, and pass. Source: seccomp(2),
 * {@code linux/seccomp.h}.
 */
public final class SeccompFilter {
    /** RDMA_VERBS_IOCTL of {@code rdma/rdma_user_ioctl.h}. */
    public static final int VERBS_IOCTL = 0xc0181b01;
    /** Flag of calls with a path: an empty path means the descriptor itself. */
    public static final int AT_EMPTY_PATH = 0x1000;
    public static final int F_DUPFD = 0;
    public static final int F_DUPFD_CLOEXEC = 1030;

    /** SECCOMP_RET_ALLOW. */
    static final int ALLOW = 0x7fff0000;
    /** SECCOMP_RET_USER_NOTIF. */
    static final int NOTIFY = 0x7fc00000;

    /** Offsets in struct seccomp_data. */
    static final int DATA_NUMBER = 0;
    static final int DATA_ARCH = 4;
    static final int DATA_ARGUMENTS = 16;

    private static final int AT_FDCWD = -100;
    private static final int AF_NETLINK = 16;
    private static final int NETLINK_RDMA = 20;
    /** Error of socket(2) for a netlink family that the host does not have. */
    public static final int EPROTONOSUPPORT = 93;
    /** Numbers from here on are negative. */
    private static final int NEGATIVE = 0x80000000;

    private final BpfAssembler program = new BpfAssembler();
    private final Architecture architecture;
    private final int devices;
    private final List<DescriptorRange> calls;
    private final DescriptorRange netlink;
    private final Label allow = new Label();
    private final Label notify = new Label();

    /**
     * Builds the program.
     *
     * @param devices lowest number of a device's descriptor
     * @param calls   numbers of descriptors of devices whose every call is trapped, from {@code devices} on
     * @param netlink numbers of sockets of the netlink family RDMA
     */
    public SeccompFilter(Architecture architecture, int devices, List<DescriptorRange> calls, DescriptorRange netlink) {
        this.architecture = architecture;
        this.devices = devices;
        this.calls = List.copyOf(calls);
        this.netlink = netlink;
        build();
    }

    private void build() {
        Label transfer = new Label();
        Label ioctl = new Label();
        Label byDescriptor = new Label();
        Label fcntl = new Label();
        Label pathAndFlags3 = new Label();
        Label pathAndFlags2 = new Label();
        Label socket = new Label();
        Label send = new Label();

        program.load(DATA_ARCH).ifEqual(architecture.auditArch(), null, allow).load(DATA_NUMBER);
        on(SystemCall.WRITE, transfer);
        on(SystemCall.READ, transfer);
        on(SystemCall.IOCTL, ioctl);
        on(SystemCall.OPENAT, notify);
        on(SystemCall.NEWFSTATAT, pathAndFlags3);
        on(SystemCall.FSTAT, byDescriptor);
        on(SystemCall.STATX, pathAndFlags2);
        on(SystemCall.OPEN, notify);
        on(SystemCall.OPENAT2, notify);
        on(SystemCall.STAT, notify);
        on(SystemCall.LSTAT, notify);
        on(SystemCall.ACCESS, notify);
        on(SystemCall.FACCESSAT, notify);
        on(SystemCall.FACCESSAT2, pathAndFlags3);
        on(SystemCall.READLINK, notify);
        on(SystemCall.READLINKAT, notify);
        on(SystemCall.GETXATTR, notify);
        on(SystemCall.LGETXATTR, notify);
        on(SystemCall.LISTXATTR, notify);
        on(SystemCall.LLISTXATTR, notify);
        on(SystemCall.FCNTL, fcntl);
        on(SystemCall.DUP, byDescriptor);
        on(SystemCall.DUP2, byDescriptor);
        on(SystemCall.DUP3, byDescriptor);
        on(SystemCall.SOCKET, socket);
        on(SystemCall.SENDMSG, send);
        on(SystemCall.SENDTO, send);
        on(SystemCall.FTRUNCATE, byDescriptor);
        on(SystemCall.FALLOCATE, byDescriptor);
        program.give(ALLOW);

        program.at(ioctl).load(argument(1)).ifEqual(VERBS_IOCTL, notify, transfer);

        program.at(transfer).load(argument(0));
        for (DescriptorRange each : calls) {
            Label next = new Label();
            notifyWithin(each, next);
            program.at(next);
        }
        program.give(ALLOW);

        program.at(fcntl).load(argument(1)).ifEqual(F_DUPFD, byDescriptor, null).ifEqual(F_DUPFD_CLOEXEC, byDescriptor, allow);

        // A path may follow although the flag allows none; relative to the working directory, it always does.
        Label byDirectory = new Label();
        program.at(pathAndFlags3).load(argument(3)).ifAnyBit(AT_EMPTY_PATH, byDirectory, notify);
        program.at(pathAndFlags2).load(argument(2)).ifAnyBit(AT_EMPTY_PATH, byDirectory, notify);
        program.at(byDirectory).load(argument(0)).ifEqual(AT_FDCWD, notify, null);

        program.at(byDescriptor).load(argument(0)).ifAtLeast(devices, null, allow).ifAtLeast(NEGATIVE, allow, notify);

        Label protocol = new Label();
        program.at(socket).load(argument(0)).ifEqual(AF_NETLINK, protocol, allow);
        program.at(protocol).load(argument(2)).ifEqual(NETLINK_RDMA, notify, allow);

        program.at(send).load(argument(0));
        notifyWithin(netlink, allow);

        program.at(notify).give(NOTIFY);
        program.at(allow).give(ALLOW);
    }

    private void on(SystemCall call, Label to) {
        if (architecture.number(call) != Architecture.NONE) {
            program.ifEqual(architecture.number(call), to, null);
        }
    }

    /** Notifies if the loaded word is in the range. */
    private void notifyWithin(DescriptorRange range, Label otherwise) {
        program.ifAtLeast(range.first(), null, otherwise).ifAtLeast(range.end(), otherwise, notify);
    }

    /** Offset of an argument's lower half: descriptors, commands and flags have 32 bits, of which the kernel uses no more. */
    private static int argument(int index) {
        return DATA_ARGUMENTS + index * Long.BYTES;
    }

    /** Number of instructions; the kernel allows 4096. */
    public int length() {
        return program.length();
    }

    /** Writes the program as an array of struct sock_filter. */
    public MemorySegment assemble(Arena arena) {
        return program.assemble(arena);
    }
}
