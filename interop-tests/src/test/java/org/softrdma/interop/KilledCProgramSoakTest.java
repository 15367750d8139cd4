// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Ends a C program, or a Java program that has joined the daemon, by SIGKILL in the middle of its transfer, at random moments: its peer, a
 * program of the same daemon or a Java program on another host, must notice and end by itself, and the daemon must keep nothing of it.
 * {@code -Dsoftrdma.soak.kills=N} sets how often, 8 times each without it, which are 320 in all.
 *
 * <p>The programs are those that end when they lose their peer, with a kernel's device as with ours. Not among them are rstream, whose
 * server asks rrecv for more without end; ib_send_bw over iWARP, which may wait for credits in its memory; ucmatose over RoCE, which only
 * waits for receives, and perftest with {@code -R} over RoCE, whose retries take 17 s with rdma_cm's timeout: neither reads the
 * connection's events.
 */
@Tag("soak")
class KilledCProgramSoakTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", "rping", "ucmatose", "ib_write_bw");

    private static final int KILLS = Integer.getInteger("softrdma.soak.kills", 8);
    /** Time for the survivor to end. The peer of a killed program is notified within milliseconds; leaving takes programs longer. */
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final Duration START = Duration.ofSeconds(60);
    /** Longest time that a transfer has run when a process is killed. */
    private static final int RUN_MS = 1000;
    private static final int KILLED = 128 + 9;
    private static final int FIRST_PORT = 21_000;
    /** Refusal of a perftest client with {@code -R} that comes before its server listens for the second time (docs/interop.md). */
    private static final String TOO_EARLY = "RDMA_CM_EVENT_REJECTED; error: -111.";
    private static final int ATTEMPTS = 5;

    /** Kinds of programs: in C, in Java on the daemon's device as well, or in Java with a device of its own on another host. */
    private enum Kind {
        C, JOINED, APART
    }

    /** Pairs of programs, and which of them is killed. */
    private enum Pair {
        C_SERVER_OF_C(Kind.C, Kind.C, true), C_CLIENT_OF_C(Kind.C, Kind.C, false), C_CLIENT_OF_JAVA(Kind.APART, Kind.C, false),
        C_SERVER_OF_JAVA(Kind.C, Kind.APART, true), JOINED_CLIENT_OF_C(Kind.C, Kind.JOINED, false),
        C_SERVER_OF_JOINED(Kind.C, Kind.JOINED, true), JOINED_SERVER_OF_JOINED(Kind.JOINED, Kind.JOINED, true);

        private final Kind server;
        private final Kind client;
        private final boolean killsServer;

        Pair(Kind server, Kind client, boolean killsServer) {
            this.server = server;
            this.client = client;
            this.killsServer = killsServer;
        }

        private boolean joins() {
            return server == Kind.JOINED || client == Kind.JOINED;
        }
    }

    private final SplittableRandom random = new SplittableRandom(16);
    private VethPair wire;
    private int port = FIRST_PORT;

    /** @param queuePairs of each end, once everything is connected */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rxe |  1 | rping -s -S 65000               | rping -c -S 65000 -a HOST",
        "siw |  1 | rping -s -S 65000               | rping -c -S 65000 -a HOST",
        "rxe |  1 | ib_write_bw -D 60 -d rxe0 -x 1  | ib_write_bw -D 60 -d rxe0 -x 1 HOST",
        "siw |  2 | ib_write_bw -R -D 60 -d siw0    | ib_write_bw -R -D 60 -d siw0 HOST",
        "rxe |  1 | ib_read_bw -D 60 -d rxe0 -x 1   | ib_read_bw -D 60 -d rxe0 -x 1 HOST",
        "rxe |  1 | ib_atomic_bw -D 60 -d rxe0 -x 1 | ib_atomic_bw -D 60 -d rxe0 -x 1 HOST",
        "siw | 20 | ucmatose -c 20 -C 4000 -S 60000 | ucmatose -c 20 -C 4000 -S 60000 -s HOST"})
    void shouldEndWhenTheCProgramIsKilled(String type, int queuePairs, String server, String client) throws Exception {
        wire = new VethPair("killed-" + type, 1500);
        try {
            wire.addDevicesOf(type);
            for (Pair pair : Pair.values()) {
                // Java programs that join see RoCE devices only.
                if (!pair.joins() || type.equals("rxe")) {
                    killMany(pair, queuePairs, server, client);
                }
            }
        } finally {
            wire.close();
        }
    }

    /** The first kill is not counted: the daemon loads classes and allocates what it keeps. */
    private void killMany(Pair pair, int queuePairs, String server, String client) throws Exception {
        VethPair.End daemons = pair.client == Kind.APART ? wire.b : wire.a;
        daemons.tool("run", "--", "ibv_devinfo");
        try {
            kill(pair, queuePairs, server, client);
            DaemonHolding before = DaemonHolding.of(daemons);
            long[] tookMs = new long[KILLS];
            for (int i = 0; i < KILLS; i++) {
                tookMs[i] = kill(pair, queuePairs, server, client);
            }
            DaemonHolding after = DaemonHolding.of(daemons);
            Arrays.sort(tookMs);
            System.out.printf("%s, %s, killed %d times: the other end knew after %d ms (median), %d ms (at most); before %s, after %s%n",
                server, pair, KILLS, tookMs[KILLS / 2], tookMs[KILLS - 1], before, after);
            assertEquals(before.objects(), after.objects());
            assertEquals(before.descriptors(), after.descriptors(), "descriptors of the daemon");
        } finally {
            daemons.tool("daemon", "stop");
        }
    }

    /** @return milliseconds from the kill to the end of the other process */
    private long kill(Pair pair, int queuePairs, String serverLine, String clientLine) throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            OptionalLong tookMs = killOnceConnected(pair, queuePairs, serverLine, clientLine);
            if (tookMs.isPresent()) {
                return tookMs.getAsLong();
            }
        }
        throw new AssertionError("the client came too early " + ATTEMPTS + " times: " + clientLine);
    }

    /** @return empty if they did not connect because the client came too early */
    private OptionalLong killOnceConnected(Pair pair, int queuePairs, String serverLine, String clientLine) throws Exception {
        VethPair.End serves = pair.server == Kind.APART || pair.client == Kind.APART ? wire.b : wire.a;
        int chosen = port++;
        String serverCommand = serverLine + " -p " + chosen;
        String clientCommand = clientLine.replace("HOST", serves.ipv4) + " -p " + chosen;
        try (RunningCommand server = start(serves, pair.server, "server", serverCommand)) {
            if (serverLine.contains(" -x ")) {
                serves.awaitListener(server, chosen);
            } else {
                CProgramPairs.awaitListener(serves, server, chosen);
            }
            try (RunningCommand client = start(wire.a, pair.client, "client", clientCommand)) {
                if (!isConnected(wire.a, serves == wire.a ? 2 * queuePairs : queuePairs, server, client)) {
                    return OptionalLong.empty();
                }
                Thread.sleep(random.nextInt(RUN_MS));
                RunningCommand victim = pair.killsServer ? server : client;
                RunningCommand survivor = pair.killsServer ? client : server;
                assertTrue(server.isRunning() && client.isRunning(), () -> server.output() + client.output());
                long startNs = System.nanoTime();
                process(pair.killsServer ? serverCommand : clientCommand, pair.killsServer ? pair.server : pair.client).destroyForcibly();
                survivor.awaitExit(BOUND);
                long tookMs = (System.nanoTime() - startNs) / 1_000_000;
                assertEquals(KILLED, victim.awaitExit(BOUND), victim.output());
                return OptionalLong.of(tookMs);
            }
        }
    }

    /**
     * Waits until an end has so many connected queue pairs. The server of a one-sided test stays in RTR.
     *
     * @return false if the client came too early
     */
    private static boolean isConnected(VethPair.End end, int queuePairs, RunningCommand server, RunningCommand client) {
        long untilNs = System.nanoTime() + START.toNanos();
        while (end.tool("rdma", "resource", "show", "qp").split("state RT[RS] ", -1).length <= queuePairs) {
            if (!client.isRunning() && client.output().contains(TOO_EARLY)) {
                return false;
            }
            assertTrue(server.isRunning() && client.isRunning() && System.nanoTime() - untilNs < 0,
                () -> "not connected: " + server.output() + client.output());
        }
        return true;
    }

    private static RunningCommand start(VethPair.End end, Kind kind, String file, String line) {
        return kind == Kind.JOINED ? end.start(Map.of("SOFTRDMA_HOST", "daemon"), file, line.split(" "))
            : CProgramPairs.start(end, kind == Kind.C, file, line);
    }

    /** The process of a program: of one in Java, its command line ends with its words. */
    private static ProcessHandle process(String line, Kind kind) {
        return ProcessHandle.allProcesses().filter(each -> kind == Kind.C ? line.equals(commandLine(each.pid()))
            : commandLine(each.pid()).endsWith(".jar " + line)).findFirst().orElseThrow();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")).replace('\0', ' ').strip();
        } catch (IOException ended) {
            return "";
        }
    }
}
