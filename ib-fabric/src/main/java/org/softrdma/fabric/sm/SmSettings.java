// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.partition.Partitions;

/**
 * Settings of a subnet manager.
 *
 * @param portGuid         GUID of the port that it uses, u64
 * @param priority         0 to 15; of several managers, that of the greatest priority becomes the master
 * @param sweepIntervalNs  interval of light sweeps; {@link Deadline#NEVER} for none
 * @param timeoutNs        time for a response
 * @param segments         whether clients of subnet administration receive messages of several packets
 * @param partitions       partitions of the subnet
 * @param firstTransaction transaction ID of the first request; those after it follow
 */
public record SmSettings(long portGuid, int priority, long sweepIntervalNs, long timeoutNs, boolean segments, Partitions partitions,
                         long firstTransaction) {
    /** Greatest priority. */
    public static final int MAX_PRIORITY = 15;
    /** Interval of light sweeps unless another one is chosen, as of opensm. */
    public static final long SWEEP_INTERVAL_NS = 10_000_000_000L;
    /** Time for a response unless another one is chosen, as of opensm. */
    public static final long TIMEOUT_NS = 200_000_000;

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException a value is out of range
     */
    public SmSettings {
        if (priority < 0 || priority > MAX_PRIORITY || sweepIntervalNs <= 0 || timeoutNs <= 0) {
            throw new IllegalArgumentException("priority " + priority + ", intervals " + sweepIntervalNs + ", " + timeoutNs);
        }
    }
}
