// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A thread domain ({@code struct ibv_td}): objects made with it, through a parent domain, are used by one thread at a time. A device may
 * leave out locks for them; those of this project do not, so breaking the promise harms nothing here.
 */
public interface ThreadDomain extends AutoCloseable {
    Context context();

    /** EBUSY while parent domains use it. */
    @Override
    void close();
}
