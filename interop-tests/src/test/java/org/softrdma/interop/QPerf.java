// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * One measurement of one second with Debian's qperf at one end and ours at the other.
 *
 * @param test   name of the test, with its options
 * @param result regular expression for the client's report
 */
record QPerf(String test, String result) {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    /** Maximum number of starts: the original reports its port before it listens there, so a client may connect too early. */
    private static final int ATTEMPTS = 3;
    private static final String TOO_EARLY = "Event rejected";

    /** Regular expression for a line of the report with a value other than 0. */
    static String line(String name, String unit) {
        return "\\n    " + name + " +=  +[0-9.,]*[1-9][0-9.,]* [numKMG]?" + unit + "\\n";
    }

    /**
     * Runs both ends; both must succeed.
     *
     * @param port port of the control connection
     */
    void measure(CaseRun run, boolean weServe, int port) {
        try (RunningCommand server = server(run, weServe, port)) {
            String report = report(run, weServe, client(run, weServe, port, " quit"));
            if (!Pattern.compile(result).matcher(report).find()) {
                throw new AssertionError("expected '" + result + "', got:\n" + report);
            }
            server.awaitSuccess(DEADLINE);
        }
    }

    /** Runs a client that must fail with {@link #result}, after which the server must continue. */
    void fail(CaseRun run, boolean weServe, int port) {
        try (RunningCommand server = server(run, weServe, port);
             RunningCommand client = start(run, !weServe, "client", client(run, weServe, port, ""))) {
            int exitCode = client.awaitExit(DEADLINE);
            if (exitCode != 1 || !Pattern.compile(result).matcher(client.output()).find()) {
                throw new AssertionError("expected exit code 1 and '" + result + "', got " + exitCode + ":\n" + client.output());
            }
            if (!server.isRunning()) {
                throw new AssertionError("the server ended, too:\n" + server.output());
            }
        }
    }

    private RunningCommand server(CaseRun run, boolean weServe, int port) {
        RunningCommand server = start(run, weServe, "server", "qperf -lp " + port);
        run.awaitListener(!weServe, port, server);
        return server;
    }

    private String client(CaseRun run, boolean weServe, int port, String further) {
        return "qperf " + (weServe ? run.ip().host : run.ip().guest) + " -lp " + port + " -t 1 " + test + further;
    }

    private static String report(CaseRun run, boolean weServe, String line) {
        for (int attempt = 1;; attempt++) {
            try (RunningCommand client = start(run, !weServe, "client", line)) {
                client.awaitExit(DEADLINE);
                if (attempt == ATTEMPTS || !client.output().contains(TOO_EARLY)) {
                    return client.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    private static RunningCommand start(CaseRun run, boolean ours, String name, String line) {
        return ours ? run.onHost(name, Map.of(), ("./softrdma " + line).split(" "))
            : run.inGuest(name, ("stdbuf -oL " + line).split(" "));
    }
}
