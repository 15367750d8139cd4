// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A second process on an ordinary interface, whose address the first one has. Needs root: the interface is in a namespace of its own. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TakenAddressTest extends ToolProcesses {
    private static final String ADDRESS = "10.99.0.1";

    private final String namespace = "softrdma-taken-" + ProcessHandle.current().pid();
    private final List<String> inside = List.of("ip", "netns", "exec", namespace);
    private boolean made;
    private Started holder;

    @BeforeEach
    void holdTheAddress() throws Exception {
        made = ip("netns add " + namespace) == 0;
        assumeTrue(made, "no network namespace can be made");
        for (String each : List.of("link add v0 type veth peer name v1", "addr add " + ADDRESS + "/24 dev v0", "link set v0 up",
                "link set v1 up", "link set lo up", "route add default dev v0")) {
            assumeTrue(ip("-n " + namespace + " " + each) == 0, each);
        }
        Files.writeString(directory.resolve("links"), "link rxe0 type rxe netdev v0\n");
        holder = start(inside, "rping -s -P -a " + ADDRESS);
        waitFor("no device is open", holder, () -> run(inside, "rdma resource").contains(" ctx 1 "));
    }

    private String run(List<String> through, String line) throws IOException {
        try {
            return start(through, line).await().out();
        } catch (InterruptedException interrupted) {
            throw new IOException(interrupted);
        }
    }

    private static int ip(String words) throws Exception {
        return new ProcessBuilder(("ip " + words).split(" ")).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start().waitFor();
    }

    @AfterEach
    void removeNamespace() throws Exception {
        if (made) {
            ip("netns del " + namespace);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "mckey -m 239.1.1.1", "mckey -m 239.1.1.1 -b 10.99.0.1", "ucmatose -s 10.99.0.1", "ucmatose -b 10.99.0.1", "udaddy -s 10.99.0.1",
        "rping -c -a 10.99.0.1", "rping -s -a 10.99.0.1 -p 20", "cmtime -s 10.99.0.1 -c 1", "rdma_client -s 10.99.0.1", "rdma_server",
        "rstream -s 10.99.0.1", "ib_write_bw -R 10.99.0.1", "ib_write_bw", "ibv_rc_pingpong -g 1", "ibv_xsrq_pingpong -g 1",
        "ibping 10.99.0.1"})
    void shouldNameTheProcessThatHasTheAddress(String line) throws Exception {
        Ended ended = start(inside, line).await();

        // The original cmtime ends with 0 whatever happened.
        assertFalse(ended.exitCode() == 0 && !line.startsWith("cmtime"), ended.toString());
        String explanation = "UDP 10.99.0.1 port 4791 is taken by process " + holder.process().pid()
            + " (rping). Only one process (and one device) can have an address: stop it, or give this device another address";
        assertTrue(ended.err().contains(explanation), ended.toString());
    }
}
