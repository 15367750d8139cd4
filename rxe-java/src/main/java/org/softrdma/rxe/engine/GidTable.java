// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.SubnetPort;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;

/**
 * GIDs of the port in kernel rxe's order: first the link-local GID made from the MAC, then the interface's addresses, IPv4 before IPv6. A
 * link with both versions of RoCE has each GID twice, v1 before v2, as Linux lists those of adapters. An address keeps its indexes until
 * the interface loses it; new addresses take the first free indexes. On an InfiniBand subnet the GIDs are the subnet's prefix with the
 * GUIDs of the port's table.
 *
 * <p>Changed by one thread at a time, read by any thread.
 */
public final class GidTable {
    private final List<GidType> types;
    private volatile GidEntry[] slots = {};

    private GidTable(List<GidType> types) {
        this.types = types;
    }

    /** A GID in one version of RoCE. */
    private record Wanted(Gid gid, GidType type) {
    }

    /**
     * Makes the table of an interface.
     *
     * @param types     versions of RoCE, in the order of the table
     * @param addresses addresses of the interface that the device uses, in the interface's order
     */
    public static GidTable of(NetDevice netdev, List<GidType> types, List<Gid> addresses) {
        GidTable table = new GidTable(types);
        table.update(netdev, addresses);
        return table;
    }

    /**
     * Updates the table to the interface's present addresses, as many as it has room for.
     *
     * @return whether a GID was added or removed
     */
    public boolean update(NetDevice netdev, List<Gid> addresses) {
        GidEntry[] before = slots;
        List<Wanted> wanted = wanted(netdev, addresses);
        GidEntry[] now = new GidEntry[RxeLimits.GID_TABLE_LENGTH];
        for (int i = 0; i < types.size(); i++) {
            now[i] = entry(wanted.removeFirst(), i, netdev);
        }
        for (int i = types.size(); i < before.length; i++) {
            if (before[i] != null && wanted.remove(new Wanted(before[i].gid(), before[i].type()))) {
                now[i] = entry(new Wanted(before[i].gid(), before[i].type()), i, netdev);
            }
        }
        for (int i = types.size(); i < now.length && !wanted.isEmpty(); i++) {
            if (now[i] == null) {
                now[i] = entry(wanted.removeFirst(), i, netdev);
            }
        }
        slots = now;
        return !Arrays.equals(before, now);
    }

    /** Makes the table of a port on an InfiniBand subnet. */
    public static GidTable of(SubnetPort port) {
        GidTable table = new GidTable(List.of(GidType.IB));
        table.update(port);
        return table;
    }

    /**
     * Updates the table to the GUIDs of a port on an InfiniBand subnet, which keep their indexes.
     *
     * @return whether a GID was added or removed
     */
    public boolean update(SubnetPort port) {
        GidEntry[] before = slots;
        GidEntry[] now = new GidEntry[port.guids().size()];
        for (int i = 0; i < now.length; i++) {
            now[i] = port.gid(i).isZero() ? null : new GidEntry(port.gid(i), i, 1, GidType.IB, "", 0);
        }
        slots = now;
        return !Arrays.equals(before, now);
    }

    private List<Wanted> wanted(NetDevice netdev, List<Gid> addresses) {
        List<Gid> gids = new ArrayList<>(List.of(netdev.defaultGid()));
        addresses.stream().filter(gid -> !gid.isZero() && !gids.contains(gid)).forEach(gids::add);
        List<Wanted> wanted = new ArrayList<>();
        for (Gid gid : gids) {
            for (GidType type : types) {
                wanted.add(new Wanted(gid, type));
            }
        }
        return wanted;
    }

    private static GidEntry entry(Wanted wanted, int index, NetDevice netdev) {
        return new GidEntry(wanted.gid, index, 1, wanted.type, netdev.name(), netdev.ifIndex());
    }

    /** All addresses of an interface, as GIDs. */
    public static List<Gid> addressesOf(NetDevice netdev) {
        List<Gid> gids = new ArrayList<>();
        for (InetAddress address : netdev.addresses()) {
            gids.add(Gid.of(address));
        }
        return gids;
    }

    /** Used entries in the order of their index. */
    public List<GidEntry> entries() {
        return Arrays.stream(slots).filter(Objects::nonNull).toList();
    }

    /** Entry at {@code index}, or null if it is unused. */
    public GidEntry at(int index) {
        GidEntry[] now = slots;
        return index < now.length ? now[index] : null;
    }
}
