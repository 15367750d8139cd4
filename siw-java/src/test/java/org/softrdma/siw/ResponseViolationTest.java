// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.siw.ViolationScene.Refusal;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Table of the rules that a peer's responses can break (RFC 5040 §5.3, §7; RFC 7306 §5), row by row, with the Terminate that the RFCs
 * require and the completions of our requests. Each row has a twin within the rules.
 */
class ResponseViolationTest {
    private static final WcStatus FLUSHED = WcStatus.WR_FLUSH_ERR;
    private static final WcStatus SUCCESS = WcStatus.SUCCESS;
    private static final int BYTES = 8;
    private static final String EIGHT = "6162636465666768";

    /** The requests of a row: READs of eight bytes and fetch-and-adds in the order of posting, then a SEND. */
    private static final class Asked {
        final ViolationScene scene;
        final MemoryRegion sink;
        private int requests;

        Asked(boolean responder, String kinds) {
            scene = new ViolationScene(responder, setup -> { });
            sink = scene.open(AccessFlags.LOCAL_WRITE);
            scene.postReceive(ViolationScene.RECEIVE_BYTES);
            if (responder) {
                scene.peer.send(RawSegment.write(0, 0, ""));
            }
            for (char kind : kinds.toCharArray()) {
                post(kind);
            }
            scene.peer.side.qp.postSend(new SendRequest().send().signaled());
            assertEquals(requests + 1, scene.peer.rest().size());
        }

        private void post(char kind) {
            SendRequest request = new SendRequest();
            if (kind == 'R') {
                request.read(0x9000, 0x99).element(sink, offset(requests), BYTES);
            } else if (kind == 'Z') {
                request.read(0x9000, 0x99).element(sink, offset(requests), 0);
            } else {
                request.fetchAndAdd(0x9000, 0x99, 1).element(sink, offset(requests), BYTES);
            }
            scene.peer.side.qp.postSend(request.signaled());
            requests++;
        }

        /** Offset in the sink of the request with this index. */
        private static int offset(int index) {
            return 64 * (index + 1);
        }

        /** The response to the READ with this index. */
        String response(int index) {
            return piece(index, 0, EIGHT, true);
        }

        /** A segment of it. */
        String piece(int index, int from, String payload, boolean last) {
            RawSegment segment = RawSegment.tagged(RawSegment.READ_RESPONSE, sink.lkey(), sink.address() + offset(index) + from);
            return (last ? segment : segment.more()).with(payload);
        }
    }

    private record Row(String name, String kinds, Refusal refusal, Function<Asked, List<String>> bad, Function<Asked, List<String>> good,
            List<WcStatus> sends) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Row row(String name, String kinds, Refusal refusal, Function<Asked, List<String>> bad,
            Function<Asked, List<String>> good, WcStatus... sends) {
        return new Row(name, kinds, refusal, bad, good, List.of(sends));
    }

    static Stream<Arguments> table() {
        List<Row> table = new ArrayList<>();
        Function<Asked, List<String>> nothing = a -> List.of();
        Function<Asked, List<String>> right = a -> List.of(a.response(0));
        WcStatus wrong = WcStatus.BAD_RESP_ERR;
        // ---- READ responses
        table.add(row("READ response that was not requested", "", Refusal.UNEXPECTED_OPCODE,
            a -> List.of(RawSegment.readResponse(a.sink.lkey(), a.sink.address(), EIGHT)), nothing, SUCCESS));
        table.add(row("empty READ response that was not requested", "", Refusal.UNEXPECTED_OPCODE,
            a -> List.of(RawSegment.readResponse(0, 0, "")), nothing, SUCCESS));
        table.add(row("second response", "R", Refusal.UNEXPECTED_OPCODE, a -> List.of(a.response(0), a.response(0)), right,
            SUCCESS, SUCCESS));
        table.add(row("segment behind the last one", "R", Refusal.UNEXPECTED_OPCODE,
            a -> List.of(a.piece(0, 0, EIGHT, true), a.piece(0, 8, "", true)),
            a -> List.of(a.piece(0, 0, EIGHT, false).replaceAll(".{8}$", ""), a.piece(0, 4, "65666768", true)), SUCCESS, SUCCESS));
        table.add(row("responses in the wrong order", "RR", Refusal.TAGGED_BASE_BOUNDS, a -> List.of(a.response(1)),
            a -> List.of(a.response(0), a.response(1)), wrong, FLUSHED, FLUSHED));
        for (int bit = 0; bit < 32; bit += 5) {
            int mask = 1 << bit;
            table.add(row("sink key with bit " + bit + " wrong", "R", Refusal.TAGGED_INVALID_STAG,
                a -> List.of(RawSegment.readResponse(a.sink.lkey() ^ mask, a.sink.address() + 64, EIGHT)), right, wrong, FLUSHED));
        }
        table.add(row("key of other memory", "R", Refusal.TAGGED_INVALID_STAG,
            a -> List.of(RawSegment.readResponse(a.scene.target.lkey(), a.scene.target.address(), EIGHT)), right, wrong, FLUSHED));
        for (int off : new int[] {-8, -1, 1, 8}) {
            table.add(row("tagged offset " + off + " from the sink", "R", Refusal.TAGGED_BASE_BOUNDS,
                a -> List.of(a.piece(0, off, EIGHT, true)), right, wrong, FLUSHED));
            table.add(row("second segment " + off + " from its place", "R", Refusal.TAGGED_BASE_BOUNDS,
                a -> List.of(a.piece(0, 0, "61626364", false), a.piece(0, 4 + off, "65666768", true)),
                a -> List.of(a.piece(0, 0, "61626364", false), a.piece(0, 4, "65666768", true)), wrong, FLUSHED));
        }
        table.add(row("first segment repeated", "R", Refusal.TAGGED_BASE_BOUNDS,
            a -> List.of(a.piece(0, 0, "61626364", false), a.piece(0, 0, "61626364", false)),
            a -> List.of(a.piece(0, 0, "61626364", false), a.piece(0, 4, "65666768", true)), wrong, FLUSHED));
        table.add(row("one byte too few", "R", Refusal.TAGGED_BASE_BOUNDS, a -> List.of(a.piece(0, 0, "61626364656667", true)), right,
            wrong, FLUSHED));
        table.add(row("nothing, and the Last flag", "R", Refusal.TAGGED_BASE_BOUNDS, a -> List.of(a.piece(0, 0, "", true)),
            a -> List.of(a.piece(0, 0, "", false), a.response(0)), wrong, FLUSHED));
        table.add(row("one byte too many", "R", Refusal.TAGGED_BASE_BOUNDS, a -> List.of(a.piece(0, 0, EIGHT + "69", true)), right,
            wrong, FLUSHED));
        table.add(row("one byte too many and no Last flag", "R", Refusal.TAGGED_BASE_BOUNDS,
            a -> List.of(a.piece(0, 0, EIGHT + "69", false)), right, wrong, FLUSHED));
        table.add(row("one byte too many in the second segment", "R", Refusal.TAGGED_BASE_BOUNDS,
            a -> List.of(a.piece(0, 0, "61626364", false), a.piece(0, 4, "6566676869", true)),
            a -> List.of(a.piece(0, 0, "61626364", false), a.piece(0, 4, "65666768", true)), wrong, FLUSHED));
        table.add(row("all bytes and no Last flag", "R", Refusal.TAGGED_BASE_BOUNDS, a -> List.of(a.piece(0, 0, EIGHT, false)), right,
            wrong, FLUSHED));
        table.add(row("a byte for a READ of none", "Z", Refusal.TAGGED_BASE_BOUNDS, a -> List.of(a.piece(0, 0, "61", true)),
            a -> List.of(a.piece(0, 0, "", true)), wrong, FLUSHED));
        table.add(row("READ response in the place of an atomic's", "A", Refusal.UNEXPECTED_OPCODE, right,
            a -> List.of(RawSegment.atomicResponse(1, 1, 5)), FLUSHED, FLUSHED));
        table.add(row("READ answered before the atomic in front of it", "AR", Refusal.UNEXPECTED_OPCODE, a -> List.of(a.response(1)),
            a -> List.of(RawSegment.atomicResponse(1, 1, 5), a.response(1)), FLUSHED, FLUSHED, FLUSHED));
        addAtomics(table, wrong);
        return table.stream().flatMap(row -> Stream.of(Arguments.of(row, false), Arguments.of(row, true)));
    }

    private static void addAtomics(List<Row> table, WcStatus wrong) {
        Function<Asked, List<String>> right = a -> List.of(RawSegment.atomicResponse(1, 1, 5));
        table.add(row("atomic response that was not requested", "", Refusal.UNEXPECTED_OPCODE, right, a -> List.of(), SUCCESS));
        table.add(row("second atomic response", "A", Refusal.UNEXPECTED_OPCODE,
            a -> List.of(RawSegment.atomicResponse(1, 1, 5), RawSegment.atomicResponse(2, 2, 5)), right, SUCCESS, SUCCESS));
        table.add(row("atomic response repeated", "AA", Refusal.MSN_RANGE,
            a -> List.of(RawSegment.atomicResponse(1, 1, 5), RawSegment.atomicResponse(1, 1, 5)),
            a -> List.of(RawSegment.atomicResponse(1, 1, 5), RawSegment.atomicResponse(2, 2, 5)), SUCCESS, FLUSHED, FLUSHED));
        for (int msn : new int[] {0, 2, -1, 0x100_0001}) {
            table.add(row("atomic response with MSN " + msn, "A", Refusal.MSN_RANGE,
                a -> List.of(RawSegment.atomicResponse(msn, 1, 5)), right, FLUSHED, FLUSHED));
        }
        for (int id : new int[] {0, 2, -1, 0x100_0001}) {
            table.add(row("atomic response with request identifier " + id, "A", Refusal.CATASTROPHIC_STREAM,
                a -> List.of(RawSegment.atomicResponse(1, id, 5)), right, wrong, FLUSHED));
        }
        table.add(row("atomics answered in the wrong order", "AA", Refusal.CATASTROPHIC_STREAM,
            a -> List.of(RawSegment.atomicResponse(1, 2, 5)),
            a -> List.of(RawSegment.atomicResponse(1, 1, 5), RawSegment.atomicResponse(2, 2, 5)), wrong, FLUSHED, FLUSHED));
        table.add(row("atomic response in the place of a READ's", "R", Refusal.UNEXPECTED_OPCODE, right, a -> List.of(a.response(0)),
            FLUSHED, FLUSHED));
        table.add(row("atomic answered before the READ in front of it", "RA", Refusal.UNEXPECTED_OPCODE,
            a -> List.of(RawSegment.atomicResponse(1, 2, 5)), a -> List.of(a.response(0), RawSegment.atomicResponse(1, 2, 5)),
            FLUSHED, FLUSHED, FLUSHED));
        table.add(row("atomic response of 11 bytes", "A", Refusal.MARKER_OR_LENGTH,
            a -> List.of(RawSegment.atomicResponse(1, 1, 5).replaceAll("..$", "")), right, FLUSHED, FLUSHED));
        table.add(row("atomic response of 13 bytes", "A", Refusal.TOO_LONG, a -> List.of(RawSegment.atomicResponse(1, 1, 5) + "00"), right,
            FLUSHED, FLUSHED));
        table.add(row("atomic response in two segments", "A", Refusal.TOO_LONG,
            a -> List.of("01" + RawSegment.atomicResponse(1, 1, 5).substring(2)), right, FLUSHED, FLUSHED));
        table.add(row("atomic response with MO 4", "A", Refusal.INVALID_MO,
            a -> List.of(RawSegment.untagged(RawSegment.ATOMIC_RESPONSE, 1).offset(4).with("00000001" + EIGHT)), right, FLUSHED, FLUSHED));
    }

    @ParameterizedTest(name = "{0}, responder {1}")
    @MethodSource("table")
    void shouldRefuse(Row row, boolean responder) {
        Asked asked = new Asked(responder, row.kinds());
        asked.scene.assertRefused(row.refusal(), row.bad().apply(asked), false, row.sends(), List.of(FLUSHED));
    }

    @ParameterizedTest(name = "{0}, responder {1}")
    @MethodSource("table")
    void shouldTakeWhatIsJustInside(Row row, boolean responder) {
        Asked asked = new Asked(responder, row.kinds());
        asked.scene.assertTaken(row.good().apply(asked), false);
        WcStatus[] all = new WcStatus[row.kinds().length() + 1];
        Arrays.fill(all, SUCCESS);
        assertEquals(List.of(all), asked.scene.peer.side.sendStatuses());
        for (int i = 0; i < row.kinds().length(); i++) {
            byte[] placed = asked.sink.memory().asSlice(Asked.offset(i), BYTES).toArray(ValueLayout.JAVA_BYTE);
            switch (row.kinds().charAt(i)) {
                case 'R' -> assertEquals("abcdefgh", new String(placed));
                case 'A' -> assertEquals(5, asked.sink.memory().get(ValueLayout.JAVA_LONG, Asked.offset(i)));
                default -> assertTrue(placed[0] == 0x5a, "nothing to place");
            }
        }
    }
}
