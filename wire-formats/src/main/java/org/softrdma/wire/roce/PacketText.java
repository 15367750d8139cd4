// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/** One line about a packet, for traces and test failures. Any bytes may be given; it allocates. */
public final class PacketText {
    private PacketText() {
    }

    /**
     * Describes a packet, such as {@code RC SEND Only qp 17 psn 1193046 ackreq len 5 pad 3}.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @return the description, one line
     */
    public static String describe(ByteBuffer b, int bthAt, int end) {
        int verdict = PacketCheck.verdict(b, bthAt, end - bthAt + Icrc.LENGTH);
        if (verdict == PacketCheck.TOO_SHORT) {
            return "malformed (too short), " + (end - bthAt) + " bytes";
        }
        int op = Bth.opcode(b, bthAt);
        StringBuilder text = new StringBuilder(Opcode.name(op))
            .append(" qp ").append(Bth.destQp(b, bthAt))
            .append(" psn ").append(Bth.psn(b, bthAt));
        if (Bth.pkey(b, bthAt) != 0xFFFF) {
            text.append(" pkey 0x").append(Integer.toHexString(Bth.pkey(b, bthAt)));
        }
        append(text, Bth.ackRequest(b, bthAt), " ackreq");
        append(text, Bth.solicitedEvent(b, bthAt), " solicited");
        append(text, Bth.migReq(b, bthAt), " migreq");
        append(text, Bth.fecn(b, bthAt), " fecn");
        append(text, Bth.becn(b, bthAt), " becn");
        if (verdict != PacketCheck.OK) {
            return text + " malformed (" + PacketCheck.name(verdict) + "), " + (end - bthAt) + " bytes";
        }
        appendHeaders(text, b, bthAt, op);
        if (Opcode.has(op, Opcode.PAYLOAD)) {
            text.append(" len ").append(PacketCheck.payloadLength(b, bthAt, end - bthAt + Icrc.LENGTH));
            append(text, Bth.padCount(b, bthAt) != 0, " pad " + Bth.padCount(b, bthAt));
        }
        return text.toString();
    }

    private static void appendHeaders(StringBuilder text, ByteBuffer b, int bthAt, int op) {
        if (Opcode.has(op, Opcode.RDETH)) {
            text.append(" ee ").append(Rdeth.eeContext(b, bthAt + Opcode.rdethOffset(op)));
        }
        if (Opcode.has(op, Opcode.XRCETH)) {
            text.append(" srq ").append(Xrceth.srqn(b, bthAt + Opcode.xrcethOffset(op)));
        }
        if (Opcode.has(op, Opcode.DETH)) {
            int at = bthAt + Opcode.dethOffset(op);
            text.append(" from qp ").append(Deth.sourceQp(b, at)).append(" qkey ").append(hex(Deth.qkey(b, at)));
        }
        if (Opcode.has(op, Opcode.FETH)) {
            int at = bthAt + Opcode.fethOffset(op);
            text.append(" placement ").append(Feth.placementType(b, at)).append(" select ").append(Feth.selectivity(b, at));
        }
        if (Opcode.has(op, Opcode.RETH)) {
            int at = bthAt + Opcode.rethOffset(op);
            text.append(" va 0x").append(Long.toHexString(Reth.va(b, at))).append(" rkey ").append(hex(Reth.rkey(b, at)))
                .append(" of ").append(Reth.length(b, at));
        }
        if (Opcode.has(op, Opcode.ATOMIC_ETH)) {
            int at = bthAt + Opcode.atomicEthOffset(op);
            text.append(" va 0x").append(Long.toHexString(AtomicEth.va(b, at))).append(" rkey ").append(hex(AtomicEth.rkey(b, at)))
                .append(" swap/add 0x").append(Long.toHexString(AtomicEth.swapAdd(b, at)))
                .append(" compare 0x").append(Long.toHexString(AtomicEth.compare(b, at)));
        }
        if (Opcode.has(op, Opcode.AETH)) {
            int at = bthAt + Opcode.aethOffset(op);
            text.append(' ').append(Syndrome.name(Aeth.syndrome(b, at))).append(" msn ").append(Aeth.msn(b, at));
        }
        if (Opcode.has(op, Opcode.ATOMIC_ACK_ETH)) {
            text.append(" original 0x").append(Long.toHexString(AtomicAckEth.original(b, bthAt + Opcode.atomicAckEthOffset(op))));
        }
        if (Opcode.has(op, Opcode.IMMEDIATE)) {
            text.append(" imm ").append(hex(ImmDt.immediate(b, bthAt + Opcode.immediateOffset(op))));
        }
        if (Opcode.has(op, Opcode.INVALIDATE)) {
            text.append(" invalidate ").append(hex(Ieth.rkey(b, bthAt + Opcode.iethOffset(op))));
        }
    }

    private static void append(StringBuilder text, boolean condition, String word) {
        if (condition) {
            text.append(word);
        }
    }

    private static String hex(int value) {
        return String.format("0x%08x", value);
    }
}
