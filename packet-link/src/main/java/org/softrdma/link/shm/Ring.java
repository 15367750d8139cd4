// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Layout of a ring: a file with packets from one link to one address. One process writes records, one reads them. Fields are native-endian
 * and 8 bytes long.
 *
 * <pre>
 *      0  magic and version
 *      8  address of the sender, high and low half
 *    256  sender: not 0 once it has closed the ring
 *    512  receiver: bytes consumed since the beginning
 *    768  receiver: its state; a sender that wakes it changes PARKED to AWAKE
 *   1024  the byte whose lock the sender's process holds
 *   4096  records, {@value #DATA_BYTES} bytes
 * </pre>
 *
 * <p>A record is a header of 8 bytes and a packet from BTH to ICRC, padded to 8 bytes; no record crosses the end. A header of 0 follows the
 * newest record: the sender writes a record, a 0 behind it, and at last its header, with release semantics. The receiver needs no other
 * field to find it.
 */
final class Ring {
    static final int DATA_BYTES = 1 << 20;
    static final int DATA_AT = 4096;
    static final int FILE_BYTES = DATA_AT + DATA_BYTES;
    static final long INDEX_MASK = DATA_BYTES - 1;

    /** "srdmashm", and a version in the last byte's place. */
    static final long MAGIC = 0x7372_646d_6173_6801L;
    static final long MAGIC_AT = 0;
    static final long SENDER_HIGH_AT = 8;
    static final long SENDER_LOW_AT = 16;
    static final long CLOSED_AT = 256;
    static final long CONSUMED_AT = 512;
    static final long STATE_AT = 768;

    /** The receiver has not seen the ring yet. */
    static final long NEW = 0;
    /** The receiver reads the ring. */
    static final long AWAKE = 1;
    /** The receiver waits, or is about to, and is to be woken. */
    static final long PARKED = 2;
    /** The receiver does not read the ring any more. */
    static final long CLOSED = 3;

    static final int HEADER_BYTES = 8;
    private static final int LENGTH_MASK = 0xffff;
    private static final long UNSEALED = 1L << 16;
    private static final long ROCE_V1 = 1L << 17;
    /** Header of what is left free before the end because the next record does not fit. */
    static final long PADDING = 1L << 18;
    private static final int TRAFFIC_CLASS_SHIFT = 24;
    private static final int SOURCE_PORT_SHIFT = 32;
    private static final int DEST_PORT_SHIFT = 48;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private Ring() {
    }

    /** Composes the header of a record. Ports 16 bits, traffic class 8 bits; length 1..65535. */
    static long header(int length, boolean unsealed, boolean roceV1, int trafficClass, int sourcePort, int destPort) {
        return length | (unsealed ? UNSEALED : 0) | (roceV1 ? ROCE_V1 : 0) | (trafficClass & 0xffL) << TRAFFIC_CLASS_SHIFT
            | (sourcePort & 0xffffL) << SOURCE_PORT_SHIFT | (long) destPort << DEST_PORT_SHIFT;
    }

    static int length(long header) {
        return (int) header & LENGTH_MASK;
    }

    static boolean isUnsealed(long header) {
        return (header & UNSEALED) != 0;
    }

    static boolean isRoceV1(long header) {
        return (header & ROCE_V1) != 0;
    }

    static int trafficClass(long header) {
        return (int) (header >>> TRAFFIC_CLASS_SHIFT) & 0xff;
    }

    static int sourcePort(long header) {
        return (int) (header >>> SOURCE_PORT_SHIFT) & 0xffff;
    }

    static int destPort(long header) {
        return (int) (header >>> DEST_PORT_SHIFT);
    }

    /** Bytes that a packet takes in the ring. */
    static int recordBytes(int length) {
        return HEADER_BYTES + (length + 7 & ~7);
    }

    static long get(MemorySegment ring, long at) {
        return (long) LONG.getAcquire(ring, at);
    }

    static void put(MemorySegment ring, long at, long value) {
        LONG.setRelease(ring, at, value);
    }

    /** Changes the receiver's state, unless it is another one than expected. */
    static boolean changeState(MemorySegment ring, long from, long to) {
        return LONG.compareAndSet(ring, STATE_AT, from, to);
    }
}
