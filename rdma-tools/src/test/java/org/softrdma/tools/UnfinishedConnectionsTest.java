// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers whose peers request connections and do not finish: threads, queue pairs and memory return. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class UnfinishedConnectionsTest extends ToolProcesses {
    /** Ten thousand with {@code -Psoak}: each costs what a connection costs. */
    private static final int REQUESTS = Boolean.getBoolean("softrdma.rareCases") ? 10_000 : 2_500;
    /** Requests at a time: rping's backlog, beyond which it drops them. */
    private static final int BACKLOG = 3;
    private static final int TRIES = 5;
    /** Captured from the connection request of rstream 44 on Linux 6.1. */
    private static final byte[] STREAM_DATA = HexFormat.of().parseHex("01020180" + "00000000" + "0000563b63a90000" + "0000127f" + "00000002"
        + "00007f632feff000" + "0000137a" + "00080000");
    private static final long REPLY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long POLL_NS = 20_000;
    private static final int FIRST_ID = 0x1000;
    /** Nearly all are taken: a busy machine may drop a few datagrams. */
    private static final int ENOUGH = REQUESTS * 99 / 100;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LAST_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MORE_KIB = 100 << 10;
    private static final int MORE_THREADS = 8;

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
        jvmOptions.add("-Xmx64m");
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepNothingOfConnectionsThatAreNotUsed(UnfinishedPeer.End end) throws Exception {
        int port = freePort();
        Started server = listening("rping -s -P -p " + port, "tcp-" + port);
        request(port, end, 500, FIRST_ID);
        awaitNothing(server);
        long threads = status(server, "Threads");
        long kib = status(server, "VmRSS");

        int accepted = request(port, end, REQUESTS, 2 * FIRST_ID);

        assertTrue(accepted >= ENOUGH, accepted + " requests of " + REQUESTS + " were accepted");
        awaitNothing(server);
        waitFor("threads stay: " + threads + " before", server, () -> status(server, "Threads") <= threads + MORE_THREADS);
        long after = status(server, "VmRSS");
        assertTrue(after - kib < MORE_KIB, kib + " KiB before, " + after + " KiB after");
        assertEquals(0, start("rping -c -a 127.0.0.1 -V -C 3 -p " + port).await().exitCode());
    }

    /** rsockets: the listener makes a queue pair with its buffers for each request, before a program accepts. */
    @ParameterizedTest
    @EnumSource(names = {"SILENCE", "REJECT"})
    void shouldKeepNothingOfStreamsThatAreNotEstablished(UnfinishedPeer.End end) throws Exception {
        int port = freePort();
        String options = " -S 64 -C 10 -I 10 -p " + port;
        Started server = listening("rstream" + options, "tcp-" + port);
        long threads = status(server, "Threads");

        int accepted = request(port, end, REQUESTS, FIRST_ID, 1, STREAM_DATA);

        assertTrue(accepted >= ENOUGH, accepted + " requests of " + REQUESTS + " were accepted");
        awaitNothing(server);
        waitFor("threads stay: " + threads + " before", server, () -> status(server, "Threads") <= threads + MORE_THREADS);
        assertEquals(0, start("rstream -s 127.0.0.1" + options).await().exitCode());
        assertEquals(0, server.await().exitCode());
    }

    /** The original waits for ever for messages of a peer that has disconnected. */
    @Test
    void shouldEndATestWhosePeerDisconnectsBeforeItsMessages() throws Exception {
        int port = freePort();
        Started server = listening("ucmatose -p " + port, "tcp-" + port);
        assertEquals(1, request(port, UnfinishedPeer.End.DISCONNECT, 1, FIRST_ID));

        Ended ended = server.await();
        assertEquals(256 - 104, ended.exitCode(), ended.toString());
        assertEquals("cmatose: the peer disconnected before all messages had arrived\n", ended.err(), ended.toString());
    }

    /** A synchronous identifier: nobody takes its events while it waits for the message. Over RoCE, the original waits for ever. */
    @Test
    void shouldEndASynchronousServerWhosePeerDisconnectsBeforeItsMessage() throws Exception {
        int port = freePort();
        Started server = listening("rdma_server -p " + port, "tcp-" + port);
        assertEquals(1, request(port, UnfinishedPeer.End.DISCONNECT, 1, FIRST_ID));

        Ended ended = server.await();
        assertEquals(255, ended.exitCode(), ended.toString());
        assertTrue(ended.err().startsWith("rdma_get_recv_comp: Connection reset by peer\n"), ended.toString());
        assertTrue(ended.out().endsWith("rdma_server: end -1\n"), ended.toString());
    }

    /** Waits on a synchronous identifier, on events, and of a stream; each ends with the connection. */
    @ParameterizedTest
    @CsvSource({"rping -s, 0, wait for RDMA_READ_ADV state 10", "ib_write_bw -z, 1, Bad wc status 5: Work Request Flushed Error",
        "ib_send_lat -z, 1, Bad wc status 5: Work Request Flushed Error", "rstream, 255, rrecv: Connection reset by peer"})
    void shouldEndAServerWhosePeerDisconnectsAtOnce(String line, int exitCode, String reason) throws Exception {
        int port = freePort();
        Started server = listening(line + " -p " + port, "tcp-" + port);
        assertEquals(1, request(port, UnfinishedPeer.End.DISCONNECT, 1, FIRST_ID, 1, line.equals("rstream") ? STREAM_DATA : new byte[0]));

        Ended ended = server.await();
        assertEquals(exitCode, ended.exitCode(), ended.toString());
        assertTrue(ended.err().contains(reason), ended.toString());
    }

    private int request(int port, UnfinishedPeer.End end, int count, int firstId) throws Exception {
        return request(port, end, count, firstId, BACKLOG, new byte[0]);
    }

    /** @return requests that were accepted */
    private int request(int port, UnfinishedPeer.End end, int count, int firstId, int atATime, byte[] data) throws Exception {
        InetAddress own = InetAddress.getByAddress(new byte[] {127, (byte) ThreadLocalRandom.current().nextInt(1, 255),
            (byte) ThreadLocalRandom.current().nextInt(256), (byte) ThreadLocalRandom.current().nextInt(1, 255)});
        InetAddress servers = InetAddress.getByName(listenersAddress("tcp-" + port));
        try (UnfinishedPeer peer = new UnfinishedPeer(own, servers, port, firstId, end, data)) {
            for (int sent = 0; sent < count; sent += atATime) {
                int target = Math.min(count, sent + atATime);
                for (int tries = 0; tries < TRIES && !peer.isAccepted(sent, target); tries++) {
                    for (int i = sent; i < target; i++) {
                        peer.request(i);
                    }
                    long untilNs = System.nanoTime() + REPLY_NS;
                    while (!peer.isAccepted(sent, target) && System.nanoTime() - untilNs < 0) {
                        peer.answer();
                        LockSupport.parkNanos(POLL_NS);
                    }
                }
            }
            // Replies that were lost are repeated, and disconnections answered.
            long untilNs = System.nanoTime() + LAST_NS;
            while (System.nanoTime() - untilNs < 0) {
                peer.answer();
                LockSupport.parkNanos(POLL_NS);
            }
            return peer.accepted();
        }
    }

    /** Waits until the server has no object but its listener. */
    private void awaitNothing(Started server) throws Exception {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        String shown;
        do {
            assertTrue(server.process().isAlive(), () -> "the server ended");
            shown = resources("show").out();
        } while (!shown.matches("0: rxe0: pd [01] cq 0 qp 0 cm_id 1 mr 0 ctx 1 srq 0 \n") && System.nanoTime() - untilNs < 0);
        assertTrue(shown.contains(" cq 0 qp 0 cm_id 1 mr 0 "), shown);
    }

    private static long status(Started server, String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(server.process().pid()), "status"))) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(line.substring(field.length() + 1).replace("kB", "").strip());
            }
        }
        throw new IOException("no " + field);
    }
}
