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

/** Wrong command lines; expected texts are those of the programs of ibverbs-utils 44. */
class PingPongUsageTest {
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
        assertEquals(usage("ibv_rc_pingpong"), run.out());
        assertEquals(message == null ? "" : message + "\n", run.err());
    }

    /** The programs for the other services have fewer options. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "ibv_uc_pingpong | -Z         | ibv_uc_pingpong: invalid option -- 'Z'",
        "ibv_uc_pingpong | -o         | ibv_uc_pingpong: invalid option -- 'o'",
        "ibv_uc_pingpong | --odp      | ibv_uc_pingpong: unrecognized option '--odp'",
        "ibv_uc_pingpong | -m 1000    | -",
        "ibv_uc_pingpong | a b        | -",
        "ibv_srq_pingpong | -Z        | ibv_srq_pingpong: invalid option -- 'Z'",
        "ibv_srq_pingpong | -t        | ibv_srq_pingpong: invalid option -- 't'",
        "ibv_srq_pingpong | --iodp    | ibv_srq_pingpong: unrecognized option '--iodp'",
        "ibv_srq_pingpong | -q        | ibv_srq_pingpong: option requires an argument -- 'q'",
        "ibv_srq_pingpong | -s 0      | -",
        "ibv_srq_pingpong | -m 1000   | -",
        "ibv_srq_pingpong | a b       | -",
        "ibv_xsrq_pingpong | -Z       | ibv_xsrq_pingpong: invalid option -- 'Z'",
        "ibv_xsrq_pingpong | -q 2     | ibv_xsrq_pingpong: invalid option -- 'q'",
        "ibv_xsrq_pingpong | --chk    | ibv_xsrq_pingpong: unrecognized option '--chk'",
        "ibv_xsrq_pingpong | -p -1    | -",
        "ibv_xsrq_pingpong | -i -1    | -",
        "ibv_xsrq_pingpong | -m 1000  | -",
        "ibv_xsrq_pingpong | a b      | -",
        "ibv_ud_pingpong | -Z         | ibv_ud_pingpong: invalid option -- 'Z'",
        "ibv_ud_pingpong | -m 1024    | ibv_ud_pingpong: invalid option -- 'm'",
        "ibv_ud_pingpong | -N         | ibv_ud_pingpong: invalid option -- 'N'",
        "ibv_ud_pingpong | -p 65536   | -",
        "ibv_ud_pingpong | -i 0       | -"})
    void shouldKnowTheOptionsOfItsService(String tool, String line, String message) throws IOException {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addFirst(tool);
        ToolRun run = ToolRun.of(words.toArray(String[]::new));

        assertEquals(1, run.exitCode());
        assertEquals(usage(tool), run.out());
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

    /** The last check is our own: the original would wait forever. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-q 30 -r 10      | rx_depth 10 is too small for 30 QPs -- must have at least one receive per QP.",
        "-q 300 -r 10     | rx_depth 10 is too small for 300 QPs -- must have at least one receive per QP.",
        "-q 300           | num_qp 300 must be less than 255",
        "-q 256 -r 1000   | num_qp 256 must be less than 255",
        "-q 0             | num_qp 0: at least one queue pair is needed"})
    void shouldRefuseMoreQueuePairsThanItsReceivesServe(String line, String message) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addFirst("ibv_srq_pingpong");
        ToolRun run = ToolRun.of(words.toArray(String[]::new));

        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
        assertEquals(message, run.err().lines().findFirst().orElse(""));
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

    private static String usage(String tool) throws IOException {
        try (InputStream stream = PingPongUsageTest.class.getResourceAsStream(tool + "-44.usage")) {
            String original = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            return tool.equals("ibv_xsrq_pingpong") ? original
                : original + "      --json             print nothing but the result, as JSON (of softrdma)\n";
        }
    }
}
