// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.cli.ToolFailure;

/** A client: its command line, its messages, and its reaction to faulty servers. */
@Timeout(60)
class QPerfClientTest {
    /** Does something with the one connection it gets. */
    private interface Server {
        void serve(Socket socket) throws IOException;
    }

    private static ToolRun run(String... words) {
        return ToolRun.of(console -> {
            try {
                return new QPerf().run("qperf", List.of(words), console);
            } catch (ToolFailure failure) {
                return failure.exitCode();
            }
        });
    }

    private static ToolRun ask(String words, Server server) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<String> line = new ArrayList<>(List.of("127.0.0.1", "-lp", Integer.toString(listener.getLocalPort())));
            line.addAll(List.of(words.split(" ")));
            CompletableFuture<ToolRun> client = CompletableFuture.supplyAsync(() -> run(line.toArray(String[]::new)));
            try (Socket socket = listener.accept()) {
                server.serve(socket);
            }
            return client.join();
        }
    }

    // ---- requests ----

    @ParameterizedTest
    @CsvSource({"READ", "UC"})
    void shouldAskAsTheOriginal(String which) throws IOException {
        boolean uc = which.equals("UC");
        byte[] expected = uc ? Golden.UC_REQUEST : Golden.READ_REQUEST;
        ToolRun client = ask(uc ? Golden.UC_OPTIONS : Golden.READ_OPTIONS, socket ->
            assertArrayEquals(expected, socket.getInputStream().readNBytes(Request.BYTES)));
        assertEquals(1, client.exitCode());
    }

    @Test
    void shouldWarnOfOptionsInVain() throws IOException {
        ToolRun client = ask(Golden.UC_OPTIONS, socket -> {
        });
        for (String option : List.of("-ap", "-f1", "-ip", "-sb")) {
            assertTrue(client.out().contains("\nwarning: " + option + " set but not used in test uc_bw\n"), client.out());
        }
    }

    // ---- servers ----

    @Test
    void shouldShowWhyTheServerFails() throws IOException {
        ToolRun client = ask("conf", socket -> {
            socket.getInputStream().readNBytes(Request.BYTES);
            socket.sendUrgentData('?');
            socket.getOutputStream().write("bad request\u001b[2J index: 0".getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        });
        assertEquals(new ToolRun(1, "conf:\n", "server: bad request.[2J index: 0\n"), client);
    }

    @Test
    void shouldTellAServerThatHasGone() throws IOException {
        ToolRun client = ask("tcp_bw", socket -> socket.getInputStream().readNBytes(Request.BYTES));
        assertEquals(new ToolRun(1, "tcp_bw:\nfailed to receive port: server not responding\n", ""), client);
    }

    @Test
    void shouldNotWaitForASilentServer() throws IOException {
        ToolRun client = ask("-to 1 tcp_bw", socket -> {
            socket.setOOBInline(true);
            socket.getInputStream().readNBytes(Request.BYTES);
            assertEquals("?failed to receive port: timed out",
                new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        });
        assertEquals(new ToolRun(1, "tcp_bw:\nfailed to receive port: timed out\n", ""), client);
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "65536"})
    void shouldRefuseWhatIsNoPort(int port) throws IOException {
        ToolRun client = ask("tcp_bw", socket -> {
            socket.getInputStream().readNBytes(Request.BYTES);
            socket.getOutputStream().write(new byte[] {(byte) port, (byte) (port >> 8), (byte) (port >> 16), (byte) (port >> 24)});
            socket.getInputStream().readAllBytes();
        });
        assertEquals(new ToolRun(1, "tcp_bw:\ninvalid port\n", ""), client);
    }

    /** 63 processors: statistics that begin with a question mark, and no failure all the same. */
    @Test
    void shouldTellStatisticsFromAFailure() throws IOException {
        byte[] statistics = Golden.STATISTICS.clone();
        statistics[0] = '?';
        ToolRun client = ask("-n 1 udp_bw", socket -> {
            byte[] sync = "synchronization before test".getBytes(StandardCharsets.US_ASCII);
            socket.getInputStream().readNBytes(Request.BYTES);
            socket.getOutputStream().write(new byte[] {9, 0, 0, 0});
            assertArrayEquals(sync, socket.getInputStream().readNBytes(sync.length));
            socket.getOutputStream().write(sync);
            socket.getOutputStream().write(statistics);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        });
        assertEquals(0, client.exitCode(), client.toString());
        assertTrue(client.out().contains("    recv_bw  =  "), client.out());
    }

    @Test
    void shouldSayThatNobodyIsThere() throws IOException {
        int port;
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
        ToolRun client = run("127.0.0.1", "-lp", Integer.toString(port), "-ws", "0", "conf");
        assertEquals(1, client.exitCode());
        assertTrue(client.out().startsWith("conf:\n127.0.0.1: failed to connect\n"), client.out());
        assertEquals(new ToolRun(1, "conf:\ngetaddrinfo failed: Name or service not known\n", ""), run("no.such.host.invalid", "conf"));
    }

    // ---- the command line ----

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--nosuch | --nosuch: bad option; try: qperf --help options",
        "host nosuch | nosuch: bad test; try: qperf --help tests",
        "host | must specify a test type; try: qperf --help",
        "rc_bw | must specify host name first; try: qperf --help",
        "-t 5 | you used a client-only option but did not specify the server name.",
        "-t | missing argument to -t",
        "-t x | bad argument: x",
        "-t 1x | bad argument: 1x",
        "-t -1 | -t requires a non-negative number",
        "-m 1T | -m: bad size: 1T",
        "-m 4G | -m: 4294967296 is more than 4294967295",
        "-n 1k | bad argument: 1k",
        "-sl 16 | service level must be between 0 and 15: 16 given",
        "-i 0123456789012345678901234567890123456789012345678901234567890123 | "
            + "0123456789012345678901234567890123456789012345678901234567890123: too long",
        "-oo nosuch:1:2:1 | -oo: nosuch: no such variable",
        "-oo msg_size:1 | -oo: must specify limit",
        "-oo msg_size:1:5:0 | -oo: 0: increment must be positive",
        "-oo msg_size:1:5:x | -oo: bad size: x",
        "--help nosuch | cannot find help category nosuch; try: qperf --help categories",
        "-lp 0 | -lp requires a port, 1 to 65535",
        "host sctp_bw | sctp_bw:"})
    void shouldRefuse(String line, String message) {
        ToolRun run = run(line.split(" "));
        assertEquals(1, run.exitCode());
        assertEquals(message, run.out().lines().findFirst().orElse(""));
        assertEquals("", run.err());
    }

    @Test
    void shouldShowHelpAndVersion() {
        assertEquals(new ToolRun(0, "qperf 0.4.11\n", ""), run("-V"));
        for (String topic : run("--help", "categories").out().split("\n")) {
            ToolRun help = run("-h", topic);
            assertEquals(0, help.exitCode(), topic);
            assertTrue(help.out().length() > 20, topic);
        }
        assertEquals(run("--help"), run("--help", "main"));
        assertEquals("warning: obsolete option: -u; use -uu instead\nqperf 0.4.11\n", run("-u", "-V").out());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "64K, 65536", "64kib, 65536", "1.5k, 1500", "2mb, 2000000", "1e3, 1000", "0, 0", ".5K, 512", "3G, -1073741824"})
    void shouldReadSizes(String text, int bytes) {
        assertEquals(bytes, Quantity.size("-m", text));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2s, 2", "1.5m, 90", "1h, 3600", "2D, 172800", "0.9, 0"})
    void shouldReadTimes(String text, int seconds) {
        assertEquals(seconds, Quantity.seconds("-t", text));
    }
}
