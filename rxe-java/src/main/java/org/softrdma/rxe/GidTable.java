// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.softrdma.device.config.NetDevice;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;

/**
 * The port's GIDs in kernel rxe's order: index 0 is the link-local GID made from the MAC, then come the interface's addresses, IPv4 before
 * IPv6. All are of type RoCE v2. An address keeps its index as long as the interface has it; later ones take the first index that is free.
 *
 * <p>Changed by one thread at a time, read by any.
 */
final class GidTable {
    private volatile GidEntry[] slots = {};

    private GidTable() {
    }

    /** @param addresses those of the interface that the device uses, in the interface's order */
    static GidTable of(NetDevice netdev, List<Gid> addresses) {
        GidTable table = new GidTable();
        table.update(netdev, addresses);
        return table;
    }

    /** The interface has these addresses now; what the table has no room for is left out. @return whether a GID came or went */
    boolean update(NetDevice netdev, List<Gid> addresses) {
        GidEntry[] before = slots;
        List<Gid> wanted = new ArrayList<>(List.of(linkLocal(netdev.mac())));
        addresses.stream().filter(gid -> !gid.isZero() && !wanted.contains(gid)).forEach(wanted::add);
        GidEntry[] now = new GidEntry[RxeLimits.GID_TABLE_LENGTH];
        now[0] = entry(wanted.removeFirst(), 0, netdev);
        for (int i = 1; i < before.length; i++) {
            if (before[i] != null && wanted.remove(before[i].gid())) {
                now[i] = entry(before[i].gid(), i, netdev);
            }
        }
        for (int i = 1; i < now.length && !wanted.isEmpty(); i++) {
            if (now[i] == null) {
                now[i] = entry(wanted.removeFirst(), i, netdev);
            }
        }
        slots = now;
        return !Arrays.equals(before, now);
    }

    private static GidEntry entry(Gid gid, int index, NetDevice netdev) {
        return new GidEntry(gid, index, 1, GidType.ROCE_V2, netdev.name(), netdev.ifIndex());
    }

    /** All addresses of an interface, as GIDs. */
    static List<Gid> addressesOf(NetDevice netdev) {
        List<Gid> gids = new ArrayList<>();
        for (InetAddress address : netdev.addresses()) {
            gids.add(Gid.of(address));
        }
        return gids;
    }

    /** EUI-64 of a MAC: ff:fe in the middle, universal bit flipped. RFC 4291 appendix A */
    static long guid(long mac) {
        return ((mac & 0xffffff000000L) << 16 | 0xfffe000000L | mac & 0xffffffL) ^ 0x0200000000000000L;
    }

    static Gid linkLocal(long mac) {
        return new Gid(0xfe80L << 48, guid(mac));
    }

    /** The entries that are used, by index. */
    List<GidEntry> entries() {
        return Arrays.stream(slots).filter(Objects::nonNull).toList();
    }

    /** The entry at {@code index}, or null if it is unused. */
    GidEntry at(int index) {
        GidEntry[] now = slots;
        return index < now.length ? now[index] : null;
    }
}
