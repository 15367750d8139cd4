// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import static org.softrdma.tools.qperf.Measure.BANDWIDTH;
import static org.softrdma.tools.qperf.Measure.BANDWIDTHS;
import static org.softrdma.tools.qperf.Measure.LATENCY;
import static org.softrdma.tools.qperf.Measure.MESSAGE_RATE;
import static org.softrdma.tools.qperf.Parameter.ACCESS_RECV;
import static org.softrdma.tools.qperf.Parameter.NO_MSGS;
import static org.softrdma.tools.qperf.Parameter.POLL_MODE;
import static org.softrdma.tools.qperf.Parameter.RD_ATOMIC;

import java.util.List;
import java.util.function.Supplier;
import org.softrdma.verbs.QpType;

/** All tests, each at the place that is its number in a {@link Request}. */
final class Tests {
    /** @param make a test is used once */
    record Entry(String name, String summary, Supplier<PerfTest> make) {
    }

    private static final int STREAM_BYTES = 64 << 10;
    private static final int DATAGRAM_BYTES = 2 << 10;

    /** Numbers are those of a qperf built without XRC, as distributions have it. */
    static final List<Entry> ALL = List.of(
        new Entry("conf", "show what both ends are", ConfTest::new),
        new Entry("quit", "end the server", QuitTest::new),
        new Entry("rds_bw", "not in Java", () -> new MissingTest("RDS")),
        new Entry("rds_lat", "not in Java", () -> new MissingTest("RDS")),
        new Entry("sctp_bw", "not in Java", () -> new MissingTest("SCTP")),
        new Entry("sctp_lat", "not in Java", () -> new MissingTest("SCTP")),
        new Entry("sdp_bw", "not in Java", () -> new MissingTest("SDP")),
        new Entry("sdp_lat", "not in Java", () -> new MissingTest("SDP")),
        new Entry("tcp_bw", "TCP, one way", TcpTest::bandwidth),
        new Entry("tcp_lat", "TCP, there and back", TcpTest::latency),
        new Entry("udp_bw", "UDP, one way", UdpTest::bandwidth),
        new Entry("udp_lat", "UDP, there and back", UdpTest::latency),
        bothWays("rc_bi_bw", QpType.RC, BANDWIDTH, STREAM_BYTES),
        oneWay("rc_bw", QpType.RC, BANDWIDTH, STREAM_BYTES),
        atomics("rc_compare_swap_mr", "RC compare and swap", Atomic.COMPARE_SWAP),
        atomics("rc_fetch_add_mr", "RC fetch and add", Atomic.FETCH_ADD),
        pingPong("rc_lat", QpType.RC),
        new Entry("rc_rdma_read_bw", "RC RDMA READ, the server's data to the client", () -> RdmaTest.of(QpType.RC, BANDWIDTH, STREAM_BYTES,
            RdmaStream::ofReads, () -> new Passive(0), ACCESS_RECV, RD_ATOMIC, POLL_MODE)),
        new Entry("rc_rdma_read_lat", "RC RDMA READ, one after the other", () -> RdmaTest.of(QpType.RC, LATENCY, 1,
            RdmaStream::ofSingleReads, () -> new Passive(0), POLL_MODE)),
        writes("rc_rdma_write_bw", QpType.RC, BANDWIDTH),
        writePingPong("rc_rdma_write_lat", QpType.RC),
        writePolling("rc_rdma_write_poll_lat", QpType.RC),
        bothWays("uc_bi_bw", QpType.UC, BANDWIDTHS, STREAM_BYTES),
        oneWay("uc_bw", QpType.UC, BANDWIDTHS, STREAM_BYTES),
        pingPong("uc_lat", QpType.UC),
        writes("uc_rdma_write_bw", QpType.UC, BANDWIDTHS),
        writePingPong("uc_rdma_write_lat", QpType.UC),
        writePolling("uc_rdma_write_poll_lat", QpType.UC),
        bothWays("ud_bi_bw", QpType.UD, BANDWIDTHS, DATAGRAM_BYTES),
        oneWay("ud_bw", QpType.UD, BANDWIDTHS, DATAGRAM_BYTES),
        pingPong("ud_lat", QpType.UD),
        verification("ver_rc_compare_swap", "RC compare and swap, every result checked", Atomic.COMPARE_SWAP),
        verification("ver_rc_fetch_add", "RC fetch and add, every result checked", Atomic.FETCH_ADD));

    private Tests() {
    }

    /** The number of the test of that name, or -1. */
    static int indexOf(String name) {
        for (int i = 0; i < ALL.size(); i++) {
            if (ALL.get(i).name.equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private static Entry oneWay(String name, QpType type, Measure measure, int bytes) {
        return new Entry(name, type + " SEND, one way",
            () -> RdmaTest.of(type, measure, bytes, SendStream::new, ReceiveStream::new, ACCESS_RECV, NO_MSGS, POLL_MODE));
    }

    private static Entry bothWays(String name, QpType type, Measure measure, int bytes) {
        return new Entry(name, type + " SEND, both ways at once",
            () -> RdmaTest.of(type, measure, bytes, BothWaysStream::new, ACCESS_RECV, POLL_MODE));
    }

    private static Entry pingPong(String name, QpType type) {
        return new Entry(name, type + " SEND, there and back", () -> RdmaTest.of(type, LATENCY, 1, PingPong::bySending, POLL_MODE));
    }

    private static Entry writes(String name, QpType type, Measure measure) {
        return new Entry(name, type + " RDMA WRITE with immediate, one way",
            () -> RdmaTest.of(type, measure, STREAM_BYTES, RdmaStream::ofWrites, ReceiveStream::new, POLL_MODE));
    }

    private static Entry writePingPong(String name, QpType type) {
        return new Entry(name, type + " RDMA WRITE with immediate, there and back",
            () -> RdmaTest.of(type, LATENCY, 1, PingPong::byWriting, POLL_MODE));
    }

    private static Entry writePolling(String name, QpType type) {
        return new Entry(name, type + " RDMA WRITE, there and back, noticed by looking at memory",
            () -> RdmaTest.of(type, LATENCY, 1, WritePolling::new));
    }

    private static Entry atomics(String name, String what, Atomic operation) {
        return new Entry(name, what + ", messages per second", () -> RdmaTest.of(QpType.RC, MESSAGE_RATE, 0,
            () -> new Atomics(operation), () -> new Passive(Long.BYTES), POLL_MODE, RD_ATOMIC));
    }

    private static Entry verification(String name, String what, Atomic operation) {
        return new Entry(name, what, () -> RdmaTest.of(QpType.RC, MESSAGE_RATE, STREAM_BYTES,
            () -> new AtomicSequence(operation), () -> new Passive(Long.BYTES), POLL_MODE, RD_ATOMIC));
    }
}
