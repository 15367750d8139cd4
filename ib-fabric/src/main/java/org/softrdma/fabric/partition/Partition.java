// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

import java.util.List;
import org.softrdma.wire.ib.PKeyBlock;

/**
 * A partition: ports can send to each other if both are members, and at least one of them is a full member. Source: IBA vol 1 §10.9.
 *
 * @param name      for people
 * @param pkey      P_Key without the membership, 15 bits, not 0
 * @param atZero    whether its P_Key is the first one of its members
 * @param broadcast properties of the broadcast group of IP over InfiniBand; null for none
 * @param members   rules, of which several may be about a port
 */
public record Partition(String name, int pkey, boolean atZero, Broadcast broadcast, List<Member> members) {
    /** P_Key of the default partition, without the membership. */
    public static final int DEFAULT_PKEY = PKeyBlock.DEFAULT & PKeyBlock.PARTITION;

    public Partition {
        members = List.copyOf(members);
    }

    boolean hasFull(PartitionPort port) {
        return members.stream().anyMatch(each -> each.full() && each.includes(port));
    }

    /** Whether a port is a limited member: it is to be both, or no rule makes it a full one. */
    boolean hasLimited(PartitionPort port) {
        boolean both = members.stream().anyMatch(each -> each.full() && each.limited() && each.includes(port));
        return both || !hasFull(port) && members.stream().anyMatch(each -> each.limited() && each.includes(port));
    }
}
