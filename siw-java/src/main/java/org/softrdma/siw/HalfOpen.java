// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Number of accepted connections whose request is not received yet, in total and for each address, so that one silent host cannot take
 * the places of others. For the device's owner.
 */
final class HalfOpen {
    /** Limit for all peers, above which a new connection is closed at once. Each takes a socket and a few kilobytes. */
    static final int MOST = 1024;
    /** Limit for one address, above which a new connection of that address is closed at once. */
    static final int MOST_OF_ONE = MOST / 4;

    private final Map<InetAddress, Integer> ofAddress = new HashMap<>();
    private int all;

    boolean isFull() {
        return all >= MOST;
    }

    boolean isFull(InetAddress address) {
        return ofAddress.getOrDefault(address, 0) >= MOST_OF_ONE;
    }

    void enter(InetAddress address) {
        all++;
        ofAddress.merge(address, 1, Integer::sum);
    }

    /** Removes a connection whose request was received, or which has ended. */
    void leave(InetAddress address) {
        all--;
        ofAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    /** Number for all addresses. */
    int count() {
        return all;
    }
}
