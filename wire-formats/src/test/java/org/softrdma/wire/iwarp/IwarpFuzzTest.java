// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/**
 * Any bytes as a start-up frame, as a ULPDU and as a Terminate: judged, and what is judged good can be read. How to search is said in
 * {@code WireFuzzTest}.
 */
class IwarpFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        for (boolean request : new boolean[] {true, false}) {
            int verdict = MpaFrame.check(b, 0, bytes.length, request);
            MpaFrame.name(verdict);
            if (verdict == MpaFrame.OK) {
                check(MpaFrame.totalLength(b, 0) <= bytes.length);
                if (MpaFrame.isEnhanced(b, 0) && MpaFrame.privateDataLength(b, 0) > 0) {
                    EnhancedHeader.control(b, MpaFrame.LENGTH);
                }
            }
        }
        if (UlpduCheck.verdict(b, 0, bytes.length) == UlpduCheck.OK) {
            check(UlpduCheck.hasHeaders(b, 0, bytes.length));
            read(b, bytes.length);
        }
        if (UlpduCheck.hasHeaders(b, 0, bytes.length)) {
            ByteBuffer out = ByteBuffer.allocate(Terminate.MAX_LENGTH);
            int length = Terminate.put(out, 0, TerminateCode.UNTAGGED_INVALID_QN, b, 0, bytes.length);
            check(Terminate.isComplete(out, 0, length) && Terminate.code(out, 0) == TerminateCode.UNTAGGED_INVALID_QN);
        }
        if (Terminate.isComplete(b, 0, bytes.length)) {
            TerminateCode.name(Terminate.code(b, 0));
        }
    }

    /** The last field of each body: nothing is read past the end. */
    private static void read(ByteBuffer b, int length) {
        int opcode = Ddp.opcode(b, 0);
        int body = Ddp.headerLength(b, 0);
        switch (opcode) {
            case RdmapOpcode.RDMA_READ_REQUEST -> ReadRequest.sourceTo(b, body);
            case RdmapOpcode.ATOMIC_REQUEST -> AtomicRequest.compareMask(b, body);
            case RdmapOpcode.ATOMIC_RESPONSE -> AtomicResponse.original(b, body);
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED -> ImmediateData.value(b, body);
            case RdmapOpcode.TERMINATE -> Terminate.flags(b, body);
            default -> check(length >= body);
        }
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
