// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.Notification;
import org.softrdma.linux.process.SystemCall;
import org.softrdma.verbs.Errno;

/** Calls with a path of ours: open, stat and access, in all their forms. One thread. */
final class PathCalls {
    private static final int O_ACCMODE = 3;
    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;
    /** Flags that change a file of a read-only tree. */
    private static final int O_CHANGES = O_CREAT | O_EXCL | 0x200;
    private static final int X_OK = 1;

    private final Supervisor supervisor;
    private final ProgramFiles programs;
    private final StatusCalls statuses;
    private final MemorySegment scratch = Arena.ofAuto().allocate(Descriptors.STATX_BYTES, 8);

    PathCalls(Supervisor supervisor, ProgramFiles programs, StatusCalls statuses) {
        this.supervisor = supervisor;
        this.programs = programs;
        this.statuses = statuses;
    }

    void execute(SystemCall name, Notification call, Place place) {
        programs.tree().refresh();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = arena.allocateFrom(place.file());
            switch (name) {
                case OPEN -> open(call, place, file, call.intArgument(1), call.argument(0));
                case OPENAT -> open(call, place, file, call.intArgument(2), call.argument(1));
                case OPENAT2 -> openHow(call, place, file);
                case STAT -> statuses.stat(call, place.node(), file, call.argument(1), 0);
                case LSTAT -> statuses.stat(call, place.node(), file, call.argument(1), StatusCalls.AT_SYMLINK_NOFOLLOW);
                case NEWFSTATAT -> statuses.stat(call, place.node(), file, call.argument(2), call.intArgument(3));
                case STATX -> statuses.statx(call, place.node(), file);
                case ACCESS -> access(call, place, file, call.intArgument(1), 0);
                case FACCESSAT -> access(call, place, file, call.intArgument(2), 0);
                case FACCESSAT2 -> access(call, place, file, call.intArgument(2), call.intArgument(3));
                case READLINK, READLINKAT -> withoutLinks(call, file, -Errno.EINVAL.value());
                case GETXATTR, LGETXATTR -> withoutLinks(call, file, -Errno.ENODATA.value());
                case LISTXATTR, LLISTXATTR -> withoutLinks(call, file, 0);
                default -> supervisor.resume(call.id());
            }
        }
    }

    private void openHow(Notification call, Place place, MemorySegment file) {
        // struct open_how: u64 flags, u64 mode, u64 resolve.
        Client client = supervisor.client(call, call.argument(1));
        if (!client.memory().read(call.argument(2), scratch, 0, JAVA_LONG.byteSize())) {
            fail(call, Errno.EFAULT);
            return;
        }
        open(call, place, file, (int) scratch.get(JAVA_LONG, 0), call.argument(1));
    }

    private void open(Notification call, Place place, MemorySegment file, int flags, long pathAddress) {
        int standIn = Descriptors.open(Descriptors.AT_FDCWD, file, flags & ~(O_ACCMODE | O_CHANGES) | Descriptors.O_CLOEXEC, 0);
        if (standIn < 0) {
            answer(call, (flags & O_CREAT) != 0 && standIn == -Errno.ENOENT.value() ? -Errno.EACCES.value() : standIn);
            return;
        }
        try {
            if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
                fail(call, Errno.EEXIST);
            } else if (place.node() != null) {
                openDevice(call, place.node(), flags, pathAddress);
            } else if ((flags & O_ACCMODE) != 0) {
                fail(call, Errno.EACCES);
            } else {
                int number = supervisor.answerWithDescriptor(call.id(), standIn, (flags & Descriptors.O_CLOEXEC) != 0);
                if (number < 0) {
                    answer(call, number);
                }
            }
        } finally {
            LinuxSockets.close(standIn);
        }
    }

    private void openDevice(Notification call, DeviceNode node, int flags, long pathAddress) {
        Client client = supervisor.client(call, pathAddress);
        if (!supervisor.isAttached()) {
            fail(call, Errno.ENODEV);
            return;
        }
        DeviceFile file = node.open(client);
        if ((flags & Descriptors.O_NONBLOCK) != 0) {
            Descriptors.setNonBlocking(file.descriptor());
        }
        supervisor.answerOpen(file, node, client, call, (flags & Descriptors.O_CLOEXEC) != 0);
    }

    private void access(Notification call, Place place, MemorySegment file, int mode, int flags) {
        if (place.node() != null) {
            answer(call, (mode & X_OK) == 0 ? 0 : -Errno.EACCES.value());
            return;
        }
        answer(call, Descriptors.access(Descriptors.AT_FDCWD, file, mode, flags));
    }

    /**
     * Answers calls for what files here do not have: targets of symbolic links, and extended attributes.
     *
     * @param otherwise result if the file exists
     */
    private void withoutLinks(Notification call, MemorySegment file, int otherwise) {
        int result = Descriptors.status(Descriptors.AT_FDCWD, file, scratch, 0);
        answer(call, result < 0 ? result : otherwise);
    }

    private void fail(Notification call, Errno errno) {
        answer(call, -errno.value());
    }

    private void answer(Notification call, long result) {
        supervisor.answer(call.id(), result);
    }
}
