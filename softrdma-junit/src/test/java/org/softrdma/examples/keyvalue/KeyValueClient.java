// SPDX-License-Identifier: Apache-2.0
package org.softrdma.examples.keyvalue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/** A client of the store. It waits by polling, and one thread uses it. */
class KeyValueClient implements AutoCloseable {
    /** Places in the memory of the client: the versions before and after a write, and the slot that is written or read. */
    private static final int ODD_VERSION = 0;
    private static final int EVEN_VERSION = 8;
    private static final int SLOT = 16;

    private final QueuePair qp;
    private final CompletionQueue cq;
    private final KeyValueTable.Address table;
    private final MemoryRegion memory;
    private final WorkCompletion[] done = WorkCompletion.array(4);
    private long version;

    KeyValueClient(ProtectionDomain pd, CompletionQueue cq, QueuePair qp, KeyValueTable.Address table) {
        this.qp = qp;
        this.cq = cq;
        this.table = table;
        memory = pd.register(Arena.ofAuto().allocate(SLOT + KeyValueTable.SLOT_BYTES, 8), AccessFlags.LOCAL_WRITE);
    }

    /** Stores a value; when this returns, every reader sees it. */
    void put(int key, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        MemorySegment local = memory.memory();
        local.set(ValueLayout.JAVA_LONG, ODD_VERSION, ++version);
        local.set(ValueLayout.JAVA_LONG, EVEN_VERSION, ++version);
        local.set(ValueLayout.JAVA_LONG, SLOT + KeyValueTable.LENGTH_OFFSET, bytes.length);
        MemorySegment.copy(bytes, 0, local, ValueLayout.JAVA_BYTE, SLOT + KeyValueTable.VALUE_OFFSET, bytes.length);
        writeVersion(key, ODD_VERSION);
        write(key, SLOT + KeyValueTable.LENGTH_OFFSET, KeyValueTable.LENGTH_OFFSET, Long.BYTES + bytes.length);
        writeVersion(key, EVEN_VERSION);
        // The memory belongs to the device until then: it may have to send the value again.
        await(3);
    }

    void writeVersion(int key, int from) {
        write(key, from, 0, Long.BYTES);
    }

    final void write(int key, int from, int slotOffset, int bytes) {
        qp.postSend(new SendRequest().write(slot(key) + slotOffset, table.rkey()).wrId(key).element(memory, from, bytes).signaled());
    }

    /** Returns a value; an empty one if nothing was stored. */
    String get(int key) {
        String value;
        do {
            qp.postSend(new SendRequest().read(slot(key), table.rkey()).wrId(key).element(memory, SLOT, KeyValueTable.SLOT_BYTES)
                .signaled());
            await(1);
            value = KeyValueTable.value(memory.memory().asSlice(SLOT));
        } while (value == null);
        return value;
    }

    /** Address of a key's slot. */
    long slot(int key) {
        return table.address() + (long) key % table.slots() * KeyValueTable.SLOT_BYTES;
    }

    /** Waits until requests have completed. */
    void await(int requests) {
        int completed = 0;
        while (completed < requests) {
            int polled = cq.poll(done);
            for (int i = 0; i < polled; i++) {
                if (!done[i].isSuccess()) {
                    throw new IllegalStateException("the store does not answer: " + done[i]);
                }
            }
            completed += polled;
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
