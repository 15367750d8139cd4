// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.subnet;

/** Receives what happens in a {@link SubnetSimulation}. Nodes are numbered in the order of the topology, times are virtual. */
public interface SubnetObserver {
    /** Kinds of datagrams. */
    enum Kind {
        /** A management datagram: {@code bytes} are its 256. */
        MANAGEMENT,
        /** A packet of data: {@code bytes} are those from LRH to ICRC. */
        DATA
    }

    /**
     * A datagram went over a cable.
     *
     * @param sentNs when it left
     * @param from   node that it left
     * @param to     node at the other end of the cable
     * @param bytes  of the datagram as it ended; empty for a trap or an answer that was lost, and is not kept
     * @param drop   why it ended here without being received, by the name of a counter; empty if it went on or was received
     */
    void onHop(long sentNs, int from, int to, Kind kind, byte[] bytes, String drop);

    /** The state of a port changed, by itself or because subnet management wrote it: names as in {@code Active}. */
    void onPortState(long nowNs, int node, int port, String before, String now);

    /** A port got another LID; port 0 is a switch's own one. */
    void onLid(long nowNs, int node, int port, int lid);

    /** A block of a forwarding table of a switch was written. */
    void onForwarding(long nowNs, int node);

    /**
     * A subnet manager changed its state, or ended a sweep.
     *
     * @param event as in {@code MASTER}, {@code STANDBY} or {@code SUBNET UP}
     */
    void onManager(long nowNs, int node, String event);

    /** A packet of data arrived; its number counts from 0 for each transfer. */
    void onData(long nowNs, int node, int number);
}
