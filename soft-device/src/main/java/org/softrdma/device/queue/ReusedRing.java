// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.util.function.Supplier;

/**
 * A bounded queue of objects that are used again: {@link #add} hands out the object of a slot, which has what its last use left there. Each
 * slot's object is made when it is first needed, since most queue pairs never have more than a few at once. One thread at a time.
 *
 * @param <T> what a slot has
 */
public final class ReusedRing<T> {
    private final Object[] slots;
    private final Supplier<T> maker;
    private int head;
    private int size;

    /**
     * Creates an empty ring.
     *
     * @param capacity maximum number of elements, at least 1
     * @param maker    makes the object of a slot
     */
    public ReusedRing(int capacity, Supplier<T> maker) {
        slots = new Object[capacity];
        this.maker = maker;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean isFull() {
        return size == slots.length;
    }

    public void clear() {
        size = 0;
    }

    /** Adds an element behind the newest, and returns it; there is room. */
    public T add() {
        if (size == 0) {
            // In memory that was used last.
            head = 0;
        }
        int slot = slot(size);
        if (slots[slot] == null) {
            slots[slot] = maker.get();
        }
        return at(size++);
    }

    /**
     * Returns an element.
     *
     * @param index 0 for the oldest, {@code size() - 1} for the newest
     */
    @SuppressWarnings("unchecked")
    public T at(int index) {
        return (T) slots[slot(index)];
    }

    /** Returns the oldest element; there is one. */
    public T oldest() {
        return at(0);
    }

    /** Returns the newest element; there is one. */
    public T newest() {
        return at(size - 1);
    }

    /** Removes the oldest element; there is one. */
    public void removeOldest() {
        head = slot(1);
        size--;
    }

    /** Removes the newest element; there is one. */
    public void removeNewest() {
        size--;
    }

    private int slot(int index) {
        return (head + index) % slots.length;
    }
}
