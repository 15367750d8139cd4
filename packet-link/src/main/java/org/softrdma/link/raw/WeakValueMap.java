// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** A map with weak references to its values: an entry disappears when its value is referenced from nowhere else. */
final class WeakValueMap<K, V> {
    private final Map<K, Entry<K, V>> entries = new HashMap<>();
    private final ReferenceQueue<V> unused = new ReferenceQueue<>();

    private static final class Entry<K, V> extends WeakReference<V> {
        private final K key;

        Entry(K key, V value, ReferenceQueue<V> unused) {
            super(value, unused);
            this.key = key;
        }
    }

    /** The value of a key; null if there is none or it was collected. */
    V get(K key) {
        forgetUnused();
        Entry<K, V> entry = entries.get(key);
        return entry == null ? null : entry.get();
    }

    void put(K key, V value) {
        entries.put(key, new Entry<>(key, value, unused));
    }

    /** Applies the action to every live entry. */
    void forEach(BiConsumer<K, V> action) {
        forgetUnused();
        for (Entry<K, V> each : entries.values()) {
            V value = each.get();
            if (value != null) {
                action.accept(each.key, value);
            }
        }
    }

    private void forgetUnused() {
        for (Object gone = unused.poll(); gone != null; gone = unused.poll()) {
            // The key may have another value by now.
            entries.remove(((Entry<?, ?>) gone).key, gone);
        }
    }

    /** Number of entries, including collected values that were not removed yet. */
    int size() {
        return entries.size();
    }
}
