// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Signals of a C program: none ends a verb that the kernel would not interrupt, and waits for events end as in the kernel. */
class SignalsTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", LabProgram.COMPILER);

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    @Test
    void shouldEndWaitsAndNothingElse() throws IOException {
        VethPair wire = new VethPair("signals", 1500);
        try {
            wire.addDevicesOf("rxe");
            Path program = LabProgram.compile("signals", wire.directory(), LabProgram.COMPILER, "-lrdmacm", "-libverbs", "-lpthread");
            try (RunningCommand run = CProgramPairs.start(wire.a, true, "signals", program + " " + wire.a.ipv4)) {
                Ends.expect(run.awaitSuccess(DEADLINE), List.of("interrupted\nrestarted\n"));
            }
        } finally {
            wire.stopDaemons();
            wire.close();
        }
    }
}
