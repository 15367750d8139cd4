// SPDX-License-Identifier: Apache-2.0
/**
 * Bandwidth and latency of SEND, RDMA WRITE, RDMA READ and atomics: {@code ib_send_bw}, {@code ib_send_lat} and so on, the programs of
 * perftest 6.06, with that program or ours at the other end.
 *
 * <p>In reading order: {@link org.softrdma.tools.perftest.PerfTest} is a test from its command line ({@code CommandLine},
 * {@code Parameters}) to its exit code; {@code Peer} is what the two ends say to each other, over a {@code ControlChannel};
 * {@code Endpoint} is what is opened on the device, and {@code Connection} how its queue pairs find the peer's; {@code Measurement} is the
 * traffic; {@code TestInfo}, {@code BandwidthTable}, {@code LatencyTable} and {@code JsonReport} are what is printed.
 */
package org.softrdma.tools.perftest;
