// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.softrdma.interop.InteropCase.IpVersion;

/**
 * One measurement with perftest of Debian 12 at one end and ours at the other.
 *
 * @param command   command line, the same at both ends except for the device, the port and the server's address
 * @param bytes     size in the last row of the table
 * @param messages  iterations in the last row of the table; 0 where they depend on speed
 * @param serverToo whether the server prints a table, too
 */
record Perftest(String command, long bytes, long messages, boolean serverToo) {
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    /**
     * Maximum number of starts of the original as a client that is rejected: our listener exists slightly later than our device's socket.
     */
    private static final int ATTEMPTS = 3;

    boolean isByCm() {
        return command.contains(" -R");
    }

    /**
     * Runs both ends; each must succeed and print its row.
     *
     * @param options further options for the originals, which select the device
     */
    void measure(CaseRun run, boolean guestServes, String options, int port) {
        String line = command + " -F -d " + run.device() + " -p " + port + options;
        try (RunningCommand server = start(run, guestServes, "server", line)) {
            if (isByCm()) {
                run.awaitRdmaListener(guestServes, port, server);
            } else {
                run.awaitListener(guestServes, port, server);
            }
            // The exchange always uses IPv4: the original listens there only.
            String address = guestServes ? IpVersion.IPV4.guest : IpVersion.IPV4.host;
            expectRow(client(run, !guestServes, line + " " + address, server));
            String served = server.awaitSuccess(DEADLINE);
            if (serverToo) {
                expectRow(served);
            }
        }
    }

    private static RunningCommand start(CaseRun run, boolean inGuest, String name, String line) {
        return inGuest ? run.inGuest(name, ("stdbuf -oL " + line).split(" "))
            : run.onHost(name, Map.of(), ("./softrdma " + line).split(" "));
    }

    private static String client(CaseRun run, boolean inGuest, String line, RunningCommand server) {
        for (int attempt = 1;; attempt++) {
            try (RunningCommand client = start(run, inGuest, "client", line)) {
                client.awaitExit(DEADLINE);
                boolean refused = client.output().contains("Unexpected CM event");
                if (attempt == ATTEMPTS || !inGuest || !server.isRunning() || !refused) {
                    return client.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    /** Checks that the table has the expected row. Speed is not checked: messages that arrive all at once take no time. */
    private void expectRow(String output) {
        String count = messages == 0 ? "[1-9][0-9]*" : Long.toString(messages);
        if (!Pattern.compile("(?m)^ " + bytes + " +" + count + " ").matcher(output).find()) {
            throw new AssertionError("expected a row of " + count + " messages of " + bytes + " bytes, got:\n" + output);
        }
    }
}
