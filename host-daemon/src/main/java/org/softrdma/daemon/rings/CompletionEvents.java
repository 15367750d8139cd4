// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

/** Announcements of a completion queue to its program. Called by the device's owner; must not block. */
public interface CompletionEvents {
    /** Announces a completion that the program asked to be notified of: one event in its completion channel. */
    void completed();

    /** Announces that a completion was lost, once for each queue: the asynchronous event CQ_ERR. */
    void overrun();
}
