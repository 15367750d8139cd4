// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.Softrdma;

/** Connections with the system's librdmacm: our tools on it against the system's own, which share a device with them. */
class LibrdmacmTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", "ibv_devinfo", "rping", "ucmatose");

    private static final Duration DEADLINE = Duration.ofMinutes(1);
    private static final int FIRST_PORT = 18_700;
    private static final String DONE = "return status 0\n";

    private VethPair wire;
    private int port = FIRST_PORT;

    /** A program, and the output that both ends must have. */
    private record Case(Program program, String word) {
    }

    private static final List<Case> OVER_BOTH = List.of(
        new Case(Program.LONG_RPING, ""),
        new Case(Program.UCMATOSE, DONE),
        new Case(Program.RDMA_CLIENT, " end 0\n"),
        new Case(Program.rstream("-S 1000 -C 20 -I 3"), "\ncustom    1000    20      3 "));
    private static final List<Case> OVER_ROCE = List.of(new Case(new Program("udaddy -b ANY", "udaddy -s HOST"), DONE));

    @AfterEach
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rxe", "siw"})
    void shouldConnectWithCProgramsInBothRoles(String type) throws Exception {
        wire = new VethPair("librdmacm-" + type, 1500);
        wire.addDevicesOf(type);
        wire.a.tool("run", "--", "ibv_devinfo");
        List<Case> cases = new ArrayList<>(OVER_BOTH);
        cases.addAll(type.equals("rxe") ? OVER_ROCE : List.of());
        for (Case each : cases) {
            run(each, true);
            run(each, false);
        }
    }

    private void run(Case each, boolean weServe) throws InterruptedException {
        port++;
        String name = each.program.server().split(" ")[0] + (weServe ? "-server" : "-client");
        try (RunningCommand server = start(name + "-1", weServe, each.program.server())) {
            CProgramPairs.awaitListener(wire.a, server, each.program.server().contains("PORT") ? port : Ends.UDADDY_PORT);
            try (RunningCommand client = start(name + "-2", !weServe, each.program.client())) {
                Ends.expect(client.awaitSuccess(DEADLINE), List.of(each.word));
                Ends.expect(server.awaitSuccess(DEADLINE), List.of(each.word));
            }
        }
    }

    private RunningCommand start(String file, boolean ours, String line) {
        List<String> words = new ArrayList<>(List.of("run", "--"));
        words.addAll(ours ? LibibverbsTest.javaOnTheLibrary(Softrdma.class) : List.of("stdbuf", "-oL"));
        words.addAll(Arrays.asList(line.replace("HOST", wire.a.ipv4).replace("ANY", "0.0.0.0").replace("PORT", Integer.toString(port))
            .split(" ")));
        return wire.a.start(file, words.toArray(String[]::new));
    }
}
