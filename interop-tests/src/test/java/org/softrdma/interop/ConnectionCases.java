// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.roce.Opcode;

/** Cases between the kernel's connection manager and ours: the programs of rdmacm-utils, both ways round. */
final class ConnectionCases {
    private static final String GROUP = "connections";
    /** First port; each case has a port of its own, so none waits for the leftovers of an earlier one. */
    private static final int FIRST_PORT = 7600;
    /** Distance from a case's port to the only port that is listened on when a connection must fail. */
    private static final int OTHER_PORTS = 100;
    private static final int REJECTED = 255;
    /** Output of a later ping, which shows that the exchange is in progress. */
    private static final String IN_THE_MIDDLE = "rdma-ping-20: ";
    private static final int CLIENTS_IN_TURN = 3;

    /**
     * Fault plan that loses the first packet of ours and none of the next seven; the following two lose the second and the third packet.
     */
    private static final String LOSES_FIRST = "drop=0.3,seed=5";
    private static final String LOSES_SECOND = "drop=0.3,seed=6";
    private static final String LOSES_THIRD = "drop=0.3,seed=135";
    /** Fault plan that loses the second packet and none of the next three hundred. */
    private static final String LOSES_SECOND_OF_MANY = "drop=0.01,seed=4763";

    private static final String MULTICAST = "239.77.1.2";
    private static final String MULTICAST_ROUTE = "239.77.0.0/16";

    private static final Set<Integer> CM_ONLY = Set.of(Opcode.UD_SEND_ONLY);
    private static final Set<Integer> RC = Set.of(Opcode.UD_SEND_ONLY, Opcode.RC_SEND_ONLY);
    private static final Set<Integer> UD = Set.of(Opcode.UD_SEND_ONLY, Opcode.UD_SEND_ONLY_WITH_IMMEDIATE);
    private static final Set<Integer> STREAM = Set.of(Opcode.UD_SEND_ONLY, Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE);
    private static final Set<Integer> LONG_STREAM = Set.of(Opcode.UD_SEND_ONLY, Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE,
        Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE);
    private static final Set<Integer> ACKS = Set.of(Opcode.RC_ACKNOWLEDGE);

    private static final Program ONE_CMTIME = new Program("cmtime -c 1 -b ANY -p PORT", "cmtime -c 1 -s HOST -p PORT");
    private static final Program ENDLESS_RPING = new Program("rping -s -d -v -a ANY -p PORT", "rping -c -v -a HOST -p PORT");
    private static final Program PERSISTENT_RPING = new Program("rping -s -P -v -a ANY -p PORT", Program.RPING.client());
    private static final Program UDADDY = new Program("udaddy -b ANY", "udaddy -s HOST");

    /** A case with rstream, both of whose ends print {@code line} at the beginning of their last line. */
    private record StreamTest(String name, String sentence, String options, Set<Integer> requests, String line) {
    }

    private static final StreamTest RSTREAM = new StreamTest("rstream", "rsockets: 60 transfers of 1000 bytes each way, verified",
        "-S 1000 -C 20 -I 3", STREAM, "\ncustom    1000    20      3       117k    ");
    private static final List<StreamTest> MORE_STREAMS = List.of(
        new StreamTest("rstream-64", "100 times 64 bytes there and back", "-S 64 -C 1 -I 100", STREAM,
            "\ncustom    64      1       100     12k     "),
        new StreamTest("rstream-1", "2000 transfers of one byte each way, in buffers of 8 KiB: credits", "-S 1 -C 2000 -I 1 -B 4096",
            STREAM, "\ncustom    1       2k      1       3.9k    "),
        new StreamTest("rstream-100000", "40 transfers of 100000 bytes each way, with calls that block", "-S 100000 -C 20 -I 2 -T b",
            LONG_STREAM, "\ncustom    97k     20      2       7.6m    "));

    private final List<InteropCase> cases = new ArrayList<>();

    private ConnectionCases() {
    }

    static List<InteropCase> all() {
        ConnectionCases all = new ConnectionCases();
        for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
            for (IpVersion ip : IpVersion.values()) {
                all.add("rping", "10 pings: READ and WRITE of 64 bytes, the text on both ends", role, ip, RC, ACKS, (run, ends) -> {
                    expectClientToDisconnect(run, ends);
                    ends.ping(run);
                });
                all.add("rping-raw", "10 pings, ours in raw frames", role, ip, RC, ACKS, (run, ends) -> {
                    run.useRawLink();
                    expectClientToDisconnect(run, ends);
                    ends.ping(run);
                });
                all.add("ucmatose", "10 messages each way, the server begins", role, ip, RC, ACKS, (run, ends) -> {
                    expectServerToDisconnect(run, ends);
                    ends.exchange(run, Program.UCMATOSE, "data transfers complete\n", "return status 0\n");
                });
                all.add("rdma_client", "synchronous identifiers, both ends disconnect", role, ip, RC, ACKS, (run, ends) -> {
                    expectConnection(run, ends);
                    ends.exchange(run, Program.RDMA_CLIENT, " end 0\n");
                });
                all.add("udaddy", "datagrams to a queue pair found through SIDR", role, ip, UD, Set.of(), (run, ends) -> {
                    run.expectMessages(ends.client(), "SIDR_REQ");
                    run.expectMessages(ends.server(), "SIDR_REP 0");
                    ends.exchange(run, UDADDY, "data transfers complete\n", "return status 0\n");
                });
                all.stream(RSTREAM, role, ip);
                all.add("refused", "rping without a listener: REJ 8", role, ip, CM_ONLY, Set.of(), ConnectionCases::refused);
            }
            all.add("rping-65000", "100 pings of 65000 bytes, compared", role, IpVersion.IPV4, RC, ACKS, (run, ends) -> {
                expectClientToDisconnect(run, ends);
                ends.exchange(run, Program.LONG_RPING);
            });
            all.add("ucmatose-20", "20 connections at once", role, IpVersion.IPV4, RC, ACKS, (run, ends) -> {
                expectServerToDisconnect(run, ends);
                ends.exchange(run, Program.MANY_UCMATOSE, "data transfers complete\n", "return status 0\n");
            });
            all.add("cmtime", "100 connections at once, no data", role, IpVersion.IPV4, CM_ONLY, Set.of(), (run, ends) -> {
                expectClientToDisconnect(run, ends);
                ends.time(run);
            });
            all.add("mckey", "10 datagrams from the client to a group", role, IpVersion.IPV4, Set.of(), Set.of(),
                ConnectionCases::multicast);
            all.add("rping-persistent", "one server, three clients in turn", role, IpVersion.IPV4, RC, ACKS,
                ConnectionCases::oneAfterTheOther);
            all.add("killed", "the kernel's rping is killed in the middle: ours is notified, no queue pair is left", role, IpVersion.IPV4,
                RC, ACKS, ConnectionCases::theirsIsKilled);
            all.add("ended", "our rping is ended in the middle (SIGTERM): the kernel's is notified", role, IpVersion.IPV4, RC, ACKS,
                ConnectionCases::oursIsEnded);
            losses(all, role);
            for (StreamTest each : MORE_STREAMS) {
                all.stream(each, role, IpVersion.IPV4);
            }
            all.add("udaddy-refused", "udaddy without a listener: SIDR status 1", role, IpVersion.IPV4, CM_ONLY, Set.of(),
                ConnectionCases::unreachable);
        }
        return all.cases;
    }

    /**
     * Adds the cases with lost messages. The second packet of a connection without data would be followed by the DREQ, which also acts as
     * the RTU.
     */
    private static void losses(ConnectionCases all, Role role) {
        if (role == Role.CLIENT) {
            all.add("lost-req", "our first REQ is lost", role, IpVersion.IPV4, CM_ONLY, Set.of(), losing(ONE_CMTIME, LOSES_FIRST));
            all.add("lost-rtu", "our first RTU is lost: the kernel repeats its REP", role, IpVersion.IPV4, RC, ACKS,
                losing(Program.RPING, LOSES_SECOND_OF_MANY));
            all.add("lost-dreq", "our first DREQ is lost", role, IpVersion.IPV4, CM_ONLY, Set.of(), losing(ONE_CMTIME, LOSES_THIRD));
        } else {
            all.add("lost-rep", "our first REP is lost", role, IpVersion.IPV4, CM_ONLY, Set.of(), losing(ONE_CMTIME, LOSES_FIRST));
            all.add("lost-drep", "our first DREP is lost: the kernel repeats its DREQ", role, IpVersion.IPV4, CM_ONLY, Set.of(),
                losing(ONE_CMTIME, LOSES_SECOND));
        }
    }

    private static void expectConnection(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "REQ", "RTU");
        run.expectMessages(ends.server(), "REP");
    }

    private static void expectClientToDisconnect(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "REQ", "RTU", "DREQ");
        run.expectMessages(ends.server(), "REP", "DREP");
    }

    private static void expectServerToDisconnect(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "REQ", "RTU", "DREP");
        run.expectMessages(ends.server(), "REP", "DREQ");
    }

    private interface Exchange {
        void run(CaseRun run, Ends ends);
    }

    private void add(String name, String sentence, Role role, IpVersion ip, Set<Integer> requests, Set<Integer> responses,
            Exchange exchange) {
        Ends ends = new Ends(role == Role.SERVER, ip, FIRST_PORT + cases.size());
        cases.add(new InteropCase(GROUP, name, sentence, role, ip, requests, responses, false, run -> exchange.run(run, ends)));
    }

    private void stream(StreamTest test, Role role, IpVersion ip) {
        add(test.name, test.sentence, role, ip, test.requests, ACKS, (run, ends) -> {
            expectConnection(run, ends);
            ends.exchange(run, Program.rstream(test.options), test.line);
        });
    }

    // ---- exchanges ----

    private static void oneAfterTheOther(CaseRun run, Ends ends) {
        expectClientToDisconnect(run, ends);
        try (RunningCommand server = ends.server(run, PERSISTENT_RPING.server())) {
            for (int i = 1; i <= CLIENTS_IN_TURN; i++) {
                Ends.expect(ends.clientOf(run, server, PERSISTENT_RPING.client()), List.of(Program.pings().getLast()));
                if (!server.isRunning()) {
                    throw new AssertionError("the server ended after client " + i + ":\n" + server.output());
                }
            }
        }
        run.awaitNoQueuePairsInGuest();
    }

    /** The guest's process is killed; the kernel disconnects on its behalf. */
    private static void theirsIsKilled(CaseRun run, Ends ends) {
        run.expectMessages(CaptureReport.KERNEL, "DREQ");
        run.expectMessages(CaptureReport.OURS, "DREP");
        inTheMiddle(run, ends, (ours, theirs) -> {
            ours.awaitOutput(IN_THE_MIDDLE, Ends.DEADLINE);
            theirs.close();
            Ends.expect(ours.awaitSuccess(Ends.DEADLINE), List.of((ends.weServe() ? "server" : "client") + " DISCONNECT EVENT...\n"));
        });
    }

    /** A process of ours disconnects as it ends. The kernel's rping is notified, but occasionally fails to exit. */
    private static void oursIsEnded(CaseRun run, Ends ends) {
        run.expectMessages(CaptureReport.OURS, "DREQ");
        run.expectMessages(CaptureReport.KERNEL, "DREP");
        inTheMiddle(run, ends, (ours, theirs) -> {
            theirs.awaitOutput(IN_THE_MIDDLE, Ends.DEADLINE);
            ((HostTool) ours).terminate();
            theirs.awaitOutput((ends.weServe() ? "client" : "server") + " DISCONNECT EVENT...\n", Ends.DEADLINE);
        });
    }

    private interface Ending {
        void happen(RunningCommand ours, RunningCommand theirs);
    }

    /** Pings without end until one of the two ends; no queue pair is left on either side. */
    private static void inTheMiddle(CaseRun run, Ends ends, Ending ending) {
        try (RunningCommand server = ends.server(run, ENDLESS_RPING.server())) {
            server.awaitOutput("rdma_listen", Ends.DEADLINE);
            try (RunningCommand client = ends.client(run, ENDLESS_RPING.client())) {
                ending.happen(ends.weServe() ? server : client, ends.weServe() ? client : server);
            }
        }
        run.awaitNoQueuePairsInGuest();
    }

    private static Exchange losing(Program program, String faults) {
        return (run, ends) -> {
            expectClientToDisconnect(run, ends);
            run.expectLosses(1);
            run.faults(faults);
            try (RunningCommand server = ends.server(run, program.server())) {
                ends.clientOf(run, server, program.client());
            } finally {
                run.faults("none");
            }
        };
    }

    private static void multicast(CaseRun run, Ends ends) {
        List<String> words = List.of("joined dgid: ::ffff:" + MULTICAST + " mlid 0x0 sl 0\n", "data transfers complete\n",
            "return status 0\n");
        run.onHost("route", Map.of(), "ip", "route", "replace", MULTICAST_ROUTE, "dev", "tap0").awaitSuccess(Ends.DEADLINE);
        run.inGuest("route", "ip", "route", "replace", MULTICAST_ROUTE, "dev", "eth0").awaitSuccess(Ends.DEADLINE);
        try (RunningCommand receiver = ends.start(run, true, "server", "mckey -m " + MULTICAST)) {
            receiver.awaitOutput("joined dgid", Ends.DEADLINE);
            try (RunningCommand sender = ends.start(run, false, "client", "mckey -s -m " + MULTICAST)) {
                Ends.expect(sender.awaitSuccess(Ends.DEADLINE), words);
            }
            Ends.expect(receiver.awaitSuccess(Ends.DEADLINE), words);
        }
    }

    private static void refused(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "REQ");
        run.expectMessages(ends.server(), "REJ 8");
        // The further output of the original depends on a race between its threads, one of which ends the process.
        askInVain(run, ends, Program.RPING.client(), REJECTED, "cma event RDMA_CM_EVENT_REJECTED, error 8\n");
    }

    private static void unreachable(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), "SIDR_REQ");
        run.expectMessages(ends.server(), "SIDR_REP 1");
        askInVain(run, ends, UDADDY.client(), 1, "udaddy: event: RDMA_CM_EVENT_UNREACHABLE, error: 1\ntest complete\nreturn status 1\n");
    }

    /** Connects while a server listens on another port: a device of ours answers only while a program uses it. */
    private static void askInVain(CaseRun run, Ends ends, String client, int exitCode, String words) {
        Ends other = new Ends(ends.weServe(), ends.ip(), ends.port() + OTHER_PORTS);
        try (RunningCommand server = other.server(run, Program.RPING.server());
             RunningCommand asking = ends.client(run, client)) {
            Ends.expectEnd(asking, exitCode, words);
            if (!server.isRunning()) {
                throw new AssertionError("the server on another port ended:\n" + server.output());
            }
        }
    }
}
