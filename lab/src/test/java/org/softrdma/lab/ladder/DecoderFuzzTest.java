// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.lab.world.RecordedWorld;

/** Any bytes as a packet, as an iWARP frame and as a file: fields lie within the packet, files are shown or refused. */
class DecoderFuzzTest {
    private static final int CHANCES = 20_000;
    private static final int LONGEST = 400;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        check(RoceDecoder.fields(bytes), bytes);
        check(IwarpDecoder.fields(bytes), bytes);
        assertTrue(!RoceDecoder.summary(bytes).label().isEmpty() && !IwarpDecoder.summary(bytes).label().isEmpty());
        try {
            new RecordedWorld("file", bytes);
        } catch (IllegalArgumentException refused) {
            assertTrue(refused.getMessage().startsWith("file"), refused.getMessage());
        }
        Ladder ladder = new Ladder();
        for (int at = 0; at < bytes.length; at += 7) {
            ladder.onStream(at, 0, 1, "x", Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 7)));
        }
    }

    private static void check(List<Field> fields, byte[] bytes) {
        for (Field field : fields) {
            assertTrue(field.offset() >= 0 && field.length() >= 1 && field.offset() + field.length() <= Math.max(1, bytes.length),
                field + " of " + bytes.length + " bytes");
        }
    }

    @Test
    void shouldSurviveChance() {
        SplittableRandom random = new SplittableRandom(20);
        for (int i = 0; i < CHANCES; i++) {
            byte[] bytes = new byte[random.nextInt(LONGEST)];
            random.nextBytes(bytes);
            if (bytes.length > 7 && random.nextBoolean()) {
                // An opcode that exists, to queue pair 1 or another one.
                bytes[0] = (byte) random.nextInt(0x20);
                bytes[5] = 0;
                bytes[6] = 0;
                bytes[7] = (byte) random.nextInt(3);
            }
            shouldSurviveAnyBytes(bytes);
        }
    }
}
