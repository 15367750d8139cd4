// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.LinkStore;
import org.softrdma.tools.ToolProcesses;

/** The tests as processes of their own, over real sockets on the loopback. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PerfTestEndToEndTest extends ToolProcesses {
    private static final String BANDWIDTH = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]";

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
    }

    /** Bytes and messages of the last row of each end, and how many rows there are. */
    @ParameterizedTest
    @CsvSource({
        "ib_write_bw -c UC -s 1024 -n 100, 1024, 100, 1",
        "ib_write_bw -q 4 -s 2048 -n 50 -Q 7 -t 20, 2048, 200, 1",
        "ib_write_bw -s 64 -l 10 -n 200, 64, 200, 1",
        "ib_write_bw -b -q 2 -n 50, 65536, 100, 1",
        "ib_write_bw --perform_warm_up -m 1024 -I 64 -s 64 -n 50, 64, 50, 1",
        "ib_write_bw --reversed -n 50, 65536, 50, 1",
        "ib_read_bw -n 100 -o 4, 65536, 100, 1",
        "ib_read_bw -e -R -q 2 -n 50, 65536, 100, 1",
        "ib_atomic_bw -A CMP_AND_SWAP -q 2 -b -n 50, 8, 100, 1",
        "ib_send_bw -b -R -q 2 -n 50, 65536, 100, 1",
        "ib_send_bw -a -n 6, 8388608, 6, 23",
        "ib_send_bw -c UD -a -b -n 20, 4096, 20, 12",
        "ib_send_bw -c UD -R -s 500 -n 50, 500, 50, 1",
        "ib_send_bw -c UC -s 1000 -n 100, 1000, 100, 1",
        "ib_send_bw -e -q 4 --use-srq -s 4096 -n 50, 4096, 200, 1"})
    void shouldMeasureBandwidth(String command, long bytes, long messages, int rows) throws Exception {
        Pair pair = run(command);

        // All sizes of datagrams are those up to the MTU, and that is said.
        assertEquals(command.contains("UD -a") ? " Max msg size in UD is MTU 4096\n Changing to this MTU\n" : "", pair.client().err());
        // A server that only serves prints what the client tells it; of all sizes that is the last.
        boolean serverServes = command.contains("write") || command.contains("read") || command.contains("atomic");
        for (Ended end : List.of(pair.client(), pair.server())) {
            List<String> lines = end.out().lines().toList();
            int header = lines.indexOf(BANDWIDTH);
            assertTrue(header > 0, pair.toString());
            List<String> table = lines.subList(header + 1, lines.size() - 1);
            assertEquals(end == pair.server() && serverServes ? 1 : rows, table.size(), pair.toString());
            String[] last = table.getLast().strip().split("\\s+");
            assertEquals(List.of(Long.toString(bytes), Long.toString(messages)), List.of(last[0], last[1]), pair.toString());
            assertTrue(Double.parseDouble(last[4]) > 0, pair.toString());
            assertEquals("-".repeat(87), lines.getLast());
        }
        String address = pair.client().out().lines().filter(line -> line.contains(" local address")).findFirst().orElseThrow();
        assertTrue(pair.server().out().contains(address.replace("local", "remote")), pair.toString());
        if (serverServes && !command.contains("-b")) {
            assertEquals(pair.client().out().lines().toList().reversed().get(1), pair.server().out().lines().toList().reversed().get(1));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ib_send_lat -c UD -e -n 100, 2, 1", "ib_send_lat -a -n 6, 8388608, 23", "ib_send_lat -R -c UD -n 50, 2, 1",
        "ib_write_lat -c UC -s 1 -n 300, 1, 1", "ib_write_lat -R -a -n 6, 8388608, 23", "ib_write_lat -z -n 50 --latency_gap 20, 2, 1",
        "ib_read_lat -e -R -n 50 -s 5000, 5000, 1", "ib_atomic_lat -n 100, 8, 1"})
    void shouldMeasureLatency(String command, String bytes, int rows) throws Exception {
        Pair pair = run(command);

        assertEquals("", pair.client().err());
        boolean serverServes = command.startsWith("ib_read") || command.startsWith("ib_atomic");
        for (Ended end : serverServes ? List.of(pair.client()) : List.of(pair.client(), pair.server())) {
            List<String> lines = end.out().lines().toList();
            List<String> table = lines.stream().dropWhile(line -> !line.startsWith(" #bytes")).skip(1).toList();
            assertEquals(rows + 1, table.size(), pair.toString());
            String[] last = table.get(rows - 1).strip().split("\\s+");
            assertEquals(9, last.length, pair.toString());
            assertEquals(bytes, last[0]);
            double minimum = Double.parseDouble(last[2]);
            assertTrue(minimum > 0 && minimum <= Double.parseDouble(last[4]) && minimum <= Double.parseDouble(last[3]), pair.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw", "ib_send_bw -b", "ib_write_bw", "ib_send_lat", "ib_write_lat", "ib_atomic_lat"})
    void shouldMeasureForATime(String tool) throws Exception {
        Pair pair = run(tool + " -D 1 -f 0");

        String row = pair.client().out().lines().toList().reversed().get(1);
        assertTrue(Long.parseLong(row.strip().split("\\s+")[1]) > 0, pair.toString());
        assertFalse(pair.client().err().contains("messages/s"), "the live rate is for terminals");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_write_bw -R -n 50", "ib_read_bw -R -n 50", "ib_send_lat -R -n 50"})
    void shouldMeasureOverIwarp(String command) throws Exception {
        onlyIwarp();
        Pair pair = run(command);

        assertTrue(pair.client().out().contains("Transport type : IW\n"), pair.toString());
        assertTrue(pair.client().out().lines().toList().reversed().get(1).matches(" (65536|2) +50 .*"), pair.toString());
    }

    /** A message more than the receiver has receives for would end the connection. */
    @ParameterizedTest
    @CsvSource({"-n 5000 -s 64 -r 16, 64, 5000", "-n 2000 -s 4096 -r 8 -b -q 2, 4096, 4000", "-n 600 -s 64 -r 30 -l 20, 64, 600",
        "-n 300 -s 64 -r 10 -e, 64, 300", "-n 5 -a, 8388608, 5", "-n 5 -s 64, 64, 5"})
    void shouldNotSendFasterThanReceivesArePostedOverIwarp(String options, long bytes, long messages) throws Exception {
        onlyIwarp();
        Pair pair = run("ib_send_bw -R " + options);

        for (Ended end : List.of(pair.client(), pair.server())) {
            String row = end.out().lines().toList().reversed().get(1);
            assertTrue(row.matches(" " + bytes + " +" + messages + " .*"), pair.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw -R", "ib_send_bw -R -b"})
    void shouldMeasureForATimeOverIwarp(String command) throws Exception {
        onlyIwarp();
        Pair pair = run(command + " -D 1 -f 0 -r 16");

        String row = pair.client().out().lines().toList().reversed().get(1);
        assertTrue(Long.parseLong(row.strip().split("\\s+")[1]) > 0, pair.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ib_send_bw -R --use-srq | siw0 is an iWARP device, where a message without a receive ends the connection.",
        "ib_write_bw | siw0 is an iWARP device: its queue pairs are connected by the connection manager, with -R at both ends.",
        "ib_send_bw -R -n 40 -l 40 | Of an rx depth of 40, the server of an iWARP device gives credits for 28 messages at once: "})
    void shouldSayWhatCannotBeOverIwarp(String command, String complaint) throws Exception {
        onlyIwarp();
        Ended server = start(command + " -p " + freePort()).await();

        assertEquals(1, server.exitCode());
        assertTrue(server.err().startsWith(complaint), server.err());
    }

    private void onlyIwarp() {
        LinkStore.at(directory).remove("rxe0");
        addLink("siw0", "siw");
    }

    @Test
    void shouldPrintNothingButJson() throws Exception {
        Pair pair = run("ib_write_bw --json -n 20 -s 64");

        assertTrue(pair.client().out().matches(
            "\\{\"test_info\": \\{\"test\": \"RDMA_Write_BW_Test\", .*\\}, \"results\": \\{\"MsgSize\": 64, "
            + "\"n_iterations\": 20, \"BW_peak\": [0-9.]+, \"BW_average\": [0-9.]+, \"MsgRate\": [0-9.]+\\}\\}\n"), pair.client().out());
    }

    @Test
    void shouldFailBelowALimit() throws Exception {
        Pair pair = pair("ib_write_bw -n 20", "ib_write_bw -n 20 -w 10000000");

        assertEquals(1, pair.client().exitCode());
        assertEquals("Error: BW result is below bw limit\n", pair.client().err());
        assertEquals(0, pair.server().exitCode());
    }

    /** The server has room for 64 bytes, the client sends 4096. */
    @Test
    void shouldFailWhenTheSizesDiffer() throws Exception {
        Pair pair = pair("ib_send_bw -n 20 -s 64", "ib_send_bw -n 20 -s 4096");

        assertEquals(17, pair.server().exitCode(), pair.toString());
        assertTrue(pair.server().err().startsWith(" Completion with error at server\n Failed status 1: wr_id 0 syndrom 0x"),
            pair.toString());
        assertEquals(17, pair.client().exitCode(), pair.toString());
        assertTrue(pair.client().err().startsWith(" Completion with error at client\n Failed status 9: wr_id 0 syndrom 0x"),
            pair.toString());
    }

    @Test
    void shouldSayWhoIsNotThere() throws Exception {
        int port = freePort();
        Ended client = start("ib_write_bw -p " + port + " 127.0.0.1").await();

        assertEquals(1, client.exitCode());
        assertTrue(client.err().startsWith("Couldn't connect to 127.0.0.1:" + port
            + "\nUnable to open file descriptor for socket connection Unable to init the socket connection\n"), client.err());
    }

    @Test
    void shouldSayWhichDeviceIsNotThere() throws Exception {
        Ended send = start("ib_send_bw -d nosuchdevice").await();
        Ended read = start("ib_read_bw -d nosuchdevice").await();

        assertEquals("IB device nosuchdevice not found\n Unable to find the Infiniband/RoCE device\nThere are: rxe0\n", send.err());
        assertEquals(List.of(1, 7), List.of(send.exitCode(), read.exitCode()));
    }

    @Test
    void shouldNotSendLargeDatagrams() throws Exception {
        Pair pair = pair("ib_send_bw -c UD -s 5000", "ib_send_bw -c UD -s 5000");

        assertEquals(" Max message size in UD cannot be greater than MTU \n Couldn't get context for the device\n", pair.client().err());
        assertEquals(1, pair.client().exitCode());
    }

    /** The same command at both ends, and both end well. */
    private Pair run(String command) throws IOException, InterruptedException {
        Pair pair = pair(command, command);
        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        return pair;
    }
}
