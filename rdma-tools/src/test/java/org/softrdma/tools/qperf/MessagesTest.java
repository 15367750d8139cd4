// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.tools.ToolRun;

/** The binary messages, both ways, against bytes of qperf 0.4.11. */
class MessagesTest {
    @Test
    void shouldReadARequest() {
        Request request = Request.parse(Golden.UC_REQUEST);
        request.checkVersion();
        assertEquals("uc_bw", Tests.ALL.get(request.index()).name());
        assertEquals("mlx5_0:2", request.text(Parameter.ID));
        assertEquals("4xQDR", request.text(Parameter.STATIC_RATE));
        assertEquals(List.of(1, 2, 1, 65536, 1024, 1000, 1, 7777, 3, 128_000, 1, 0, 5, 0),
            List.of(request.number(Parameter.ACCESS_RECV), request.number(Parameter.ALT_PORT), request.number(Parameter.FLIP),
                request.number(Parameter.MSG_SIZE), request.number(Parameter.MTU_SIZE), request.number(Parameter.NO_MSGS),
                request.number(Parameter.POLL_MODE), request.number(Parameter.PORT), request.number(Parameter.SERVICE_LEVEL),
                request.number(Parameter.SOCK_BUF_SIZE), request.number(Parameter.SRC_PATH_BITS), request.number(Parameter.TIME),
                request.number(Parameter.TIMEOUT), request.number(Parameter.USE_CM)));
        assertEquals(4, Request.parse(Golden.READ_REQUEST).number(Parameter.RD_ATOMIC));
        assertEquals("rc_rdma_read_bw", Tests.ALL.get(Request.parse(Golden.READ_REQUEST).index()).name());
    }

    @Test
    void shouldWriteARequest() {
        Request request = Request.of(Tests.indexOf("rc_rdma_read_bw")).number(Parameter.MSG_SIZE, 65536).number(Parameter.RD_ATOMIC, 4)
            .number(Parameter.TIME, 7).number(Parameter.TIMEOUT, 9).number(Parameter.USE_CM, 1);
        assertArrayEquals(Golden.READ_REQUEST, request.toMessage());
    }

    /** The numbers of a build without XRC, as observed: 33 is the first that is none. */
    @Test
    void shouldNumberTheTestsAsDebianDoes() {
        assertEquals(33, Tests.ALL.size());
        assertEquals(List.of(0, 13, 17, 30, 32), List.of(Tests.indexOf("conf"), Tests.indexOf("rc_bw"), Tests.indexOf("rc_rdma_read_bw"),
            Tests.indexOf("ud_lat"), Tests.indexOf("ver_rc_fetch_add")));
    }

    @Test
    void shouldSayWhichEndIsTooOld() {
        assertEquals("upgrade qperf on client from 0.3.1 to 0.4.11", versionFailure("000003000100"));
        assertEquals("upgrade qperf on server from 0.4.11 to 0.5.1", versionFailure("000005000100"));
        assertEquals("upgrade qperf on server from 0.4.11 to 65535.4.11", versionFailure("ffff04000b00"));
        Request.parse(HexFormat.of().parseHex("00000400ffff")).checkVersion();
    }

    private static String versionFailure(String hex) {
        return assertThrows(QPerfFailure.class, () -> Request.parse(HexFormat.of().parseHex(hex)).checkVersion()).getMessage();
    }

    @Test
    void shouldReadAndWriteStatistics() {
        Statistics statistics = Statistics.parse(Golden.STATISTICS);
        assertEquals(List.of(2, 100, 0), List.of(statistics.processors, statistics.ticksPerSecond, statistics.maxCompletions));
        assertArrayEquals(new long[] {1720489462, 2600159, 577737, 697844, 1079328, 5865, 0, 63478, 12388}, statistics.begin);
        assertArrayEquals(new long[] {1720489562, 2600327, 577737, 697873, 1079329, 5865, 0, 63478, 12388}, statistics.end);
        assertEquals(List.of(5000L, 1000L, 0L), List.of(statistics.sent.bytes, statistics.sent.messages, statistics.sent.errors));
        assertEquals(List.of(5000L, 1000L, 0L),
            List.of(statistics.received.bytes, statistics.received.messages, statistics.received.errors));
        assertEquals(0, statistics.remoteSent.messages + statistics.remoteReceived.messages);
        assertArrayEquals(Golden.STATISTICS, statistics.toMessage());
    }

    @Test
    void shouldReadAConfigurationAndWriteItClean() {
        Configuration configuration = Configuration.parse(Golden.CONFIGURATION);
        assertEquals(new Configuration("vm", "2 Cores: AMD EPYC 2.6GHz", "Linux 6.18.44-fc-v657", "0.4.11"), configuration);
        byte[] written = configuration.toMessage();
        assertEquals(configuration, Configuration.parse(written));
        assertArrayEquals(Arrays.copyOf("vm".getBytes(), 64), Arrays.copyOf(written, 64));
    }

    @Test
    void shouldReadAndWriteANode() {
        byte[] bytes = HexFormat.of().parseHex("0010ed5a0b7f0000" + "00000000" + "12000000" + "56341200" + "00000000" + "df010000"
            + "00000000" + "80000000" + "00000000");
        Node node = new Node(0x7f0b5aed1000L, 0, 0x12, 0x123456, 0x1df, 128, false);
        assertEquals(node, Node.parse(bytes));
        assertArrayEquals(bytes, node.toMessage());
        bytes[36] = '+';
        bytes[37] = 'G';
        bytes[38] = 'I';
        bytes[39] = 'D';
        assertEquals(new Node(node.address(), 0, 0x12, 0x123456, 0x1df, 128, true), Node.parse(bytes));
    }

    /** Nothing a peer sends is refused by a parser: what does not make sense is refused where it is used, or shown as it is. */
    @Test
    void shouldTakeAnyBytes() {
        long seed = 4711;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[Statistics.BYTES];
            random.nextBytes(bytes);
            assertArrayEquals(Arrays.copyOf(bytes, 252), Arrays.copyOf(Statistics.parse(bytes).toMessage(), 252));
            byte[] request = Arrays.copyOf(bytes, Request.BYTES);
            assertArrayEquals(request, Request.parse(request).toMessage());
            assertTrue(Request.parse(request).text(Parameter.ID).length() <= Parameter.TEXT_BYTES);
            assertTrue(Configuration.parse(bytes).os().chars().noneMatch(each -> each == 27));
            Node node = Node.parse(Arrays.copyOf(bytes, Node.BYTES));
            assertEquals(node, Node.parse(node.toMessage()));
            shouldReport(Statistics.parse(bytes));
        }
        Statistics backwards = Statistics.parse(Golden.STATISTICS);
        backwards.end[CpuTimes.REAL] = backwards.begin[CpuTimes.REAL] - 100;
        shouldReport(backwards);
    }

    private static void shouldReport(Statistics remote) {
        Display display = new Display();
        display.verbose("-vv");
        display.debug = true;
        for (Measure measure : Measure.values()) {
            ResultTable table = new ResultTable(display);
            new Report(display, table).measured(measure, Statistics.parse(Golden.STATISTICS), remote, new Parameters());
            assertTrue(ToolRun.of(console -> {
                table.print(console);
                return 0;
            }).out().contains("  =  "));
        }
    }

    @Test
    void shouldReadWhatLinuxSaysOfItsProcessors() {
        long[] times = new long[CpuTimes.COUNT];
        CpuTimes.parse("cpu  2600159 577737 697844 1079328 5865 0 63478 12388 0 0\ncpu0 1 2 3\n", times);
        assertArrayEquals(new long[] {0, 2600159, 577737, 697844, 1079328, 5865, 0, 63478, 12388}, times);
        for (String strange : List.of("", "cpu", "intr 5 6", "cpu x y", "cpu 1 99999999999999999999 3")) {
            CpuTimes.parse(strange, times);
        }
        assertArrayEquals(new long[] {0, 1, 0, 3, 0, 0, 0, 0, 0}, times);
    }

    @Test
    void shouldDescribeProcessors() {
        List<String> intel = List.of("processor\t: 0", "model name\t: Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "cpu MHz\t\t: 2394.374",
            "processor\t: 1", "model name\t: Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "cpu MHz\t\t: 2394.374");
        assertEquals("2 Cores: Intel Xeon E5-2680 v4 @ 2.40GHz", Configuration.cpu(intel));
        assertEquals("AMD EPYC 2.6GHz", Configuration.cpu(List.of("model name\t: AMD EPYC", "cpu MHz\t\t: 2599.998")));
        assertEquals("2 Cores: Mixed CPUs", Configuration.cpu(List.of("model name\t: A", "model name\t: B")));
    }
}
