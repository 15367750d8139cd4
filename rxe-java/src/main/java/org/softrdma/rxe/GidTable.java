// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.device.config.NetDevice;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;

/**
 * The port's GIDs in kernel rxe's order: index 0 is the link-local GID made from the MAC, then come the interface's addresses, IPv4 before
 * IPv6. All are of type RoCE v2.
 */
final class GidTable {
    private final List<GidEntry> entries;

    private GidTable(List<GidEntry> entries) {
        this.entries = List.copyOf(entries);
    }

    /** @param addresses those of the interface that the device uses, in the interface's order */
    static GidTable of(NetDevice netdev, List<Gid> addresses) {
        List<GidEntry> entries = new ArrayList<>();
        Gid first = linkLocal(netdev.mac());
        entries.add(new GidEntry(first, 0, 1, GidType.ROCE_V2, netdev.name(), netdev.ifIndex()));
        for (Gid gid : addresses) {
            if (!gid.equals(first) && !gid.isZero()) {
                entries.add(new GidEntry(gid, entries.size(), 1, GidType.ROCE_V2, netdev.name(), netdev.ifIndex()));
            }
        }
        return new GidTable(entries);
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

    List<GidEntry> entries() {
        return entries;
    }

    /** The entry at {@code index}, or null if it is unused. */
    GidEntry at(int index) {
        return index < entries.size() ? entries.get(index) : null;
    }
}
