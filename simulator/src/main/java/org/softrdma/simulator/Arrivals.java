// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Messages delivered to a queue pair without acknowledgements, as seen on the wire: the numbers of the messages whose packets all
 * arrived, intact and one after the other. Of these each may be received once, in this order, and nothing else: one that came twice is
 * here twice. Those that found no receive are passed over.
 */
final class Arrivals {
    private final List<Integer> messages = new ArrayList<>();
    /** Addresses and keys of WRITEs that arrived whole. */
    private final Set<Target> writes = new HashSet<>();
    private int next;
    private int received;
    /** Datagrams with another Q_Key than the queue pair's; they are not among the messages. */
    private int badQkeys;

    private record Target(long va, int rkey) {
    }

    /** A message that takes a receive has arrived. */
    void onMessage(int id) {
        messages.add(id);
    }

    void onWrite(long va, int rkey) {
        writes.add(new Target(va, rkey));
    }

    void onBadQkey() {
        badQkeys++;
    }

    /** @return whether that message was there to be received now */
    boolean receive(int id) {
        while (next < messages.size()) {
            if (messages.get(next++) == id) {
                received++;
                return true;
            }
        }
        return false;
    }

    boolean hasWrite(long va, int rkey) {
        return writes.contains(new Target(va, rkey));
    }

    /** Messages that arrived and were never received. */
    int lost() {
        return messages.size() - received;
    }

    int badQkeys() {
        return badQkeys;
    }

    int received() {
        return received;
    }
}
