// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/**
 * A device as {@code rdma} shows it. It is not opened: another process may be running it.
 *
 * @param index  position in the list, the kernel's device index
 * @param netdev the interface beneath, as it is now; null if it was removed, or there is none
 */
record Link(int index, ConfiguredLink configured, NetDevice netdev) {
    /** {@link PortAttributes#physState}. */
    private static final int LINK_UP = 5;
    /** {@link PortAttributes#physState}. */
    private static final int POLLING = 2;

    /** All links, in the order of the store. */
    static List<Link> all(LinkStore store) {
        List<Link> links = new ArrayList<>();
        for (ConfiguredLink each : store.effectiveLinks()) {
            links.add(new Link(links.size(), each, each.netdev().isEmpty() ? null : NetDevice.find(each.netdev())));
        }
        return links;
    }

    /** Finds a link by its name; null if there is none. */
    static Link find(List<Link> links, String name) {
        for (Link each : links) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    String name() {
        return configured.name();
    }

    PortState state() {
        PortAttributes port = portOfSubnet();
        if (port != null) {
            return port.state();
        }
        return netdev != null && netdev.running() ? PortState.ACTIVE : PortState.DOWN;
    }

    /** As kernel rxe derives it: without carrier it polls for one, on an interface that is down it is disabled. */
    String physicalState() {
        PortAttributes port = portOfSubnet();
        if (port != null) {
            return port.physState() == LINK_UP ? "LINK_UP" : port.physState() == POLLING ? "POLLING" : "DISABLED";
        }
        if (netdev == null || !netdev.up()) {
            return "DISABLED";
        }
        return netdev.running() ? "LINK_UP" : "POLLING";
    }

    /**
     * The port of a link that is on no network interface, as its device describes it.
     *
     * @return null for other links, and while its subnet cannot be reached
     */
    PortAttributes portOfSubnet() {
        if (!configured.netdev().isEmpty()) {
            return null;
        }
        for (RdmaDevice each : Verbs.devices(Verbs.SOFTRDMA)) {
            if (each.name().equals(name())) {
                try {
                    return each.describe().port();
                } catch (VerbsException unreachable) {
                    return null;
                }
            }
        }
        return null;
    }

    /** iWARP devices are rnic, all others channel adapters. */
    String nodeType() {
        return configured.type().equals("siw") ? "rnic" : "ca";
    }
}
