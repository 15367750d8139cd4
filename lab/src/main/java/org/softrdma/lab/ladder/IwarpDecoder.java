// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.AtomicResponse;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.MpaFrame;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.Terminate;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UntaggedHeader;

/** Decodes MPA start-up frames and FPDUs without markers. Source: RFC 5044, RFC 5041, RFC 5040, RFC 7306. */
public final class IwarpDecoder {
    private static final String KEY = "MPA ID Re";

    private IwarpDecoder() {
    }

    /** Whether bytes begin with a start-up frame. */
    static boolean isStartup(byte[] bytes) {
        return bytes.length >= MpaFrame.LENGTH && new String(bytes, 0, KEY.length(), StandardCharsets.US_ASCII).equals(KEY);
    }

    /** Returns the row of a start-up frame or FPDU in a ladder. */
    public static PacketSummary summary(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        if (isStartup(bytes)) {
            boolean request = bytes[KEY.length()] == 'q';
            String rejected = MpaFrame.has(b, 0, MpaFrame.REJECTED) ? ", rejected" : "";
            return new PacketSummary("MPA " + (request ? "request" : "reply") + rejected, PacketKind.CONNECTION, -1, -1);
        }
        if (!hasHeaders(b)) {
            return new PacketSummary("TCP, " + bytes.length + " bytes", PacketKind.OTHER, -1, -1);
        }
        int opcode = Ddp.opcode(b, Fpdu.HEADER_LENGTH);
        int msn = Ddp.isTagged(b, Fpdu.HEADER_LENGTH) ? -1 : UntaggedHeader.msn(b, Fpdu.HEADER_LENGTH);
        String label = RdmapOpcode.name(opcode);
        if (opcode == RdmapOpcode.TERMINATE && bytes.length >= bodyAt(b) + Terminate.CONTROL_LENGTH) {
            label += ": " + TerminateCode.name(Terminate.code(b, bodyAt(b)));
        }
        return new PacketSummary(label, kind(opcode), -1, msn);
    }

    private static boolean hasHeaders(ByteBuffer b) {
        return b.capacity() >= Fpdu.HEADER_LENGTH + UntaggedHeader.LENGTH && RdmapOpcode.isKnown(Ddp.opcode(b, Fpdu.HEADER_LENGTH));
    }

    private static int bodyAt(ByteBuffer b) {
        return Fpdu.HEADER_LENGTH + Ddp.headerLength(b, Fpdu.HEADER_LENGTH);
    }

    private static PacketKind kind(int opcode) {
        return switch (opcode) {
            case RdmapOpcode.RDMA_WRITE -> PacketKind.WRITE;
            case RdmapOpcode.RDMA_READ_REQUEST, RdmapOpcode.RDMA_READ_RESPONSE -> PacketKind.READ;
            case RdmapOpcode.ATOMIC_REQUEST, RdmapOpcode.ATOMIC_RESPONSE -> PacketKind.ATOMIC;
            case RdmapOpcode.TERMINATE -> PacketKind.NAK;
            default -> PacketKind.SEND;
        };
    }

    /** Returns all fields of a start-up frame or FPDU. */
    public static List<Field> fields(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        List<Field> fields = new ArrayList<>();
        if (isStartup(bytes)) {
            startup(fields, b);
        } else if (hasHeaders(b)) {
            segment(fields, b);
        } else {
            fields.add(new Field("TCP", "bytes", bytes.length + " bytes", 0, Math.max(1, bytes.length)));
        }
        return fields;
    }

    private static void startup(List<Field> fields, ByteBuffer b) {
        fields.add(new Field("MPA", "key", StandardCharsets.US_ASCII.decode(b.slice(0, MpaFrame.FLAGS_OFFSET)).toString(), 0,
            MpaFrame.FLAGS_OFFSET));
        fields.add(new Field("MPA", "markers, CRC, rejected", MpaFrame.has(b, 0, MpaFrame.MARKERS) + ", " + MpaFrame.has(b, 0, MpaFrame.CRC)
            + ", " + MpaFrame.has(b, 0, MpaFrame.REJECTED), MpaFrame.FLAGS_OFFSET, 1));
        fields.add(new Field("MPA", "revision", String.valueOf(MpaFrame.revision(b, 0)), MpaFrame.REVISION_OFFSET, 1));
        int length = Math.min(MpaFrame.privateDataLength(b, 0), b.capacity() - MpaFrame.LENGTH);
        fields.add(new Field("MPA", "private data length", String.valueOf(length), MpaFrame.PRIVATE_DATA_LENGTH_OFFSET, 2));
        if (length > 0) {
            fields.add(new Field("MPA", "private data", length + " bytes", MpaFrame.LENGTH, length));
        }
    }

    private static void segment(List<Field> fields, ByteBuffer b) {
        int at = Fpdu.HEADER_LENGTH;
        int ulpdu = Math.min(Fpdu.ulpduLength(b, 0), b.capacity() - at);
        fields.add(new Field("MPA", "ULPDU length", String.valueOf(Fpdu.ulpduLength(b, 0)), 0, Fpdu.HEADER_LENGTH));
        fields.add(new Field("DDP", "tagged, last, version", Ddp.isTagged(b, at) + ", " + Ddp.isLast(b, at) + ", " + Ddp.version(b, at),
            at, 1));
        fields.add(new Field("RDMAP", "opcode", RdmapOpcode.name(Ddp.opcode(b, at)), at + 1, 1));
        if (Ddp.isTagged(b, at)) {
            fields.add(new Field("DDP", "STag", hex(TaggedHeader.stag(b, at)), at + TaggedHeader.STAG_OFFSET, 4));
            fields.add(new Field("DDP", "tagged offset", hex(TaggedHeader.to(b, at)), at + TaggedHeader.TO_OFFSET, 8));
        } else {
            fields.add(new Field("RDMAP", "STag to invalidate", hex(UntaggedHeader.invalidateStag(b, at)),
                at + UntaggedHeader.INVALIDATE_STAG_OFFSET, 4));
            fields.add(new Field("DDP", "queue", String.valueOf(UntaggedHeader.qn(b, at)), at + UntaggedHeader.QN_OFFSET, 4));
            fields.add(new Field("DDP", "MSN", String.valueOf(UntaggedHeader.msn(b, at)), at + UntaggedHeader.MSN_OFFSET, 4));
            fields.add(new Field("DDP", "message offset", String.valueOf(UntaggedHeader.mo(b, at)), at + UntaggedHeader.MO_OFFSET, 4));
        }
        body(fields, b, bodyAt(b), at + ulpdu);
        int crc = b.capacity() - Fpdu.CRC_LENGTH;
        if (crc >= at + ulpdu) {
            fields.add(new Field("MPA", "CRC-32C", hex(b.getInt(crc)), crc, Fpdu.CRC_LENGTH));
        }
    }

    private static void body(List<Field> fields, ByteBuffer b, int at, int end) {
        int opcode = Ddp.opcode(b, Fpdu.HEADER_LENGTH);
        int length = end - at;
        if (opcode == RdmapOpcode.RDMA_READ_REQUEST && length >= ReadRequest.LENGTH) {
            fields.add(new Field("RDMAP", "sink STag", hex(ReadRequest.sinkStag(b, at)), at + ReadRequest.SINK_STAG_OFFSET, 4));
            fields.add(new Field("RDMAP", "sink offset", hex(ReadRequest.sinkTo(b, at)), at + ReadRequest.SINK_TO_OFFSET, 8));
            fields.add(new Field("RDMAP", "size", ReadRequest.size(b, at) + " bytes", at + ReadRequest.SIZE_OFFSET, 4));
            fields.add(new Field("RDMAP", "source STag", hex(ReadRequest.sourceStag(b, at)), at + ReadRequest.SOURCE_STAG_OFFSET, 4));
            fields.add(new Field("RDMAP", "source offset", hex(ReadRequest.sourceTo(b, at)), at + ReadRequest.SOURCE_TO_OFFSET, 8));
        } else if (opcode == RdmapOpcode.ATOMIC_REQUEST && length >= AtomicRequest.LENGTH) {
            fields.add(new Field("RDMAP", "remote STag", hex(AtomicRequest.stag(b, at)), at + AtomicRequest.STAG_OFFSET, 4));
            fields.add(new Field("RDMAP", "remote offset", hex(AtomicRequest.to(b, at)), at + AtomicRequest.TO_OFFSET, 8));
            fields.add(new Field("RDMAP", "add or swap", String.valueOf(AtomicRequest.addSwap(b, at)),
                at + AtomicRequest.ADD_SWAP_OFFSET, 8));
            fields.add(new Field("RDMAP", "compare", String.valueOf(AtomicRequest.compare(b, at)), at + AtomicRequest.COMPARE_OFFSET, 8));
        } else if (opcode == RdmapOpcode.ATOMIC_RESPONSE && length >= AtomicResponse.LENGTH) {
            fields.add(new Field("RDMAP", "original value", String.valueOf(AtomicResponse.original(b, at)),
                at + AtomicResponse.ORIGINAL_OFFSET, 8));
        } else if (opcode == RdmapOpcode.TERMINATE && length >= Terminate.CONTROL_LENGTH) {
            fields.add(new Field("RDMAP", "reason", TerminateCode.name(Terminate.code(b, at)), at, Terminate.CONTROL_LENGTH));
        } else if (length > 0) {
            fields.add(new Field("payload", "data", length + " bytes", at, length));
        }
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
