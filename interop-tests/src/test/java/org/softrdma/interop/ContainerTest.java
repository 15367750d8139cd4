// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promises of docs/ci.md for containers, as far as they can be shown without a container runtime. */
class ContainerTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "unshare", "nsenter", "chroot", "python3",
        "ibv_rc_pingpong", "rping");

    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final String SCRIPTS = KernelLab.module().resolve("src/test/resources/containers").toString();
    /** The beginning of commands whose processes have another user, and can gain no capability. */
    private static final List<String> UNPRIVILEGED = List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
        "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs");

    private VethPair wire;

    @BeforeEach
    void connect() throws IOException {
        wire = new VethPair("containers", 1500);
    }

    @AfterEach
    void disconnect() {
        wire.close();
    }

    private RunningCommand unprivileged(String file, String... command) {
        List<String> all = new ArrayList<>(UNPRIVILEGED);
        all.addAll(List.of(command));
        return wire.a.startAny(file, all.toArray(String[]::new));
    }

    /** Nothing but a user namespace, in which the user makes two network namespaces and a wire. */
    @Test
    void shouldConnectTwoHostsOfAnUnprivilegedUser() {
        try (RunningCommand trying = unprivileged("trying", "unshare", "-U", "-r", "-n", "-m", "test", "-r", "softrdma")) {
            assumeTrue(trying.awaitExit(DEADLINE) == 0, "user namespaces are forbidden here, or others may not read the project");
        }
        try (RunningCommand running = unprivileged("two-hosts", "unshare", "-U", "-r", "-n", "-m", SCRIPTS + "/two-hosts.sh",
            "rping -s -a 10.98.0.2 -C 5", "rping -c -a 10.98.0.2 -v -C 5")) {
            Ends.expect(running.awaitSuccess(DEADLINE), List.of("ping data: rdma-ping-4"));
        }
    }

    /** A container without a network: no interface has a hardware address. */
    @Test
    void shouldSayWhatItSaysElsewhereOnTheLoopbackInterfaceAlone() {
        String program = "ip link set lo up && ./softrdma rdma link add siw0 type siw netdev lo && ./softrdma rping -c -a 127.0.0.1 -C 1";
        try (RunningCommand client = wire.a.startAny("loopback-only", "unshare", "-n", "sh", "-c", program)) {
            assertEquals(255, client.awaitExit(DEADLINE));
            assertEquals("cma event RDMA_CM_EVENT_REJECTED, error -111\nwait for CONNECTED state 4\nconnect error -1\n", client.output());
        }
    }

    /** Two containers, each with a daemon of its own: a root tree, own processes, no capability. */
    @Test
    void shouldRunInRootTreesWithoutCapabilities() {
        exchange("");
    }

    /** The same under a filter that refuses what the runtimes' default profiles refuse, for one architecture. */
    @Test
    @EnabledIfSystemProperty(named = "os.arch", matches = "amd64")
    void shouldRunUnderTheDefaultProfiles() {
        exchange(SCRIPTS + "/default-profile.py ");
    }

    private void exchange(String filter) {
        try (RunningCommand trying = unprivileged("trying", "test", "-r", "softrdma")) {
            assumeTrue(trying.awaitExit(DEADLINE) == 0, "others may not read the project");
        }
        String program = filter + "./softrdma run -- ibv_rc_pingpong -d rxe0 -g 1 -e -c -n 200 ";
        String repeated = "attempts=0; until " + program + wire.b.ipv4
            + "; do attempts=$((attempts + 1)); [ $attempts -lt 20 ] || exit 1; sleep 1; done";
        try (RunningCommand server = contained(wire.b, program); RunningCommand client = contained(wire.a, repeated)) {
            Ends.expect(client.awaitSuccess(DEADLINE), List.of("200 iters in"));
            String report = server.awaitSuccess(DEADLINE);
            Ends.expect(report, List.of("200 iters in", "uid=65534(nobody)"));
            assertTrue(report.contains("CapBnd:\t0000000000000000"), report);
        }
    }

    private RunningCommand contained(VethPair.End end, String command) {
        String prepared = "id && grep CapBnd /proc/self/status && ./softrdma rdma link add rxe0 type rxe netdev " + end.netdev() + " && { "
            + command + "; }";
        return end.startAny("container-" + end.name, SCRIPTS + "/root-tree.sh", wire.directory().resolve("root-" + end.name).toString(),
            System.getProperty("java.home"), prepared);
    }
}
