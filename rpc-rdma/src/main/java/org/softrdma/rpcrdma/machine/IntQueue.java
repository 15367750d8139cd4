// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/** A bounded queue of numbers, first in, first out. */
final class IntQueue {
    private final int[] numbers;
    private int head;
    private int size;

    IntQueue(int capacity) {
        numbers = new int[capacity];
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(int number) {
        if (size == numbers.length) {
            throw new IllegalStateException("more than " + size + " numbers");
        }
        numbers[(head + size++) % numbers.length] = number;
    }

    int first() {
        return numbers[head];
    }

    int remove() {
        int number = numbers[head];
        head = (head + 1) % numbers.length;
        size--;
        return number;
    }

    void clear() {
        size = 0;
    }
}
