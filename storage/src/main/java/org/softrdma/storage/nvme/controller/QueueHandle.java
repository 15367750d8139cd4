// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

/** A queue's connection, as its controller knows it. */
@FunctionalInterface
public interface QueueHandle {
    /** Ends the connection soon. Any thread; the queue reports its end by {@link QueueMachine#onEnd} later. */
    void end();
}
