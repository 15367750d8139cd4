// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The array of struct mmsghdr that sendmmsg and recvmmsg take, and the struct iovecs of its messages.
 *
 * <pre>
 *   mmsghdr, 64 bytes:  0 name  8 name length  16 iovecs  24 iovec count  32 control  40 control length  48 flags  56 bytes received
 *   iovec, 16 bytes:    0 base  8 length
 * </pre>
 *
 * Source: Linux 64-bit ABI; musl's structs differ in padding only.
 */
public final class MessageVector {
    private static final int MESSAGE_BYTES = 64;
    private static final int NAME = 0;
    private static final int NAME_LENGTH = 8;
    private static final int IOVECS = 16;
    private static final int IOVEC_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int FLAGS = 48;
    private static final int RECEIVED = 56;
    private static final int IOVEC_BYTES = 16;
    private static final int IOVEC_LENGTH = 8;

    private final MemorySegment messages;
    private final MemorySegment iovecs;
    private final long iovecsAddress;

    /**
     * Allocates messages with one iovec each.
     *
     * @param size messages and iovecs
     */
    public MessageVector(Arena arena, int size) {
        this(arena, size, size);
    }

    public MessageVector(Arena arena, int messageCount, int iovecCount) {
        messages = arena.allocate((long) messageCount * MESSAGE_BYTES, 64);
        iovecs = arena.allocate((long) iovecCount * IOVEC_BYTES, 16);
        iovecsAddress = iovecs.address();
    }

    /** The array for the system call. */
    public MemorySegment messages() {
        return messages;
    }

    public void iovec(int index, long base, long length) {
        long at = (long) index * IOVEC_BYTES;
        iovecs.set(JAVA_LONG, at, base);
        iovecs.set(JAVA_LONG, at + IOVEC_LENGTH, length);
    }

    /**
     * Describes a message.
     *
     * @param name       native address of the socket address, or 0
     * @param firstIovec index of the first of its {@code iovecCount} iovecs
     * @param control    native address of the control messages, or 0
     */
    public void message(int index, long name, int nameLength, int firstIovec, int iovecCount, long control, long controlLength) {
        long at = (long) index * MESSAGE_BYTES;
        messages.set(JAVA_LONG, at + NAME, name);
        messages.set(JAVA_INT, at + NAME_LENGTH, nameLength);
        messages.set(JAVA_LONG, at + IOVECS, iovecsAddress + (long) firstIovec * IOVEC_BYTES);
        messages.set(JAVA_LONG, at + IOVEC_COUNT, iovecCount);
        messages.set(JAVA_LONG, at + CONTROL, control);
        messages.set(JAVA_LONG, at + CONTROL_LENGTH, controlLength);
    }

    /** Restores the lengths that the kernel overwrote, before the message is received into again. */
    public void rearm(int index, int nameLength, long controlLength) {
        long at = (long) index * MESSAGE_BYTES;
        messages.set(JAVA_INT, at + NAME_LENGTH, nameLength);
        messages.set(JAVA_LONG, at + CONTROL_LENGTH, controlLength);
    }

    /** Bytes of the name that the kernel wrote with a received message. */
    public int nameLength(int index) {
        return messages.get(JAVA_INT, (long) index * MESSAGE_BYTES + NAME_LENGTH);
    }

    public int received(int index) {
        return messages.get(JAVA_INT, (long) index * MESSAGE_BYTES + RECEIVED);
    }

    public int flags(int index) {
        return messages.get(JAVA_INT, (long) index * MESSAGE_BYTES + FLAGS);
    }

    public long controlLength(int index) {
        return messages.get(JAVA_LONG, (long) index * MESSAGE_BYTES + CONTROL_LENGTH);
    }
}
