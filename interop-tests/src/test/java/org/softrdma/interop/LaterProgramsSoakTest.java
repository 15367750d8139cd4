// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs and libraries of later Debian releases on an rxe device of ours, each release in a root file system of its own. */
@Tag("soak")
class LaterProgramsSoakTest {
    @RegisterExtension
    static final NamespaceExtension REQUIREMENTS = new NamespaceExtension("ip", "setpriv", "chroot", "unshare", "debootstrap");

    private static final Duration BUILD = Duration.ofMinutes(15);
    private static final Duration SUITE = Duration.ofMinutes(10);
    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final int FIRST_PORT = 18700;
    private static final List<String> PAIRS = List.of(
        "ibv_rc_pingpong -c -d rxe0 -g 1 -p PORT| HOST", "ibv_uc_pingpong -c -d rxe0 -g 1 -p PORT| HOST",
        "ibv_ud_pingpong -c -d rxe0 -g 1 -p PORT| HOST", "ibv_srq_pingpong -c -d rxe0 -g 1 -p PORT| HOST",
        "ib_write_bw -F -d rxe0 -x 1 -n 200 -p PORT| HOST", "ib_read_bw -F -d rxe0 -x 1 -n 200 -p PORT| HOST",
        "ib_send_bw -F -d rxe0 -x 1 -n 200 -p PORT| HOST", "ib_atomic_bw -F -d rxe0 -x 1 -n 200 -p PORT| HOST");

    /**
     * Runs the release's programs and pyverbs' suite.
     *
     * @param passed tests of pyverbs that must pass at least; none may fail
     */
    @ParameterizedTest
    @CsvSource("sid, 111")
    void shouldRunUnmodified(String release, int passed) throws IOException {
        try (VethPair wire = new VethPair("later-" + release, 1500)) {
            wire.addDevice(wire.a, wire.a.netdev(), "");
            String root = build(wire, release);
            try {
                runPrograms(wire, root);
            } finally {
                wire.stopDaemons();
            }
            try (RunningCommand suite = wire.a.start("pyverbs", "run", "--private", "--", "chroot", root, "/usr/bin/python3",
                "/pyverbs/run_tests.py", "-v", "--dev", "rxe0", "--gid", "1")) {
                suite.awaitExit(SUITE);
                PyverbsResult.of(suite.output()).expect(passed);
            }
        }
    }

    private static String build(VethPair wire, String release) {
        Path module = KernelLab.module();
        try (RunningCommand build = HostTool.startHere(module, wire.directory().resolve("build.txt"), Map.of(),
            List.of("lab/programs", release))) {
            String[] lines = build.awaitSuccess(BUILD).strip().split("\n");
            return lines[lines.length - 1];
        }
    }

    private static void runPrograms(VethPair wire, String root) {
        assertTrue(wire.a.tool("run", "--", "chroot", root, "ibv_devinfo", "-v").contains("PORT_ACTIVE"));
        assertTrue(wire.a.tool("run", "--", "chroot", root, "rdma", "link", "show").contains("netdev " + wire.a.netdev()));
        int port = FIRST_PORT;
        for (String pair : PAIRS) {
            String[] parts = pair.replace("PORT", Integer.toString(++port)).replace("HOST", wire.a.ipv4).split("\\|");
            try (RunningCommand server = start(wire, root, "server-" + port, parts[0])) {
                wire.a.awaitListener(server, port);
                try (RunningCommand client = start(wire, root, "client-" + port, parts[0] + parts[1])) {
                    client.awaitSuccess(DEADLINE);
                    server.awaitSuccess(DEADLINE);
                    assertTrue(!(client.output() + server.output()).contains("invalid data"), () -> client.output() + server.output());
                }
            }
        }
        try (RunningCommand server = start(wire, root, "rping-server", "rping -s -S 65000 -C 20 -V -p 18799")) {
            CProgramPairs.awaitListener(wire.a, server, 18799);
            try (RunningCommand client = start(wire, root, "rping-client", "rping -c -S 65000 -C 20 -V -p 18799 -a " + wire.a.ipv4)) {
                client.awaitSuccess(DEADLINE);
            }
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static RunningCommand start(VethPair wire, String root, String file, String line) {
        // libpci, which perftest uses, ends the program where it finds neither.
        String mounts = "mount --rbind /proc " + root + "/proc && mount --rbind /sys " + root + "/sys";
        return wire.a.start(file, "run", "--", "unshare", "-m", "sh", "-c", mounts + " && exec chroot " + root + " " + line);
    }
}
