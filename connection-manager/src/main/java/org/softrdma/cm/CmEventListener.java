// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.cm.CmEvent;

/**
 * Learns about the events of a channel as they are queued, so that one thread can serve many channels. Methods are called with locks held,
 * among them the device's: they must return at once, and may call only {@link CmEvent}'s own accessors and {@code CmId.context}.
 */
public interface CmEventListener {
    /**
     * Decides whether an event is queued; called before it is.
     *
     * @return false to drop the event: it never occurs for the program, and need not be acknowledged
     */
    boolean admits(CmEvent event);

    /** Reports that one more event is in the queue. */
    void onQueued();

    /**
     * Reports that undelivered events have left the queue, because their identifier was closed or has moved to another channel.
     *
     * @param count 1 or more
     */
    void onRemoved(int count);
}
