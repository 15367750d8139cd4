// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;

/** Meaning of command lines, and errors about wrong ones: in the words of perftest 4.5's binaries, called with the same arguments. */
class CommandLineTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Parameters parse(String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        String name = words.removeFirst();
        Verb verb = Verb.valueOf(name.split("_")[1].toUpperCase(Locale.ROOT));
        return CommandLine.parse(verb, name.endsWith("lat"), name, words,
            new Console(new PrintStream(out, true), new PrintStream(err, true)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ib_write_bw -n 4| Iteration num should be between 5 and 100000000",
        "ib_write_bw -n abc| Iteration num argument abc should be int",
        "ib_send_lat -q 2| Multiple QPs only available on bw tests",
        "ib_write_bw -e| Events feature not available on WRITE verb",
        "ib_read_bw -I 4| Inline feature not available on READ/Atomic verbs",
        "ib_write_bw -o 3| Setting Outstanding reads only available on READ verb",
        "ib_write_bw -r 4| On RDMA verbs rx depth can be only 1",
        "ib_write_bw -s 0| Message Size should be between 1 and 2147483647",
        "ib_send_lat -b| Bidirectional is only available in BW test",
        "ib_send_lat -N| NoPeak only valid for BW tests",
        "ib_write_bw -H| Available only on Latency tests",
        "ib_write_bw a b| Invalid Command line. Please check command rerun ",
        "ib_write_bw -S 16| Only 15 Service levels",
        "ib_write_bw -i 0|IB Port can't be less than 1",
        "ib_write_bw -x 65| Gid index should be between 0 and 64",
        "ib_write_bw -q 0| num of Qps should be between 1 and 16384",
        "ib_write_bw -w -1| Invalid Minimum BW Limit",
        "ib_write_bw -D 0| Duration period must be positive",
        "ib_write_bw --output=x| Invalid verbosity level output flag. Please use bandwidth, latency, message_rate"},
        ignoreLeadingAndTrailingWhitespace = false)
    void shouldRefuseAnOption(String line, String complaint) {
        ToolFailure failure = assertThrows(ToolFailure.class, () -> parse(line));

        assertEquals(complaint + "\n Parser function exited with Error", failure.getMessage());
        assertEquals(1, failure.exitCode());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ib_read_bw -c UC| UC connection not possible in READ/ATOMIC verbs",
        "ib_write_bw -c UD| UD connection only possible in SEND verb",
        "ib_write_bw -c XX| Invalid Connection type. Please choose from {RC,UC,UD,XRC,DC,SRD}",
        "ib_atomic_bw -A X| Invalid Atomic type! please choose from {CMP_AND_SWAP,FETCH_AND_ADD}",
        "ib_atomic_bw -s 16|Message size cannot be changed for Atomic tests ",
        "ib_write_bw -T 3| TOS only valid for rdma_cm based QP and RawEth QP ",
        "ib_send_bw -R -c UC| UC is not supported in librdmacm",
        "ib_write_bw -D 2 -f 1|please check that DURATION > 2*MARGIN",
        "ib_send_bw -e -D 2|Duration mode doesn't work with events.",
        "ib_write_bw -a -D 2|Duration mode currently doesn't support running on all sizes.",
        "ib_write_bw -l 7|Number of iterations must be a multiple of post list size",
        "ib_write_bw -l 100 -Q 3|Post list size must be a multiple of CQ moderation",
        "ib_send_lat -l 2|Post list is supported in BW tests only",
        "ib_write_bw --output=latency| Output verbosity level for BW can be: bandwidth, message_rate",
        "ib_send_lat --output=bandwidth| Output verbosity level for LAT can be: latency",
        "ib_send_bw -X 3| Events must be enabled to select a completion vector",
        "ib_write_bw --use-srq| Using SRQ only avavilible in SEND tests."}, ignoreLeadingAndTrailingWhitespace = false)
    void shouldRefuseACombination(String line, String complaint) {
        ToolFailure failure = assertThrows(ToolFailure.class, () -> parse(line));

        assertEquals(complaint, failure.getMessage());
        assertEquals(1, failure.exitCode());
    }

    @Test
    void shouldShowTheUsageForAWrongOption() {
        ToolFailure failure = assertThrows(ToolFailure.class, () -> parse("ib_write_bw --bogus"));

        assertEquals(" Invalid Command or flag.\n Please check command line and run again.\n\n Parser function exited with Error",
            failure.getMessage());
        assertEquals("ib_write_bw: unrecognized option '--bogus'\n", err.toString());
        assertTrue(out.toString().startsWith("Usage:\n  ib_write_bw            start a server and wait for connection\n"), out.toString());
    }

    @Test
    void shouldSayWhatTheOriginalHasAndThisHasNot() {
        for (String option : List.of("--mmap=/dev/zero", "-O", "--run_infinitely", "-W x")) {
            ToolFailure failure = assertThrows(ToolFailure.class, () -> parse("ib_write_bw " + option));
            assertTrue(failure.getMessage().startsWith(" An option of the original that softrdma does not have."), failure.getMessage());
        }
    }

    @Test
    void shouldPrintTheVersionAndTheHelp() {
        assertNull(parse("ib_write_bw -V"));
        assertEquals("Version: 6.06\n", out.toString());
        assertNull(parse("ib_atomic_bw -h"));
        assertTrue(out.toString().contains("  -A, --atomic_type=<type>  "), out.toString());
        assertFalse(out.toString().contains("--use-srq"), out.toString());
    }

    @Test
    void shouldKnowTheDefaults() {
        Parameters write = parse("ib_write_bw");
        assertTrue(write.isServer());
        assertFalse(write.sends);
        assertEquals(List.of(65536L, 5000, 128, 1, 1), List.of(write.size, write.iterations, write.txDepth, write.rxDepth,
            write.cqModeration));
        Parameters send = parse("ib_send_bw -s 4096 host");
        assertEquals("host", send.server);
        assertTrue(send.sends);
        assertEquals(List.of(1000, 128, 512, 100), List.of(send.iterations, send.txDepth, send.rxDepth, send.cqModeration));
        Parameters lat = parse("ib_send_lat");
        assertEquals(List.of(2L, 1000, 1, 512), List.of(lat.size, lat.iterations, lat.txDepth, lat.rxDepth));
        assertEquals(8, parse("ib_atomic_lat").size);
    }

    @Test
    void shouldFitDepthsToTheIterations() {
        Parameters few = parse("ib_send_bw -n 21 -s 64");
        assertEquals(List.of(21, 22, 21), List.of(few.txDepth, few.rxDepth, few.cqModeration));
        assertEquals(1000, parse("ib_send_bw -c UD").rxDepth);
        assertEquals(16000, parse("ib_send_bw -c UC -n 50000").rxDepth);
        assertEquals(512, parse("ib_send_bw -c UC -D 4").rxDepth);
        Parameters list = parse("ib_write_bw -l 20 -s 64");
        assertEquals(List.of(20, 20), List.of(list.postList, list.cqModeration));
    }

    @Test
    void shouldReadSizesAndNumbersAsCDoes() {
        assertEquals(4096, parse("ib_write_bw -s 4K").size);
        assertEquals(3 << 20, parse("ib_write_bw -s 3M").size);
        assertEquals(1 << 23, parse("ib_write_bw -a").size);
        assertEquals(16, parse("ib_write_bw -t 0x10").txDepth);
        assertEquals(8, parse("ib_write_bw -q 010").queuePairs);
    }

    @Test
    void shouldLetTheServerSend() {
        assertTrue(parse("ib_write_bw --reversed").sends);
        assertFalse(parse("ib_write_bw --reversed host").sends);
    }

    @Test
    void shouldNotLookForThePeakInVain() {
        assertFalse(parse("ib_write_bw -n 20000").noPeak);
        assertTrue(parse("ib_write_bw -n 20001").noPeak);
        assertTrue(parse("ib_send_bw").noPeak);
        assertFalse(parse("ib_send_bw host").noPeak);
        Parameters timed = parse("ib_write_bw -D 8");
        assertTrue(timed.noPeak);
        assertEquals(List.of(2, 0), List.of(timed.margin, timed.iterations));
    }
}
