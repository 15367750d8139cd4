// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A thread domain ({@code struct ibv_td}): objects made with it, through a parent domain, are used by one thread at a time. A device may
 * omit locks for them; those of this project do not, so breaking the promise has no effect here.
 */
public interface ThreadDomain extends AutoCloseable {
    /** {@return the context that it was allocated from} */
    Context context();

    /** Deallocates the thread domain; EBUSY while parent domains use it. */
    @Override
    void close();
}
