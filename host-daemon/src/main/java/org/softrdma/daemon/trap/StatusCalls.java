// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.Notification;
import org.softrdma.verbs.Errno;

/** Calls for the status of a file of ours, by its path or by a descriptor of a device. A program finds the same by both. One thread. */
final class StatusCalls {
    static final int AT_SYMLINK_NOFOLLOW = 0x100;

    private final Supervisor supervisor;
    private final DeviceTree tree;
    private final MemorySegment status = Arena.ofAuto().allocate(Descriptors.STATX_BYTES, 8);

    StatusCalls(Supervisor supervisor, DeviceTree tree) {
        this.supervisor = supervisor;
        this.tree = tree;
    }

    /**
     * Answers stat and its kind.
     *
     * @param node the device that the file stands for, or null
     * @param to   address of the program's struct stat
     */
    void stat(Notification call, DeviceNode node, MemorySegment file, long to, int flags) {
        int result = Descriptors.status(Descriptors.AT_FDCWD, file, status, flags & AT_SYMLINK_NOFOLLOW);
        if (result < 0) {
            supervisor.answer(call.id(), result);
            return;
        }
        answerStat(call, node, to);
    }

    /**
     * Answers statx.
     *
     * @param node the device that the file stands for, or null
     */
    void statx(Notification call, DeviceNode node, MemorySegment file) {
        int result = Descriptors.statx(Descriptors.AT_FDCWD, file, call.intArgument(2) & AT_SYMLINK_NOFOLLOW, call.intArgument(3), status);
        if (result < 0) {
            supervisor.answer(call.id(), result);
            return;
        }
        answerStatx(call, node);
    }

    /** Answers fstat of an open device; one that is no longer in the tree has a status of zeros. */
    void fstat(Notification call, DeviceNode node, long to) {
        try (Arena arena = Arena.ofConfined()) {
            if (Descriptors.status(Descriptors.AT_FDCWD, standIn(arena, node), status, 0) < 0) {
                status.fill((byte) 0);
            }
        }
        answerStat(call, node, to);
    }

    /** Answers statx of an open device, as {@link #fstat}. */
    void fstatx(Notification call, DeviceNode node) {
        try (Arena arena = Arena.ofConfined()) {
            if (Descriptors.statx(Descriptors.AT_FDCWD, standIn(arena, node), 0, call.intArgument(3), status) < 0) {
                status.fill((byte) 0);
            }
        }
        answerStatx(call, node);
    }

    private MemorySegment standIn(Arena arena, DeviceNode node) {
        return arena.allocateFrom(tree.file(DevicePaths.DEVICES + '/' + node.name()));
    }

    private void answerStat(Notification call, DeviceNode node, long to) {
        if (node != null) {
            FileStatus.toDevice(status, node);
        }
        deliver(call, to, FileStatus.STAT_BYTES);
    }

    private void answerStatx(Notification call, DeviceNode node) {
        if (node != null) {
            FileStatus.toDeviceX(status, node);
        }
        deliver(call, call.argument(4), Descriptors.STATX_BYTES);
    }

    /** Writes the status to the program and answers. */
    private void deliver(Notification call, long to, int bytes) {
        boolean written = supervisor.client(call, to).memory().write(to, status, 0, bytes);
        supervisor.answer(call.id(), written ? 0 : -Errno.EFAULT.value());
    }
}
