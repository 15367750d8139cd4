// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Results in what clients printed: perftest 4.5 and rdma-core 44 under run, and our tools. */
class ToolOutputTest {
    private static String recorded(String name) throws Exception {
        try (InputStream in = ToolOutputTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldReadLatencies() throws Exception {
        assertEquals(Map.of("us.p50", 839.86, "us.mean", 1487.73, "us.p99", 18822.09, "us.p99.9", 18822.09),
            ToolOutput.latency(recorded("ib_send_lat-c.txt")));
        assertEquals(Map.of("us.p50", 921.43, "us.mean", 2076.22, "us.p99", 26854.49, "us.p99.9", 26854.49),
            ToolOutput.latency(recorded("ib_send_lat-java.txt")));
    }

    @Test
    void shouldReadBandwidthInBytesOfTheSize() throws Exception {
        // 387.57 of 2^20 bytes a second; the message rate beside it says 0.006201 million of 65,536 bytes.
        Map<String, Double> c = ToolOutput.bandwidth(recorded("ib_read_bw-c.txt"));
        assertEquals(0.4064, c.get("GBps.65536"), 0.0001);
        assertEquals(6201 * 65536 / 1e9, c.get("GBps.65536"), 0.0001);
        assertEquals(Map.of("GBps.65536", 240.56 * 1_048_576 / 1e9), ToolOutput.bandwidth(recorded("ib_read_bw-java.txt")));
    }

    @Test
    void shouldReadTheTimeOfAnIteration() throws Exception {
        assertEquals(Map.of("us.iteration", 1544.46), ToolOutput.pingPong(recorded("ibv_rc_pingpong-c.txt")));
        assertEquals(Map.of("us.iteration", 1444.24), ToolOutput.pingPong(recorded("ibv_rc_pingpong-java.txt")));
    }

    @Test
    void shouldFailWithoutAResult() throws Exception {
        String[] withoutResult = {"", "Couldn't listen to port 18515\n", recorded("ibv_rc_pingpong-c.txt").substring(0, 150)};
        for (String output : withoutResult) {
            assertThrows(Processes.Failed.class, () -> ToolOutput.latency(output));
            assertThrows(Processes.Failed.class, () -> ToolOutput.bandwidth(output));
            assertThrows(Processes.Failed.class, () -> ToolOutput.pingPong(output));
        }
        String latency = recorded("ib_send_lat-c.txt");
        assertThrows(Processes.Failed.class, () -> ToolOutput.bandwidth(latency), "another tool's columns");
        String bandwidth = recorded("ib_read_bw-c.txt");
        assertThrows(Processes.Failed.class, () -> ToolOutput.latency(bandwidth), "another tool's columns");
    }

    @Test
    void shouldFindTheDaemon() throws Exception {
        assertEquals(30169, ToolOutput.daemon("softrdmad runs as process 30169 for 0 s; programs: 0\n"));
        assertThrows(Processes.Failed.class, () -> ToolOutput.daemon("softrdmad does not run\n"));
    }
}
