// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.siw.ViolationScene.RECEIVE_BYTES;
import static org.softrdma.siw.ViolationScene.SIZE;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.siw.ViolationScene.Refusal;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Table of the rules that a peer's requests can break (RFC 5040, 5041, 5044, 7306), row by row, with the Terminate that the RFCs require.
 * Each row is run on a connection that may send and on one that waits for the peer's first frame, and has a twin just inside the limit.
 * {@link FramingViolationTest} has the frames around them, {@link ResponseViolationTest} the responses to our requests,
 * {@link StartupViolationTest} the connection set-up.
 */
class RequestViolationTest {
    private static final String ABCD = "61626364";
    private static final String EIGHT = "6162636465666768";
    private static final List<WcStatus> FLUSHED = List.of(WcStatus.WR_FLUSH_ERR);

    private static ViolationRow row(String name, Refusal refusal, Function<ViolationScene, String> bad,
            Function<ViolationScene, String> good) {
        return new ViolationRow(name, refusal, s -> List.of(bad.apply(s)), s -> List.of(good.apply(s)));
    }

    private static ViolationRow rows(String name, Refusal refusal, Function<ViolationScene, List<String>> bad,
            Function<ViolationScene, List<String>> good) {
        return new ViolationRow(name, refusal, bad, good);
    }

    // ---- segments of the table ----

    private static String send(int msn) {
        return RawSegment.send(msn, ABCD);
    }

    private static RawSegment open(int msn) {
        return RawSegment.untagged(RawSegment.SEND, msn).more();
    }

    private static String write(ViolationScene s, long offset, int bytes) {
        return RawSegment.write(s.target.rkey(), s.target.address() + offset, "61".repeat(bytes));
    }

    private static String read(ViolationScene s, int msn, int bytes) {
        return RawSegment.read(msn).into(0x77, 0x1000).from(s.target.rkey(), s.target.address(), bytes);
    }

    private static String read(MemoryRegion from, long offset, long bytes) {
        return RawSegment.read(1).into(0x77, 0x1000).from(from.rkey(), from.address() + offset, bytes);
    }

    private static String add(ViolationScene s, int msn) {
        return RawSegment.atomic(msn, 9).at(s.target.rkey(), s.target.address()).add(1);
    }

    private static String add(MemoryRegion to, long offset) {
        return RawSegment.atomic(1, 9).at(to.rkey(), to.address() + offset).add(1);
    }

    private static String immediate(int msn) {
        return RawSegment.untagged(RawSegment.IMMEDIATE, msn).with(EIGHT);
    }

    /** A good segment of an opcode that is valid as the first one of a connection. */
    private static String first(ViolationScene s, int opcode) {
        return switch (opcode) {
            case RawSegment.WRITE -> write(s, 0, 0);
            case RawSegment.READ_REQUEST -> read(s, 1, 4);
            case RawSegment.SEND, RawSegment.SEND_SOLICITED -> RawSegment.untagged(opcode, 1).with(ABCD);
            case RawSegment.IMMEDIATE, RawSegment.IMMEDIATE_SOLICITED -> RawSegment.untagged(opcode, 1).with(EIGHT);
            case RawSegment.ATOMIC_REQUEST -> add(s.scratch(), 0);
            default -> throw new IllegalArgumentException("opcode " + opcode);
        };
    }

    private static final int[] FIRST = {RawSegment.WRITE, RawSegment.READ_REQUEST, RawSegment.SEND, RawSegment.SEND_SOLICITED,
        RawSegment.IMMEDIATE, RawSegment.IMMEDIATE_SOLICITED, RawSegment.ATOMIC_REQUEST};

    /** Replaces the two control bytes. */
    private static String control(String segment, String digits) {
        return digits + segment.substring(4);
    }

    /** Changes bits of the two control bytes. */
    private static String flip(String segment, int bits) {
        return control(segment, String.format("%04x", Integer.parseInt(segment.substring(0, 4), 16) ^ bits));
    }

    // ---- RFC 5041 §4, RFC 5040 §4: control bytes ----

    static Stream<ViolationRow> controlBytes() {
        List<ViolationRow> table = new ArrayList<>();
        for (int opcode : FIRST) {
            Function<ViolationScene, String> good = s -> first(s, opcode);
            boolean tagged = opcode == RawSegment.WRITE;
            // The valid DDP version is 1: bits 1 and 0 of the first byte.
            for (int version : new int[] {0, 2, 3}) {
                table.add(row("DDP version " + version + ", opcode " + opcode, tagged ? Refusal.TAGGED_DDP_VERSION
                    : Refusal.UNTAGGED_DDP_VERSION, s -> flip(first(s, opcode), (1 ^ version) << 8), good));
            }
            // The valid RDMAP version is 1: bits 7 and 6 of the second byte.
            for (int version : new int[] {0, 2, 3}) {
                table.add(row("RDMAP version " + version + ", opcode " + opcode, Refusal.RDMAP_VERSION,
                    s -> flip(first(s, opcode), (1 ^ version) << 6), good));
            }
            table.add(row("T bit contradicts opcode " + opcode, Refusal.UNKNOWN_OPCODE, s -> flip(first(s, opcode), 0x8000), good));
        }
        for (int opcode = 12; opcode < 16; opcode++) {
            int reserved = opcode;
            table.add(row("reserved opcode " + opcode, Refusal.UNKNOWN_OPCODE, s -> control(send(1), "414" + Integer.toHexString(reserved)),
                s -> send(1)));
            table.add(row("reserved opcode " + opcode + ", tagged", Refusal.UNKNOWN_OPCODE,
                s -> control(write(s, 0, 8), "c14" + Integer.toHexString(reserved)), s -> write(s, 0, 8)));
        }
        table.add(row("untagged READ response", Refusal.UNKNOWN_OPCODE, s -> control(send(1), "4142"), s -> send(1)));
        table.add(row("tagged Terminate", Refusal.UNKNOWN_OPCODE, s -> control(write(s, 0, 8), "c147"), s -> write(s, 0, 8)));
        table.add(row("tagged atomic response", Refusal.UNKNOWN_OPCODE, s -> control(write(s, 0, 8), "c14b"), s -> write(s, 0, 8)));
        return table.stream();
    }

    // ---- RFC 5041 §5, §7: untagged queues ----

    static Stream<ViolationRow> queues() {
        List<ViolationRow> table = new ArrayList<>();
        for (int qn : new int[] {1, 2, 3, 4, -1}) {
            table.add(row("SEND on queue " + qn, Refusal.INVALID_QN,
                s -> RawSegment.untagged(RawSegment.SEND, 1).queue(qn).with(ABCD), s -> send(1)));
            table.add(row("immediate data on queue " + qn, Refusal.INVALID_QN,
                s -> RawSegment.untagged(RawSegment.IMMEDIATE, 1).queue(qn).with(EIGHT), s -> immediate(1)));
        }
        for (int qn : new int[] {0, 2, 3, 4, -1}) {
            table.add(row("READ request on queue " + qn, Refusal.INVALID_QN, s -> queue(read(s, 1, 4), qn), s -> read(s, 1, 4)));
            table.add(row("atomic request on queue " + qn, Refusal.INVALID_QN, s -> queue(add(s, 1), qn), s -> add(s.scratch(), 0)));
        }
        for (int qn : new int[] {0, 1, 3}) {
            table.add(row("Terminate on queue " + qn, Refusal.INVALID_QN,
                s -> RawSegment.untagged(RawSegment.TERMINATE, 1).queue(qn).with("02060000"), s -> send(1)));
        }
        for (int qn : new int[] {0, 1, 2}) {
            table.add(row("atomic response on queue " + qn, Refusal.INVALID_QN,
                s -> RawSegment.untagged(RawSegment.ATOMIC_RESPONSE, 1).queue(qn).with("00000001" + EIGHT), s -> send(1)));
        }
        return table.stream();
    }

    private static String queue(String segment, int qn) {
        return segment.substring(0, 12) + String.format("%08x", qn) + segment.substring(20);
    }

    private static String offset(String segment, int mo) {
        return segment.substring(0, 28) + String.format("%08x", mo) + segment.substring(36);
    }

    static Stream<ViolationRow> sequenceNumbers() {
        List<ViolationRow> table = new ArrayList<>();
        for (int msn : new int[] {0, 2, 3, -1, 0x1_0000, 0x100_0001}) {
            table.add(row("first SEND with MSN " + msn, Refusal.MSN_RANGE, s -> send(msn), s -> send(1)));
            table.add(row("first immediate data with MSN " + msn, Refusal.MSN_RANGE, s -> immediate(msn), s -> immediate(1)));
            table.add(row("first READ request with MSN " + msn, Refusal.MSN_RANGE, s -> read(s, msn, 4), s -> read(s, 1, 4)));
            table.add(row("first atomic request with MSN " + msn, Refusal.MSN_RANGE, s -> add(s, msn), s -> add(s.scratch(), 0)));
            table.add(row("Terminate with MSN " + msn, Refusal.MSN_RANGE,
                s -> RawSegment.untagged(RawSegment.TERMINATE, msn).with("02060000"), s -> send(1)));
            table.add(row("atomic response with MSN " + msn, Refusal.MSN_RANGE, s -> RawSegment.atomicResponse(msn, 1, 0), s -> send(1)));
        }
        table.add(rows("SEND repeated", Refusal.MSN_RANGE, s -> List.of(send(1), send(1)), s -> List.of(send(1), send(2)))
            .receives(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR));
        table.add(rows("SEND left out", Refusal.MSN_RANGE, s -> List.of(send(1), send(3)), s -> List.of(send(1), send(2)))
            .receives(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR));
        table.add(rows("immediate data with the MSN of the SEND before", Refusal.MSN_RANGE, s -> List.of(send(1), immediate(1)),
            s -> List.of(send(1), immediate(2))).receives(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR));
        table.add(rows("SEND with the MSN of the immediate data before", Refusal.MSN_RANGE, s -> List.of(immediate(1), send(1)),
            s -> List.of(immediate(1), send(2))).receives(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR));
        table.add(rows("second segment with the next MSN: the Last flag is missing", Refusal.MSN_RANGE,
            s -> List.of(open(1).with(ABCD), send(2)),
            s -> List.of(open(1).with(ABCD), RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD), send(2))));
        table.add(rows("segment behind the last one: the Last flag is in the wrong place", Refusal.MSN_RANGE,
            s -> List.of(send(1), RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD)),
            s -> List.of(open(1).with(ABCD), RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD)))
            .receives(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR));
        table.add(rows("READ request repeated", Refusal.MSN_RANGE, s -> List.of(read(s, 1, 4), read(s, 1, 4)),
            s -> List.of(read(s, 1, 4), read(s, 2, 4))));
        table.add(rows("READ request left out", Refusal.MSN_RANGE, s -> List.of(read(s, 1, 4), read(s, 3, 4)),
            s -> List.of(read(s, 1, 4), read(s, 2, 4))));
        table.add(rows("atomic with the MSN of the READ before", Refusal.MSN_RANGE, s -> List.of(read(s, 1, 4), add(s, 1)),
            s -> List.of(read(s, 1, 4), RawSegment.atomic(2, 9).at(s.scratch().rkey(), s.scratch().address()).add(1))));
        table.add(rows("READ with the MSN of the atomic before", Refusal.MSN_RANGE, s -> List.of(add(s.scratch(), 0), read(s, 1, 4)),
            s -> List.of(add(s.scratch(), 0), read(s, 2, 4))));
        return table.stream();
    }

    static Stream<ViolationRow> offsetsAndLengths() {
        List<ViolationRow> table = new ArrayList<>();
        for (int mo : new int[] {1, 4, -1}) {
            table.add(row("SEND that begins at MO " + mo, Refusal.INVALID_MO, s -> offset(send(1), mo), s -> send(1)));
            table.add(row("READ request with MO " + mo, Refusal.INVALID_MO, s -> offset(read(s, 1, 4), mo), s -> read(s, 1, 4)));
            table.add(row("immediate data with MO " + mo, Refusal.INVALID_MO, s -> offset(immediate(1), mo), s -> immediate(1)));
            table.add(row("atomic request with MO " + mo, Refusal.INVALID_MO, s -> offset(add(s, 1), mo), s -> add(s.scratch(), 0)));
            table.add(row("Terminate with MO " + mo, Refusal.INVALID_MO,
                s -> offset(RawSegment.untagged(RawSegment.TERMINATE, 1).with("02060000"), mo), s -> send(1)));
        }
        for (int mo : new int[] {0, 3, 5, 8}) {
            table.add(rows("second segment at MO " + mo + " instead of 4", Refusal.INVALID_MO,
                s -> List.of(open(1).with(ABCD), RawSegment.untagged(RawSegment.SEND, 1).offset(mo).with(ABCD)),
                s -> List.of(open(1).with(ABCD), RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD))));
        }
        table.add(row("SEND of one byte too many", Refusal.TOO_LONG, s -> RawSegment.send(1, "61".repeat(RECEIVE_BYTES + 1)),
            s -> RawSegment.send(1, "61".repeat(RECEIVE_BYTES))).receives(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR));
        table.add(row("SEND of a byte into a receive of none", Refusal.TOO_LONG, s -> RawSegment.send(1, "61"), s -> RawSegment.send(1, ""))
            .receiveBytes(0).receives(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR));
        table.add(rows("SEND whose second segment is too long", Refusal.TOO_LONG,
            s -> List.of(open(1).with("61".repeat(60)), RawSegment.untagged(RawSegment.SEND, 1).offset(60).with("6162636465")),
            s -> List.of(open(1).with("61".repeat(60)), RawSegment.untagged(RawSegment.SEND, 1).offset(60).with("61626364")))
            .receives(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR));
        table.add(row("READ request in two segments", Refusal.TOO_LONG, s -> flip(read(s, 1, 4), 0x4000), s -> read(s, 1, 4)));
        table.add(row("atomic request in two segments", Refusal.TOO_LONG, s -> flip(add(s, 1), 0x4000), s -> add(s.scratch(), 0)));
        table.add(row("immediate data in two segments", Refusal.TOO_LONG, s -> flip(immediate(1), 0x4000), s -> immediate(1)));
        table.add(row("Terminate in two segments", Refusal.TOO_LONG,
            s -> RawSegment.untagged(RawSegment.TERMINATE, 1).more().with("02060000"), s -> send(1)));
        table.add(row("READ request with a byte behind it", Refusal.TOO_LONG, s -> read(s, 1, 4) + "00", s -> read(s, 1, 4)));
        table.add(row("atomic request with a byte behind it", Refusal.TOO_LONG, s -> add(s, 1) + "00", s -> add(s.scratch(), 0)));
        table.add(row("immediate data of nine bytes", Refusal.TOO_LONG, s -> immediate(1) + "00", s -> immediate(1)));
        table.add(row("Terminate longer than any can be", Refusal.TOO_LONG,
            s -> RawSegment.untagged(RawSegment.TERMINATE, 1).with("02060000" + "00".repeat(73)), s -> send(1)));
        return table.stream();
    }

    /** ULPDUs that end within a header. */
    static Stream<ViolationRow> truncated() {
        List<ViolationRow> table = new ArrayList<>();
        for (int opcode : FIRST) {
            ViolationRow whole = row("", Refusal.MARKER_OR_LENGTH, s -> first(s, opcode), s -> first(s, opcode));
            int headerBytes = opcode == RawSegment.WRITE ? 14 : opcode == RawSegment.SEND || opcode == RawSegment.SEND_SOLICITED ? 18 : -1;
            for (int bytes : headerBytes < 0 ? new int[] {2, 17, 18, 25} : new int[] {0, 1, 2, headerBytes - 1}) {
                table.add(row("opcode " + opcode + " of " + bytes + " bytes", Refusal.MARKER_OR_LENGTH,
                    s -> first(s, opcode).substring(0, 2 * bytes), s -> first(s, opcode)));
            }
            if (headerBytes < 0) {
                table.add(row("opcode " + opcode + " without its last byte", Refusal.MARKER_OR_LENGTH,
                    s -> first(s, opcode).replaceAll("..$", ""), whole.good.andThen(List::getFirst)));
            }
        }
        table.add(row("Terminate without its last control byte", Refusal.MARKER_OR_LENGTH,
            s -> RawSegment.untagged(RawSegment.TERMINATE, 1).with("020600"), s -> send(1)));
        table.add(row("atomic response of 11 bytes", Refusal.MARKER_OR_LENGTH,
            s -> RawSegment.untagged(RawSegment.ATOMIC_RESPONSE, 1).with("00".repeat(11)), s -> send(1)));
        return table.stream();
    }

    // ---- RFC 5040 §5: messages ----

    static Stream<ViolationRow> messages() {
        List<ViolationRow> table = new ArrayList<>();
        int[] sends = {RawSegment.SEND, RawSegment.SEND_INVALIDATE, RawSegment.SEND_SOLICITED, RawSegment.SEND_SOLICITED_INVALIDATE};
        for (int begun : new int[] {RawSegment.SEND, RawSegment.SEND_SOLICITED}) {
            for (int other : sends) {
                if (other != begun) {
                    table.add(rows("opcode " + other + " inside a SEND with opcode " + begun, Refusal.UNEXPECTED_OPCODE,
                        s -> List.of(RawSegment.untagged(begun, 1).more().with(ABCD), RawSegment.untagged(other, 1).offset(4).with(ABCD)),
                        s -> List.of(RawSegment.untagged(begun, 1).more().with(ABCD), RawSegment.untagged(begun, 1).offset(4).with(ABCD))));
                }
            }
        }
        for (int opcode : new int[] {RawSegment.IMMEDIATE, RawSegment.IMMEDIATE_SOLICITED}) {
            table.add(rows("opcode " + opcode + " inside a SEND", Refusal.UNEXPECTED_OPCODE,
                s -> List.of(open(1).with(ABCD), RawSegment.untagged(opcode, 1).with(EIGHT)),
                s -> List.of(send(1), RawSegment.untagged(opcode, 2).with(EIGHT))));
            table.add(row("opcode " + opcode + " without a receive", Refusal.NO_BUFFER, s -> RawSegment.untagged(opcode, 1).with(EIGHT),
                s -> write(s, 0, 8)).posted(0));
        }
        for (int opcode : sends) {
            table.add(row("opcode " + opcode + " without a receive", Refusal.NO_BUFFER, s -> RawSegment.untagged(opcode, 1).with(ABCD),
                s -> write(s, 0, 8)).posted(0));
        }
        table.add(rows("third SEND for two receives", Refusal.NO_BUFFER, s -> List.of(send(1), send(2), send(3)),
            s -> List.of(send(1), send(2))).receives(WcStatus.SUCCESS, WcStatus.SUCCESS));
        for (int ird = 0; ird <= 2; ird++) {
            int limit = ird;
            table.add(rows("one READ more than an IRD of " + ird, Refusal.NO_BUFFER, s -> reads(s, limit + 1), s -> reads(s, limit))
                .together().with(setup -> setup.ird = limit));
            table.add(rows("one atomic more than an IRD of " + ird, Refusal.NO_BUFFER, s -> atomics(s, limit + 1, 1),
                s -> atomics(s, limit, 1)).together().with(setup -> setup.ird = limit));
        }
        table.add(rows("atomic behind as many READs as IRD allows", Refusal.NO_BUFFER, s -> with(reads(s, 2), atomics(s, 1, 3)),
            s -> with(reads(s, 1), atomics(s, 1, 2))).together().with(setup -> setup.ird = 2));
        table.add(rows("READ behind as many atomics as IRD allows", Refusal.NO_BUFFER,
            s -> with(atomics(s, 2, 1), List.of(read(s, 3, 4))), s -> with(atomics(s, 1, 1), List.of(read(s, 2, 4))))
            .together().with(setup -> setup.ird = 2));
        return table.stream();
    }

    private static List<String> reads(ViolationScene s, int count) {
        List<String> all = new ArrayList<>();
        for (int msn = 1; msn <= count; msn++) {
            all.add(read(s, msn, 4));
        }
        return all;
    }

    private static List<String> atomics(ViolationScene s, int count, int firstMsn) {
        MemoryRegion scratch = s.scratch();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(RawSegment.atomic(firstMsn + i, i).at(scratch.rkey(), scratch.address()).add(1));
        }
        return all;
    }

    private static List<String> with(List<String> first, List<String> then) {
        List<String> all = new ArrayList<>(first);
        all.addAll(then);
        return all;
    }

    // ---- RFC 5040 §8.1, RFC 5041 §7.1: keys, ranges, rights ----

    /** An access of the peer's under a key. */
    private interface Access {
        String to(int key, long address, long bytes);
    }

    private static String write(int key, long address, long bytes) {
        return RawSegment.write(key, address, "61".repeat((int) bytes));
    }

    private static String read(int key, long address, long bytes) {
        return RawSegment.read(1).into(0x77, 0x1000).from(key, address, bytes);
    }

    private static String add(int key, long address, long bytes) {
        return RawSegment.atomic(1, 9).at(key, address).add(0);
    }

    private static void addAccesses(List<ViolationRow> table, String name, Access access, boolean tagged, int right) {
        Refusal noStag = tagged ? Refusal.TAGGED_INVALID_STAG : Refusal.PROTECTION_INVALID_STAG;
        Refusal bounds = tagged ? Refusal.TAGGED_BASE_BOUNDS : Refusal.PROTECTION_BASE_BOUNDS;
        Refusal foreign = tagged ? Refusal.TAGGED_NOT_ASSOCIATED : Refusal.PROTECTION_NOT_ASSOCIATED;
        Refusal wrap = tagged ? Refusal.TAGGED_TO_WRAP : Refusal.PROTECTION_TO_WRAP;
        Function<ViolationScene, String> good = s -> access.to(s.target.rkey(), s.target.address(), 8);
        Function<ViolationScene, String> atEnd = s -> access.to(s.target.rkey(), s.target.address() + SIZE - 8, 8);
        table.add(row(name + ", unknown index", noStag, s -> access.to(0x00777700, s.target.address(), 8), good));
        table.add(row(name + ", index of windows", noStag, s -> access.to(0x08000001, s.target.address(), 8), good));
        table.add(row(name + ", key 0", noStag, s -> access.to(0, s.target.address(), 8), good));
        for (int bit = 0; bit < 8; bit++) {
            int wrong = 1 << bit;
            table.add(row(name + ", bit " + bit + " of the key is wrong", noStag,
                s -> access.to(s.target.rkey() ^ wrong, s.target.address(), 8), good));
        }
        table.add(row(name + ", deregistered", noStag, s -> {
            MemoryRegion closed = s.openAndClose();
            return access.to(closed.rkey(), closed.address(), 8);
        }, good));
        table.add(row(name + ", other protection domain", foreign, s -> {
            MemoryRegion other = s.openElsewhere();
            return access.to(other.rkey(), other.address(), 8);
        }, good));
        table.add(row(name + ", before the region", bounds, s -> access.to(s.target.rkey(), s.target.address() - 8, 8), good));
        table.add(row(name + ", behind the region", bounds, s -> access.to(s.target.rkey(), s.target.address() + SIZE, 8), atEnd));
        table.add(row(name + ", far away", bounds, s -> access.to(s.target.rkey(), 0x120, 8), good));
        if (right != AccessFlags.REMOTE_ATOMIC) {
            table.add(row(name + ", one byte before the region", bounds, s -> access.to(s.target.rkey(), s.target.address() - 1, 8), good));
            table.add(row(name + ", one byte behind the region", bounds,
                s -> access.to(s.target.rkey(), s.target.address() + SIZE - 7, 8), atEnd));
            table.add(row(name + ", tagged offset wraps", wrap, s -> access.to(s.target.rkey(), -7, 8), good));
            table.add(row(name + ", ends at the end of the address space", bounds, s -> access.to(s.target.rkey(), -8, 8), good));
            table.add(row(name + ", one byte before the window", bounds,
                s -> access.to(s.bindWindow(right), s.target.address() + 1023, 8),
                s -> access.to(s.bindWindow(right), s.target.address() + 1024, 8)));
            table.add(row(name + ", one byte behind the window", bounds,
                s -> access.to(s.bindWindow(right), s.target.address() + 2041, 8),
                s -> access.to(s.bindWindow(right), s.target.address() + 2040, 8)));
        }
        table.add(row(name + ", region without the right", Refusal.PROTECTION_ACCESS_RIGHTS, s -> {
            MemoryRegion other = s.open(SiwPair.ALL_REMOTE & ~right);
            return access.to(other.rkey(), other.address(), 8);
        }, s -> {
            MemoryRegion other = s.open(AccessFlags.LOCAL_WRITE | right);
            return access.to(other.rkey(), other.address(), 8);
        }));
        table.add(row(name + ", region for local use", Refusal.PROTECTION_ACCESS_RIGHTS, s -> {
            MemoryRegion other = s.open(AccessFlags.LOCAL_WRITE);
            return access.to(other.lkey(), other.address(), 8);
        }, good));
        table.add(row(name + ", window without the right", Refusal.PROTECTION_ACCESS_RIGHTS,
            s -> access.to(s.bindWindow(AccessFlags.REMOTE_ANY & ~right), s.target.address() + 1024, 8),
            s -> access.to(s.bindWindow(right), s.target.address() + 1024, 8)));
        table.add(row(name + ", queue pair without the right", Refusal.PROTECTION_ACCESS_RIGHTS, good, good)
            .with(setup -> setup.access = AccessFlags.REMOTE_ANY & ~right).withTwin(setup -> setup.access = right));
        table.add(row(name + ", window of another queue pair", foreign,
            s -> access.to(s.bindWindowOfAnother(), s.target.address() + 1024, 8),
            s -> access.to(s.bindWindow(right), s.target.address() + 1024, 8)));
        table.add(row(name + ", type 1 window without the right", Refusal.PROTECTION_ACCESS_RIGHTS,
            s -> access.to(s.bindTypeOneWindow(AccessFlags.REMOTE_ANY & ~right), s.target.address() + 1024, 8),
            s -> access.to(s.bindTypeOneWindow(right), s.target.address() + 1024, 8)));
        table.add(row(name + ", old key of a window", noStag,
            s -> access.to(s.bindWindow(right) - 1, s.target.address() + 1024, 8),
            s -> access.to(s.bindWindow(right), s.target.address() + 1024, 8)));
    }

    static Stream<ViolationRow> accesses() {
        List<ViolationRow> table = new ArrayList<>();
        addAccesses(table, "WRITE", RequestViolationTest::write, true, AccessFlags.REMOTE_WRITE);
        addAccesses(table, "READ", RequestViolationTest::read, false, AccessFlags.REMOTE_READ);
        addAccesses(table, "atomic", RequestViolationTest::add, false, AccessFlags.REMOTE_ATOMIC);
        table.add(rows("second segment of a WRITE behind the region", Refusal.TAGGED_BASE_BOUNDS,
            s -> List.of(flip(write(s, SIZE - 4, 4), 0x4000), write(s, SIZE, 4)),
            s -> List.of(flip(write(s, SIZE - 8, 4), 0x4000), write(s, SIZE - 4, 4))));
        table.add(rows("second segment of a WRITE with another key", Refusal.TAGGED_INVALID_STAG,
            s -> List.of(flip(write(s, 0, 4), 0x4000), RawSegment.write(s.target.rkey() ^ 1, s.target.address() + 4, ABCD)),
            s -> List.of(flip(write(s, 0, 4), 0x4000), write(s, 4, 4))));
        table.add(row("READ of one byte more than the region", Refusal.PROTECTION_BASE_BOUNDS, s -> read(s.target, 0, SIZE + 1),
            s -> read(s.target, 0, SIZE)));
        table.add(row("READ of 2^31 bytes", Refusal.PROTECTION_BASE_BOUNDS, s -> read(s.target, 0, 0x8000_0000L),
            s -> read(s.target, 0, SIZE)));
        table.add(row("READ of 2^32 - 1 bytes", Refusal.PROTECTION_BASE_BOUNDS, s -> read(s.target, 0, 0xFFFF_FFFFL),
            s -> read(s.target, 0, 0)));
        table.add(row("READ of 2^32 - 1 bytes whose tagged offset wraps", Refusal.PROTECTION_TO_WRAP,
            s -> RawSegment.read(1).into(1, 1).from(s.target.rkey(), -0xFFFF_FFFEL, 0xFFFF_FFFFL), s -> read(s.target, 0, 8)));
        return table.stream();
    }

    static Stream<ViolationRow> invalidations() {
        List<ViolationRow> table = new ArrayList<>();
        for (int opcode : new int[] {RawSegment.SEND_INVALIDATE, RawSegment.SEND_SOLICITED_INVALIDATE}) {
            Function<ViolationScene, String> good = s -> invalidate(opcode, s.bindWindow(AccessFlags.REMOTE_WRITE));
            table.add(invalidation(opcode + " of a region", Refusal.PROTECTION_CANNOT_INVALIDATE, s -> invalidate(opcode, s.target.rkey()),
                good));
            table.add(invalidation(opcode + " of an unknown key", Refusal.PROTECTION_INVALID_STAG, s -> invalidate(opcode, 0x00777700),
                good));
            table.add(invalidation(opcode + " of a region, wrong key byte", Refusal.PROTECTION_INVALID_STAG,
                s -> invalidate(opcode, s.target.rkey() ^ 1), good));
            table.add(invalidation(opcode + " of a region of another protection domain", Refusal.PROTECTION_NOT_ASSOCIATED,
                s -> invalidate(opcode, s.openElsewhere().rkey()), good));
            table.add(invalidation(opcode + " of another queue pair's window", Refusal.PROTECTION_NOT_ASSOCIATED,
                s -> invalidate(opcode, s.bindWindowOfAnother()), good));
            table.add(invalidation(opcode + " of a type 1 window", Refusal.PROTECTION_CANNOT_INVALIDATE,
                s -> invalidate(opcode, s.bindTypeOneWindow(AccessFlags.REMOTE_WRITE)), good));
            table.add(invalidation(opcode + " of a window's old key", Refusal.PROTECTION_INVALID_STAG,
                s -> invalidate(opcode, s.bindWindow(AccessFlags.REMOTE_WRITE) - 1), good));
        }
        table.add(rows("a window invalidated twice", Refusal.PROTECTION_INVALID_STAG, s -> {
            int key = s.bindWindow(AccessFlags.REMOTE_WRITE);
            return List.of(invalidate(RawSegment.SEND_INVALIDATE, key),
                RawSegment.untagged(RawSegment.SEND_INVALIDATE, 2).invalidating(key).with(""));
        }, s -> List.of(invalidate(RawSegment.SEND_INVALIDATE, s.bindWindow(AccessFlags.REMOTE_WRITE)), send(2)))
            .receives(WcStatus.SUCCESS, WcStatus.LOC_ACCESS_ERR));
        return table.stream();
    }

    private static ViolationRow invalidation(String name, Refusal refusal, Function<ViolationScene, String> bad,
            Function<ViolationScene, String> good) {
        return row("SEND with opcode " + name, refusal, bad, good).receives(WcStatus.LOC_ACCESS_ERR, WcStatus.WR_FLUSH_ERR);
    }

    private static String invalidate(int opcode, int key) {
        return RawSegment.untagged(opcode, 1).invalidating(key).with("");
    }

    /** RFC 7306 §5: operations 0 (FetchAdd) and 2 (CmpSwap) on 64 aligned bits. */
    static Stream<ViolationRow> atomics() {
        List<ViolationRow> table = new ArrayList<>();
        for (int operation = 0; operation < 16; operation++) {
            String digits = String.format("%08x", operation);
            if (operation != 0 && operation != 2) {
                table.add(row("atomic operation " + operation, Refusal.UNEXPECTED_OPCODE, s -> operation(add(s, 1), digits),
                    s -> operation(add(s.scratch(), 0), "00000002")));
            }
        }
        for (int offset = 1; offset < 8; offset++) {
            int off = offset;
            table.add(row("atomic at an address with " + offset + " in the last three bits", Refusal.CATASTROPHIC_STREAM,
                s -> add(s.target, 8 + off), s -> add(s.scratch(), 8)));
            table.add(row("compare and swap at an address with " + offset + " in the last three bits", Refusal.CATASTROPHIC_STREAM,
                s -> RawSegment.atomic(1, 9).at(s.target.rkey(), s.target.address() + off).swap(0x5a5a5a5a5a5a5a5aL, 1),
                s -> RawSegment.atomic(1, 9).at(s.scratch().rkey(), s.scratch().address()).swap(0x5a5a5a5a5a5a5a5aL, 1)));
        }
        return table.stream();
    }

    private static String operation(String atomic, String digits) {
        return atomic.substring(0, 36) + digits + atomic.substring(44);
    }

    static Stream<Arguments> table() {
        return Stream.of(controlBytes(), queues(), sequenceNumbers(), offsetsAndLengths(), truncated(), messages(), accesses(),
            invalidations(), atomics()).flatMap(Function.identity())
            .flatMap(row -> Stream.of(Arguments.of(row, false), Arguments.of(row, true)));
    }

    @ParameterizedTest(name = "{0}, responder {1}")
    @MethodSource("table")
    void shouldRefuse(ViolationRow row, boolean responder) {
        ViolationScene s = row.scene(responder, row.setup);
        List<String> segments = row.bad.apply(s);
        s.peer.side.qp.postSend(new SendRequest().read(0x9000, 0x99).element(s.open(AccessFlags.LOCAL_WRITE), 0, 8));
        s.peer.rest();
        s.assertRefused(row.refusal, segments, row.together, FLUSHED, row.receives);
    }

    // ---- reserved bits ----

    /** Reserved fields are ignored: RFC 5040 §4.1, §4.4; RFC 5041 §4.1; RFC 7306 §5.2. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldIgnoreReservedBits(boolean responder) {
        ViolationScene s = new ViolationScene(responder, setup -> { });
        s.postReceive(RECEIVE_BYTES);
        s.postReceive(RECEIVE_BYTES);
        String atomic = add(s.scratch(), 0);
        String second = atomic.substring(0, 20) + "00000002" + atomic.substring(28);
        List<String> segments = List.of(reserved(send(1)), reserved(write(s, 0, 0)), reserved(read(s, 1, 4)),
            reserved(operation(second, "fffffff0")), reserved(immediate(2)));
        // The READ request and the others that invalidate nothing have a reserved field where a key to invalidate would be.
        s.assertTaken(segments.stream().map(each -> each.startsWith("fd") ? each : each.substring(0, 4) + "deadbeef" + each.substring(12))
            .toList(), false);
        assertEquals(1, s.scratch().memory().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(2, s.peer.side.receives().size());
    }

    private static String reserved(String segment) {
        return flip(segment, 0x3c30);
    }

    @ParameterizedTest(name = "{0}, responder {1}")
    @MethodSource("table")
    void shouldTakeWhatIsJustInside(ViolationRow row, boolean responder) {
        ViolationScene s = row.scene(responder, row.twinSetup);
        s.assertTaken(row.good.apply(s), row.together);
    }
}
