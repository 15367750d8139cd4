// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs of infiniband-diags and on libibumad, unmodified, on our umad: on one host, and on two with a wire between them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UmadProgramTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "python3", "ibstat", "ibping");

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String SCRIPTS = KernelLab.module().resolve("src/test/resources/guest").toString();

    private VethPair wire;

    @BeforeAll
    void connect() throws IOException {
        wire = new VethPair("umad", 1500);
        wire.addDevicesOf("rxe");
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    private static RunningCommand start(VethPair.End end, String file, String... command) {
        List<String> words = new ArrayList<>(List.of("run", "--"));
        words.addAll(List.of(command));
        return end.start(file, words.toArray(String[]::new));
    }

    private static String run(VethPair.End end, String file, String... command) {
        try (RunningCommand running = start(end, file, command)) {
            return running.awaitSuccess(DEADLINE);
        }
    }

    @Test
    void shouldShowThePortInIbstat() {
        Ends.expect(run(wire.a, "ibstat", "ibstat"), List.of("CA 'rxe0'\n", "\tNumber of ports: 1\n", "\tPort 1:\n", "State: Active\n",
            "Physical state: LinkUp\n", "Base lid: 0\n", "Capability mask: 0x", "Link layer: Ethernet\n"));
        assertEquals("rxe0\n", run(wire.a, "ibstat-l", "ibstat", "-l"));
        Ends.expect(run(wire.a, "ibstat-p", "ibstat", "-p"), List.of("0x"));
    }

    /** Its client needs a LID, or a subnet manager, as on the kernel's rxe. */
    @Test
    void shouldRunIbpingAsFarAsLinuxDoes() {
        String byLid = run(wire.a, "ibping-l", "ibping", "-c", "1", "-L", "1");
        Ends.expect(byLid, List.of("send failed; Invalid argument\n", "1 packets transmitted, 0 received, 100% packet loss"));
        try (RunningCommand byGuid = start(wire.a, "ibping-g", "ibping", "-c", "1", "-G", "0x505400fffe123456")) {
            assertNotEquals(0, byGuid.awaitExit(DEADLINE));
            Ends.expect(byGuid.output(), List.of("only lid routes are supported\n", "can't resolve destination port 0x505400fffe123456"));
        }
    }

    /** The class of pings has one server on a port; its end frees the class. */
    @Test
    void shouldServeIbpingOnce() {
        String server = "timeout 5 ibping -S & sleep 1; ibping -S; echo status $?; wait";
        Ends.expect(run(wire.a, "ibping-s", "sh", "-c", server), List.of("can't serve class 50", "status 255\n"));
        Ends.expect(run(wire.a, "ibping-s-again", "sh", "-c", "timeout 1 ibping -S; echo status $?"), List.of("status 124\n"));
    }

    @Test
    void shouldPingByGidOnOneHost() throws InterruptedException {
        ping(wire.a, wire.a, 1, wire.a.ipv4);
    }

    @Test
    void shouldPingByGidAcrossAWire() throws InterruptedException {
        ping(wire.b, wire.a, 1, wire.b.ipv4);
        ping(wire.b, wire.a, 2, wire.b.ipv6);
    }

    private void ping(VethPair.End serves, VethPair.End asks, int index, String address) throws InterruptedException {
        String script = SCRIPTS + "/umad-ping.py";
        try (RunningCommand server = start(serves, "ping-server", "python3", "-u", script, "serve")) {
            server.awaitOutput("serving", DEADLINE);
            String report = run(asks, "ping-client", "python3", script, "ping", Integer.toString(index), address, "3", "20000");
            assertEquals(3, report.lines().filter(line -> line.startsWith("Pong from ")).count(), report);
        }
    }

    @Test
    void shouldExchangeDatagramsThroughTheLibraryOnOneHost() throws InterruptedException {
        exchange(wire.b, wire.b, 1, wire.b.ipv4);
    }

    @Test
    void shouldExchangeDatagramsThroughTheLibraryAcrossAWire() throws InterruptedException {
        exchange(wire.a, wire.b, 1, wire.a.ipv4);
        exchange(wire.a, wire.b, 2, wire.a.ipv6);
    }

    private void exchange(VethPair.End serves, VethPair.End asks, int index, String address) throws InterruptedException {
        String script = SCRIPTS + "/umad-echo.py";
        try (RunningCommand server = start(serves, "echo-server", "python3", "-u", script, "serve", "rxe0")) {
            server.awaitOutput("serving", DEADLINE);
            assertEquals("200 answers are right\n",
                run(asks, "echo-client", "python3", script, "send", "rxe0", Integer.toString(index), address, "200"));
        }
    }

    /** A killed server's agent ends with it. */
    @Test
    void shouldFreeTheMethodsOfAKilledProgram() {
        String script = SCRIPTS + "/umad-echo.py serve rxe0";
        String twice = "python3 -u " + script + " & first=$!; sleep 2; python3 " + script + "; echo second $?; kill -9 $first; "
            + "wait $first; sleep 1; timeout 3 python3 -u " + script + "; echo third $?";
        Ends.expect(run(wire.a, "killed", "sh", "-c", twice), List.of("umad_register_oui: -", "second 1\n", "third 124\n"));
    }
}
