// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** What the report of a test begins with. */
enum Measure {
    LATENCY,
    MESSAGE_RATE,
    /** What arrived. */
    BANDWIDTH,
    /** What was sent and what arrived, where the two may differ. */
    BANDWIDTHS
}
