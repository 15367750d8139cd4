// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.ToolProcesses;

/**
 * Ends one process of a pair by SIGKILL in the middle of its transfer, at random moments: the other end must notice and end by itself, and
 * nothing may be left in the state directory. {@code -Dsoftrdma.soak.kills=N} sets how often, 20 times each without it.
 */
@Tag("soak")
class KilledPeerSoakTest extends ToolProcesses {
    private static final int KILLS = Integer.getInteger("softrdma.soak.kills", 20);
    /**
     * How long the survivor may take: iWARP notices at once, RoCE when another process of the user has noticed. A program that looks at its
     * completions only, as {@code ib_write_bw}, ends with its retries: eight transmissions of 2.1 s, which the connection manager asks for.
     */
    private static final long BOUND_SECONDS = 30;
    /** How long the transfer may have run when a process is killed. */
    private static final int RUN_MS = 1000;

    private final SplittableRandom random = new SplittableRandom(15);

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rxe | rping -s -v -S 65000 | rping -c -v -S 65000 -a 127.0.0.1",
        "siw | rping -s -v -S 65000 | rping -c -v -S 65000 -a 127.0.0.1",
        "rxe | ib_write_bw -R -D 60 | ib_write_bw -R -D 60 127.0.0.1",
        "siw | ib_write_bw -R -D 60 | ib_write_bw -R -D 60 127.0.0.1",
        "rxe | ucmatose -c 20 -C 4000 -S 60000 | ucmatose -c 20 -C 4000 -S 60000 -s 127.0.0.1",
        "siw | ucmatose -c 20 -C 4000 -S 60000 | ucmatose -c 20 -C 4000 -S 60000 -s 127.0.0.1",
        "rxe | rstream -S 1000000 -C 1000000 | rstream -S 1000000 -C 1000000 -s 127.0.0.1",
        "siw | rstream -S 1000000 -C 1000000 | rstream -S 1000000 -C 1000000 -s 127.0.0.1"})
    void shouldEndWhenThePeerIsKilled(String type, String serverLine, String clientLine) throws Exception {
        addLink(type + "0", type);
        for (boolean killsServer : List.of(true, false)) {
            long[] tookMs = new long[KILLS];
            for (int i = 0; i < KILLS; i++) {
                tookMs[i] = kill(serverLine, clientLine, killsServer);
            }
            Arrays.sort(tookMs);
            System.out.printf("%s, %s, %s killed %d times: the other end knew after %d ms (median), %d ms (at most)%n", type,
                serverLine.split(" ")[0], killsServer ? "server" : "client", KILLS, tookMs[KILLS / 2], tookMs[KILLS - 1]);
        }
        // The next listener removes what killed ones left.
        int port = freePort();
        Started listener = start("rdma_server -p " + port);
        awaitShown("cm_id", "LISTEN", listener);
        List<String> ofListener = List.of("tcp-" + port, listener.process().pid() + "");
        try (Stream<Path> left = Files.walk(directory)) {
            assertEquals(List.of(), left.filter(each -> !Files.isDirectory(each) && isOfAnotherProcess(each, ofListener)).toList());
        }
    }

    /** @return milliseconds from the kill to the end of the other process */
    private long kill(String serverLine, String clientLine, boolean killsServer) throws Exception {
        int port = freePort();
        Started server = start(serverLine + " -p " + port);
        awaitShown("cm_id", "LISTEN", server);
        Started client = start(clientLine + " -p " + port);
        awaitShown("qp", "RTS", server, client);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(RUN_MS));
        assertRunning(server, client);
        Process victim = (killsServer ? server : client).process();
        Process survivor = (killsServer ? client : server).process();
        victim.destroyForcibly();
        long startNs = System.nanoTime();
        boolean ended = survivor.waitFor(BOUND_SECONDS, TimeUnit.SECONDS);
        assertTrue(ended, () -> (killsServer ? "client" : "server") + " did not notice: " + serverLine);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }

    /** Waits until {@code rdma resource show} lists an object in this state for each of the processes. */
    private void awaitShown(String objects, String state, Started... owners) throws Exception {
        String shown;
        do {
            assertRunning(owners);
            shown = resources("show " + objects).out();
        } while (!isShown(shown, state, owners));
    }

    private static void assertRunning(Started... processes) throws Exception {
        for (Started each : processes) {
            if (!each.process().isAlive()) {
                fail("a process ended too early: " + each.await());
            }
        }
    }

    private static boolean isShown(String shown, String state, Started... owners) {
        return Arrays.stream(owners).allMatch(owner -> shown.lines().anyMatch(
            line -> line.contains(" state " + state + " ") && line.contains(" pid " + owner.process().pid() + " ")));
    }

    /** Whether a file other than tools' output is named after a process or a port, and not after one of these. */
    private static boolean isOfAnotherProcess(Path file, List<String> names) {
        String name = file.getFileName().toString();
        return name.matches("(tcp-)?\\d+.*") && !names.contains(name.replaceFirst("(?<=\\d)-.*", ""));
    }
}
