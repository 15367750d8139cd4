// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.tools.ToolRun;

/** A server and faulty clients. After each of them, the server serves the next. */
@Timeout(60)
class QPerfServerTest {
    private static final byte[] SYNC = "synchronization before test".getBytes(StandardCharsets.US_ASCII);

    private static final int PATIENT_SECONDS = 30;

    private int port;
    private CompletableFuture<ToolRun> server;

    @BeforeEach
    void choosePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
    }

    /** A server with a generous time limit for requests, since clients on a busy machine are slow. */
    private void start(int seconds) {
        server = CompletableFuture.supplyAsync(() -> ToolRun.of(console ->
            new QPerf().run("qperf", List.of("-lp", Integer.toString(port), "-lto", Integer.toString(seconds)), console)));
    }

    /** A client is served and can end the server, regardless of earlier clients. */
    @AfterEach
    void serveAndQuit() {
        ToolRun client = client("127.0.0.1", "-t", "1", "conf", "tcp_lat", "quit", "never_reached");
        assertEquals(0, client.exitCode(), client.toString());
        assertTrue(client.out().startsWith("conf:\n    loc_node   =  "), client.out());
        assertTrue(client.out().matches("(?s).*\ntcp_lat:\n    latency  =  .* us\nquit:\n"), client.out());
        assertEquals(0, server.join().exitCode());
    }

    private ToolRun client(String... words) {
        return ToolRun.of(console -> {
            List<String> all = new ArrayList<>(List.of(words));
            all.addAll(1, List.of("-lp", Integer.toString(port)));
            return new QPerf().run("qperf", all, console);
        });
    }

    private Socket connect() throws IOException {
        while (true) {
            try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setOOBInline(true);
                return socket;
            } catch (IOException notYet) {
                if (server.isDone()) {
                    throw new CompletionException("the server ended: " + server.join(), notYet);
                }
                Thread.yield();
            }
        }
    }

    private void shouldAnswer(byte[] bytes, String failure) throws IOException {
        shouldAnswer(bytes, new byte[0], failure);
    }

    @Test
    void shouldRefuseOtherVersionsAndTests() throws IOException {
        start(PATIENT_SECONDS);
        shouldAnswer(new byte[] {0, 0, 3, 0, 1, 0}, "upgrade qperf on client from 0.3.1 to 0.4.11");
        shouldAnswer(new byte[] {0, 0, 5, 0, 1, 0}, "upgrade qperf on server from 0.4.11 to 0.5.1");
        shouldAnswer(Request.of(33).toMessage(), "bad request index: 33");
        shouldAnswer(Request.of(65535).toMessage(), "bad request index: 65535");
        shouldAnswer(Request.of(Tests.indexOf("sctp_lat")).number(Parameter.TIMEOUT, 1).toMessage(), "unable to make SCTP socket");
    }

    @Test
    void shouldNotWaitForASilentClient() throws IOException {
        start(2);
        shouldAnswer(new byte[0], "failed to receive request version: timed out");
        shouldAnswer(new byte[] {0, 0, 4, 0, 11, 0, 0, 0}, "failed to receive request data: timed out");
        shouldAnswer(Request.of(Tests.indexOf("quit")).number(Parameter.TIMEOUT, 1).toMessage(), SYNC,
            "failed to receive synchronization before test: timed out");
    }

    private void shouldAnswer(byte[] bytes, byte[] before, String failure) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(bytes);
            byte[] answer = socket.getInputStream().readAllBytes();
            assertArrayEquals(before, Arrays.copyOf(answer, before.length));
            assertEquals("?" + failure, new String(answer, before.length, answer.length - before.length, StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldRefuseWhatIsNoSynchronization() throws IOException {
        start(PATIENT_SECONDS);
        byte[] request = Request.of(Tests.indexOf("quit")).number(Parameter.TIMEOUT, 5).toMessage();
        byte[] all = Arrays.copyOf(request, request.length + SYNC.length);
        shouldAnswer(all, SYNC, "synchronize synchronization before test failure: data does not match");
    }

    @Test
    void shouldRefuseImpossibleParameters() throws IOException {
        start(PATIENT_SECONDS);
        int tcp = Tests.indexOf("tcp_bw");
        shouldAnswer(Request.of(tcp).number(Parameter.TIMEOUT, 1).number(Parameter.PORT, 70000).toMessage(),
            "getaddrinfo failed: Servname not supported for ai_socktype");
        shouldAnswer(Request.of(Tests.indexOf("uc_bw")).number(Parameter.TIMEOUT, 1).number(Parameter.MTU_SIZE, 1500).toMessage(),
            "bad MTU: 1500; must be 256/512/1K/2K/4K");
        shouldAnswer(Request.of(tcp).number(Parameter.TIMEOUT, 1).number(Parameter.AFFINITY, 1 << 20).toMessage(),
            "cannot set processor affinity (cpu 1048575): Invalid argument");
    }

    @Test
    void shouldNotTakeAsMuchMemoryAsAClientSays() throws IOException {
        start(PATIENT_SECONDS);
        for (String test : List.of("rc_bw", "rc_rdma_write_poll_lat", "tcp_bw", "udp_lat")) {
            for (int bytes : new int[] {(256 << 20) + 1, Integer.MAX_VALUE, -1}) {
                shouldAnswer(Request.of(Tests.indexOf(test)).number(Parameter.TIMEOUT, 1).number(Parameter.MSG_SIZE, bytes).toMessage(),
                    "message size must be at most 268435456 with this server");
            }
        }
    }

    /** A test's client connects, agrees, and is gone: the test ends at once, not when its hour is over. */
    @Test
    void shouldNoticeThatAClientIsGone() throws IOException {
        start(PATIENT_SECONDS);
        Request request = Request.of(Tests.indexOf("tcp_bw")).number(Parameter.TIME, 3600).number(Parameter.TIMEOUT, 3600)
            .number(Parameter.MSG_SIZE, 10);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.toMessage());
            InputStream in = socket.getInputStream();
            int data = ByteBuffer.wrap(in.readNBytes(4)).order(ByteOrder.LITTLE_ENDIAN).getInt();
            try (Socket stays = new Socket(InetAddress.getLoopbackAddress(), data)) {
                socket.getOutputStream().write(SYNC);
                assertArrayEquals(SYNC, in.readNBytes(SYNC.length));
                socket.shutdownOutput();
                assertEquals(Statistics.BYTES, in.readNBytes(Statistics.BYTES).length);
                assertEquals(-1, stays.getInputStream().read());
            }
        }
    }

    /** A client's failure ends the test, and is not answered with one. */
    @Test
    void shouldTakeAFailureOfTheClient() throws IOException {
        start(PATIENT_SECONDS);
        for (int length : new int[] {1, 3, 100, 300, 5000}) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(Request.of(Tests.indexOf("quit")).number(Parameter.TIMEOUT, 3600).toMessage());
                assertArrayEquals(SYNC, socket.getInputStream().readNBytes(SYNC.length));
                socket.sendUrgentData('?');
                socket.getOutputStream().write("no room ".repeat(1000).substring(0, length).getBytes(StandardCharsets.US_ASCII));
                socket.shutdownOutput();
                readToTheEnd(socket);
            }
        }
    }

    @Test
    void shouldSurviveGarbage() throws IOException {
        start(PATIENT_SECONDS);
        long seed = 20261121;
        SplittableRandom random = new SplittableRandom(seed);
        List<String> cheap = List.of("conf", "quit", "tcp_bw", "udp_bw", "sdp_lat");
        for (int i = 0; i < 300; i++) {
            byte[] bytes = new byte[random.nextInt(600)];
            random.nextBytes(bytes);
            if (random.nextInt(3) > 0 && bytes.length >= 8) {
                byte[] head = Request.of(Tests.indexOf(cheap.get(random.nextInt(cheap.size())))).toMessage();
                System.arraycopy(head, 0, bytes, 0, 8);
            }
            try (Socket socket = connect()) {
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                readToTheEnd(socket);
            }
        }
    }

    /** Waits until the server has closed the connection, orderly or not. */
    private static void readToTheEnd(Socket socket) throws IOException {
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(50));
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketException reset) {
            // what we sent was more than it read
        }
    }
}
