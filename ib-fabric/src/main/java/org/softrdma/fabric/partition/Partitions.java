// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.softrdma.wire.ib.PKeyBlock;

/**
 * All partitions of a subnet.
 *
 * @param all        in the order of the file, the default one included
 * @param fromAFile  whether P_Key tables have to be written; otherwise they are as at power on
 */
public record Partitions(List<Partition> all, boolean fromAFile) {
    /** Without a file: the default partition, of which all ports are full members, with its broadcast group. */
    public static final Partitions DEFAULT = new Partitions(List.of(new Partition("Default", Partition.DEFAULT_PKEY, false,
        Broadcast.DEFAULT, List.of(new Member(Member.Who.ALL, 0, true, false)))), false);

    public Partitions {
        all = List.copyOf(all);
    }

    /** P_Keys of a port, the first one first: that of a partition with {@link Partition#atZero}, or the default one. */
    public List<Integer> pkeysOf(PartitionPort port) {
        List<Integer> pkeys = new ArrayList<>();
        List<Partition> ordered = new ArrayList<>(all);
        ordered.sort(Comparator.comparingInt(each -> each.atZero() ? 0 : each.pkey() == Partition.DEFAULT_PKEY ? 1 : 2));
        for (Partition each : ordered) {
            if (each.hasFull(port)) {
                pkeys.add(each.pkey() | PKeyBlock.FULL_MEMBER);
            }
            if (each.hasLimited(port)) {
                pkeys.add(each.pkey());
            }
        }
        return pkeys;
    }
}
