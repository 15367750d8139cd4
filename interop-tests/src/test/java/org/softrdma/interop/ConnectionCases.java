// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.Opcode;

/** The kernel's connection manager with ours: the programs of rdmacm-utils, both ways round. */
final class ConnectionCases {
    private static final String GROUP = "connections";
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    /** A case has a port of its own: nobody waits for what an earlier one leaves behind. */
    private static final int FIRST_PORT = 7600;
    /** From a case's port to the one where somebody listens in vain. */
    private static final int OTHER_PORTS = 100;
    /** Times a client of the kernel is started when it is refused: there is a moment between our socket and our listener. */
    private static final int ATTEMPTS = 3;
    private static final int REJECTED = 255;

    private static final String MULTICAST = "239.77.1.2";
    private static final String MULTICAST_ROUTE = "239.77.0.0/16";
    private static final int PINGS = 10;
    private static final int PING_BYTES = 64;

    private static final Set<Integer> CM_ONLY = Set.of(Opcode.UD_SEND_ONLY);
    private static final Set<Integer> RC = Set.of(Opcode.UD_SEND_ONLY, Opcode.RC_SEND_ONLY);
    private static final Set<Integer> UD = Set.of(Opcode.UD_SEND_ONLY, Opcode.UD_SEND_ONLY_WITH_IMMEDIATE);
    private static final Set<Integer> ACKS = Set.of(Opcode.RC_ACKNOWLEDGE);

    /** Of udaddy, which cannot be told another; its {@code -p} is a port space. */
    private static final int UDADDY_PORT = 7174;

    /** A program's two command lines; {@code HOST} is the server, {@code ANY} the wildcard address, {@code PORT} the case's. */
    private record Program(String server, String client) {
    }

    private static final Program RPING = new Program("rping -s -v -a ANY -p PORT", "rping -c -v -C " + PINGS + " -a HOST -p PORT");
    private static final Program LONG_RPING = new Program("rping -s -C 100 -S 65000 -V -a ANY -p PORT",
        "rping -c -C 100 -S 65000 -V -a HOST -p PORT");
    private static final Program UCMATOSE = new Program("ucmatose -b ANY -p PORT", "ucmatose -s HOST -p PORT");
    private static final Program MANY_UCMATOSE = new Program("ucmatose -c 20 -b ANY -p PORT", "ucmatose -c 20 -s HOST -p PORT");
    private static final Program RDMA_CLIENT = new Program("rdma_server -s ANY -p PORT", "rdma_client -s HOST -p PORT");
    private static final Program CMTIME = new Program("cmtime -b ANY -p PORT", "cmtime -s HOST -p PORT");
    private static final Program UDADDY = new Program("udaddy -b ANY", "udaddy -s HOST");

    private final List<InteropCase> cases = new ArrayList<>();

    private ConnectionCases() {
    }

    static List<InteropCase> all() {
        ConnectionCases all = new ConnectionCases();
        for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
            for (IpVersion ip : IpVersion.values()) {
                all.add("rping", "10 pings: READ and WRITE of 64 bytes, the text on both ends", role, ip, RC, ACKS, ConnectionCases::ping);
                all.add("ucmatose", "10 messages each way, the server begins", role, ip, RC, ACKS, (run, ends) -> {
                    ends.expectServerToDisconnect(run);
                    exchange(run, ends, UCMATOSE, "data transfers complete\n", "return status 0\n");
                });
                all.add("rdma_client", "synchronous identifiers, both ends disconnect", role, ip, RC, ACKS, (run, ends) -> {
                    ends.expectConnection(run);
                    exchange(run, ends, RDMA_CLIENT, " end 0\n");
                });
                all.add("udaddy", "datagrams to a queue pair that SIDR found", role, ip, UD, Set.of(), (run, ends) -> {
                    run.expectMessages(ends.client(), "SIDR_REQ");
                    run.expectMessages(ends.server(), "SIDR_REP 0");
                    exchange(run, ends, UDADDY, "data transfers complete\n", "return status 0\n");
                });
                all.add("refused", "rping where nobody listens: REJ 8", role, ip, CM_ONLY, Set.of(), ConnectionCases::refused);
            }
            all.add("rping-65000", "100 pings of 65000 bytes, compared", role, IpVersion.IPV4, RC, ACKS, (run, ends) -> {
                ends.expectClientToDisconnect(run);
                exchange(run, ends, LONG_RPING);
            });
            all.add("ucmatose-20", "20 connections at once", role, IpVersion.IPV4, RC, ACKS, (run, ends) -> {
                ends.expectServerToDisconnect(run);
                exchange(run, ends, MANY_UCMATOSE, "data transfers complete\n", "return status 0\n");
            });
            all.add("cmtime", "100 connections at once, no data", role, IpVersion.IPV4, CM_ONLY, Set.of(), ConnectionCases::time);
            all.add("mckey", "10 datagrams from the client to a group", role, IpVersion.IPV4, Set.of(), Set.of(),
                ConnectionCases::multicast);
            all.add("udaddy-refused", "udaddy where nobody listens: SIDR status 1", role, IpVersion.IPV4, CM_ONLY, Set.of(),
                ConnectionCases::unreachable);
        }
        return all.cases;
    }

    /** Who is where. */
    private record Ends(boolean weServe, IpVersion ip, int port) {
        int client() {
            return weServe ? CaptureReport.KERNEL : CaptureReport.OURS;
        }

        int server() {
            return weServe ? CaptureReport.OURS : CaptureReport.KERNEL;
        }

        void expectConnection(CaseRun run) {
            run.expectMessages(client(), "REQ", "RTU");
            run.expectMessages(server(), "REP");
        }

        void expectClientToDisconnect(CaseRun run) {
            run.expectMessages(client(), "REQ", "RTU", "DREQ");
            run.expectMessages(server(), "REP", "DREP");
        }

        void expectServerToDisconnect(CaseRun run) {
            run.expectMessages(client(), "REQ", "RTU", "DREP");
            run.expectMessages(server(), "REP", "DREQ");
        }

        RunningCommand start(CaseRun run, boolean server, String name, String line) {
            String host = weServe ? ip.host : ip.guest;
            String words = line.replace("HOST", host).replace("ANY", ip == IpVersion.IPV4 ? "0.0.0.0" : "::")
                .replace("PORT", Integer.toString(port));
            return server == weServe ? run.onHost(name, Map.of(), ("./softrdma " + words).split(" "))
                : run.inGuest(name, ("stdbuf -oL " + words).split(" "));
        }

        RunningCommand server(CaseRun run, String line) {
            RunningCommand server = start(run, true, "server", line);
            run.awaitRdmaListener(!weServe, line.contains("PORT") ? port : UDADDY_PORT, server);
            return server;
        }

        RunningCommand client(CaseRun run, String line) {
            return start(run, false, "client", line);
        }
    }

    private interface Exchange {
        void run(CaseRun run, Ends ends);
    }

    private void add(String name, String sentence, Role role, IpVersion ip, Set<Integer> requests, Set<Integer> responses,
            Exchange exchange) {
        Ends ends = new Ends(role == Role.SERVER, ip, FIRST_PORT + cases.size());
        cases.add(new InteropCase(GROUP, name, sentence, role, ip, requests, responses, false, run -> exchange.run(run, ends)));
    }

    // ---- exchanges ----

    private static void ping(CaseRun run, Ends ends) {
        ends.expectClientToDisconnect(run);
        List<String> pings = new ArrayList<>();
        for (int i = 0; i < PINGS; i++) {
            pings.add("ping data: " + pingText(i) + "\n");
        }
        try (RunningCommand server = ends.server(run, RPING.server)) {
            expect(client(run, ends, server, RPING.client), pings);
            String served = server.awaitSuccess(DEADLINE);
            expect(served, pings.stream().map(ping -> "server " + ping).toList());
            expect(served, List.of("server DISCONNECT EVENT...\n"));
        }
    }

    /** A NUL behind it fills the buffer; the letters roll from A to z, one further with each ping. */
    private static String pingText(int ping) {
        StringBuilder text = new StringBuilder("rdma-ping-" + ping + ": ");
        for (char letter = (char) ('A' + ping); text.length() < PING_BYTES - 1; letter = letter == 'z' ? 'A' : (char) (letter + 1)) {
            text.append(letter);
        }
        return text.toString();
    }

    /** Both sides end well and print {@code words}. */
    private static void exchange(CaseRun run, Ends ends, Program program, String... words) {
        try (RunningCommand server = ends.server(run, program.server)) {
            expect(client(run, ends, server, program.client), List.of(words));
            expect(server.awaitSuccess(DEADLINE), List.of(words));
        }
    }

    /** The server never ends by itself. */
    private static void time(CaseRun run, Ends ends) {
        ends.expectClientToDisconnect(run);
        try (RunningCommand server = ends.server(run, CMTIME.server)) {
            expect(client(run, ends, server, CMTIME.client), List.of("\nconnect      :", "\ndisconnect   :", "\ndestroy      :"));
        }
    }

    private static void multicast(CaseRun run, Ends ends) {
        List<String> words = List.of("joined dgid: ::ffff:" + MULTICAST + " mlid 0x0 sl 0\n", "data transfers complete\n",
            "return status 0\n");
        run.onHost("route", Map.of(), "ip", "route", "replace", MULTICAST_ROUTE, "dev", "tap0").awaitSuccess(DEADLINE);
        run.inGuest("route", "ip", "route", "replace", MULTICAST_ROUTE, "dev", "eth0").awaitSuccess(DEADLINE);
        try (RunningCommand receiver = ends.start(run, true, "server", "mckey -m " + MULTICAST)) {
            receiver.awaitOutput("joined dgid", DEADLINE);
            try (RunningCommand sender = ends.start(run, false, "client", "mckey -s -m " + MULTICAST)) {
                expect(sender.awaitSuccess(DEADLINE), words);
            }
            expect(receiver.awaitSuccess(DEADLINE), words);
        }
    }

    private static void refused(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "REQ");
        run.expectMessages(ends.server(), "REJ 8");
        // What the original says next is a race of its threads: one ends the process.
        askInVain(run, ends, RPING.client, REJECTED, "cma event RDMA_CM_EVENT_REJECTED, error 8\n");
    }

    private static void unreachable(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "SIDR_REQ");
        run.expectMessages(ends.server(), "SIDR_REP 1");
        askInVain(run, ends, UDADDY.client, 1, "udaddy: event: RDMA_CM_EVENT_UNREACHABLE, error: 1\ntest complete\nreturn status 1\n");
    }

    /** Somebody listens, on another port: a device of ours answers only while a program uses it. */
    private static void askInVain(CaseRun run, Ends ends, String client, int exitCode, String words) {
        Ends other = new Ends(ends.weServe, ends.ip, ends.port + OTHER_PORTS);
        try (RunningCommand server = other.server(run, RPING.server);
             RunningCommand asking = ends.client(run, client)) {
            int code = asking.awaitExit(DEADLINE);
            if (code != exitCode) {
                throw new AssertionError("expected exit code " + exitCode + ", not " + code + ":\n" + asking.output());
            }
            expect(asking.output(), List.of(words));
            if (!server.isRunning()) {
                throw new AssertionError("the server on another port ended:\n" + server.output());
            }
        }
    }

    // ---- parts of them ----

    private static String client(CaseRun run, Ends ends, RunningCommand server, String line) {
        for (int attempt = 1;; attempt++) {
            try (RunningCommand client = ends.client(run, line)) {
                client.awaitExit(DEADLINE);
                if (attempt == ATTEMPTS || !ends.weServe || !server.isRunning() || !isRefused(client.output())) {
                    return client.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    private static boolean isRefused(String output) {
        return output.contains("RDMA_CM_EVENT_REJECTED, error") || output.contains("RDMA_CM_EVENT_UNREACHABLE, error: 1")
            || output.contains("Connection refused");
    }

    private static void expect(String output, List<String> words) {
        for (String each : words) {
            if (!output.contains(each)) {
                throw new AssertionError("expected '" + each + "', but:\n" + output);
            }
        }
    }
}
