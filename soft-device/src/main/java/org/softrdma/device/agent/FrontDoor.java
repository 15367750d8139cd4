// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

/** The work that programs outside this process post into memory shared with them. Called by the device's owner. */
public interface FrontDoor {
    /**
     * Takes posted work requests into the device's queues, and reads what is at {@link #descriptor}. Called at the beginning of
     * every round.
     *
     * @return number of work requests taken
     */
    int poll(long nowNs);

    /** Returns when {@link #poll} must be called next even if nobody rings, or {@link Deadline#NEVER}. */
    long deadlineNs();

    /** Returns the descriptor that becomes readable when a program has posted work to an idle queue; it wakes the device. */
    int descriptor();
}
