// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.softrdma.siw.config.MpaOptions;

/**
 * Accepted connections whose request is not received yet, in total and for each address, so that one silent host cannot take the places of
 * others. For the device's owner.
 *
 * @param <C> type of the connections
 */
final class HalfOpen<C> {
    /** Connections of each address, oldest first. */
    private final Map<InetAddress, Set<C>> ofAddress = new HashMap<>();
    private int all;

    /** Whether all addresses together have as many as there may be. */
    boolean isFull() {
        return all >= MpaOptions.MAX_HALF_OPEN;
    }

    /** @param share maximum for one address */
    boolean isFull(InetAddress address, int share) {
        return of(address).size() >= share;
    }

    private Set<C> of(InetAddress address) {
        return ofAddress.getOrDefault(address, Set.of());
    }

    /** Returns the oldest one of an address with a property, or null. */
    C oldest(InetAddress address, Predicate<C> property) {
        for (C each : of(address)) {
            if (property.test(each)) {
                return each;
            }
        }
        return null;
    }

    void enter(InetAddress address, C connection) {
        ofAddress.computeIfAbsent(address, none -> new LinkedHashSet<>()).add(connection);
        all++;
    }

    /** Removes a connection whose request was received, or which has ended. */
    void leave(InetAddress address, C connection) {
        Set<C> connections = of(address);
        all -= connections.remove(connection) ? 1 : 0;
        if (connections.isEmpty()) {
            ofAddress.remove(address);
        }
    }

    /** Number for all addresses. */
    int count() {
        return all;
    }
}
