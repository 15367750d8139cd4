// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.net.InetSocketAddress;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.sm.SmSettings;

/**
 * Where and how a subnet manager runs.
 *
 * @param base         first part of the names of the server's sockets, as IBSIM_SOCKNAME says it
 * @param udp          address of the server's control port, which is used instead; null for none
 * @param node         id or description of the node; empty for the first one
 * @param priority     0 to {@link #MAX_PRIORITY}
 * @param sweepSeconds interval of sweeps for changes; 0 for none
 * @param timeoutMs    time for a response, at least 1
 * @param partitions   partitions of the subnet
 */
public record ManagerOptions(String base, InetSocketAddress udp, String node, int priority, int sweepSeconds, int timeoutMs,
                             Partitions partitions) {
    /** Greatest priority. */
    public static final int MAX_PRIORITY = SmSettings.MAX_PRIORITY;
    /** First part of the names of sockets unless another one is chosen. */
    public static final String DEFAULT_BASE = "sim";
    /** Control port unless another one is chosen. */
    public static final int DEFAULT_PORT = 7070;
    /** Interval of sweeps unless another one is chosen, seconds. */
    public static final int DEFAULT_SWEEP = 10;
    /** Time for a response unless another one is chosen, milliseconds. */
    public static final int DEFAULT_TIMEOUT = 200;
}
