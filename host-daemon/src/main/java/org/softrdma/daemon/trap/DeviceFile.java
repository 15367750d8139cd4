// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.linux.process.FileIdentity;
import org.softrdma.verbs.Errno;

/**
 * An open file of ours in one or more programs: stands for an open file of the kernel's RDMA drivers. Called by the supervisor's threads,
 * possibly several at a time.
 */
public interface DeviceFile {
    /** Value of {@link #lastCloseDescriptor} for a file without one. */
    int NONE = -1;

    /** The kind decides the number that a copy gets in a program, and the calls that are trapped on it. */
    enum Kind {
        /** A device ({@code /dev/infiniband/uverbsN}): ioctl is trapped. */
        VERBS,
        /** The connection manager ({@code /dev/infiniband/rdma_cm}): write is trapped. */
        CONNECTIONS,
        /** Management datagrams ({@code /dev/infiniband/umadN}): ioctl, read and write are trapped. */
        MANAGEMENT,
        /** The reading end of a pipe with events: nothing is trapped. */
        EVENTS
    }

    Kind kind();

    /** Returns the descriptor in this process that programs get copies of. */
    int descriptor();

    /**
     * Called after a program was given a copy of {@link #descriptor}. A pipe closes its reading end here: the last copy is a program's
     * then, and its end is seen at the writing end.
     */
    default void given() {
    }

    /** Returns the identity of the file, the same for every copy of its descriptor in every process. */
    FileIdentity identity();

    /**
     * Returns the descriptor in this process that reports an error when the last copy in a program is closed: the writing end of a pipe.
     * {@link #closed} is called then.
     *
     * @return {@link #NONE} if no descriptor does; such a file ends with the process that opened it
     */
    default int lastCloseDescriptor() {
        return NONE;
    }

    /** Executes an ioctl and answers the call. */
    default void ioctl(TrappedCall call, int command, long argument) {
        call.answer(-Errno.ENOTTY.value());
    }

    /** Executes a read, and answers the call now or when there is something to read. */
    default void read(TrappedCall call, long address, long bytes) {
        call.answer(-Errno.EINVAL.value());
    }

    /** Executes a write and answers the call. */
    default void write(TrappedCall call, long address, long bytes) {
        call.answer(-Errno.EINVAL.value());
    }

    /**
     * Ends the file: the last program has closed it, or the process that opened it has ended. Called once, by any thread. The file closes
     * its descriptors here; {@link #lastCloseDescriptor} is watched no more.
     */
    void closed();
}
