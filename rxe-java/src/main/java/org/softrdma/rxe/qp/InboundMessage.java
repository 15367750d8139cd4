// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.memory.AccessFailures;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;

/**
 * The SEND or RDMA WRITE that a responder of a connected service is receiving: which packets may follow, how long they must be, and where
 * their bytes are placed. The service decides what happens after a packet that does not fit. Source: IBA vol 1 §9.7.4.1.
 */
final class InboundMessage {
    private static final int NONE = 0;

    private final QpMachine qp;
    private final RequestContext context;
    private final ReceiveSource receives;
    private final MemoryTable memory;
    /** {@link Opcode#SEND}, {@link Opcode#WRITE} or {@link #NONE}. */
    private int kind = NONE;
    /** Bytes of a SEND placed so far; of a WRITE, the length in its RETH. */
    private long bytes;
    private long va;
    private int rkey;
    private long left;

    InboundMessage(QpMachine qp) {
        this.qp = qp;
        context = qp.requestContext();
        receives = context.receives();
        memory = qp.memory();
    }

    /** Ends the message: its last packet was placed, or it is abandoned. */
    void end() {
        kind = NONE;
    }

    /** Whether packets were placed, but not the last one. */
    boolean isOpen() {
        return kind != NONE;
    }

    /** Whether a SEND or WRITE packet that does not begin a message continues this one. */
    boolean continuesWith(InboundPacket packet) {
        return kind != NONE && packet.has(kind);
    }

    /** Whether the packet consumes a receive: SENDs do with their first packet, WRITEs with their immediate data. */
    static boolean needsReceive(InboundPacket packet) {
        return packet.has(Opcode.SEND) ? packet.has(Opcode.START) : packet.has(Opcode.WRITE | Opcode.IMMEDIATE);
    }

    /** Whether the length is right: full packets before the last, the rest in the last, the RETH's in total. IBA vol 1 §9.7.4.1.6 */
    boolean checkLength(InboundPacket packet) {
        int mtu = qp.mtu();
        int payload = packet.payloadBytes();
        boolean first = packet.has(Opcode.START);
        boolean last = packet.has(Opcode.END);
        boolean good = last ? payload <= mtu && (first || payload > 0) : payload == mtu;
        good &= packet.isPaddedRight();
        if (packet.has(Opcode.WRITE)) {
            long expected = first ? Reth.length(packet.buffer(), packet.rethAt()) : left;
            return good && expected <= MessageWriter.MAX_MESSAGE_BYTES && (last ? payload == expected : payload < expected);
        }
        return good && (first || bytes + payload <= MessageWriter.MAX_MESSAGE_BYTES);
    }

    /**
     * Places a packet of a SEND into the current receive.
     *
     * @return null, or why the receive fails
     */
    Failure placeSend(InboundPacket packet) {
        int payload = packet.payloadBytes();
        if (packet.has(Opcode.START)) {
            bytes = 0;
        }
        if (bytes + payload > receives.length()) {
            return Failure.of(Reason.RECEIVE_TOO_SMALL, bytes + payload, receives.length());
        }
        if (!receives.scatter(bytes, payload, packet.memory(), packet.payloadAt())) {
            return receives.explain();
        }
        bytes += payload;
        kind = Opcode.SEND;
        return null;
    }

    /**
     * Places a packet of a WRITE.
     *
     * @return false if its key does not allow it: memory is untouched by this packet
     */
    boolean placeWrite(InboundPacket packet) {
        int payload = packet.payloadBytes();
        if (packet.has(Opcode.START)) {
            ByteBuffer buffer = packet.buffer();
            int reth = packet.rethAt();
            va = Reth.va(buffer, reth);
            rkey = Reth.rkey(buffer, reth);
            bytes = Reth.length(buffer, reth);
            left = bytes;
        }
        // Looked up for every packet: the region may have been closed since the last one. A message without bytes needs no key (IBA C9-88).
        if (left > 0) {
            Region region = memory.lookup(rkey);
            if (region == null || !region.grants(context.pd(), qp.qpn(), AccessFlags.REMOTE_WRITE) || !region.covers(va, left)
                || !region.copyIn(va, packet.memory(), packet.payloadAt(), payload)) {
                return false;
            }
        }
        va += payload;
        left -= payload;
        kind = Opcode.WRITE;
        return true;
    }

    /** Explains why {@link #placeWrite} refused a packet. */
    Failure explainWrite() {
        return AccessFailures.remote(memory, rkey, context.pd(), qp.qpn(), AccessFlags.REMOTE_WRITE, va, left, WrOpcode.RDMA_WRITE.value());
    }

    /** Length of the message whose last packet was placed, u32. */
    int bytes() {
        return (int) bytes;
    }
}
