// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

/**
 * Pages of rings that a program has cut off. Access to one is an {@link InternalError}, which compiled code throws only at its next
 * safepoint poll: after inlining, that may be behind the end of the {@code try} that guards the access.
 */
public final class LostPages {
    /** Volatile, so that the loop of {@link #raise} is not a counted one: the JIT compilers leave the safepoint poll in all others. */
    private static volatile int rounds = 2;

    private LostPages() {
    }

    /**
     * Throws the error of earlier accesses of this thread, if the JVM still owes one. The last statement of every {@code try} that guards
     * accesses to rings; costs two loads.
     *
     * @throws InternalError a page is lost
     */
    public static void raise() {
        int round = 0;
        do {
            round++;
        } while (round < rounds);
    }
}
