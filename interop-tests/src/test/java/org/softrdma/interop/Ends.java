// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.softrdma.interop.InteropCase.IpVersion;

/** Roles and port of the two programs of a case, and the ways to run them. */
record Ends(boolean weServe, IpVersion ip, int port) {
    static final Duration DEADLINE = Duration.ofSeconds(60);
    /** Maximum number of starts of a kernel client that is rejected: our listener exists slightly later than our socket. */
    private static final int ATTEMPTS = 3;
    /** Port of udaddy, which has no option for it: its {@code -p} is a port space. */
    static final int UDADDY_PORT = 7174;

    int client() {
        return weServe ? CaptureReport.KERNEL : CaptureReport.OURS;
    }

    int server() {
        return weServe ? CaptureReport.OURS : CaptureReport.KERNEL;
    }

    RunningCommand start(CaseRun run, boolean server, String name, String line) {
        String host = weServe ? ip.host : ip.guest;
        String words = line.replace("HOST", host).replace("ANY", ip == IpVersion.IPV4 ? "0.0.0.0" : "::")
            .replace("PORT", Integer.toString(port));
        return server == weServe ? run.onHost(name, Map.of(), ("./softrdma " + words).split(" "))
            : run.inGuest(name, ("stdbuf -oL " + words).split(" "));
    }

    /** Starts the server and returns once it listens. */
    RunningCommand server(CaseRun run, String line) {
        RunningCommand server = start(run, true, "server", line);
        run.awaitRdmaListener(!weServe, line.contains("PORT") ? port : UDADDY_PORT, server);
        return server;
    }

    RunningCommand client(CaseRun run, String line) {
        return start(run, false, "client", line);
    }

    /** Runs the program on both sides; both must succeed and print {@code words}. */
    void exchange(CaseRun run, Program program, String... words) {
        try (RunningCommand server = server(run, program.server())) {
            expect(clientOf(run, server, program.client()), List.of(words));
            expect(server.awaitSuccess(DEADLINE), List.of(words));
        }
    }

    /** Runs ten pings; each side must print their text. */
    void ping(CaseRun run) {
        List<String> pings = Program.pings();
        try (RunningCommand server = server(run, Program.RPING.server())) {
            expect(clientOf(run, server, Program.RPING.client()), pings);
            String served = server.awaitSuccess(DEADLINE);
            expect(served, pings.stream().map(ping -> "server " + ping).toList());
            expect(served, List.of("server DISCONNECT EVENT...\n"));
        }
    }

    /** Runs 100 connections without data; the server never ends by itself. */
    void time(CaseRun run) {
        try (RunningCommand server = server(run, Program.CMTIME.server())) {
            expect(clientOf(run, server, Program.CMTIME.client()), List.of("\nconnect      :", "\ndisconnect   :", "\ndestroy      :"));
        }
    }

    /**
     * Runs a client, which must succeed.
     *
     * @return its output
     */
    String clientOf(CaseRun run, RunningCommand server, String line) {
        for (int attempt = 1;; attempt++) {
            try (RunningCommand client = client(run, line)) {
                client.awaitExit(DEADLINE);
                if (attempt == ATTEMPTS || !weServe || !server.isRunning() || !isRefused(client.output())) {
                    return client.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    private static boolean isRefused(String output) {
        return output.contains("RDMA_CM_EVENT_REJECTED, error") || output.contains("RDMA_CM_EVENT_UNREACHABLE, error: 1")
            || output.contains("Connection refused");
    }

    static void expect(String output, List<String> words) {
        for (String each : words) {
            if (!output.contains(each)) {
                throw new AssertionError("expected '" + each + "', got:\n" + output);
            }
        }
    }

    /** Waits until a program ends with this exit code and has printed {@code words}. */
    static void expectEnd(RunningCommand program, int exitCode, String... words) {
        int code = program.awaitExit(DEADLINE);
        if (code != exitCode) {
            throw new AssertionError("expected exit code " + exitCode + ", not " + code + ":\n" + program.output());
        }
        expect(program.output(), List.of(words));
    }
}
