// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong command lines; expected is what ibv_rc_pingpong of ibverbs-utils 44 answers. */
class RcPingPongUsageTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "--help     | ibv_rc_pingpong: unrecognized option '--help'",
        "-Z         | ibv_rc_pingpong: invalid option -- 'Z'",
        "-p         | ibv_rc_pingpong: option requires an argument -- 'p'",
        "-p 65536   | -",
        "-p -1      | -",
        "-m 1000    | -",
        "-m 0       | -",
        "-i 0       | -",
        "-i -1      | -",
        "-i one     | -",
        "a b        | -",
        "a -g 1 b   | -"})
    void shouldPrintUsageOnStdoutAndExitWithOne(String line, String message) throws IOException {
        ToolRun run = run(line);

        assertEquals(1, run.exitCode());
        assertEquals(usage(), run.out());
        assertEquals(message == null ? "" : message + "\n", run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-o -j      | DM memory region can't be on demand",
        "-O -j      | DM memory region can't be on demand",
        "-P         | prefetch is valid only with on-demand memory region"})
    void shouldRefuseOptionsThatExcludeEachOther(String line, String message) {
        ToolRun run = run(line);

        assertEquals(new ToolRun(1, "", message + "\n"), run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-d nosuchdevice", "-s abc -d nosuchdevice", "--ib-dev=nosuchdevice host", "-N -t -e -c -dnosuchdevice"})
    void shouldNameTheDeviceItDoesNotFind(String line) {
        ToolRun run = run(line);

        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("IB device nosuchdevice not found\n"), run.err());
    }

    @Test
    void shouldCallItselfAsItWasCalled() {
        assertTrue(run("-Z").out().startsWith("Usage:\n  ibv_rc_pingpong            start"));
    }

    private static ToolRun run(String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addFirst("ibv_rc_pingpong");
        return ToolRun.of(words.toArray(String[]::new));
    }

    private static String usage() throws IOException {
        try (InputStream stream = RcPingPongUsageTest.class.getResourceAsStream("ibv_rc_pingpong-44.usage")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
