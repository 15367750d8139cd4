// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.util.List;

/**
 * Something that a program has left behind.
 *
 * @param what  one line: an object that was not closed or completions that were not polled, with the device, or a task that failed unseen
 * @param where stack of the call that created the object or started the task, innermost frame first: the program's frames
 */
public record Leak(String what, List<StackTraceElement> where) {
    private static final int SHOWN_FRAMES = 3;

    /** Two lines or more: what it is, and the program's calls that made it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(what);
        for (StackTraceElement frame : where.subList(0, Math.min(where.size(), SHOWN_FRAMES))) {
            text.append(System.lineSeparator()).append("    created at ").append(frame);
        }
        return text.toString();
    }
}
