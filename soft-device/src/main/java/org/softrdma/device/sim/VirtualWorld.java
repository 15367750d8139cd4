// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

import org.softrdma.device.agent.Deadline;

/** A clock of virtual time and whatever happens by itself as it advances: packets that arrive, timers of a simulated network. */
public interface VirtualWorld {
    /** Everything random in a simulation follows from it. */
    long seed();

    /** The present, in nanoseconds; may be negative, as {@link System#nanoTime} may be. */
    long nowNs();

    /** When something happens by itself next; {@link Deadline#NEVER}. */
    long nextEventNs();

    /** Moves the clock to {@code timeNs}, which is not before {@link #nowNs()}, and lets happen what happens until then. */
    void advanceTo(long timeNs);

    /** What is under way, for the message of a {@link StalledException}. */
    String describe();
}
