// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

/** Which neighbour takes packets to a peer: the peer itself, or a router. The host may change its mind. Belongs to the link's owner. */
final class Route {
    private Neighbour neighbour;

    Route(Neighbour neighbour) {
        this.neighbour = neighbour;
    }

    Neighbour neighbour() {
        return neighbour;
    }

    /** Packets go to that neighbour from now on. */
    void setNeighbour(Neighbour next) {
        neighbour = next;
    }
}
