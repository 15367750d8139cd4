// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;

/** Cases between the kernel's siw and ours: the programs of rdmacm-utils, both ways round. */
final class SiwCases {
    /** First port; each case has a port of its own, so none waits for the leftovers of an earlier one. */
    static final int FIRST_PORT = 7800;
    static final int LAST_PORT = 7899;

    private static final String GROUP = "siw";
    private static final int FAILED = 255;
    /** Pings without end, printed by the server. */
    private static final Program ENDLESS_RPING = new Program("rping -s -v -S 1000 -a ANY -p PORT", "rping -c -S 1000 -a HOST -p PORT");

    /**
     * The client's buffer takes all that the server sends, so that it has no credits to send. A kernel's server closes its socket when its
     * last bytes are in it, and TCP forgets those that are not sent yet if it then receives anything.
     */
    private static final Program LONG_RSTREAM = new Program("rstream -b ANY -p PORT -T v -S 100000 -C 20 -I 1 -T b",
        "rstream -s HOST -p PORT -T v -S 100000 -C 20 -I 1 -T b -B 8388608");

    private final List<InteropCase> cases = new ArrayList<>();

    private SiwCases() {
    }

    static List<InteropCase> all() {
        SiwCases all = new SiwCases();
        for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
            for (IpVersion ip : IpVersion.values()) {
                all.add("rping", "10 pings: READ and WRITE of 64 bytes, the text on both ends", role, ip, (run, ends) -> {
                    expectPings(run, ends);
                    ends.ping(run);
                });
                all.add("ucmatose", "10 messages each way, the server begins", role, ip, (run, ends) -> {
                    expectSends(run, ends);
                    ends.exchange(run, Program.UCMATOSE, "data transfers complete\n", "return status 0\n");
                });
            }
            all.add("rdma_client", "synchronous identifiers, both ends disconnect", role, (run, ends) -> {
                expectSends(run, ends);
                ends.exchange(run, Program.RDMA_CLIENT, " end 0\n");
            });
            all.add("rstream", "rsockets: 60 transfers of 1000 bytes each way, verified; WRITEs and SENDs", role, (run, ends) -> {
                expectStreams(run, ends);
                ends.exchange(run, Program.rstream("-S 1000 -C 20 -I 3"), "\ncustom    1000    20      3       117k    ");
            });
            all.add("rstream-100000", "20 transfers of 100000 bytes each way, with calls that block", role, (run, ends) -> {
                expectStreams(run, ends);
                ends.exchange(run, LONG_RSTREAM, "\ncustom    97k     20      1       3.8m    ");
            });
            all.add("refused", "rdma_client without a listener: refused by TCP", role, (run, ends) -> {
                try (RunningCommand asking = ends.client(run, Program.RDMA_CLIENT.client())) {
                    Ends.expectEnd(asking, FAILED, "connect: Connection refused", "rdma_client: end -1\n");
                }
            });
            all.add("rping-65000", "100 pings of 65000 bytes, compared", role, (run, ends) -> {
                expectPings(run, ends);
                ends.exchange(run, Program.LONG_RPING);
            });
            all.add("ucmatose-20", "20 connections at once", role, (run, ends) -> {
                expectSends(run, ends);
                ends.exchange(run, Program.MANY_UCMATOSE, "data transfers complete\n", "return status 0\n");
            });
            all.add("cmtime", "100 connections at once, no data", role, (run, ends) -> ends.time(run));
            all.add("rping-no-crc", "crc=off: 100 pings without CRC", role, (run, ends) -> {
                run.expectMessages(ends.client(), "request");
                run.expectMessages(ends.server(), "reply");
                withMpa(run, "crc=off", () -> ends.exchange(run, Program.LONG_RPING));
            });
            all.add("markers", "markers=on, which siw does not support: no connection", role, SiwCases::markers);
            all.addFaulty("killed", "the client is killed in the middle, the server is notified and ends", role, SiwCases::kill);
        }
        all.add("rtr-write", "rtr=write: an empty WRITE first, then both may send", Role.CLIENT, (run, ends) -> {
            run.expectMessages(ends.client(), "request for CRC", "RDMA Write", "Send");
            withMpa(run, "rtr=write", () -> ends.exchange(run, Program.UCMATOSE, "return status 0\n"));
        });
        all.add("rtr-read", "rtr=read: an empty READ first, then both may send", Role.CLIENT, (run, ends) -> {
            run.expectMessages(ends.client(), "request for CRC", "RDMA Read Request", "Send");
            run.expectMessages(ends.server(), "reply for CRC", "RDMA Read Response", "Send");
            withMpa(run, "rtr=read", () -> ends.exchange(run, Program.UCMATOSE, "return status 0\n"));
        });
        all.add("revision-1", "revision=1: start-up without IRD and ORD", Role.CLIENT, (run, ends) -> {
            expectSends(run, ends);
            withMpa(run, "revision=1", () -> ends.exchange(run, Program.RDMA_CLIENT, " end 0\n"));
        });
        return all.cases;
    }

    /** Exchange between the two ends. */
    interface Exchange {
        void run(CaseRun run, Ends ends);
    }

    private void add(String name, String sentence, Role role, Exchange exchange) {
        add(name, sentence, role, IpVersion.IPV4, exchange);
    }

    private void add(String name, String sentence, Role role, IpVersion ip, Exchange exchange) {
        add(name, sentence, role, ip, false, exchange);
    }

    /** Adds a case whose streams may end within a frame. */
    private void addFaulty(String name, String sentence, Role role, Exchange exchange) {
        add(name, sentence, role, IpVersion.IPV4, true, exchange);
    }

    private void add(String name, String sentence, Role role, IpVersion ip, boolean faulty, Exchange exchange) {
        Ends ends = new Ends(role == Role.SERVER, ip, FIRST_PORT + cases.size());
        cases.add(new InteropCase(GROUP, name, sentence, role, ip, Set.of(), Set.of(), faulty, run -> exchange.run(run, ends)));
    }

    // ---- expected messages ----

    /** Name of the initiator's MPA request. The kernel does not request CRCs, but complies with a request for them. */
    static String request(Ends ends) {
        return ends.weServe() ? "request" : "request for CRC";
    }

    private static void expectSends(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), request(ends), "Send");
        run.expectMessages(ends.server(), "reply for CRC", "Send");
    }

    private static void expectStreams(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), request(ends), "RDMA Write", "Send");
        run.expectMessages(ends.server(), "reply for CRC", "RDMA Write", "Send");
    }

    private static void expectPings(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), request(ends), "Send", "RDMA Read Response");
        run.expectMessages(ends.server(), "reply for CRC", "Send", "RDMA Read Request", "RDMA Write");
    }

    // ---- exchanges ----

    /** Runs an exchange during which connections of our device are set up with these MPA options. */
    private static void withMpa(CaseRun run, String options, Runnable exchange) {
        setMpa(run, options);
        try {
            exchange.run();
        } finally {
            setMpa(run, "default");
        }
    }

    private static void setMpa(CaseRun run, String options) {
        run.onHost("mpa", Map.of(), "./softrdma", "rdma", "link", "set", "siw0", "mpa", options).awaitSuccess(Ends.DEADLINE);
    }

    /** The kernel rejects a request for markers, and closes the connection when the reply requests them. */
    private static void markers(CaseRun run, Ends ends) {
        run.expectMessages(ends.client(), request(ends));
        run.expectMessages(ends.server(), ends.weServe() ? "reply for CRC" : "reply for CRC rejects");
        withMpa(run, "markers=on", () -> {
            try (RunningCommand server = ends.server(run, Program.RDMA_CLIENT.server());
                 RunningCommand client = ends.client(run, Program.RDMA_CLIENT.client())) {
                Ends.expectEnd(client, FAILED, "rdma_client: end -1\n");
                if (!ends.weServe() && !server.isRunning()) {
                    throw new AssertionError("the server ended, although the kernel does not report the failure:\n" + server.output());
                }
            }
        });
    }

    private static void kill(CaseRun run, Ends ends) {
        expectPings(run, ends);
        try (RunningCommand server = ends.server(run, ENDLESS_RPING.server())) {
            RunningCommand client = ends.client(run, ENDLESS_RPING.client());
            try {
                server.awaitOutput("rdma-ping-20: ", Ends.DEADLINE);
            } finally {
                client.close();
            }
            server.awaitExit(Ends.DEADLINE);
            Ends.expect(server.output(), List.of("server DISCONNECT EVENT...\n"));
        }
    }
}
