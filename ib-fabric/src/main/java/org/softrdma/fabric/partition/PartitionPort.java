// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

/**
 * A port that may be a member of partitions.
 *
 * @param guid    PortGUID, u64
 * @param manages whether the subnet manager is at it
 */
public record PartitionPort(long guid, Kind kind, boolean manages) {
    /** Kinds of nodes. */
    public enum Kind { CHANNEL_ADAPTER, SWITCH, ROUTER }
}
