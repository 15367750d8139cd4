// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * Search for a range of addresses in the text of /proc/PID/maps, which arrives in pieces: lines of {@code start-end perms …}, in
 * ascending order. Source: proc_pid_maps(5).
 */
final class MappingSearch {
    private static final int START = 0;
    private static final int END = 1;
    private static final int PERMISSIONS = 2;
    private static final int REST = 3;

    private final long end;
    private final boolean writable;
    /** Everything below is covered, from the start of the range on. */
    private long covered;
    private boolean decided;

    private int field = START;
    private long number;
    private long mappingStart;
    private long mappingEnd;
    private int permission;
    private boolean allowed;

    MappingSearch(long start, long end, boolean writable) {
        covered = start;
        this.end = end;
        this.writable = writable;
        decided = start == end;
    }

    /** Whether more text cannot change the result. */
    boolean isDecided() {
        return decided;
    }

    boolean isCovered() {
        return Long.compareUnsigned(covered, end) >= 0;
    }

    /** Takes the next piece of text. */
    void take(MemorySegment text, int length) {
        for (int i = 0; i < length && !decided; i++) {
            take(text.get(JAVA_BYTE, i));
        }
    }

    private void take(byte character) {
        switch (field) {
            case START, END -> number(character);
            case PERMISSIONS -> permission(character);
            default -> {
                if (character == '\n') {
                    field = START;
                }
            }
        }
    }

    private void number(byte character) {
        int digit = Character.digit(character, 16);
        if (digit >= 0) {
            number = number << 4 | digit;
            return;
        }
        if (field == START) {
            mappingStart = number;
        } else {
            mappingEnd = number;
            permission = 0;
            allowed = true;
        }
        number = 0;
        field++;
    }

    /** The characters are r or -, w or -, x or -, p or s. */
    private void permission(byte character) {
        if (permission == 0) {
            allowed = character == 'r';
        } else if (permission == 1) {
            allowed &= character == 'w' || !writable;
            mapping();
            field = REST;
        }
        permission++;
    }

    private void mapping() {
        // Addresses of the kernel, as [vsyscall], are above all others.
        if (Long.compareUnsigned(mappingEnd, covered) <= 0) {
            return;
        }
        if (Long.compareUnsigned(mappingStart, covered) > 0 || !allowed) {
            decided = true;
            return;
        }
        covered = mappingEnd;
        decided = Long.compareUnsigned(covered, end) >= 0;
    }
}
