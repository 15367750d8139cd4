// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ibping processes, over real sockets on the loopback. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class IbPingEndToEndTest extends ToolProcesses {
    private static final Pattern ADDRESS = Pattern.compile("::ffff:(127\\.[0-9.]+)[^0-9.]");

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
    }

    @Test
    void shouldPingByAddressAndByGid() throws Exception {
        String server = server();
        String gid = "::ffff:" + server;

        assertPinged(run("ibping -t 30000 -c 2 " + server), gid, 2, true);
        assertPinged(run("ibping -t 30000 -f -c 500 -C rxe0 -P 1 -G " + gid), gid, 500, false);
    }

    private static void assertPinged(Ended client, String gid, int count, boolean each) {
        assertEquals(0, client.exitCode(), client.toString());
        List<String> lines = client.out().lines().toList();
        int pongs = each ? count : 0;
        assertEquals(pongs + 4, lines.size(), client.toString());
        for (String pong : lines.subList(0, pongs)) {
            assertTrue(pong.matches("Pong from \\S+ \\(Gid " + gid + "\\): time [0-9]+\\.[0-9]{3} ms"), pong);
        }
        assertTrue(lines.get(pongs + 1).matches("--- \\S+ \\(Gid " + gid + "\\) ibping statistics ---"), client.out());
        assertTrue(lines.get(pongs + 2).startsWith(count + " packets transmitted, " + count + " received, 0% packet loss, time "),
            client.out());
        assertTrue(lines.get(pongs + 3).matches("rtt min/avg/max = ([0-9]+\\.[0-9]{3}/?){3} ms"), client.out());
    }

    @Test
    void shouldCountWhatIsNotAnswered() throws Exception {
        String server = server();
        for (String options : List.of("-o 0x123456 " + server, "127.99.9.9")) {
            Ended client = run("ibping -f -c 2 -t 50 " + options);
            assertEquals(0, client.exitCode(), client.toString());
            assertTrue(client.out().contains("\n2 packets transmitted, 0 received, 100% packet loss, time "), client.out());
        }
    }

    /** The original exits with 0 after a signal, too. */
    @Test
    void shouldTellHowItWentWhenItIsInterrupted() throws Exception {
        Started client = start("ibping " + server());
        waitFor("there is no answer", client, () -> Files.readString(client.out()).contains("Pong from "));
        client.process().destroy();
        Ended ended = client.await();
        assertEquals(0, ended.exitCode(), ended.toString());
        assertTrue(ended.out().matches("(?s).*\n--- \\S+ \\(Gid \\S+\\) ibping statistics ---\n[1-9][0-9]* packets transmitted, .*"),
            ended.out());
    }

    /** The exit code is that of SIGPIPE in a shell. */
    @Test
    void shouldEndWithItsReader() throws Exception {
        Started ended = start(List.of("bash", "-c", "\"$@\" | head -1; exit ${PIPESTATUS[0]}", "bash"), "ibping " + server());
        assertEquals(141, ended.await().exitCode());
    }

    /** A request that cannot be sent is not fatal: the interface may be up for the next one. */
    @Test
    void shouldGoOnWhereThereIsNoWay() throws Exception {
        Ended client = run("ibping -f -c 2 -t 10 192.0.2.1");
        assertEquals(0, client.exitCode(), client.toString());
        // Other processes of this host may have the first addresses.
        assertTrue(client.err().matches(
            "ibping: resolve_route: Network is unreachable \\(ENETUNREACH\\): no route from 127\\.0\\.0\\.\\d+ to 192\\.0\\.2\\.1\n"),
            client.err());
        assertTrue(client.out().contains("\n2 packets transmitted, 0 received, 100% packet loss, time "), client.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"5,ibping: iberror: failed: can't resolve destination port 5",
        "no.such.host.invalid,ibping: iberror: failed: can't resolve destination port no.such.host.invalid",
        "-C nosuch 127.0.0.1,ibping: iberror: failed: Failed to open 'nosuch'",
        "-P 2 127.0.0.1,ibping: iberror: failed: port 2 has no GID"})
    void shouldRefuse(String optionsAndMessage) throws Exception {
        String[] parts = optionsAndMessage.split(",");
        Ended client = run("ibping -c 1 " + parts[0]);
        assertEquals(1, client.exitCode());
        assertEquals(parts[1], client.err().lines().findFirst().orElse(""), client.toString());
    }

    /** A device that cannot be pinged is left free for others. */
    @Test
    void shouldServeOnDevicesThatCarryManagement() throws Exception {
        addLink("siw0", "siw");
        server();

        assertTrue(resources("").out().matches("0: rxe0: pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 1 srq 0 \n"
            + "1: siw0: pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0 \n"));
    }

    @Test
    void shouldNotServeAtAPortThatIsNotThere() throws Exception {
        Ended server = run("ibping -S -P 2");
        assertEquals(1, server.exitCode(), server.toString());
        assertTrue(server.err().startsWith("ibping: query_port: "), server.err());
    }

    /** @return address of the server */
    private String server() throws Exception {
        Started server = start("ibping -S -d");
        Matcher[] address = new Matcher[1];
        waitFor("the server does not say where it answers", server, () -> {
            address[0] = ADDRESS.matcher(Files.readString(server.err()));
            return address[0].find();
        });
        return address[0].group(1);
    }

    private Ended run(String line) throws Exception {
        return start(line).await();
    }
}
