// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.verbs.Gid;

/** A station on the wire that paths lead to: its MAC address, once that is known. Belongs to the link's owner. */
final class Neighbour {
    private final Gid address;
    private long mac;
    private long requestedNs;
    private boolean used;

    /** @param mac u48, {@link RouteSocket#UNKNOWN} or {@link RouteSocket#UNREACHABLE} */
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

    /** A packet leaves to it. @return u48; meaningful if it is known */
    long macToUse() {
        used = true;
        return mac;
    }

    /** Whether packets left to it since this was asked last. */
    boolean wasUsed() {
        boolean was = used;
        used = false;
        return was;
    }

    void setMac(long newMac) {
        mac = newMac;
    }

    /** When the kernel was told last to find it, on {@link System#nanoTime}'s clock. */
    long requestedNs() {
        return requestedNs;
    }

    void setRequestedNs(long ns) {
        requestedNs = ns;
    }
}
