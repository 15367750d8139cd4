// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code Reason.INTERNAL_ERROR}: a defect stops one queue pair, with QP_FATAL. */
class InternalErrorTest {
    @Test
    void shouldStopTheQueuePairAndRecordWhy() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), InternalErrorPeer.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> printed = process.inputReader().lines().toList();

        assertEquals(0, process.waitFor());
        assertEquals(List.of("ERR", "[QP_FATAL]",
            "FAILED an internal error of the device moved the queue pair to ERR [0x0154 internal-error]"), printed);
    }
}
