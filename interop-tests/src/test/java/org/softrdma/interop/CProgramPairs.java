// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Unmodified C programs on our devices: with each other on one host, across a wire, and with our Java tools. Hosts are network namespaces,
 * each with a daemon of its own while C programs run there: it has the port of RoCE at their addresses.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CProgramPairs {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", "ibv_devinfo", "ibv_rc_pingpong",
        "rping", "ib_write_bw");

    /**
     * Results by type, program and mode. They outlive one run: when failed tests are run again, only those run, and the table still shows
     * all.
     */
    private static final Map<String, Map<String, Map<String, String>>> RESULTS = new HashMap<>();
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    /** Words of a client that came before its server listened. */
    private static final Pattern TOO_EARLY = Pattern.compile("Couldn't connect|Connection refused|RDMA_CM_EVENT_REJECTED|EVENT_UNREACHABLE|"
        + "Unexpected CM event|Unable to init the socket|cma event");
    private static final int ATTEMPTS = 40;
    private static final int PERFTEST_ATTEMPTS = 5;
    private static final long PAUSE_MS = 250;
    private static final int FIRST_PORT = 19_000;

    /** Programs that meet a tool of ours in every run; the others do in long ones. */
    private static final Set<String> WITH_JAVA = Set.of("ibv_rc_pingpong -c", "ib_send_bw -x GID -n 200", "rping -S 65000 -V", "ucmatose",
        "udaddy");

    private final String type;
    private VethPair wire;
    private final Map<String, Map<String, String>> results;
    /** The mode that daemons run for; null before the first. */
    private Mode running;
    private int port = FIRST_PORT;

    /** Peculiarities of a program. */
    private enum Trait {
        /** We have no Java tool of this name. */
        C_ONLY,
        /** The server serves the next client, and is killed. Only the client's output is known. */
        ENDLESS,
        /** The server ends without a word about its success. */
        QUIET_SERVER,
        /** The programs know no IPv6 addresses, or serve at none. */
        IPV4_ONLY,
        /** The server joins a multicast group, where it says so it can be sent to. */
        JOINS
    }

    /**
     * A program and its two command lines: HOST stands for the server's address, OWN for that of the end, ANY for the wildcard address,
     * PORT for a port, GID for the index of the address's GID, LAB for the directory of the lab's programs, DIRECTORY for that of their
     * files.
     *
     * @param words output that both ends must have
     */
    private record Case(String name, String sentence, String server, String client, List<String> words, Set<Trait> traits) {
        Case(String name, String sentence, String server, String client, List<String> words) {
            this(name, sentence, server, client, words, Set.of());
        }

        Case with(Trait... unusual) {
            return new Case(name, sentence, server, client, words, Set.of(unusual));
        }

        /** Whether a mode has the programs it needs. */
        boolean runs(Mode mode) {
            return mode.cServes && mode.cAsks || !traits.contains(Trait.C_ONLY);
        }

        static Case pingPong(String tool, String options, String sentence) {
            String line = tool + " -d DEVICE -g GID -p PORT " + options;
            return new Case(tool + " " + options, sentence, line, line + " IPV4", List.of(" iters in "));
        }

        static Case perftest(String line, String row, String sentence) {
            String all = line + " -F -d DEVICE -p PORT";
            return new Case(line, sentence, all, all + " IPV4", List.of("\n " + row));
        }

        /** Whether the server listens at its port by the connection manager. */
        boolean isByCm() {
            return client.contains(" -R ") || client.contains("HOST") && client.contains("PORT");
        }

        static Case of(String name, String sentence, Program program, String... words) {
            return new Case(name, sentence, program.server(), program.client(), List.of(words));
        }
    }

    /** Where and as what the two programs run. */
    private enum Mode {
        ONE_HOST("C to C, one host", true, true),
        TWO_HOSTS("C to C, two hosts", true, true),
        TO_JAVA("C client, Java server", false, true),
        FROM_JAVA("Java client, C server", true, false);

        private final String text;
        private final boolean cServes;
        private final boolean cAsks;

        Mode(String text, boolean cServes, boolean cAsks) {
            this.text = text;
            this.cServes = cServes;
            this.cAsks = cAsks;
        }
    }

    private static final List<Case> OVER_BOTH = List.of(
        Case.of("rping -S 65000 -V", "100 pings of 65000 bytes, compared", Program.LONG_RPING),
        Case.of("ucmatose", "10 messages each way", Program.UCMATOSE, "data transfers complete\n", "return status 0\n"),
        Case.of("rdma_client", "synchronous identifiers", Program.RDMA_CLIENT, " end 0\n"),
        Case.of("rstream -T v", "byte streams, verified", Program.rstream("-S 1000 -C 20 -I 3"), "\ncustom    1000    20      3 "),
        Case.of("riostream -T v", "the same by riowrite, verified", Program.RIOSTREAM, "\ncustom    1000    20      3 ").with(Trait.C_ONLY),
        Case.of("rdma_xclient", "synchronous identifiers, the queue pair made by the library", Program.RDMA_XCLIENT,
            " end 0\n").with(Trait.C_ONLY, Trait.IPV4_ONLY),
        Case.of("rcopy", "a file of three million bytes, compared", new Program("rcopy -p PORT", "LAB/rcopy-compared HOST PORT DIRECTORY"),
            "the copy is right\n").with(Trait.C_ONLY, Trait.IPV4_ONLY, Trait.ENDLESS),
        Case.of("cmtime", "100 connections at once, no data", Program.CMTIME, "\nconnect      :", "\ndestroy      :").with(Trait.ENDLESS));

    private static final List<Case> OVER_ROCE = List.of(
        Case.pingPong("ibv_rc_pingpong", "-c", "1000 messages of 4096 bytes each way, compared"),
        Case.pingPong("ibv_rc_pingpong", "-e -c", "both sleep on completion events"),
        Case.pingPong("ibv_uc_pingpong", "-c", "unreliable connection"),
        Case.pingPong("ibv_ud_pingpong", "-c", "datagrams"),
        Case.pingPong("ibv_srq_pingpong", "-c", "16 connections, one shared receive queue"),
        Case.perftest("ib_write_bw -x GID -n 200", "65536      200 ", "WRITEs of 64 KiB"),
        Case.perftest("ib_read_bw -x GID -n 200", "65536      200 ", "READs of 64 KiB"),
        Case.perftest("ib_send_bw -x GID -n 200", "65536      200 ", "SENDs of 64 KiB"),
        Case.perftest("ib_atomic_bw -x GID -n 200", "8          200 ", "FETCH_ADDs"),
        Case.perftest("ib_write_lat -x GID -n 200", "2       200 ", "WRITEs of 2 bytes, seen in memory"),
        Case.perftest("ib_send_lat -x GID -n 200", "2       200 ", "messages of 2 bytes"),
        Case.perftest("ib_read_lat -x GID -n 200", "2       200 ", "READs of 2 bytes").with(Trait.QUIET_SERVER),
        Case.perftest("ib_atomic_lat -x GID -n 200", "8       200 ", "FETCH_ADDs, one at a time").with(Trait.QUIET_SERVER),
        Case.perftest("ib_send_bw --use-srq -q 2 -x GID -n 200", "65536      400 ", "two connections, one shared receive queue"),
        Case.perftest("ib_write_bw -D 1 -x GID", "65536      ", "for one second"),
        Case.perftest("ib_send_bw -c UD -x GID -s 1024 -n 100", "1024       100 ", "datagrams of 1 KiB"),
        Case.perftest("ib_write_bw -R -n 100", "65536      100 ", "by the connection manager"),
        Case.of("udaddy", "datagrams, by the connection manager", new Program("udaddy -b ANY", "udaddy -s HOST"),
            "data transfers complete\n", "return status 0\n"),
        Case.of("mckey", "10 datagrams to a multicast group", new Program("mckey -m 239.77.1.2 -b OWN", "mckey -s -m 239.77.1.2 -b OWN"),
            "data transfers complete\n", "return status 0\n").with(Trait.JOINS));

    /** @param type of the devices at both ends: rxe or siw */
    CProgramPairs(String type) {
        this.type = type;
        this.results = RESULTS.computeIfAbsent(type, _ -> new TreeMap<>());
    }

    @BeforeAll
    void connect() throws IOException {
        wire = new VethPair("c-" + type, 1500);
        wire.addDevicesOf(type);
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    /** Starts daemons at the ends of C programs only, with their devices open: a device that is being opened rejects requests at first. */
    private void startDaemons(Mode mode) {
        wire.stopDaemons();
        if (mode.cAsks) {
            wire.a.tool("run", "--", "ibv_devinfo");
        }
        if (mode.cServes && mode != Mode.ONE_HOST) {
            wire.b.tool("run", "--", "ibv_devinfo");
        }
    }

    @TestFactory
    Stream<DynamicNode> shouldRunUnmodified() {
        Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
        for (Mode mode : Mode.values()) {
            if (type.equals("rxe")) {
                OVER_ROCE.forEach(each -> add(groups, each, mode, false));
            }
            OVER_BOTH.forEach(each -> add(groups, each, mode, mode == Mode.TWO_HOSTS && !each.traits.contains(Trait.IPV4_ONLY)));
        }
        List<DynamicNode> nodes = new ArrayList<>();
        groups.forEach((group, tests) -> nodes.add(dynamicContainer(group, tests)));
        nodes.add(dynamicTest("docs/interop.md shows these pairs", this::report));
        return nodes.stream();
    }

    private void add(Map<String, List<DynamicTest>> groups, Case program, Mode mode, boolean ipv6) {
        String id = "pairs-" + mode + "-" + type + "-" + program.name;
        if (!program.runs(mode)) {
            return;
        }
        if (DocTable.isInThisRun(id, isRare(program, mode))) {
            groups.computeIfAbsent(mode.text, _ -> new ArrayList<>()).add(dynamicTest(program.name + " over " + type, () -> {
                String outcome = "failed";
                try {
                    run(program, mode, ipv6);
                    outcome = "passed";
                } finally {
                    note(program, mode, outcome);
                }
            }));
        } else {
            // As the last long run saw it; tables of chosen cases are not checked.
            note(program, mode, "passed");
        }
    }

    /** C programs talk to each other on one host or on two, in turn; those that also talk to our tools do both. */
    private static boolean isRare(Case program, Mode mode) {
        if (WITH_JAVA.contains(program.name)) {
            return false;
        }
        boolean even = (OVER_ROCE.contains(program) ? OVER_ROCE.indexOf(program) : OVER_BOTH.indexOf(program)) % 2 == 0;
        return mode != (even ? Mode.TWO_HOSTS : Mode.ONE_HOST);
    }

    private void note(Case program, Mode mode, String outcome) {
        results.computeIfAbsent(program.name + " | " + program.sentence, _ -> new TreeMap<>()).put(mode.text, outcome);
    }

    private void run(Case program, Mode mode, boolean ipv6) throws InterruptedException {
        if (running != mode) {
            startDaemons(mode);
            running = mode;
        }
        for (int attempt = 1; !isDone(program, mode, ipv6); attempt++) {
            if (attempt == PERFTEST_ATTEMPTS) {
                throw new AssertionError("the client came before the server listened again, " + attempt + " times: " + program.name);
            }
        }
    }

    /** @return false if perftest's client connected by the connection manager before its server listened for the second time */
    private boolean isDone(Case program, Mode mode, boolean ipv6) throws InterruptedException {
        VethPair.End serves = mode == Mode.ONE_HOST ? wire.a : wire.b;
        int chosen = port++;
        String file = (program.name + "-" + mode).replaceAll("[^A-Za-z0-9-]+", "-");
        try (RunningCommand server = start(serves, mode.cServes, file + "-server", line(program.server, serves, serves, ipv6, chosen))) {
            if (program.isByCm()) {
                awaitListener(serves, server, chosen);
            } else if (program.traits.contains(Trait.JOINS)) {
                server.awaitOutput("joined dgid", DEADLINE);
            }
            String clientLine = line(program.client, wire.a, serves, ipv6, chosen);
            boolean twice = program.client.contains(" -R ");
            RunningCommand client = twice ? start(wire.a, mode.cAsks, file + "-client", clientLine)
                : client(wire.a, mode.cAsks, file, clientLine, server);
            if (twice && client.awaitExit(DEADLINE) != 0 && TOO_EARLY.matcher(client.output()).find()) {
                return false;
            }
            Ends.expect(client.awaitSuccess(DEADLINE), program.words);
            if (program.traits.contains(Trait.ENDLESS)) {
                return true;
            }
            Ends.expect(server.awaitSuccess(DEADLINE), program.traits.contains(Trait.QUIET_SERVER) ? List.of() : program.words);
            if ((client.output() + server.output()).contains("invalid data")) {
                throw new AssertionError(client.output() + server.output());
            }
            return true;
        }
    }

    /** Index 0 of the GID tables is the link-local address, which these interfaces have in the table only. */
    private String line(String template, VethPair.End own, VethPair.End server, boolean ipv6, int port) {
        return template.replace("DEVICE", type + "0").replace("HOST", ipv6 ? server.ipv6 : server.ipv4).replace("IPV4", server.ipv4)
            .replace("OWN", own.ipv4).replace("ANY", ipv6 ? "::" : "0.0.0.0").replace("PORT", Integer.toString(port))
            .replace("GID", ipv6 ? "2" : "1").replace("LAB", KernelLab.module().resolve("lab").toString())
            .replace("DIRECTORY", wire.directory().toString());
    }

    /**
     * Starts a program.
     *
     * @param c the C program on our device; else our tool of the same name
     */
    static RunningCommand start(VethPair.End end, boolean c, String file, String line) {
        List<String> words = new ArrayList<>(c ? List.of("run", "--", "stdbuf", "-oL") : List.of());
        words.addAll(Arrays.asList(line.split(" ")));
        return end.start(file, words.toArray(String[]::new));
    }

    /** Waits until a server listens by the connection manager: some clients crash if they are refused, others say it in many ways. */
    static void awaitListener(VethPair.End end, RunningCommand server, int port) throws InterruptedException {
        Pattern listens = Pattern.compile("state LISTEN .*:" + port + "\\b");
        for (int attempt = 1; attempt <= ATTEMPTS && server.isRunning(); attempt++) {
            if (listens.matcher(end.tool("rdma", "resource", "show", "cm_id")).find()) {
                return;
            }
            Thread.sleep(PAUSE_MS);
        }
        throw new AssertionError("nothing listens on port " + port + ":\n" + server.output());
    }

    /** Starts the client, again and again while the server does not listen yet. */
    private static RunningCommand client(VethPair.End end, boolean c, String file, String line, RunningCommand server)
        throws InterruptedException {
        for (int attempt = 1;; attempt++) {
            RunningCommand client = start(end, c, file + "-client", line);
            if (client.awaitExit(DEADLINE) == 0 || attempt == ATTEMPTS || !server.isRunning()
                || !TOO_EARLY.matcher(client.output()).find()) {
                return client;
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    private void report() throws IOException {
        DocTable.checkModes("c-pairs-" + type, Arrays.stream(Mode.values()).map(mode -> mode.text).toList(), results);
    }
}
