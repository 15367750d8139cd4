// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** First value of a test's report. */
enum Measure {
    LATENCY,
    MESSAGE_RATE,
    /** Received data. */
    BANDWIDTH,
    /** Sent and received data, where the two may differ. */
    BANDWIDTHS
}
