// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Contents of a daemon at a moment without programs.
 *
 * @param objects     as {@code rdma resource} shows them
 * @param residentKib resident memory
 */
record DaemonHolding(String objects, long descriptors, long residentKib) {
    /** Time after which the daemon has returned the memory of programs to the system. */
    private static final long UNTIL_QUIET_MS = 5_000;
    private static final Pattern DAEMON = Pattern.compile("runs as process (\\d+)");

    /** Looks at the daemon of a host, which must run. */
    static DaemonHolding of(VethPair.End end) throws Exception {
        Thread.sleep(UNTIL_QUIET_MS);
        Matcher daemon = DAEMON.matcher(end.tool("daemon", "status"));
        assertTrue(daemon.find(), "the daemon no longer runs");
        Path process = Path.of("/proc", daemon.group(1));
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"));
             Stream<String> status = Files.lines(process.resolve("status"))) {
            return new DaemonHolding(end.tool("rdma", "resource", "show").strip(), descriptors.count(),
                Long.parseLong(status.filter(line -> line.startsWith("VmRSS")).findFirst().orElseThrow().replaceAll("\\D+", "")));
        }
    }
}
