// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The environment of this process, byte for byte, with changes: environ(7). The JVM's strings would not keep bytes that are no text. */
final class InheritedEnvironment {
    private static final AddressLayout STRINGS = ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(Long.MAX_VALUE / 8,
        ADDRESS));

    private InheritedEnvironment() {
    }

    /**
     * Builds an array of pointers that ends with NULL.
     *
     * @param changes variables to set or, with a null value, to remove
     */
    static MemorySegment with(Map<String, String> changes, Arena arena) {
        List<MemorySegment> strings = new ArrayList<>();
        MemorySegment variable = CLibrary.find("environ").orElseThrow().reinterpret(ADDRESS.byteSize());
        MemorySegment own = variable.get(STRINGS, 0);
        for (int i = 0; own.address() != 0 && own.getAtIndex(ADDRESS, i).address() != 0; i++) {
            MemorySegment each = own.getAtIndex(ADDRESS, i).reinterpret(Long.MAX_VALUE);
            if (!changes.containsKey(name(each))) {
                strings.add(each);
            }
        }
        changes.forEach((name, value) -> {
            if (value != null) {
                strings.add(arena.allocateFrom(name + '=' + value));
            }
        });
        MemorySegment array = arena.allocate(ADDRESS, strings.size() + 1L);
        for (int i = 0; i < strings.size(); i++) {
            array.setAtIndex(ADDRESS, i, strings.get(i));
        }
        return array;
    }

    private static String name(MemorySegment variable) {
        String text = variable.getString(0, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('=');
        return end < 0 ? text : text.substring(0, end);
    }
}
