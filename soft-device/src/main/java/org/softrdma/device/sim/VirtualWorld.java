// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

/** A clock of virtual time and whatever happens by itself as it advances: packets that arrive, timers of a simulated network. */
public interface VirtualWorld {
    /** Everything random in a simulation follows from it. */
    long seed();

    /** The present, in nanoseconds; may be negative, as {@link System#nanoTime} may be. */
    long nowNs();

    /** When something happens by itself next; {@link Long#MAX_VALUE} for never. */
    long nextEventNs();

    /** Moves the clock to {@code timeNs}, which is not before {@link #nowNs()}, and lets happen what happens until then. */
    void advanceTo(long timeNs);

    /** What is under way, for the message of a {@link StalledException}. */
    String describe();
}
