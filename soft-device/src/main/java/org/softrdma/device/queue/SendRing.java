// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;

/**
 * A ring of send work requests as records. The fixed part of a record is followed by the scatter/gather elements (address 8, length 4,
 * lkey 4 bytes each) or, with INLINE, by the data. The PSN fields are written by the requester when it first transmits the request.
 */
public class SendRing extends WorkRing {
    private static final int WR_ID = 0;
    private static final int OPCODE = 8;
    private static final int FLAGS = 12;
    private static final int LENGTH = 16;
    private static final int REMOTE_ADDRESS = 24;
    private static final int RKEY = 32;
    private static final int IMMEDIATE = 36;
    private static final int COMPARE_ADD = 40;
    private static final int SWAP = 48;
    private static final int ELEMENTS = 56;
    private static final int FIRST_PSN = 60;
    private static final int PACKETS = 64;
    private static final int REMOTE_SRQN = 68;
    private static final int FIXED_BYTES = 72;
    /** Datagrams store the remote queue pair and Q_Key in the fields that other requests use for remote memory. */
    private static final int REMOTE_QPN = REMOTE_ADDRESS;
    private static final int REMOTE_QKEY = RKEY;
    /** FLUSH and BIND_MW store their fields in place of the operands of atomics. */
    private static final int FLUSH_PLACEMENT = COMPARE_ADD;
    private static final int FLUSH_SELECTIVITY = COMPARE_ADD + 4;
    private static final int FLUSH_LENGTH = SWAP;
    private static final int BIND_ACCESS = COMPARE_ADD;
    private static final int BIND_LENGTH = SWAP;
    /** READs and WRITEs, which have no operands, store their segmentation there. */
    private static final int REQUEST_PACKETS = SWAP;

    private final int maxInline;
    /** Destinations of datagrams by slot; null until the first datagram is posted. */
    private Destination[] destinations;

    /**
     * Creates an empty ring.
     *
     * @param capacity    records; rounded up to a power of two
     * @param maxElements scatter/gather elements of one record
     * @param maxInline   minimum capacity of a record for inline data, bytes
     */
    public SendRing(int capacity, int maxElements, int maxInline) {
        super(capacity, maxElements, ELEMENTS, FIXED_BYTES, maxInline);
        this.maxInline = Math.max(maxInline, maxElements * 16);
    }

    /** Returns the capacity of a record for inline data, in bytes. */
    public int maxInline() {
        return maxInline;
    }

    /** Writes a request, without its inline data, into the record at {@link #next()}. The caller has checked it against the limits. */
    public void write(SendRequest request) {
        int at = at(next());
        memory.u64(at + WR_ID, request.wrId());
        memory.u32(at + OPCODE, request.opcode().value());
        memory.u32(at + FLAGS, request.flags());
        memory.u64(at + REMOTE_ADDRESS, request.remoteAddress());
        memory.u32(at + RKEY, request.rkey());
        memory.u32(at + IMMEDIATE, request.immediate());
        setOperands(at, request);
        memory.u32(at + REMOTE_SRQN, request.remoteSrqn());
        long length = 0;
        if ((request.flags() & SendFlags.INLINE) == 0) {
            for (int i = 0; i < request.elements(); i++) {
                length += setElement(i, request.address(i), request.length(i), request.lkey(i));
            }
        }
        setElements(request.elements());
        memory.u64(at + LENGTH, length);
    }

    private void setOperands(int at, SendRequest request) {
        switch (request.opcode()) {
            case FLUSH -> {
                memory.u32(at + FLUSH_PLACEMENT, request.flushPlacement());
                memory.u32(at + FLUSH_SELECTIVITY, request.flushSelectivity());
                memory.u64(at + FLUSH_LENGTH, request.flushLength());
            }
            case BIND_MW -> {
                memory.u32(at + BIND_ACCESS, request.bindAccess());
                memory.u64(at + BIND_LENGTH, request.bindLength());
            }
            default -> {
                memory.u64(at + COMPARE_ADD, request.compareAdd());
                memory.u64(at + SWAP, request.swap());
            }
        }
    }

    /** Returns the memory of the ring, for inline data: {@link #maxInline()} bytes of a record from {@link #inlineOffset}. */
    public MemorySegment memory() {
        return memory.segment();
    }

    /** Returns the offset of a record's inline data in {@link #memory()}. */
    public long inlineOffset(long sequence) {
        return at(sequence) + FIXED_BYTES;
    }

    /** Sets the destination of the datagram in the record at {@link #next()}. */
    public void setDestination(Destination destination, int qpn, int qkey) {
        if (destinations == null) {
            destinations = new Destination[capacity()];
        }
        destinations[slot(next())] = destination;
        memory.u32(at(next()) + REMOTE_QPN, qpn);
        memory.u32(at(next()) + REMOTE_QKEY, qkey);
    }

    /** Sets the total number of bytes of inline data in the record at {@link #next()}. */
    public void setInlineLength(int bytes) {
        memory.u64(at(next()) + LENGTH, bytes);
    }

    public long wrId(long sequence) {
        return memory.u64(at(sequence) + WR_ID);
    }

    /** Returns the operation as a {@link org.softrdma.verbs.WrOpcode} value. */
    public int opcode(long sequence) {
        return memory.u32(at(sequence) + OPCODE);
    }

    public int flags(long sequence) {
        return memory.u32(at(sequence) + FLAGS);
    }

    /** Returns the length of the message in bytes: the sum of its elements, up to 32 · (2^32 - 1). */
    public long length(long sequence) {
        return memory.u64(at(sequence) + LENGTH);
    }

    public long remoteAddress(long sequence) {
        return memory.u64(at(sequence) + REMOTE_ADDRESS);
    }

    public int rkey(long sequence) {
        return memory.u32(at(sequence) + RKEY);
    }

    /** Returns the destination of a datagram. */
    public Destination destination(long sequence) {
        return destinations[slot(sequence)];
    }

    /** Returns the number of a datagram's destination queue pair, 24 bits. */
    public int remoteQpn(long sequence) {
        return memory.u32(at(sequence) + REMOTE_QPN);
    }

    /** Returns the remote Q_Key of a datagram. */
    public int remoteQkey(long sequence) {
        return memory.u32(at(sequence) + REMOTE_QKEY);
    }

    /** Returns the number of the remote shared receive queue of an XRC request, 24 bits. */
    public int remoteSrqn(long sequence) {
        return memory.u32(at(sequence) + REMOTE_SRQN);
    }

    /** Returns the immediate data, or the key to invalidate. */
    public int immediate(long sequence) {
        return memory.u32(at(sequence) + IMMEDIATE);
    }

    public long compareAdd(long sequence) {
        return memory.u64(at(sequence) + COMPARE_ADD);
    }

    public long swap(long sequence) {
        return memory.u64(at(sequence) + SWAP);
    }

    /** Returns the placement of a FLUSH: bits of {@link org.softrdma.verbs.FlushFlags}, u4. */
    public int flushPlacement(long sequence) {
        return memory.u32(at(sequence) + FLUSH_PLACEMENT);
    }

    /** Returns the selectivity of a FLUSH, range or region, u2. */
    public int flushSelectivity(long sequence) {
        return memory.u32(at(sequence) + FLUSH_SELECTIVITY);
    }

    /** Returns the length of a FLUSH in bytes, u32. */
    public long flushLength(long sequence) {
        return memory.u64(at(sequence) + FLUSH_LENGTH);
    }

    /** Returns the access rights of a BIND_MW: bits of {@link org.softrdma.verbs.AccessFlags}. */
    public int bindAccess(long sequence) {
        return memory.u32(at(sequence) + BIND_ACCESS);
    }

    /** Returns the length of the window of a BIND_MW in bytes; 0 ends the binding of a type 1 window. */
    public long bindLength(long sequence) {
        return memory.u64(at(sequence) + BIND_LENGTH);
    }

    /** Returns the PSN of the message's first packet, as set by the requester. */
    public int firstPsn(long sequence) {
        return memory.u32(at(sequence) + FIRST_PSN);
    }

    /** Returns the number of PSNs that the message consumes, at least 1, as set by the requester. */
    public int packets(long sequence) {
        return memory.u32(at(sequence) + PACKETS);
    }

    /** Returns the number of packets of a READ's or WRITE's message that one request covers, as set by the requester. */
    public int requestPackets(long sequence) {
        return memory.u32(at(sequence) + REQUEST_PACKETS);
    }

    /** Sets {@link #requestPackets}, at least 1. Only for READs and WRITEs, whose record has room for it. */
    public void setRequestPackets(long sequence, int packets) {
        memory.u32(at(sequence) + REQUEST_PACKETS, packets);
    }

    public void setPsns(long sequence, int firstPsn, int packets) {
        memory.u32(at(sequence) + FIRST_PSN, firstPsn);
        memory.u32(at(sequence) + PACKETS, packets);
    }
}
