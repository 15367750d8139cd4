// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Ieth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Syndrome;
import org.softrdma.wire.roce.Xrceth;

/** Decodes RoCE packets from BTH to ICRC. Source: IBA vol 1 chapter 9. */
public final class RoceDecoder {
    /** Queue pair of management datagrams. */
    private static final int GSI = 1;

    private RoceDecoder() {
    }

    /**
     * Returns the row of a packet in a ladder.
     *
     * @param bytes from BTH to ICRC; may be damaged
     */
    public static PacketSummary summary(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        if (bytes.length < Bth.LENGTH + Icrc.LENGTH) {
            return new PacketSummary("damaged, " + bytes.length + " bytes", PacketKind.OTHER, -1, -1);
        }
        int opcode = Bth.opcode(b, 0);
        int psn = Bth.psn(b, 0);
        int qpn = Bth.destQp(b, 0);
        if (!Opcode.isKnown(opcode) || bytes.length < Opcode.headerLength(opcode) + Icrc.LENGTH) {
            return new PacketSummary("damaged, opcode 0x" + Integer.toHexString(opcode), PacketKind.OTHER, qpn, psn);
        }
        if (qpn == GSI && bytes.length >= Opcode.headerLength(opcode) + Mad.LENGTH) {
            return new PacketSummary(CmMessage.name(Mad.attribute(b, Opcode.headerLength(opcode))), PacketKind.CONNECTION, qpn, psn);
        }
        return new PacketSummary(label(b, opcode), kind(b, opcode), qpn, psn);
    }

    private static String label(ByteBuffer b, int opcode) {
        String name = Opcode.name(opcode);
        String label = name.startsWith("RC ") ? name.substring(3) : name;
        if (Opcode.aethOffset(opcode) > 0 && Opcode.has(opcode, Opcode.ACK)) {
            label = Syndrome.name(Aeth.syndrome(b, Opcode.aethOffset(opcode)));
        }
        return label;
    }

    private static PacketKind kind(ByteBuffer b, int opcode) {
        if (Opcode.TRANSPORT_CNP == Opcode.transport(opcode)) {
            return PacketKind.CONGESTION;
        }
        if (Opcode.has(opcode, Opcode.ACK)) {
            int syndrome = Aeth.syndrome(b, Opcode.aethOffset(opcode));
            return Syndrome.isAck(syndrome) ? PacketKind.ACK : Syndrome.isRnr(syndrome) ? PacketKind.RNR : PacketKind.NAK;
        }
        if (Opcode.hasAny(opcode, Opcode.READ_REQUEST | Opcode.READ_RESPONSE)) {
            return PacketKind.READ;
        }
        if (Opcode.hasAny(opcode, Opcode.ATOMIC_REQUEST | Opcode.ATOMIC_ACK)) {
            return PacketKind.ATOMIC;
        }
        return Opcode.has(opcode, Opcode.WRITE) ? PacketKind.WRITE : Opcode.has(opcode, Opcode.SEND) ? PacketKind.SEND : PacketKind.OTHER;
    }

    /** Returns all fields of a packet, as far as its bytes go. */
    public static List<Field> fields(byte[] bytes) {
        List<Field> fields = new ArrayList<>();
        ByteBuffer b = ByteBuffer.wrap(bytes);
        if (bytes.length < Bth.LENGTH) {
            fields.add(new Field("damaged", "bytes", bytes.length + ", a BTH has " + Bth.LENGTH, 0, Math.max(1, bytes.length)));
            return fields;
        }
        bth(fields, b);
        int opcode = Bth.opcode(b, 0);
        int end = bytes.length - Icrc.LENGTH;
        if (!Opcode.isKnown(opcode) || end < Opcode.headerLength(opcode)) {
            return fields;
        }
        extended(fields, b, opcode);
        payload(fields, b, opcode, end);
        fields.add(new Field("ICRC", "invariant CRC", hex(Icrc.get(b, end)), end, Icrc.LENGTH));
        return fields;
    }

    private static void bth(List<Field> fields, ByteBuffer b) {
        int opcode = Bth.opcode(b, 0);
        fields.add(new Field("BTH", "opcode", hex(opcode) + (Opcode.isKnown(opcode) ? " " + Opcode.name(opcode) : " unknown"),
            Bth.OPCODE_OFFSET, 1));
        fields.add(new Field("BTH", "solicited event", flag(Bth.solicitedEvent(b, 0)), Bth.FLAGS_OFFSET, 1));
        fields.add(new Field("BTH", "MigReq", flag(Bth.migReq(b, 0)), Bth.FLAGS_OFFSET, 1));
        fields.add(new Field("BTH", "pad count", String.valueOf(Bth.padCount(b, 0)), Bth.FLAGS_OFFSET, 1));
        fields.add(new Field("BTH", "partition key", hex(Bth.pkey(b, 0)), Bth.PKEY_OFFSET, 2));
        fields.add(new Field("BTH", "FECN, BECN", flag(Bth.fecn(b, 0)) + ", " + flag(Bth.becn(b, 0)), Bth.CONGESTION_OFFSET, 1));
        fields.add(new Field("BTH", "destination QP", hex(Bth.destQp(b, 0)), Bth.DEST_QP_OFFSET, 3));
        fields.add(new Field("BTH", "acknowledge request", flag(Bth.ackRequest(b, 0)), Bth.ACK_REQUEST_OFFSET, 1));
        fields.add(new Field("BTH", "PSN", String.valueOf(Bth.psn(b, 0)), Bth.PSN_OFFSET, 3));
    }

    private static void extended(List<Field> fields, ByteBuffer b, int opcode) {
        int at = Opcode.dethOffset(opcode);
        if (at > 0) {
            fields.add(new Field("DETH", "Q_Key", hex(Deth.qkey(b, at)), at + Deth.QKEY_OFFSET, 4));
            fields.add(new Field("DETH", "source QP", hex(Deth.sourceQp(b, at)), at + Deth.SOURCE_QP_OFFSET, 3));
        }
        at = Opcode.xrcethOffset(opcode);
        if (at > 0) {
            fields.add(new Field("XRCETH", "shared receive queue", String.valueOf(Xrceth.srqn(b, at)), at + Xrceth.SRQN_OFFSET, 3));
        }
        at = Opcode.rethOffset(opcode);
        if (at > 0) {
            fields.add(new Field("RETH", "virtual address", hex(Reth.va(b, at)), at + Reth.VA_OFFSET, 8));
            fields.add(new Field("RETH", "rkey", hex(Reth.rkey(b, at)), at + Reth.RKEY_OFFSET, 4));
            fields.add(new Field("RETH", "DMA length", Reth.length(b, at) + " bytes", at + Reth.DMA_LENGTH_OFFSET, 4));
        }
        at = Opcode.atomicEthOffset(opcode);
        if (at > 0) {
            fields.add(new Field("AtomicETH", "virtual address", hex(AtomicEth.va(b, at)), at + AtomicEth.VA_OFFSET, 8));
            fields.add(new Field("AtomicETH", "rkey", hex(AtomicEth.rkey(b, at)), at + AtomicEth.RKEY_OFFSET, 4));
            fields.add(new Field("AtomicETH", "swap or add", String.valueOf(AtomicEth.swapAdd(b, at)), at + AtomicEth.SWAP_ADD_OFFSET, 8));
            fields.add(new Field("AtomicETH", "compare", String.valueOf(AtomicEth.compare(b, at)), at + AtomicEth.COMPARE_OFFSET, 8));
        }
        at = Opcode.aethOffset(opcode);
        if (at > 0) {
            int syndrome = Aeth.syndrome(b, at);
            fields.add(new Field("AETH", "syndrome", hex(syndrome) + " " + Syndrome.name(syndrome), at + Aeth.SYNDROME_OFFSET, 1));
            fields.add(new Field("AETH", "MSN", String.valueOf(Aeth.msn(b, at)), at + Aeth.MSN_OFFSET, 3));
        }
        at = Opcode.atomicAckEthOffset(opcode);
        if (at > 0) {
            fields.add(new Field("AtomicAckETH", "original value", String.valueOf(AtomicAckEth.original(b, at)), at, 8));
        }
        at = Opcode.immediateOffset(opcode);
        if (at > 0) {
            fields.add(new Field("ImmDt", "immediate data", hex(ImmDt.immediate(b, at)), at, 4));
        }
        at = Opcode.iethOffset(opcode);
        if (at > 0) {
            fields.add(new Field("IETH", "rkey to invalidate", hex(Ieth.rkey(b, at)), at, 4));
        }
    }

    private static void payload(List<Field> fields, ByteBuffer b, int opcode, int end) {
        int at = Opcode.headerLength(opcode);
        int pad = Bth.padCount(b, 0);
        int length = end - at - pad;
        if (Bth.destQp(b, 0) == GSI && length >= Mad.LENGTH) {
            fields.add(new Field("MAD", "message", CmMessage.name(Mad.attribute(b, at)), at, Mad.LENGTH));
        } else if (length > 0) {
            fields.add(new Field("payload", "data", length + " bytes", at, length));
        }
        if (pad > 0 && length >= 0) {
            fields.add(new Field("payload", "pad", pad + " bytes", end - pad, pad));
        }
    }

    private static String flag(boolean set) {
        return set ? "1" : "0";
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
