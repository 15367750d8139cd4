// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tools whose peer's process ends in the middle of a transfer, over RoCE on the loopback: by SIGKILL, after which this process's peer finds
 * the dead one's record, and by SIGTERM, at which it notifies its peer itself.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KilledEndToEndTest extends ToolProcesses {
    /** Half a second until the next look for dead processes, and the end of a tool, on a busy machine. */
    private static final long PATIENCE_MS = 2_000;

    private int port;

    @BeforeEach
    void configure() throws IOException {
        addLink("rxe0", "rxe");
        port = freePort();
    }

    private Started listening(String line) throws Exception {
        return startAndAwait(line + " -p " + port, () -> filesOf("tcp-" + port).stream().anyMatch(file -> file.toFile().length() > 0));
    }

    private List<Path> filesOf(String name) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(name)).toList();
        }
    }

    private void awaitTransfer(Started tool) throws Exception {
        waitFor("no data is transferred", tool, () -> Files.size(tool.out()) > 10_000);
    }

    /** Ends a process, and waits until the other one has noticed. */
    private Ended survive(Started victim, Started survivor, boolean kill) throws Exception {
        if (kill) {
            victim.process().destroyForcibly().waitFor();
        } else {
            victim.process().destroy();
            victim.process().waitFor();
            assertEquals(List.of(), filesOf(victim.process().pid() + "-"), "it has notified its peer, and leaves nothing to be done");
        }
        long sinceNs = System.nanoTime();
        assertTrue(survivor.process().waitFor(60, TimeUnit.SECONDS), "it waits for ever");
        long tookMs = (System.nanoTime() - sinceNs) / 1_000_000;
        Ended ended = survivor.await();
        assertTrue(tookMs < PATIENCE_MS, "the survivor needed " + tookMs + " ms: " + ended.err());
        assertEquals(List.of(), filesOf(victim.process().pid() + "-"), "left by the one that ended");
        assertEquals(List.of(), filesOf(survivor.process().pid() + "-"), "left by the survivor");
        return ended;
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldEndAServerWhoseClientEnds(boolean kill) throws Exception {
        Started server = listening("rping -s");
        Started client = start("rping -c -v -a 127.0.0.1 -p " + port);
        awaitTransfer(client);
        Ended ended = survive(client, server, kill);
        assertTrue(ended.err().contains("server DISCONNECT EVENT..."), ended.toString());
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldEndAClientWhoseServerEnds(boolean kill) throws Exception {
        Started server = listening("rping -s");
        Started client = start("rping -c -v -a 127.0.0.1 -p " + port);
        awaitTransfer(client);
        Ended ended = survive(server, client, kill);
        assertTrue(ended.err().contains("client DISCONNECT EVENT..."), ended.toString());
    }

    /** The next process of the user does it if the killed one was the only one: here nobody is left to be notified, but the files are. */
    @Test
    void shouldRemoveWhatBothEndsLeft() throws Exception {
        Started server = listening("rping -s");
        Started client = start("rping -c -v -a 127.0.0.1 -p " + port);
        awaitTransfer(client);
        assertEquals(2, filesOf("").stream().filter(file -> file.toString().endsWith(".connections")).count());
        server.process().destroyForcibly();
        client.process().destroyForcibly();
        server.process().waitFor();
        client.process().waitFor();
        // A tool that opens the device and ends: nobody listens there.
        start("rping -c -a 127.0.0.1 -p " + freePort()).await();
        assertEquals(List.of(), filesOf("").stream().filter(file -> file.toString().endsWith(".connections")).toList());
    }
}
