// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** A map that knows each value as long as somebody else has it: whatever bounds those who have values bounds the map. */
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

    /** Null if there is none, or nobody has it any more. */
    V get(K key) {
        forgetUnused();
        Entry<K, V> entry = entries.get(key);
        return entry == null ? null : entry.get();
    }

    void put(K key, V value) {
        entries.put(key, new Entry<>(key, value, unused));
    }

    /** Each that somebody has. */
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

    /** How many there are, those included that nobody has any more and nobody noticed yet. */
    int size() {
        return entries.size();
    }
}
