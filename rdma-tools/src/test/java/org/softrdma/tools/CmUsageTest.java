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

/** Wrong command lines; expected texts are those of the programs of rdmacm-utils 44. */
class CmUsageTest {
    @ParameterizedTest
    @ValueSource(strings = {"ucmatose", "udaddy", "mckey", "cmtime", "rdma_client", "rdma_server", "rstream"})
    void shouldPrintUsageOnStdoutAndExitWithOne(String tool) throws IOException {
        assertEquals(new ToolRun(1, usage(tool), tool + ": invalid option -- 'Z'\n"), ToolRun.of(tool, "-Z"));
        assertEquals(new ToolRun(1, usage(tool), tool + ": option requires an argument -- 'p'\n"), ToolRun.of(tool, "-p"));
        assertEquals(new ToolRun(1, usage(tool), tool + ": invalid option -- '-'\n"), ToolRun.of(tool, "--help"));
    }

    /** The original prints its usage text without a message. */
    @ParameterizedTest
    @ValueSource(strings = {"-Z", "-s -p", "-v", "-s -t 1", "-c --help"})
    void shouldPrintRpingsUsage(String line) throws IOException {
        assertEquals(new ToolRun(22, usage("rping"), ""), rping(line));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-s -S 22     | Invalid size 22 (valid range is 23 to 65536)",
        "-s -S 65536  | Invalid size 65536 (valid range is 23 to 65536)",
        "-S x -c      | Invalid size 0 (valid range is 23 to 65536)",
        "-c -C -1     | Invalid count -1"})
    void shouldRefuseValuesRpingCannotTake(String line, String message) {
        assertEquals(new ToolRun(22, "", message + "\n"), rping(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-s -a 999.1.1.1", "-c -a no.such.host.invalid", "-c -I no.such.host.invalid"})
    void shouldSayThatNobodyKnowsTheName(String line) {
        assertEquals(new ToolRun(254, "getaddrinfo failed (Name or service not known) - invalid hostname or IP address\n", ""),
            rping(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-M ff0e::1", "-M ff0e::1 -s"})
    void shouldWantASourceForUnmappedGroups(String line) {
        ToolRun run = run("mckey", line);
        assertEquals(new ToolRun(1, "unmapped multicast address requires binding to source address\n", ""), run);
    }

    @ParameterizedTest
    @CsvSource({"ucmatose, cmatose", "udaddy, udaddy"})
    void shouldEndWithTheStatusOfTheName(String tool, String says) {
        ToolRun run = run(tool, "-s no.such.host.invalid");
        assertEquals(254, run.exitCode(), run.toString());
        assertEquals(says + ": starting client\n" + says
            + ": getaddrinfo error: Name or service not known\ntest complete\nreturn status -2\n", run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma_client", "rdma_server"})
    void shouldSayWhichStepFailed(String tool) {
        ToolRun run = run(tool, "-s no.such.host.invalid");
        assertEquals(254, run.exitCode(), run.toString());
        assertEquals(tool + ": start\nrdma_getaddrinfo: Name or service not known\n" + tool + ": end -2\n", run.out());
        assertTrue(run.err().isEmpty(), run.err());
    }

    /** The original prints no message for an unknown word either. */
    @Test
    void shouldWantATestRstreamHas() throws IOException {
        assertEquals(new ToolRun(1, usage("rstream"), ""), run("rstream", "-T x"));
        assertEquals(new ToolRun(254, "getaddrinfo: Name or service not known\n", ""), afterHead("-T s -s no.such.host.invalid"));
        assertEquals(new ToolRun(254, "getaddrinfo: Name or service not known\n", ""), afterHead("-T sockets -f ip -s localhost"));
        assertEquals(new ToolRun(248, "getaddrinfo: Servname not supported for ai_socktype\n", ""),
            afterHead("-T s -p 65536 -s 127.0.0.1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-S -1", "-C -1", "-I -1", "-B -4096", "-i -2", "-k -1"})
    void shouldNotTakeNegativeNumbersForStreams(String line) throws IOException {
        assertEquals(new ToolRun(1, usage("rstream"), ""), run("rstream", "-T s -s 127.0.0.1 " + line));
    }

    private static ToolRun afterHead(String line) {
        ToolRun run = run("rstream", line);
        String head = "name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer\n";
        assertTrue(run.out().startsWith(head), run.toString());
        return new ToolRun(run.exitCode(), run.out().substring(head.length()), run.err());
    }

    private static ToolRun rping(String line) {
        return run("rping", line);
    }

    private static ToolRun run(String tool, String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addFirst(tool);
        return ToolRun.of(words.toArray(String[]::new));
    }

    private static String usage(String tool) throws IOException {
        try (InputStream stream = CmUsageTest.class.getResourceAsStream(tool + "-44.usage")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
