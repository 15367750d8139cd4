// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes whose JVM denies native code; elsewhere than on Linux no device uses any. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NativeAccessTest extends ToolProcesses {
    @BeforeEach
    void deny() {
        addLink("rxe0", "rxe");
        addLink("siw0", "siw");
        jvmOptions.clear();
        jvmOptions.add("--illegal-native-access=deny");
    }

    /** The tour has RDMA WRITEs over a reliable connection, whose data it checks. */
    @Test
    void shouldWriteOverPlainJavasSockets() throws Exception {
        Ended ended = start("demo").await();

        assertEquals(0, ended.exitCode(), ended.toString());
        assertTrue(ended.out().contains("RDMA WRITE"), ended.toString());
        assertOneWarning(ended);
    }

    /** rping's server reads and writes the client's memory. */
    @ParameterizedTest
    @ValueSource(strings = {"rxe0", "siw0"})
    void shouldPingOverPlainJavasSockets(String device) throws Exception {
        environment.put("SOFTRDMA_CM_DEVICES", device);
        int port = freePort();
        Started server = start("rping -s -p " + port);
        Ended client;
        do {
            client = start("rping -c -a 127.0.0.1 -V -C 20 -p " + port).await();
        } while (client.exitCode() != 0 && server.process().isAlive());

        assertEquals(0, client.exitCode(), client.toString());
        assertOneWarning(client);
        Ended served = server.await();
        assertEquals(0, served.exitCode(), served.toString());
        assertOneWarning(served);
    }

    private static void assertOneWarning(Ended ended) {
        List<String> warnings = ended.err().lines().filter(line -> line.contains("native")).toList();
        assertEquals(1, warnings.size(), ended.toString());
        assertTrue(warnings.getFirst().matches("(demo|rping): the JVM denies calls of native code, .*"
            + "--enable-native-access=ALL-UNNAMED allows them"), ended.toString());
    }

    @Test
    void shouldNameTheOptionIfTheCLibraryIsDemanded() throws Exception {
        jvmOptions.add("-Dsoftrdma.link=linux");
        Ended ended = start("ibv_rc_pingpong -d rxe0 -g 1").await();

        assertFalse(ended.exitCode() == 0, ended.toString());
        assertTrue(ended.err().contains("softrdma.link=linux needs calls of native code, which the JVM denies; "
            + "--enable-native-access=ALL-UNNAMED allows them"), ended.toString());
    }
}
