// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

/**
 * A rule that makes ports members of a partition.
 *
 * @param who     which ports
 * @param guid    PortGUID, u64, of {@link Who#PORT}
 * @param full    whether they are full members
 * @param limited whether they are limited members; a port can be both
 */
public record Member(Who who, long guid, boolean full, boolean limited) {
    /** Ports that a rule is about. */
    public enum Who {
        /** One port. */
        PORT,
        /** All ends of routes. */
        ALL,
        /** Ports of channel adapters. */
        ALL_CAS,
        /** Switches. */
        ALL_SWITCHES,
        /** Ports of routers. */
        ALL_ROUTERS,
        /** The port of the subnet manager. */
        SELF
    }

    /** Whether the rule is about a port. */
    boolean includes(PartitionPort port) {
        return switch (who) {
            case PORT -> guid == port.guid();
            case ALL -> true;
            case ALL_CAS -> port.kind() == PartitionPort.Kind.CHANNEL_ADAPTER;
            case ALL_SWITCHES -> port.kind() == PartitionPort.Kind.SWITCH;
            case ALL_ROUTERS -> port.kind() == PartitionPort.Kind.ROUTER;
            case SELF -> port.manages();
        };
    }
}
