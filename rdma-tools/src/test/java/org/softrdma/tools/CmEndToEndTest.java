// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.LinkStore;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.RxeLinkType;

/** Tools of the connection manager as separate processes, over sockets on the loopback. Expected texts are those of rdmacm-utils 44. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CmEndToEndTest extends ToolProcesses {
    private static final String SERVER_ENDS = "server DISCONNECT EVENT...\nwait for RDMA_READ_ADV state 10\n";

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
    }

    private Pair run(String server, String client, String claim) throws Exception {
        return meet(listening(server, claim), client);
    }

    // ---- rping ----

    @Test
    void shouldPingByReadingAndWriting() throws Exception {
        int port = freePort();
        Pair pair = run("rping -s -v -p " + port, "rping -c -a 127.0.0.1 -v -V -C 60 -p " + port, "tcp-" + port);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals(SERVER_ENDS, pair.server().err());
        List<String> client = pair.client().out().lines().toList();
        assertEquals(60, client.size(), pair.toString());
        assertEquals("ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr", client.get(0));
        assertEquals("ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs", client.get(1));
        // Ping 57 begins with 'z', and after 'z' comes 'A'.
        assertEquals("ping data: rdma-ping-57: zABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnop", client.get(57));
        assertEquals("ping data: rdma-ping-58: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopq", client.get(58));
        assertEquals(client.stream().map(line -> "server " + line).toList(), pair.server().out().lines().toList());
    }

    @ParameterizedTest
    @CsvSource({"-q, ''", "'', -q", "-q, -q", "-S 65535, -S 65535 -V -C 5", "-S 23, -S 23 -V -C 5", "-d, -d -C 1"})
    void shouldPingInEveryWay(String serverOptions, String clientOptions) throws Exception {
        int port = freePort();
        Pair pair = run("rping -s -p " + port + " " + serverOptions, "rping -c -a 127.0.0.1 -C 3 -p " + port + " " + clientOptions,
            "tcp-" + port);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals(SERVER_ENDS, pair.server().err());
    }

    @Test
    void shouldPingOnABadWire() throws Exception {
        LinkStore.at(directory).set("rxe0", RxeLinkType.FAULT, LinkFaults.parse("duplicate=0.1,reorder=0.1:100us,delay=10us"));
        int port = freePort();
        Pair pair = run("rping -s -p " + port, "rping -c -a 127.0.0.1 -V -C 100 -p " + port, "tcp-" + port);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
    }

    @Test
    void shouldServeOneClientAfterTheOther() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -P -v -p " + port, "tcp-" + port);
        Started first = start("rping -c -a 127.0.0.1 -V -C 200 -p " + port);
        Started second = start("rping -c -a 127.0.0.1 -V -C 200 -p " + port);
        assertEquals(0, first.await().exitCode());
        assertEquals(0, second.await().exitCode());
        assertEquals(0, start("rping -c -a 127.0.0.1 -V -C 1 -p " + port).await().exitCode());
        waitFor("a client was not served", server, () -> Files.readString(server.out()).lines()
            .filter(line -> line.startsWith("server ping data: rdma-ping-0: ABC")).count() == 3);
    }

    @Test
    void shouldShowWhoListens() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -P -p " + port, "tcp-" + port);

        Ended shown;
        do {
            shown = resources("show cm_id");
        } while (!shown.out().contains(" state LISTEN ") && server.process().isAlive());

        assertTrue(shown.out().matches("link rxe0/- cm-idn \\d+ state LISTEN ps TCP pid " + server.process().pid()
            + " comm rping src-addr 0.0.0.0:" + port + " \n"), shown.toString());
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
        assertEquals(255, second.exitCode(), second.toString());
        assertTrue(second.err().startsWith("rdma_listen: Address already in use\n"), second.toString());
    }

    @Test
    void shouldRefuseAnAddressOfAnotherHost() throws Exception {
        Ended server = start("rping -s -a 192.0.2.1").await();
        assertEquals(255, server.exitCode(), server.toString());
        assertTrue(server.err().startsWith("rdma_bind_addr: Cannot assign requested address\n"), server.toString());
    }

    /** The connection of a killed process is closed, as it is by a kernel. */
    @Test
    void shouldTellTheClientWhenTheServerIsEnded() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -v -p " + port, "tcp-" + port);
        Started client = start("rping -c -a 127.0.0.1 -p " + port);
        waitFor("no ping arrives", server, () -> Files.size(server.out()) > 0);
        server.process().destroy();
        Ended ended = client.await();
        assertEquals(0, ended.exitCode(), ended.toString());
        assertTrue(ended.err().startsWith("client DISCONNECT EVENT...\n"), ended.toString());
    }

    /** A server only waits for messages: without the notification it would wait forever. */
    @Test
    void shouldTellTheServerWhenTheClientIsEnded() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -v -S 65000 -p " + port, "tcp-" + port);
        Started client = start("rping -c -a 127.0.0.1 -S 65000 -p " + port);
        waitFor("no ping arrives", server, () -> Files.size(server.out()) > 0);
        client.process().destroy();
        Ended ended = server.await();
        assertEquals(0, ended.exitCode(), ended.err());
        assertTrue(ended.err().startsWith("server DISCONNECT EVENT...\n"), ended.err());
    }

    @Test
    void shouldEndWhenTheDeviceIsRemoved() throws Exception {
        int port = freePort();
        Started server = listening("rping -s -v -p " + port, "tcp-" + port);
        Started client = start("rping -c -a 127.0.0.1 -p " + port);
        waitFor("no ping arrives", server, () -> Files.size(server.out()) > 0);
        LinkStore.at(directory).remove("rxe0");
        String said = client.await().err() + server.await().err();
        // An end that polls late may first be notified that the other end is gone.
        assertTrue(said.contains("cma detected device removal!!!!\n"), said);
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
            + "cmatose: disconnecting\ndisconnected\ntest complete\nreturn status 0\n", ""), pair.server());
        assertEquals(new Ended(0, "cmatose: starting client\ncmatose: connecting\n"
            + (messages ? "receiving data transfers\nsending replies\ndata transfers complete\n" : "") + migrating
            + "test complete\nreturn status 0\n", ""), pair.client());
    }

    @Test
    void shouldExchangeDatagrams() throws Exception {
        Pair pair = run("udaddy -P ipoib -c 3", "udaddy -P ipoib -c 3 -s 127.0.0.1", "ipoib-7174");

        assertEquals(new Ended(0, "udaddy: starting server\nreceiving data transfers\nsending replies\ndata transfers complete\n"
            + "test complete\nreturn status 0\n", ""), pair.server());
        assertEquals(new Ended(0, "udaddy: starting client\nudaddy: connecting\ninitiating data transfers\nreceiving data transfers\n"
            + "data transfers complete\ntest complete\nreturn status 0\n", ""), pair.client());
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
        // No other process listens at this port.
        Ended ended = start(tool + " -s 127.0.0.1" + (tool.equals("ucmatose") ? " -p " + freePort() : "")).await();
        assertEquals(status, ended.exitCode(), ended.toString());
        assertTrue(ended.out().endsWith(event + ", error: " + status + "\ntest complete\nreturn status " + status + "\n"),
            ended.toString());
    }

    /** No process uses that loopback address: the host answers "port unreachable", which a UDP link reports. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayAtOnceThatNoDeviceIsThere() throws Exception {
        Ended ended = start("rping -c -a 127.254.253.252 -v -C 3").await();

        assertEquals(255, ended.exitCode(), ended.toString());
        assertTrue(ended.toString().contains("cma event RDMA_CM_EVENT_UNREACHABLE, error -111\n"), ended.toString());
        assertTrue(ended.err().contains("127.254.253.252: the host reports the UDP port of RoCE v2 as unreachable"), ended.toString());
    }

    @Test
    void shouldExchangeSixteenBytes() throws Exception {
        int port = freePort();
        Pair pair = run("rdma_server -p " + port, "rdma_client -s 127.0.0.1 -p " + port, "tcp-" + port);

        assertEquals(new Ended(0, "rdma_server: start\nrdma_server: end 0\n", ""), pair.server());
        assertEquals(new Ended(0, "rdma_client: start\nrdma_client: end 0\n", ""), pair.client());
    }

    @Test
    void shouldTimeConnections() throws Exception {
        int port = freePort();
        listening("cmtime -p " + port, "tcp-" + port);
        Ended client = start("cmtime -c 50 -b 127.0.0.1 -s 127.0.0.1 -p " + port).await();

        assertEquals(0, client.exitCode(), client.toString());
        assertEquals("", client.err());
        List<String> lines = client.out().lines().toList();
        int head = lines.indexOf("step              total ms     max ms     min us  us / conn");
        assertEquals(List.of("creating id", "binding source address", "resolving address", "resolving route", "creating qp", "connecting",
            "disconnecting", "destroying id"), lines.subList(0, head));
        List<String> steps = List.of("create id", "bind addr", "resolve addr", "resolve route", "create qp", "connect", "disconnect",
            "destroy");
        for (int i = 0; i < steps.size(); i++) {
            assertTrue(lines.get(head + 1 + i).matches(String.format("%-13s: ( *[0-9]+\\.[0-9]{2}){4}", steps.get(i))), client.out());
        }
    }

    @Test
    void shouldReachAGroup() throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "not every system takes multicast on its loopback interface");
        Started receiver = start("mckey -m 239.71.3.9 -b 127.0.0.1");
        waitFor("the receiver does not join", receiver, () -> Files.readString(receiver.out()).contains("joined"));
        Ended sender = start("mckey -m 239.71.3.9 -b 127.0.0.1 -s").await();
        assertEquals(new Ended(0, "mckey: starting client\nmckey: joining\nmckey: joined dgid: ::ffff:239.71.3.9 mlid 0x0 sl 0\n"
            + "initiating data transfers\ndata transfers complete\ntest complete\nreturn status 0\n", ""), sender);
        assertEquals(new Ended(0, "mckey: starting server\nmckey: joining\nmckey: joined dgid: ::ffff:239.71.3.9 mlid 0x0 sl 0\n"
            + "receiving data transfers\ndata transfers complete\ntest complete\nreturn status 0\n", ""), receiver.await());
    }

    // ---- streams ----

    @ParameterizedTest
    @ValueSource(strings = {"-S 1000 -C 10 -I 3", "-S 100000 -C 5 -I 1 -T b", "-S 3 -C 200 -I 1 -T a -B 4096",
        "-S 64 -C 1 -I 50 -T a -T b -k 1 -i 0", "-S 5000 -C 20 -I 2 -T s", "-S 1 -C 1 -I 1 -T f -T b"})
    void shouldStream(String options) throws Exception {
        int port = freePort();
        String line = "rstream -T v -p " + port + " " + options;
        Started server = options.contains("-T s") || options.contains("-T f") ? start(line) : listening(line, "tcp-" + port);
        waitFor("the server says nothing", server, () -> Files.size(server.out()) > 0);
        Ended client = start(line + " -s 127.0.0.1").await();
        Ended served = server.await();

        for (Ended each : List.of(client, served)) {
            assertEquals(0, each.exitCode(), each.toString());
            assertEquals("", each.err());
            List<String> lines = each.out().lines().toList();
            assertEquals("name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer", lines.getFirst());
            assertTrue(lines.getLast().matches("custom    [0-9.k]+ +[0-9]+ +[0-9]+ +[0-9.km]+ +[0-9.]+s +[0-9.]+ +[0-9.]+"), each.out());
        }
        assertEquals(options.contains("-k 1"), client.out().contains("\nKeepalive: ON\n  time: 1\n"));
    }

    /** Streams over iWARP, which has no immediate data. */
    @Test
    void shouldStreamOverIwarp() throws Exception {
        LinkStore.at(directory).remove("rxe0");
        addLink("siw0", "siw");
        String line = "rstream -T v -S 10000 -C 20 -I 2 -p " + freePort();
        Started server = start(line);
        waitFor("the server says nothing", server, () -> Files.size(server.out()) > 0);
        Ended client = start(line + " -s 127.0.0.1").await();
        assertEquals(0, client.exitCode(), client.toString());
        assertTrue(client.out().contains("\ncustom    9.7k    20      2       781k    "), client.out());
        Ended served = server.await();
        assertEquals(0, served.exitCode(), served.toString());
    }

    @Test
    void shouldSayThatMemoryIsMissing() throws Exception {
        environment.put("JAVA_TOOL_OPTIONS", "-XX:MaxDirectMemorySize=1m");
        Ended ended = start("rstream -T s -S 2000000 -s 127.0.0.1 -p " + freePort()).await();
        assertEquals(255, ended.exitCode(), ended.toString());
        assertTrue(ended.err().contains("\nmalloc: Cannot allocate memory\n"), ended.toString());
    }

    @Test
    void shouldSayThatNobodyTakesTheStream() throws Exception {
        Ended ended = start("rstream -s 127.0.0.1 -C 1 -p " + freePort()).await();
        assertEquals(255, ended.exitCode(), ended.toString());
        assertTrue(ended.err().startsWith("rconnect: Connection refused\n"), ended.toString());
    }
}
