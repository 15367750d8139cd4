// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.LinkStore;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.config.SiwLinkType;

/** Tools of the connection manager over iWARP: separate processes, TCP on the loopback. Expected texts are those of rdmacm-utils 44. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SiwEndToEndTest extends ToolProcesses {
    @BeforeEach
    void configure() {
        addLink("siw0", "siw");
    }

    private Pair run(String server, String client, int port) throws Exception {
        return meet(listening(server, port), client);
    }

    /** Starts a server, and waits until it accepts TCP connections; the probes are closed without a request. */
    private Started listening(String line, int port) throws Exception {
        return listening(line, InetAddress.getLoopbackAddress(), port);
    }

    private Started listening(String line, InetAddress address, int port) throws Exception {
        return startAndAwait(line, () -> {
            try (Socket knock = new Socket(address, port)) {
                return knock.isConnected();
            } catch (ConnectException notYet) {
                return false;
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"'', -v -C 3", "-q, -V -C 200", "'', -q -V -C 3", "-S 65535, -S 65535 -V -C 5", "-d, -d -C 1"})
    void shouldPing(String serverOptions, String clientOptions) throws Exception {
        int port = freePort();
        Pair pair = run("rping -s -p " + port + " " + serverOptions, "rping -c -a 127.0.0.1 -p " + port + " " + clientOptions, port);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals("server DISCONNECT EVENT...\nwait for RDMA_READ_ADV state 10\n", pair.server().err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"revision=1", "crc=off", "crc=required,markers=on", "rtr=write", "rtr=read,pause=0s", "ird=1,ord=1"})
    void shouldPingWhateverTheOptions(String mpa) throws Exception {
        LinkStore.at(directory).set("siw0", SiwLinkType.MPA, MpaOptions.parse(mpa));
        int port = freePort();
        Pair pair = run("rping -s -v -p " + port, "rping -c -a 127.0.0.1 -v -C 3 -p " + port, port);

        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals("ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
            pair.client().out().lines().findFirst().orElse(""));
        assertEquals(pair.client().out().lines().map(line -> "server " + line).toList(), pair.server().out().lines().toList());
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        assertEquals(new Ended(255, "",
            "cma event RDMA_CM_EVENT_REJECTED, error -111\nwait for CONNECTED state 4\nconnect error -1\n"),
            start("rping -c -a 127.0.0.1 -C 1 -p " + freePort()).await());
    }

    @Test
    void shouldRefuseASecondServerOnThePort() throws Exception {
        int port = freePort();
        listening("rping -s -p " + port, port);
        Ended second = start("rping -s -p " + port).await();
        assertEquals(255, second.exitCode(), second.toString());
        assertTrue(second.err().startsWith("rdma_listen: Address already in use\n"), second.toString());
    }

    @Test
    void shouldTellTheClientWhenTheServerIsEnded() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -v -p " + port, port);
        Started client = start("rping -c -a 127.0.0.1 -p " + port);
        waitFor("no ping arrives", server, () -> Files.size(server.out()) > 0);
        server.process().destroy();
        Ended ended = client.await();
        assertEquals(0, ended.exitCode(), ended.toString());
        assertTrue(ended.err().startsWith("client DISCONNECT EVENT...\n"), ended.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-c 20", "-C 3 -S 5000 -m", "-C 0"})
    void shouldExchangeMessages(String options) throws Exception {
        int port = freePort();
        String line = (" -p " + port + " " + options).stripTrailing();
        Pair pair = run("ucmatose" + line, "ucmatose -s 127.0.0.1" + line, port);

        for (Ended each : List.of(pair.server(), pair.client())) {
            assertEquals(0, each.exitCode(), pair.toString());
            assertEquals("", each.err());
            assertTrue(each.out().endsWith("test complete\nreturn status 0\n"), pair.toString());
            assertEquals(!options.equals("-C 0"), each.out().contains("data transfers complete\n"), pair.toString());
        }
    }

    @Test
    void shouldExchangeSixteenBytes() throws Exception {
        int port = freePort();
        Pair pair = run("rdma_server -p " + port, "rdma_client -s 127.0.0.1 -p " + port, port);

        assertEquals(new Ended(0, "rdma_server: start\nrdma_server: end 0\n", ""), pair.server());
        assertEquals(new Ended(0, "rdma_client: start\nrdma_client: end 0\n", ""), pair.client());
    }

    @Test
    void shouldTimeConnections() throws Exception {
        int port = freePort();
        listening("cmtime -p " + port, port);
        Ended client = start("cmtime -c 50 -b 127.0.0.1 -s 127.0.0.1 -p " + port).await();

        assertEquals(0, client.exitCode(), client.toString());
        assertEquals("", client.err());
    }

    /** Each connection takes a descriptor. The original has an error of the kernel's. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldNameTheLimitOfFileDescriptorsThatIsReached() throws Exception {
        useJars();
        int port = freePort();
        listening("ucmatose -c 300 -p " + port, port);
        Ended client = start(List.of("sh", "-c", "ulimit -n 200; exec \"$0\" \"$@\""), "ucmatose -c 300 -s 127.0.0.1 -p " + port)
            .await();

        assertEquals(256 - 24, client.exitCode(), client.toString());
        assertTrue(client.out().endsWith("event: RDMA_CM_EVENT_CONNECT_ERROR, error: -24\ntest complete\nreturn status -24\n"),
            client.toString());
        assertTrue(client.err().lines().anyMatch(("connect: Too many open files (EMFILE): the process has no more file descriptors; "
            + "its limit is 200. Raise it with ulimit -n before the program starts")::equals), client.toString());
        assertFalse(client.err().contains("\tat "), client.toString());
    }

    /** Both transports on one interface, as a kernel permits: the server listens on both, the client's first device decides. */
    @Test
    void shouldServeRoceAndIwarpAtOnce() throws Exception {
        addLink("rxe0", "rxe");
        int port = freePort();
        Started server = listening("rping -s -P -v -p " + port, port);
        for (String devices : List.of("iwarp", "roce", "rxe0,siw0")) {
            environment.put("SOFTRDMA_CM_DEVICES", devices);
            Ended client = start("rping -c -a 127.0.0.1 -V -C 2 -p " + port).await();
            assertEquals(0, client.exitCode(), devices + client);
        }
        waitFor("a ping is missing", server, () -> Files.readString(server.out()).lines().count() == 6);
    }

    @Test
    void shouldShowTheDevice() throws IOException, InterruptedException {
        assertEquals(new Ended(0, "    device          \t   node GUID\n    ------          \t----------------\n"
            + "    siw0            \t716977fffe300000\n", ""), start("ibv_devices").await());
        assertEquals(new Ended(0, "0: siw0: node_type rnic node_guid 7169:77ff:fe30:0000 sys_image_guid 7169:77ff:fe30:0000 \n", ""),
            start("rdma dev").await());
    }

    /** Opcodes of RDMAP in rping's order: advertisement, READ, its response, SEND; advertisement, WRITE, SEND; then the end. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void shouldCaptureWhatWiresharkReads(String address) throws Exception {
        assumeTrue(hasTshark(), "tshark is not installed");
        environment.put("SOFTRDMA_CAPTURE_DIR", directory.toString());
        int port = freePort();
        Started server = listening("rping -s -C 2 -S 65535 -a " + address + " -p " + port, InetAddress.getByName(address), port);
        Pair pair = meet(server, "rping -c -C 2 -S 65535 -a " + address + " -p " + port);

        assertEquals(0, pair.server().exitCode(), pair.server().err());
        assertEquals(0, pair.client().exitCode(), pair.client().err());
        List<Path> captures;
        try (Stream<Path> files = Files.list(directory)) {
            captures = files.filter(file -> file.toString().endsWith(".pcapng")).toList();
        }
        assertEquals(2, captures.size(), "one for each device");
        for (Path capture : captures) {
            String text = tshark("-r", capture.toString(), "-o", "tcp.try_heuristic_first:TRUE", "-o", "tcp.check_checksum:TRUE", "-V");
            assertFalse(text.contains("Malformed") || text.contains("Bad CRC32"), text);
            assertTrue(text.contains("[Checksum Status: Good]") && !text.contains("[Checksum Status: Bad]"), "checksums of TCP");
            assertFalse(text.contains("TCP Retransmission") || text.contains("segment not captured"), "sequence numbers");
            String opcodes = tshark("-r", capture.toString(), "-o", "tcp.try_heuristic_first:TRUE", "-T", "fields", "-e",
                "iwarp_rdma.opcode");
            Set<String> seen = new TreeSet<>(List.of(opcodes.strip().split("[\\s,]+")));
            assertTrue(seen.containsAll(Set.of("0x00", "0x01", "0x02", "0x03")), opcodes);
            String ends = tshark("-r", capture.toString(), "-Y", "tcp.flags.syn == 1 || tcp.flags.fin == 1 || tcp.flags.reset == 1", "-T",
                "fields", "-e", "tcp.flags");
            List<String> flags = ends.lines().toList();
            assertEquals(List.of("0x0002", "0x0012"), flags.subList(0, 2));
            assertTrue(flags.size() > 2, "the connection has an end: " + flags);
        }
    }

    private static boolean hasTshark() {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(each -> Files.isExecutable(Path.of(each, "tshark")));
    }

    private String tshark(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("tshark"));
        command.addAll(List.of(arguments));
        Path errors = directory.resolve("tshark.err");
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> errors + ": " + command);
        return out;
    }
}
