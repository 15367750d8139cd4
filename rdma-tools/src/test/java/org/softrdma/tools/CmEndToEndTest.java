// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.config.LinkStore;
import org.softrdma.device.config.NetDevice;
import org.softrdma.device.fault.LinkFaults;

/** The tools of the connection manager as processes of their own, over real sockets on the loopback. Texts are rdmacm-utils 44's. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CmEndToEndTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String SERVER_ENDS = "server DISCONNECT EVENT...\nwait for RDMA_READ_ADV state 10\n";

    @TempDir
    private Path directory;

    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void configure() {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        LinkStore.at(directory).add("rxe0", "rxe", lo);
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    // ---- rping ----

    @Test
    void shouldPingByReadingAndWriting() throws Exception {
        int port = freePort();
        Pair pair = run("rping -s -v -p " + port, "rping -c -a 127.0.0.1 -v -V -C 60 -p " + port, "tcp-" + port);

        assertEquals(0, pair.server.exitCode, pair.toString());
        assertEquals(0, pair.client.exitCode, pair.toString());
        assertEquals(SERVER_ENDS, pair.server.err);
        List<String> client = pair.client.out.lines().toList();
        assertEquals(60, client.size(), pair.toString());
        assertEquals("ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr", client.get(0));
        assertEquals("ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs", client.get(1));
        // Ping 57 begins with 'z', and after 'z' comes 'A'.
        assertEquals("ping data: rdma-ping-57: zABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnop", client.get(57));
        assertEquals("ping data: rdma-ping-58: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopq", client.get(58));
        assertEquals(client.stream().map(line -> "server " + line).toList(), pair.server.out.lines().toList());
    }

    @ParameterizedTest
    @CsvSource({"-q, ''", "'', -q", "-q, -q", "-S 65535, -S 65535 -V -C 5", "-S 23, -S 23 -V -C 5", "-d, -d -C 1"})
    void shouldPingInEveryWay(String serverOptions, String clientOptions) throws Exception {
        int port = freePort();
        Pair pair = run("rping -s -p " + port + " " + serverOptions, "rping -c -a 127.0.0.1 -C 3 -p " + port + " " + clientOptions,
            "tcp-" + port);

        assertEquals(0, pair.server.exitCode, pair.toString());
        assertEquals(0, pair.client.exitCode, pair.toString());
        assertEquals(SERVER_ENDS, pair.server.err);
    }

    @Test
    void shouldPingOnABadWire() throws Exception {
        LinkStore.at(directory).setFaults("rxe0", LinkFaults.parse("duplicate=0.1,reorder=0.1:100us,delay=10us"));
        int port = freePort();
        Pair pair = run("rping -s -p " + port, "rping -c -a 127.0.0.1 -V -C 100 -p " + port, "tcp-" + port);

        assertEquals(0, pair.server.exitCode, pair.toString());
        assertEquals(0, pair.client.exitCode, pair.toString());
    }

    @Test
    void shouldServeOneClientAfterTheOther() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -P -v -p " + port, "tcp-" + port);
        Started first = start("rping -c -a 127.0.0.1 -V -C 200 -p " + port);
        Started second = start("rping -c -a 127.0.0.1 -V -C 200 -p " + port);
        assertEquals(0, first.await().exitCode);
        assertEquals(0, second.await().exitCode);
        assertEquals(0, start("rping -c -a 127.0.0.1 -V -C 1 -p " + port).await().exitCode);
        assertTrue(server.process.isAlive());
        String served = Files.readString(server.out);
        assertEquals(3, served.lines().filter(line -> line.startsWith("server ping data: rdma-ping-0: ABC")).count());
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        int port = freePort();
        Ended client = start("rping -c -a 127.0.0.1 -C 1 -p " + port).await();
        assertEquals(new Ended(255, "",
            "cma event RDMA_CM_EVENT_REJECTED, error 8\nwait for CONNECTED state 4\nconnect error -1\n"), client);
    }

    @Test
    void shouldRefuseASecondServerOnThePort() throws Exception {
        int port = freePort();
        listening("rping -s -p " + port, "tcp-" + port);
        Ended second = start("rping -s -p " + port).await();
        assertEquals(255, second.exitCode, second.toString());
        assertTrue(second.err.startsWith("rdma_listen: Address already in use\n"), second.toString());
    }

    @Test
    void shouldRefuseAnAddressOfAnotherHost() throws Exception {
        Ended server = start("rping -s -a 192.0.2.1").await();
        assertEquals(255, server.exitCode, server.toString());
        assertTrue(server.err.startsWith("rdma_bind_addr: Cannot assign requested address\n"), server.toString());
    }

    /** As with a kernel, which closes what a process leaves behind. */
    @Test
    void shouldTellTheClientWhenTheServerIsEnded() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -v -p " + port, "tcp-" + port);
        Started client = start("rping -c -a 127.0.0.1 -p " + port);
        waitFor("no ping arrives", server, () -> Files.size(server.out) > 0);
        server.process.destroy();
        Ended ended = client.await();
        assertEquals(0, ended.exitCode, ended.toString());
        assertTrue(ended.err.startsWith("client DISCONNECT EVENT...\n"), ended.toString());
    }

    // ---- the others ----

    @ParameterizedTest
    @ValueSource(strings = {"", "-c 20", "-C 3 -S 5000 -m", "-C 0", "-t 8 -a 14 -P ib"})
    void shouldExchangeMessages(String options) throws Exception {
        int port = freePort();
        String line = (" -p " + port + " " + options).stripTrailing();
        Pair pair = run("ucmatose" + line, "ucmatose -s 127.0.0.1" + line, (options.contains("-P ib") ? "ib-" : "tcp-") + port);

        boolean messages = !options.equals("-C 0");
        String migrating = options.endsWith("-m") ? "migrating to new event channel\n" : "";
        assertEquals(new Ended(0, "cmatose: starting server\n"
            + (messages ? "initiating data transfers\ncompleting sends\nreceiving data transfers\ndata transfers complete\n" : "")
            + migrating
            + "cmatose: disconnecting\ndisconnected\ntest complete\nreturn status 0\n", ""), pair.server);
        assertEquals(new Ended(0, "cmatose: starting client\ncmatose: connecting\n"
            + (messages ? "receiving data transfers\nsending replies\ndata transfers complete\n" : "") + migrating
            + "test complete\nreturn status 0\n", ""), pair.client);
    }

    @Test
    void shouldExchangeDatagrams() throws Exception {
        Pair pair = run("udaddy -P ipoib -c 3", "udaddy -P ipoib -c 3 -s 127.0.0.1", "ipoib-7174");

        assertEquals(new Ended(0, "udaddy: starting server\nreceiving data transfers\nsending replies\ndata transfers complete\n"
            + "test complete\nreturn status 0\n", ""), pair.server);
        assertEquals(new Ended(0, "udaddy: starting client\nudaddy: connecting\ninitiating data transfers\nreceiving data transfers\n"
            + "data transfers complete\ntest complete\nreturn status 0\n", ""), pair.client);
    }

    @Test
    void shouldRefuseDatagramsThatAreNoSinglePacket() throws Exception {
        Ended ended = start("udaddy -s 127.0.0.1 -S 4097").await();
        assertEquals(new Ended(234, "udaddy: starting client\nudaddy: connecting\n"
            + "udaddy: message_size 4097 is larger than active mtu 4096\ntest complete\nreturn status -22\n", ""), ended);
    }

    @ParameterizedTest
    @CsvSource({"ucmatose, cmatose: event: RDMA_CM_EVENT_REJECTED, 8", "udaddy, udaddy: event: RDMA_CM_EVENT_UNREACHABLE, 1"})
    void shouldEndWithTheStatusOfTheEvent(String tool, String event, int status) throws Exception {
        // No other process would listen there.
        Ended ended = start(tool + " -s 127.0.0.1" + (tool.equals("ucmatose") ? " -p " + freePort() : "")).await();
        assertEquals(status, ended.exitCode, ended.toString());
        assertTrue(ended.out.endsWith(event + ", error: " + status + "\ntest complete\nreturn status " + status + "\n"), ended.toString());
    }

    @Test
    void shouldExchangeSixteenBytes() throws Exception {
        int port = freePort();
        Pair pair = run("rdma_server -p " + port, "rdma_client -s 127.0.0.1 -p " + port, "tcp-" + port);

        assertEquals(new Ended(0, "rdma_server: start\nrdma_server: end 0\n", ""), pair.server);
        assertEquals(new Ended(0, "rdma_client: start\nrdma_client: end 0\n", ""), pair.client);
    }

    @Test
    void shouldTimeConnections() throws Exception {
        int port = freePort();
        listening("cmtime -p " + port, "tcp-" + port);
        Ended client = start("cmtime -c 50 -b 127.0.0.1 -s 127.0.0.1 -p " + port).await();

        assertEquals(0, client.exitCode, client.toString());
        assertEquals("", client.err);
        List<String> lines = client.out.lines().toList();
        int head = lines.indexOf("step              total ms     max ms     min us  us / conn");
        assertEquals(List.of("creating id", "binding source address", "resolving address", "resolving route", "creating qp", "connecting",
            "disconnecting", "destroying id"), lines.subList(0, head));
        List<String> steps = List.of("create id", "bind addr", "resolve addr", "resolve route", "create qp", "connect", "disconnect",
            "destroy");
        for (int i = 0; i < steps.size(); i++) {
            assertTrue(lines.get(head + 1 + i).matches(String.format("%-13s: ( *[0-9]+\\.[0-9]{2}){4}", steps.get(i))), client.out);
        }
    }

    @Test
    void shouldReachAGroup() throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "not every system takes multicast on its loopback interface");
        Started receiver = start("mckey -m 239.71.3.9 -b 127.0.0.1");
        waitFor("the receiver does not join", receiver, () -> Files.readString(receiver.out).contains("joined"));
        Ended sender = start("mckey -m 239.71.3.9 -b 127.0.0.1 -s").await();
        assertEquals(new Ended(0, "mckey: starting client\nmckey: joining\nmckey: joined dgid: ::ffff:239.71.3.9 mlid 0x0 sl 0\n"
            + "initiating data transfers\ndata transfers complete\ntest complete\nreturn status 0\n", ""), sender);
        assertEquals(new Ended(0, "mckey: starting server\nmckey: joining\nmckey: joined dgid: ::ffff:239.71.3.9 mlid 0x0 sl 0\n"
            + "receiving data transfers\ndata transfers complete\ntest complete\nreturn status 0\n", ""), receiver.await());
    }

    // ---- processes ----

    private record Ended(int exitCode, String out, String err) {
    }

    private record Pair(Ended server, Ended client) {
    }

    private record Started(Process process, Path out, Path err) {
        Ended await() throws IOException, InterruptedException {
            return new Ended(process.waitFor(), Files.readString(out), Files.readString(err));
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private Pair run(String server, String client, String claim) throws Exception {
        Started serving = listening(server, claim);
        Ended asked = start(client).await();
        return new Pair(serving.await(), asked);
    }

    /** @param claim the file that says which process listens */
    private Started listening(String line, String claim) throws Exception {
        Started server = start(line);
        waitFor("the server does not listen", server, () -> {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "loopback-*")) {
                for (Path each : found) {
                    Path file = each.resolve(claim);
                    if (Files.exists(file) && Files.size(file) > 0) {
                        return true;
                    }
                }
            }
            return false;
        });
        return server;
    }

    private static void waitFor(String otherwise, Started of, Condition condition) throws Exception {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.holds()) {
            assertTrue(of.process.isAlive(), () -> otherwise + ": it ended");
            assertFalse(System.nanoTime() - untilNs > 0, otherwise);
            of.process.waitFor(5, TimeUnit.MILLISECONDS);
        }
    }

    private Started start(String line) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), Softrdma.class.getName()));
        command.addAll(List.of(line.strip().split(" +")));
        Path out = Files.createTempFile(directory, "out", "");
        Path err = Files.createTempFile(directory, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put(LinkStore.DIRECTORY_VARIABLE, directory.toString());
        Process process = builder.start();
        processes.add(process);
        return new Started(process, out, err);
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }
}
