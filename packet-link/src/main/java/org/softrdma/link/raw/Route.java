// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

/** The neighbour that packets to a peer are sent to: the peer itself, or a router. Changes with the routing table. For the link's owner. */
final class Route {
    private Neighbour neighbour;

    Route(Neighbour neighbour) {
        this.neighbour = neighbour;
    }

    Neighbour neighbour() {
        return neighbour;
    }

    /** Sends later packets to that neighbour. */
    void setNeighbour(Neighbour next) {
        neighbour = next;
    }
}
