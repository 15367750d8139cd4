// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

/** Some bytes of a region. */
public record Slot(ShadowedMemory memory, int at, int length) {
    /** @return bytes {@code from} .. {@code from + bytes} of it */
    Slot part(int from, int bytes) {
        return new Slot(memory, at + from, bytes);
    }

    /** Address by which work requests and peers name it. */
    public long address() {
        return memory.address() + at;
    }

    public byte[] expected() {
        return memory.expected(at, length);
    }

    @Override
    public String toString() {
        return length + " at " + at + (memory.isDoomed() ? " (doomed)" : "");
    }
}
