// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.verbs.Gid;

/** A station on the wire that is the next hop of paths, with its MAC address once that is known. For the link's owner. */
final class Neighbour {
    private final Gid address;
    private long mac;
    private long requestedNs;
    private boolean used;

    /**
     * Creates a neighbour.
     *
     * @param mac u48, {@link RouteSocket#UNKNOWN} or {@link RouteSocket#UNREACHABLE}
     */
    Neighbour(Gid address, long mac) {
        this.address = address;
        this.mac = mac;
    }

    Gid address() {
        return address;
    }

    boolean isKnown() {
        return mac >= 0;
    }

    boolean isUnreachable() {
        return mac == RouteSocket.UNREACHABLE;
    }

    /**
     * Notes that a packet is sent to it.
     *
     * @return its MAC address, u48; meaningful if it is known
     */
    long macToUse() {
        used = true;
        return mac;
    }

    /** Whether packets were sent to it since the last call. */
    boolean wasUsed() {
        boolean was = used;
        used = false;
        return was;
    }

    void setMac(long newMac) {
        mac = newMac;
    }

    /** Time of the last request to the kernel to resolve it, on {@link System#nanoTime}'s clock. */
    long requestedNs() {
        return requestedNs;
    }

    void setRequestedNs(long ns) {
        requestedNs = ns;
    }
}
