// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * How many connections have come and not asked for anything yet: together, and of each address, so that whoever connects and says nothing
 * takes the places of nobody else. The owner's.
 */
final class HalfOpen {
    /** Of all peers; beyond, a new one is closed at once. Each takes a socket and a few kilobytes. */
    static final int MOST = 1024;
    /** Of one address; beyond, a new one of that address is closed at once. */
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

    /** It has asked, or will not any more. */
    void leave(InetAddress address) {
        all--;
        ofAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    /** Together. */
    int count() {
        return all;
    }
}
