// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.process.Architecture;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.Notification;
import org.softrdma.linux.process.SeccompFilter;
import org.softrdma.linux.process.SystemCall;
import org.softrdma.linux.process.ThreadMemory;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The calls that one thread of a supervisor answers: which are ours, and who executes them. Everything in the memory of a program is read
 * once; a program that changes it meanwhile only harms itself, and a call that is let through is one that the kernel decides about.
 */
final class SystemCalls {
    private static final int PATH_BYTES = 4096;

    private final Supervisor supervisor;
    private final ProgramFiles programs;
    private final ThreadMemory memory = new ThreadMemory();
    /** The path of the call that is looked at, and its length. */
    private final MemorySegment path = Arena.ofAuto().allocate(PATH_BYTES);
    private int pathLength;
    private final PathCalls paths;
    private final DescriptorCalls descriptors;
    private final NetlinkCalls netlink;
    private final Architecture architecture = Architecture.current();

    SystemCalls(Supervisor supervisor, ProgramFiles programs) {
        this.supervisor = supervisor;
        this.programs = programs;
        StatusCalls statuses = new StatusCalls(supervisor, programs.tree());
        paths = new PathCalls(supervisor, programs, statuses);
        descriptors = new DescriptorCalls(supervisor, programs, statuses);
        netlink = new NetlinkCalls(supervisor, programs);
    }

    /**
     * Lets a call through if it is none of ours.
     *
     * @return false: it is still to be executed
     */
    boolean passOver(Notification call) {
        SystemCall name = architecture.auditArch() == call.auditArch() ? architecture.call(call.number()) : null;
        if (name == null) {
            return pass(call);
        }
        int argument = pathArgument(name);
        if (argument < 0) {
            return false;
        }
        pathLength = readPath(call, call.argument(argument));
        if (pathLength == 0) {
            return !isByDescriptor(name, call) && pass(call);
        }
        return (pathLength < 0 || !DevicePaths.mayBeOurs(path, pathLength)) && pass(call);
    }

    private boolean pass(Notification call) {
        supervisor.resume(call.id());
        return true;
    }

    /** The argument that is a path, or -1. */
    private static int pathArgument(SystemCall name) {
        return switch (name) {
            case OPEN, STAT, LSTAT, ACCESS, READLINK, GETXATTR, LGETXATTR, LISTXATTR, LLISTXATTR -> 0;
            case OPENAT, OPENAT2, NEWFSTATAT, STATX, FACCESSAT, FACCESSAT2, READLINKAT -> 1;
            default -> -1;
        };
    }

    /** Whether a call without a path is one on a descriptor that may be ours. */
    private boolean isByDescriptor(SystemCall name, Notification call) {
        int flags = switch (name) {
            case NEWFSTATAT, FACCESSAT2 -> call.intArgument(3);
            case STATX -> call.intArgument(2);
            default -> 0;
        };
        return (flags & SeccompFilter.AT_EMPTY_PATH) != 0 && call.intArgument(0) >= supervisor.numbers().first();
    }

    private int readPath(Notification call, long address) {
        int length = memory.readString(call.tid(), address, path);
        if (length != ThreadMemory.REFUSED) {
            return length;
        }
        try {
            return supervisor.client(call, address).memory().readString(address, path);
        } catch (VerbsException refused) {
            // A program whose memory nobody may read has no devices.
            return ThreadMemory.REFUSED;
        }
    }

    /** Executes a call that {@link #passOver} did not let through, and answers it. */
    void execute(Notification call) {
        SystemCall name = architecture.call(call.number());
        switch (name) {
            case IOCTL -> descriptors.ioctl(call);
            case READ -> descriptors.read(call);
            case WRITE -> descriptors.write(call);
            case FSTAT -> descriptors.fstat(call, 1);
            case FTRUNCATE -> descriptors.refuse(call, Errno.EINVAL);
            case FALLOCATE -> descriptors.refuse(call, Errno.ENODEV);
            case DUP -> descriptors.duplicate(call, 0, false);
            case FCNTL -> descriptors.duplicate(call, call.intArgument(2), call.intArgument(1) == SeccompFilter.F_DUPFD_CLOEXEC);
            case DUP2, DUP3 -> pass(call);
            case SOCKET -> netlink.socket(call);
            case SENDTO -> netlink.sendto(call);
            case SENDMSG -> netlink.sendmsg(call);
            default -> path(name, call);
        }
    }

    private void path(SystemCall name, Notification call) {
        if (pathLength == 0) {
            switch (name) {
                case NEWFSTATAT -> descriptors.fstat(call, 2);
                case STATX -> descriptors.statx(call);
                default -> pass(call);
            }
            return;
        }
        String text = path.getString(0, StandardCharsets.UTF_8);
        int directory = pathArgument(name) == 0 ? Descriptors.AT_FDCWD : call.intArgument(0);
        Place place = programs.paths().resolve(call.tid(), directory, text);
        if (place == null) {
            pass(call);
            return;
        }
        paths.execute(name, call, place);
    }
}
