// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.softrdma.linux.process.FileIdentity;

/** All open files of ours in all programs, found by the identity that every copy of a descriptor has. Any thread. */
final class OpenFiles {
    /** Spreads the numbers of file systems, whose inodes would collide. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** One file in the table. */
    static final class Entry {
        final DeviceFile file;
        /** The device that was opened; null for a file of events. */
        final DeviceNode node;
        final Client owner;
        private Entry next;
        /** Whether its end was begun; guarded by the table's monitor. */
        private boolean ended;
        private boolean watched;

        Entry(DeviceFile file, DeviceNode node, Client owner) {
            this.file = file;
            this.node = node;
            this.owner = owner;
        }
    }

    /** Chains of entries with the same key; guarded by this object's monitor, as is the rest. */
    private final Long2ObjectHashMap<Entry> table = new Long2ObjectHashMap<>();

    private static long key(FileIdentity identity) {
        return identity.inode() + identity.device() * SPREAD;
    }

    /** Adds a file, or finds it if it was added before. */
    synchronized Entry add(DeviceFile file, DeviceNode node, Client owner) {
        Entry known = find(file.identity());
        if (known != null && known.file == file) {
            return known;
        }
        Entry entry = new Entry(file, node, owner);
        entry.next = table.put(key(file.identity()), entry);
        owner.files.add(entry);
        return entry;
    }

    /** Finds a file; null if it is not one of ours. */
    synchronized Entry find(FileIdentity identity) {
        Entry each = table.get(key(identity));
        while (each != null && !each.file.identity().isSame(identity)) {
            each = each.next;
        }
        return each;
    }

    /** Whether the caller is to watch for the last close of a file: true once. */
    synchronized boolean beginWatch(Entry entry) {
        boolean begin = !entry.watched && !entry.ended;
        entry.watched |= begin;
        return begin;
    }

    /**
     * Takes a file out.
     *
     * @return whether this call did: the caller ends the file then
     */
    synchronized boolean take(Entry entry) {
        if (entry.ended) {
            return false;
        }
        entry.ended = true;
        entry.owner.files.remove(entry);
        long key = key(entry.file.identity());
        Entry first = table.get(key);
        if (first == entry) {
            if (entry.next == null) {
                table.remove(key);
            } else {
                table.put(key, entry.next);
            }
            return true;
        }
        for (Entry each = first; each != null; each = each.next) {
            if (each.next == entry) {
                each.next = entry.next;
            }
        }
        return true;
    }

    /** The files that a process has opened and that have not ended. */
    synchronized List<Entry> of(Client owner) {
        return new ArrayList<>(owner.files);
    }

    synchronized boolean isEmpty() {
        return table.isEmpty();
    }
}
