// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

import org.softrdma.device.agent.Deadline;

/** A clock of virtual time and the events that occur as it advances: arriving packets, timers of a simulated network. */
public interface VirtualWorld {
    /** Returns the seed of all random choices in a simulation. */
    long seed();

    /** Returns the current virtual time in nanoseconds; may be negative, as {@link System#nanoTime} may be. */
    long nowNs();

    /** Returns the virtual time of the next event; {@link Deadline#NEVER} if there is none. */
    long nextEventNs();

    /**
     * Advances the clock and executes the events up to then.
     *
     * @param timeNs not before {@link #nowNs()}
     */
    void advanceTo(long timeNs);

    /** Returns a description of the pending events, for the message of a {@link StalledException}. */
    String describe();
}
