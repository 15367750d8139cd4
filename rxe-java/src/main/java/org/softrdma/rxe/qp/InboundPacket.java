// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;

/**
 * Decoded view of one received packet: the fields of the BTH that every reader needs, and where the extended headers and the payload lie.
 * One object for each device, refilled for each packet by the edge after {@link PacketCheck} accepted the bytes; valid until the call that
 * delivers it returns. Extended headers are read with their static accessors (docs/decisions/0002):
 * {@code Reth.va(packet.buffer(), packet.rethAt())}.
 *
 * <p>Offsets are positions in {@link #buffer()} and {@link #memory()}; that of a header the opcode does not have is meaningless.
 */
public final class InboundPacket {
    private ReceivedFrame frame;
    private ByteBuffer buffer;
    private int at;
    private int opcode;
    private int psn;
    private int destQpn;
    private boolean ackRequest;
    private int payloadBytes;

    /** @param received with the verdict {@link PacketCheck#OK} or {@link PacketCheck#UNKNOWN_OPCODE} */
    public void set(ReceivedFrame received) {
        frame = received;
        buffer = received.buffer();
        at = received.offset();
        opcode = Bth.opcode(buffer, at);
        psn = Bth.psn(buffer, at);
        destQpn = Bth.destQp(buffer, at);
        ackRequest = Bth.ackRequest(buffer, at);
        payloadBytes = Opcode.isKnown(opcode) ? PacketCheck.payloadLength(buffer, at, received.length()) : 0;
    }

    /** The frame that the packet arrived in: its addresses, traffic class and length. */
    public ReceivedFrame frame() {
        return frame;
    }

    /** Bytes of the packet, big-endian. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** The bytes of {@link #buffer()} as a segment, for bulk copies. */
    MemorySegment memory() {
        return frame.memory();
    }

    /** BTH opcode, u8; may be unknown. */
    public int opcode() {
        return opcode;
    }

    /** Whether the opcode has all of these flags of {@link Opcode}. */
    public boolean has(int flags) {
        return Opcode.has(opcode, flags);
    }

    /** Whether the opcode has at least one of these flags of {@link Opcode}. */
    public boolean hasAny(int flags) {
        return Opcode.hasAny(opcode, flags);
    }

    /** One of {@link Opcode}'s TRANSPORT constants. */
    int transport() {
        return Opcode.transport(opcode);
    }

    /** Bits of the opcode that stand for the service; of an unknown operation, too. */
    int service() {
        return Opcode.service(opcode);
    }

    /** BTH PSN, u24. */
    public int psn() {
        return psn;
    }

    /** BTH destination QP, u24. */
    public int destQpn() {
        return destQpn;
    }

    /** BTH AckReq. */
    boolean ackRequest() {
        return ackRequest;
    }

    /** BTH SE. */
    boolean solicitedEvent() {
        return Bth.solicitedEvent(buffer, at);
    }

    /** BTH P_Key, u16. */
    public int pkey() {
        return Bth.pkey(buffer, at);
    }

    /** Payload bytes, without pad and ICRC; 0 if the opcode is unknown. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** Whether the pad is the one that rounds the payload up to a multiple of four. */
    boolean isPaddedRight() {
        return Bth.padCount(buffer, at) == (-payloadBytes & 3);
    }

    public int payloadAt() {
        return at + Opcode.headerLength(opcode);
    }

    int xrcethAt() {
        return at + Opcode.xrcethOffset(opcode);
    }

    public int dethAt() {
        return at + Opcode.dethOffset(opcode);
    }

    int fethAt() {
        return at + Opcode.fethOffset(opcode);
    }

    int rethAt() {
        return at + Opcode.rethOffset(opcode);
    }

    int atomicEthAt() {
        return at + Opcode.atomicEthOffset(opcode);
    }

    int aethAt() {
        return at + Opcode.aethOffset(opcode);
    }

    /** AETH syndrome, u8. */
    int syndrome() {
        return Aeth.syndrome(buffer, aethAt());
    }

    int atomicAckEthAt() {
        return at + Opcode.atomicAckEthOffset(opcode);
    }

    int immDtAt() {
        return at + Opcode.immediateOffset(opcode);
    }

    int iethAt() {
        return at + Opcode.iethOffset(opcode);
    }
}
