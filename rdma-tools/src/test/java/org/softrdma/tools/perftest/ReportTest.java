// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.Transport;

/** Headings and tables are those that perftest 4.5 printed when the recordings in interop-tests/lab/golden were made. */
class ReportTest {
    private static final Path GOLDEN = Path.of(System.getProperty("basedir", ".")).resolve("../interop-tests/lab/golden");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Console console = new Console(new PrintStream(out, true), new PrintStream(new ByteArrayOutputStream()));

    /** The first lines name the commands: guest 2 is the server, guest 1 the client. */
    private Parameters recorded(List<String> recording, String guest) {
        String command = recording.stream().filter(line -> line.startsWith(guest)).findFirst().orElseThrow();
        List<String> words = new ArrayList<>(List.of(command.substring(command.indexOf(": ") + 2).split(" ")));
        String name = words.removeFirst();
        Parameters parameters = CommandLine.parse(Verb.valueOf(name.split("_")[1].toUpperCase(Locale.ROOT)), name.endsWith("lat"), name,
            words, console);
        parameters.mtu = parameters.mtuBytes == 0 ? Mtu.MTU_4096 : Mtu.ofBytes(parameters.mtuBytes);
        parameters.outstandingReads = 128;
        return parameters;
    }

    private static List<String> between(List<String> recording, String begin, String end) {
        int from = recording.indexOf(begin) + 1;
        int to = end == null ? recording.size() : recording.indexOf(end);
        return recording.subList(from, to);
    }

    @ParameterizedTest
    @ValueSource(strings = {"perf-write-bw", "perf-read-bw", "perf-send-bw", "perf-send-lat", "perf-atomic-fetch-add",
        "perf-atomic-cmp-swap"})
    void shouldHeadATestAsTheOriginal(String name) throws IOException {
        List<String> recording = Files.readAllLines(GOLDEN.resolve(name + ".txt"));

        assertHeading(recorded(recording, "guest 1"), between(recording, "--- client", "--- server"));
        assertHeading(recorded(recording, "guest 2"), between(recording, "--- server", null));
    }

    /** Lines of the box about PCIe, a bus that soft devices do not have. */
    private static void assertHeading(Parameters parameters, List<String> printed) {
        int title = 0;
        while (!printed.get(title).endsWith(" Test")) {
            title++;
        }
        int from = title - 1;
        List<String> ours = new TestInfo(parameters, "rxe0", Transport.INFINIBAND).heading().lines().toList();
        List<String> theirs = printed.subList(from, from + ours.size());
        assertEquals(String.join("\n", theirs).replace("PCIe relax order: ON", "PCIe relax order: OFF"), String.join("\n", ours));
    }

    @Test
    void shouldPrintTheRowsOfABandwidthTest() throws IOException {
        List<String> recording = Files.readAllLines(GOLDEN.resolve("perf-write-bw.txt"));
        List<String> table = recording.subList(recording.indexOf(" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   "
            + "MsgRate[Mpps]") - 1, recording.indexOf("--- server"));
        Parameters parameters = recorded(recording, "guest 1");
        Results results = new Results(parameters, console, new TestInfo(parameters, "rxe0", Transport.INFINIBAND));

        results.header();
        String[] numbers = table.get(2).strip().split("\\s+");
        results.bandwidth(new BandwidthReport(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Double.parseDouble(numbers[2]),
            Double.parseDouble(numbers[3]), Double.parseDouble(numbers[4])));
        results.line();

        assertEquals(String.join("\n", table) + "\n", out.toString());
    }

    @Test
    void shouldPrintTheHeaderOfALatencyTest() throws IOException {
        List<String> recording = Files.readAllLines(GOLDEN.resolve("perf-send-lat.txt"));
        Parameters parameters = recorded(recording, "guest 1");

        new Results(parameters, console, new TestInfo(parameters, "rxe0", Transport.INFINIBAND)).header();

        String header = out.toString().lines().toList().get(1);
        assertTrue(recording.contains(header), header);
    }

    @Test
    void shouldShowSmallGigabitsWithMoreDigits() {
        Parameters parameters = parameters(Verb.WRITE, "--report_gbits");
        Results results = new Results(parameters, console, new TestInfo(parameters, "rxe0", Transport.INFINIBAND));

        results.bandwidth(new BandwidthReport(8, 5000, 0.05, 0.0123, 0.25));
        results.bandwidth(new BandwidthReport(65536, 5000, 12, 10.5, 0.02));

        assertEquals(" 8          5000           0.050000            0.012300            0.250000\n"
            + " 65536      5000             12.00              10.50  \t\t   0.020000\n", out.toString());
    }

    @Test
    void shouldPrintOneNumber() {
        Parameters parameters = parameters(Verb.WRITE, "--output=message_rate");
        Results results = new Results(parameters, console, new TestInfo(parameters, "rxe0", Transport.INFINIBAND));

        results.header();
        results.bandwidth(new BandwidthReport(65536, 5000, 12, 10.5, 0.02));

        assertEquals("0.020000\n", out.toString());
    }

    @Test
    void shouldPrintAndWriteJson(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("out.json");
        Parameters parameters = parameters(Verb.WRITE, "--json", "--out_json", "--out_json_file=" + file);
        Results results = new Results(parameters, console, new TestInfo(parameters, "rxe\"0", Transport.INFINIBAND));

        results.header();
        results.bandwidth(new BandwidthReport(65536, 5000, 12, 10.5, 0.02));

        assertEquals("{\"test_info\": {\"test\": \"RDMA_Write_BW_Test\", \"Dual_port\": \"OFF\", \"Device\": \"rxe\\\"0\", "
            + "\"Number_of_qps\": 1, "
            + "\"Transport_type\": \"IB\", \"Connection_type\": \"RC\", \"Using_SRQ\": \"OFF\", \"PCIe_relax_order\": \"OFF\", "
            + "\"ibv_wr_API\": \"OFF\", \"CQ_Moderation\": 1, \"Mtu\": 4096, \"Link_type\": \"Ethernet\", \"GID_index\": 1, "
            + "\"Max_inline_data\": 0, \"rdma_cm_QPs\": \"OFF\", \"Data_ex_method\": \"Ethernet\"}, \"results\": {\"MsgSize\": 65536, "
            + "\"n_iterations\": 5000, \"BW_peak\": 12.00, \"BW_average\": 10.50, \"MsgRate\": 0.020000}}\n", out.toString());
        assertEquals(out.toString(), Files.readString(file));
    }

    private Parameters parameters(Verb verb, String... options) {
        Parameters parameters = CommandLine.parse(verb, false, "ib_write_bw", List.of(options), console);
        parameters.mtu = Mtu.MTU_4096;
        parameters.gidIndex = 1;
        return parameters;
    }
}
