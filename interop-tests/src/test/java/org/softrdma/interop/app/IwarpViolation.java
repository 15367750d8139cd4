// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import static org.softrdma.interop.app.RawIwarp.read;
import static org.softrdma.interop.app.RawIwarp.send;
import static org.softrdma.interop.app.RawIwarp.untagged;
import static org.softrdma.interop.app.RawIwarp.write;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.softrdma.interop.app.IwarpResponder.Regions;
import org.softrdma.interop.app.RawIwarp.Asked;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.TerminateCode;

/**
 * Frames that a peer may send over iWARP and that the accepting end must not accept. No row may contain frames that are known to crash the
 * kernel.
 *
 * @param name  description of the frames, a row of the table
 * @param rfc   the answer according to RFC 5044, 5041, 5040 and 7306, as we understand them
 * @param bytes size of each of the two receives that are posted; 0: none is posted
 * @param reads whether the accepting end posts a READ of {@link #READ_BYTES} first
 * @param act   sends the frames
 */
public record IwarpViolation(String name, String rfc, int bytes, boolean reads, Act act) {
    /**
     * Code that sends the frames.
     *
     * @see IwarpViolation#act
     */
    interface Act {
        void send(RawIwarp peer, Regions regions);
    }

    private static final int READ_BYTES = 16;
    private static final int RECEIVES = 2;
    private static final int PLENTY = 64;
    private static final String EIGHT = "0123456789abcdef";
    private static final int NOBODYS = 0x00abcd00;
    /** A tagged offset that reads as queue 5, MSN 1 when its segment is mistaken for an untagged one. */
    private static final long QUEUE_5_MSN_1 = 0x5_0000_0001L;
    private static final int END = IwarpResponder.SIZE;
    private static final int TERMINATE_AT = 18;

    private static final String NONE = "goes on; receive SUCCESS";

    public static final List<IwarpViolation> ALL = List.of(
        row("nothing: SEND", NONE, PLENTY, r -> send(1, EIGHT)),
        row("nothing: WRITE", "goes on", 0, r -> write(r.writable().stag(), r.writable().to(), EIGHT)),
        row("nothing: READ of 8 bytes", "RDMA Read Response; goes on", 0, r -> read(1, r.readable().stag(), r.readable().to(), 8)),
        row("nothing: WRITE and READ of no bytes under keys of nobody", "RDMA Read Response; goes on", 0,
            r -> write(NOBODYS, 0, ""), r -> read(1, NOBODYS, 0, 0)),
        row("nothing: reserved bits are set in a SEND", NONE, PLENTY, r -> "7d73" + send(1, EIGHT).substring(4)),
        new IwarpViolation("nothing: a pad byte that is not zero", NONE, PLENTY, false,
            (peer, r) -> peer.send(List.of(RawIwarp.frame(send(1, EIGHT.substring(2)), (byte) 0xff)))),
        answer("nothing: Read Response", "goes on; READ SUCCESS", a -> response(a.sinkStag(), a.sinkTo(), a.bytes())),
        row("immediate data of RFC 7306", NONE, PLENTY, r -> untagged(true, 8, 0, 0, 1, 0, EIGHT)),
        row("FETCH_ADD of RFC 7306 to a region without REMOTE_ATOMIC", terminate(TerminateCode.PROTECTION_ACCESS_RIGHTS), 0,
            r -> untagged(true, 10, 0, 1, 1, 0, String.format("%08x%08x%08x%016x", 0, 1, r.writable().stag(), r.writable().to())
                + "00".repeat(32))),
        row("SEND without a receive", terminate(TerminateCode.UNTAGGED_NO_BUFFER), 0, r -> send(1, EIGHT)),
        row("SEND of 8 bytes into a receive of 4", terminate(TerminateCode.UNTAGGED_TOO_LONG) + "; receive LOC_LEN_ERR", 4,
            r -> send(1, EIGHT)),
        row("SEND of 16 bytes into a receive of 12, in two segments", terminate(TerminateCode.UNTAGGED_TOO_LONG) + "; receive LOC_LEN_ERR",
            12, r -> untagged(false, 3, 0, 0, 1, 0, EIGHT), r -> untagged(true, 3, 0, 0, 1, 8, EIGHT)),
        row("SEND that begins with MSN 2", terminate(TerminateCode.UNTAGGED_MSN_RANGE), PLENTY, r -> send(2, EIGHT)),
        row("SEND that begins with MO 4", terminate(TerminateCode.UNTAGGED_INVALID_MO), PLENTY, r -> untagged(true, 3, 0, 0, 1, 4, EIGHT)),
        row("SEND for queue 5", terminate(TerminateCode.UNTAGGED_INVALID_QN), PLENTY, r -> untagged(true, 3, 0, 5, 1, 0, EIGHT)),
        row("SEND with SE inside a SEND", terminate(TerminateCode.OPERATION_UNEXPECTED_OPCODE), PLENTY,
            r -> untagged(false, 3, 0, 0, 1, 0, EIGHT), r -> untagged(true, 5, 0, 0, 1, 8, EIGHT)),
        row("READ request inside a SEND", "RDMA Read Response; goes on", PLENTY,
            r -> untagged(false, 3, 0, 0, 1, 0, EIGHT), r -> read(1, r.readable().stag(), r.readable().to(), 8)),
        row("SEND with invalidate of a key of nobody", terminate(TerminateCode.PROTECTION_INVALID_STAG), PLENTY,
            r -> untagged(true, 4, NOBODYS, 0, 1, 0, EIGHT)),
        row("SEND with invalidate of a region", terminate(TerminateCode.PROTECTION_CANNOT_INVALIDATE), PLENTY,
            r -> untagged(true, 4, r.writable().stag(), 0, 1, 0, EIGHT)),
        row("SEND with invalidate of a region, with a wrong key byte", terminate(TerminateCode.PROTECTION_INVALID_STAG), PLENTY,
            r -> untagged(true, 4, r.writable().stag() ^ 0xff, 0, 1, 0, EIGHT)),
        row("SEND with invalidate of a region of another protection domain", terminate(TerminateCode.PROTECTION_NOT_ASSOCIATED), PLENTY,
            r -> untagged(true, 4, r.foreign().stag(), 0, 1, 0, EIGHT)),
        row("SEND with invalidate of a region, then a WRITE to it", terminate(TerminateCode.PROTECTION_CANNOT_INVALIDATE), PLENTY,
            r -> untagged(true, 4, r.writable().stag(), 0, 1, 0, EIGHT), r -> write(r.writable().stag(), r.writable().to(), EIGHT)),
        row("SEND with invalidate of the next receive's region, then a SEND", terminate(TerminateCode.PROTECTION_INVALID_STAG), PLENTY,
            r -> untagged(true, 4, r.last().stag(), 0, 1, 0, EIGHT), r -> send(2, EIGHT)),
        row("WRITE under a key of nobody", terminate(TerminateCode.TAGGED_INVALID_STAG), 0, r -> write(NOBODYS, 0, EIGHT)),
        row("WRITE with a wrong key byte", terminate(TerminateCode.TAGGED_INVALID_STAG), 0,
            r -> write(r.writable().stag() ^ 0xff, r.writable().to(), EIGHT)),
        row("WRITE to a region without REMOTE_WRITE", terminate(TerminateCode.PROTECTION_ACCESS_RIGHTS), 0,
            r -> write(r.readable().stag(), r.readable().to(), EIGHT)),
        row("WRITE that begins 1 byte before the region", terminate(TerminateCode.TAGGED_BASE_BOUNDS), 0,
            r -> write(r.writable().stag(), r.writable().to() - 1, EIGHT)),
        row("WRITE that ends 1 byte behind the region", terminate(TerminateCode.TAGGED_BASE_BOUNDS), 0,
            r -> write(r.writable().stag(), r.writable().to() + END - 7, EIGHT)),
        row("WRITE whose offset wraps around", terminate(TerminateCode.TAGGED_TO_WRAP), 0, r -> write(r.writable().stag(), -4, EIGHT)),
        row("WRITE to a region of another protection domain", terminate(TerminateCode.TAGGED_NOT_ASSOCIATED), 0,
            r -> write(r.foreign().stag(), r.foreign().to(), EIGHT)),
        row("WRITE of two segments with a gap between them", "goes on", 0,
            r -> RawIwarp.tagged(false, 0, r.writable().stag(), r.writable().to(), EIGHT),
            r -> write(r.writable().stag(), r.writable().to() + 64, EIGHT)),
        row("WRITE of two segments, each to a region of its own", "goes on", 0,
            r -> RawIwarp.tagged(false, 0, r.writable().stag(), r.writable().to(), EIGHT),
            r -> write(r.second().stag(), r.second().to() + 8, EIGHT)),
        row("READ under a key of nobody", terminate(TerminateCode.PROTECTION_INVALID_STAG), 0, r -> read(1, NOBODYS, 0, 8)),
        row("READ with a wrong key byte", terminate(TerminateCode.PROTECTION_INVALID_STAG), 0,
            r -> read(1, r.readable().stag() ^ 0xff, r.readable().to(), 8)),
        row("READ of a region without REMOTE_READ", terminate(TerminateCode.PROTECTION_ACCESS_RIGHTS), 0,
            r -> read(1, r.writable().stag(), r.writable().to(), 8)),
        row("READ that ends 1 byte behind the region", terminate(TerminateCode.PROTECTION_BASE_BOUNDS), 0,
            r -> read(1, r.readable().stag(), r.readable().to() + END - 7, 8)),
        row("READ of 2^31 bytes", terminate(TerminateCode.PROTECTION_BASE_BOUNDS), 0,
            r -> read(1, r.readable().stag(), r.readable().to(), 0x8000_0000)),
        row("READ of 2^32 - 1 bytes", terminate(TerminateCode.PROTECTION_BASE_BOUNDS), 0,
            r -> read(1, r.readable().stag(), r.readable().to(), -1)),
        row("READ from a region of another protection domain", terminate(TerminateCode.PROTECTION_NOT_ASSOCIATED), 0,
            r -> read(1, r.foreign().stag(), r.foreign().to(), 8)),
        row("READ that begins with MSN 2", terminate(TerminateCode.UNTAGGED_MSN_RANGE), 0,
            r -> read(2, r.readable().stag(), r.readable().to(), 8)),
        row("READ request with 8 bytes too many", terminate(TerminateCode.UNTAGGED_TOO_LONG), 0,
            r -> read(1, r.readable().stag(), r.readable().to(), 8) + EIGHT),
        new IwarpViolation("32 READs at once where 4 were agreed", terminate(TerminateCode.UNTAGGED_NO_BUFFER), 0, false,
            (peer, r) -> peer.send(IntStream.rangeClosed(1, 32)
                .mapToObj(msn -> RawIwarp.frame(read(msn, r.readable().stag(), r.readable().to(), END))).toList())),
        row("Read Response that nobody asked for", terminate(TerminateCode.OPERATION_UNEXPECTED_OPCODE), 0,
            r -> RawIwarp.tagged(2, r.writable().stag(), r.writable().to(), EIGHT)),
        row("Read Response inside a WRITE", terminate(TerminateCode.OPERATION_UNEXPECTED_OPCODE), 0,
            r -> RawIwarp.tagged(false, 0, r.writable().stag(), r.writable().to(), EIGHT),
            r -> response(r.writable().stag(), r.writable().to() + 8, 8)),
        new IwarpViolation("a second Read Response", terminate(TerminateCode.OPERATION_UNEXPECTED_OPCODE) + "; READ SUCCESS", 0, true,
            (peer, r) -> {
                Asked a = peer.awaitReadRequest();
                byte[] answer = RawIwarp.frame(response(a.sinkStag(), a.sinkTo(), a.bytes()));
                peer.send(List.of(answer, answer));
            }),
        answer("Read Response under another key", terminate(TerminateCode.TAGGED_INVALID_STAG) + "; READ BAD_RESP_ERR",
            a -> response(NOBODYS, a.sinkTo(), a.bytes())),
        answer("Read Response 8 bytes behind the place it was asked for",
            terminate(TerminateCode.TAGGED_BASE_BOUNDS) + "; READ BAD_RESP_ERR", a -> response(a.sinkStag(), a.sinkTo() + 8, a.bytes())),
        answer("Read Response that ends 8 bytes early", terminate(TerminateCode.TAGGED_BASE_BOUNDS) + "; READ BAD_RESP_ERR",
            a -> response(a.sinkStag(), a.sinkTo(), a.bytes() - 8)),
        answer("Read Response with 8 bytes too many", terminate(TerminateCode.TAGGED_BASE_BOUNDS) + "; READ BAD_RESP_ERR",
            a -> response(a.sinkStag(), a.sinkTo(), a.bytes() + 8)),
        row("a SEND whose T bit is set", terminate(TerminateCode.OPERATION_UNEXPECTED_OPCODE), PLENTY,
            r -> RawIwarp.tagged(3, r.writable().stag(), QUEUE_5_MSN_1, EIGHT)),
        row("opcode 15", terminate(TerminateCode.OPERATION_UNEXPECTED_OPCODE), PLENTY, r -> untagged(true, 15, 0, 0, 1, 0, EIGHT)),
        row("RDMAP version 0", terminate(TerminateCode.OPERATION_RDMAP_VERSION), PLENTY, r -> "4103" + send(1, EIGHT).substring(4)),
        row("RDMAP version 3", terminate(TerminateCode.OPERATION_RDMAP_VERSION), PLENTY, r -> "41c3" + send(1, EIGHT).substring(4)),
        row("DDP version 0 in a SEND", terminate(TerminateCode.UNTAGGED_DDP_VERSION), PLENTY, r -> "4043" + send(1, EIGHT).substring(4)),
        row("DDP version 0 in a WRITE", terminate(TerminateCode.TAGGED_DDP_VERSION), 0,
            r -> "c040" + write(r.writable().stag(), r.writable().to(), EIGHT).substring(4)),
        row("a ULPDU of 4 bytes", terminate(TerminateCode.MPA_MARKER_OR_LENGTH), PLENTY, r -> "41430000"),
        new IwarpViolation("a wrong CRC", terminate(TerminateCode.MPA_CRC), PLENTY, false, (peer, r) -> {
            byte[] frame = RawIwarp.frame(send(1, EIGHT));
            frame[frame.length - 1] ^= 1;
            peer.send(List.of(frame));
        }),
        row("a Terminate", "closes", PLENTY, r -> untagged(true, 7, 0, 2, 1, 0, "00000000")));

    @SafeVarargs
    private static IwarpViolation row(String name, String rfc, int bytes, Function<Regions, String>... ulpdus) {
        return new IwarpViolation(name, rfc, bytes, false, (peer, regions) -> {
            List<byte[]> frames = new ArrayList<>();
            for (Function<Regions, String> each : ulpdus) {
                frames.add(RawIwarp.frame(each.apply(regions)));
            }
            peer.send(frames);
        });
    }

    /** Creates a row whose frame is a response to a READ. */
    private static IwarpViolation answer(String name, String rfc, Function<Asked, String> ulpdu) {
        return new IwarpViolation(name, rfc, 0, true, (peer, regions) ->
            peer.send(List.of(RawIwarp.frame(ulpdu.apply(peer.awaitReadRequest())))));
    }

    private static String response(int stag, long to, int bytes) {
        return RawIwarp.tagged(RdmapOpcode.RDMA_READ_RESPONSE, stag, to, "5a".repeat(bytes));
    }

    private static String terminate(int code) {
        return "Terminate " + TerminateCode.name(code);
    }

    /**
     * Runs the violation and describes the answer in one line.
     *
     * @param reversed whether the responder's Terminates have the bit order of siw on little-endian machines
     */
    String observe(RawIwarp peer, IwarpResponder responder, boolean reversed) {
        Regions regions = responder.accept(bytes == 0 ? 0 : RECEIVES, bytes);
        peer.awaitReply();
        if (reads) {
            responder.read(READ_BYTES);
        }
        act.send(peer, regions);
        List<String> seen = new ArrayList<>();
        boolean terminated = false;
        boolean closed = false;
        for (byte[] ulpdu : peer.answers()) {
            closed = ulpdu == null;
            if (!closed) {
                int opcode = ulpdu[1] & 15;
                if (opcode == RdmapOpcode.TERMINATE) {
                    terminated = true;
                    // The number of answers before the Terminate depends on timing.
                    seen.clear();
                }
                seen.add(opcode == RdmapOpcode.TERMINATE ? terminate(codeOf(ulpdu, reversed)) : RdmapOpcode.name(opcode));
            }
        }
        if (!terminated) {
            seen.add(closed ? "closes" : "goes on");
        } else if (!closed) {
            seen.add("and goes on");
        }
        peer.close();
        if (reads) {
            seen.add("READ " + responder.readStatus());
        }
        List<String> receives = responder.receives().stream().filter(each -> each != WcStatus.WR_FLUSH_ERR).map(WcStatus::name).toList();
        if (!receives.isEmpty()) {
            seen.add("receive " + String.join(", ", receives));
        }
        return String.join("; ", seen);
    }

    private static int codeOf(byte[] terminate, boolean reversed) {
        int layerAndType = terminate[TERMINATE_AT] & 0xff;
        int ordered = reversed ? (layerAndType << 4 | layerAndType >> 4) & 0xff : layerAndType;
        return ordered << 8 | terminate[TERMINATE_AT + 1] & 0xff;
    }
}
