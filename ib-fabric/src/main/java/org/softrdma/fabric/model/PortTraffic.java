// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

/** Counters of a port, without the limits of the attributes that show them. Source: IBA vol 1 §16.1.3.5. */
final class PortTraffic {
    private static final int WORD = 4;

    /** In units of 4 bytes. */
    long xmitWords;
    /** In units of 4 bytes. */
    long rcvWords;
    long unicastXmitPackets;
    long unicastRcvPackets;
    long multicastXmitPackets;
    long multicastRcvPackets;
    long linkDowned;
    long rcvErrors;
    long rcvSwitchRelayErrors;
    long xmitDiscards;
    long xmitConstraintErrors;
    long rcvConstraintErrors;
    long qp1Dropped;
    long vl15Dropped;

    void countXmit(int bytes, boolean multicast) {
        xmitWords += bytes / WORD;
        if (multicast) {
            multicastXmitPackets++;
        } else {
            unicastXmitPackets++;
        }
    }

    void countRcv(int bytes, boolean multicast) {
        rcvWords += bytes / WORD;
        if (multicast) {
            multicastRcvPackets++;
        } else {
            unicastRcvPackets++;
        }
    }
}
