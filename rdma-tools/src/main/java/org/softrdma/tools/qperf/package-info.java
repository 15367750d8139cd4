// SPDX-License-Identifier: Apache-2.0
/**
 * qperf: bandwidth and latency of verbs and of sockets, between two ends that agree over TCP. {@link org.softrdma.tools.qperf.QPerf} reads
 * the command line; a {@link org.softrdma.tools.qperf.Session} is one end of one test, {@link org.softrdma.tools.qperf.ControlConnection}
 * what the ends say to each other in the formats of {@code Request}, {@code Node} and {@code Statistics};
 * {@link org.softrdma.tools.qperf.Tests} has the tests, {@link org.softrdma.tools.qperf.Report} what they print. Protocol, texts and
 * numbers are those of qperf 0.4.11.
 */
package org.softrdma.tools.qperf;
