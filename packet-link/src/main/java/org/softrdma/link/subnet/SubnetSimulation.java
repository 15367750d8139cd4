// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.subnet;

import java.util.List;

/**
 * A subnet of switches, adapters and cables with subnet managers, on virtual time. The same calls with the same seed lead to the same run.
 * One thread at a time. Numbers of nodes and cables that do not exist are refused with {@link IllegalArgumentException}.
 */
public interface SubnetSimulation {
    /** Output port of a forwarding table that has none for a LID. */
    int NO_PORT = 0xFF;
    /** LID of the group that {@link #join} joins: the broadcast group of IP over InfiniBand. */
    int GROUP_LID = 0xC000;
    /** Destination of {@link #send} that means that group. */
    int TO_GROUP = -1;

    /**
     * A node.
     *
     * @param id      name in the topology
     * @param name    description
     * @param lid     of an adapter's port 1, or a switch's port 0; 0 before it has one
     * @param ports   number of physical ports
     * @param manager state of the subnet manager that runs there, as in {@code MASTER}; empty if none does
     */
    record NodeView(String id, String name, boolean isSwitch, int lid, int ports, String manager) {
    }

    /**
     * A cable between two ports.
     *
     * @param firstState  state of the port, as in {@code Active}
     * @param secondState state of the port at the other end
     */
    record CableView(int first, int firstPort, int second, int secondPort, boolean plugged, String firstState, String secondState) {
    }

    long nowNs();

    /** Nodes in the order of the topology. */
    List<NodeView> nodes();

    /** Cables in the order of the topology. */
    List<CableView> cables();

    /** Output port of a switch for a LID, 0 for the switch itself; {@link #NO_PORT} if its table has none. */
    int outputPort(int node, int lid);

    /** Whether a port of a switch belongs to the tree of a group, by the switch's table. */
    boolean isGroupPort(int node, int groupLid, int port);

    // ---- what can be done ----

    /** Plugs a cable in: its ports are initialized. */
    void plug(int cable);

    /** Pulls a cable: its ports go down. */
    void pull(int cable);

    /** Sets the share of datagrams that every cable loses, 0..1. */
    void loss(double share);

    /**
     * Starts a subnet manager at an adapter.
     *
     * @param priority 0 to 15
     * @throws IllegalArgumentException one runs there already, or the node is a switch
     */
    void manage(int node, int priority);

    /** Ends the subnet manager of a node without a word to the others. */
    void endManager(int node);

    /**
     * Joins the group {@link #GROUP_LID} by subnet administration.
     *
     * @throws IllegalArgumentException the adapter has no LID, or knows no subnet manager
     */
    void join(int node);

    /**
     * Sends packets of data, one after the other.
     *
     * @param to         adapter, or {@link #TO_GROUP}
     * @param intervalNs time between two packets
     * @throws IllegalArgumentException one of both has no LID
     */
    void send(int from, int to, int count, long intervalNs);

    /**
     * Lets the next thing happen: a datagram on its whole way, with the answer, or a timer.
     *
     * @return false if nothing is left to happen
     */
    boolean step();
}
