// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import org.softrdma.verbs.VerbsException;

/** A device's protocol engine as its {@link DeviceAgent} sees it: pure work on given time, one owner at a time. */
public interface DeviceWork {
    /**
     * Does one round: receive, doorbells, timers, transmit.
     *
     * @param nowNs monotonic time
     * @return how much was done; 0 means nothing was to do
     */
    int doWork(long nowNs);

    /**
     * Does the part of a round that takes input.
     *
     * @param nowNs monotonic time
     * @return whether a receive of the application completed: its answer is likely to follow at once, and acknowledgements can go with it
     */
    default boolean receive(long nowNs) {
        doWork(nowNs);
        return false;
    }

    /**
     * Does the part of a round that sends, doorbells and transmit, without input. A whole round serves as well.
     *
     * @param nowNs monotonic time
     * @return how much was done; 0 means nothing was to do
     */
    default int transmit(long nowNs) {
        return doWork(nowNs);
    }

    /** When {@link #doWork} must be called next even without packet or doorbell, or {@link Deadline#NEVER}. */
    long deadlineNs();

    /** Parks the leader's thread up to {@code timeoutNs}, until a packet or {@link #wakeup}. */
    void await(long timeoutNs);

    /** Ends the current or next {@link #await}. */
    void wakeup();

    /**
     * Sets the only source of work that programs outside this process post, which can end {@link #await} too.
     *
     * @param door the source
     * @throws VerbsException EOPNOTSUPP: the device waits in a way that the door's descriptor cannot end
     */
    default void frontDoor(FrontDoor door) {
        throw VerbsException.unsupported("open_device");
    }
}
