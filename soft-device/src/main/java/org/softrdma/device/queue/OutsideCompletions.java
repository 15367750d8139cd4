// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

/** A completion queue in memory that is shared with a program outside this process. */
public interface OutsideCompletions extends CompletionSink {
    /** Returns the number of completions that fit. Any thread. */
    int capacity();

    /** Returns the number of completions that the program has not taken, 0 to {@link #capacity}. Any thread. */
    int size();
}
