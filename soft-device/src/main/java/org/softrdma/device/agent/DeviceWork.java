// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

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
     * The part of a round that takes what has come in.
     *
     * @return whether a receive of an application completed: its answer is likely to follow at once, and what is to be sent can go with it
     */
    default boolean receive(long nowNs) {
        return doWork(nowNs) > 0;
    }

    /** The part of a round that sends: doorbells and transmit, without a look at what has come in. A whole round will do. */
    default void transmit(long nowNs) {
        doWork(nowNs);
    }

    /** When {@link #doWork} must be called next even if no packet and no doorbell comes; {@link Long#MAX_VALUE} for never. */
    long deadlineNs();

    /** Parks the owner's thread up to {@code timeoutNs}, until a packet or {@link #wakeup}. */
    void await(long timeoutNs);

    /** Ends the current or next {@link #await}. */
    void wakeup();
}
