// SPDX-License-Identifier: Apache-2.0
package org.softrdma.examples.keyvalue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;

/**
 * The server of the store: registered memory, which clients write and read by one-sided operations. No code of the server runs meanwhile.
 *
 * <pre>
 *  slot:  version (8) | length (8) | value (4080)
 * </pre>
 *
 * A version is odd while its slot is being written.
 */
final class KeyValueTable implements AutoCloseable {
    static final int SLOT_BYTES = 4096;
    static final int LENGTH_OFFSET = 8;
    static final int VALUE_OFFSET = 16;

    private final int slots;
    private final MemoryRegion memory;

    /** Where a client finds the table. Programs on several machines send it over a socket. */
    record Address(long address, int rkey, int slots) {
    }

    KeyValueTable(ProtectionDomain pd, int slots) {
        this.slots = slots;
        memory = pd.register(Arena.ofAuto().allocate((long) slots * SLOT_BYTES, 8),
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
    }

    Address address() {
        return new Address(memory.address(), memory.rkey(), slots);
    }

    /** Returns the value of a key; null while it is being written, an empty one if nothing was stored. */
    String read(int key) {
        return value(memory.memory().asSlice((long) key * SLOT_BYTES, SLOT_BYTES));
    }

    /** The value in a copy of a slot, or in the slot itself; null while it is being written. */
    static String value(MemorySegment slot) {
        if ((slot.get(ValueLayout.JAVA_LONG, 0) & 1) != 0) {
            return null;
        }
        byte[] value = new byte[(int) slot.get(ValueLayout.JAVA_LONG, LENGTH_OFFSET)];
        MemorySegment.copy(slot, ValueLayout.JAVA_BYTE, VALUE_OFFSET, value, 0, value.length);
        return new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        memory.close();
    }
}
