// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Where packets go ({@code struct ibv_ah_attr} with its global route). RoCE always has a global route.
 *
 * @param dgid         the peer's GID
 * @param sgidIndex    our GID, by its index in the port's table
 * @param flowLabel    20 bits
 * @param hopLimit     0..255
 * @param trafficClass 0..255
 * @param sl           service level 0..15
 * @param port         our port, from 1
 */
public record AddressVector(Gid dgid, int sgidIndex, int flowLabel, int hopLimit, int trafficClass, int sl, int port) {

    /** Flow label, traffic class and service level 0, hop limit 64, port 1. */
    public static AddressVector to(Gid dgid, int sgidIndex) {
        return new AddressVector(dgid, sgidIndex, 0, 64, 0, 0, 1);
    }
}
