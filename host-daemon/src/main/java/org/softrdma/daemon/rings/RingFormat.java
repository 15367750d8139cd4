// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.device.queue.PostedReceives;
import org.softrdma.verbs.QpCapabilities;

/** The rings of a library: librxe's or libsiw's. */
public interface RingFormat {
    /** Rings of librxe, ABI version 2. */
    RingFormat RXE = new RxeRings();
    /** Rings of libsiw, ABI version 1. */
    RingFormat SIW = new SiwRings();

    /**
     * Receives in a program's memory, with their place.
     *
     * @param extent place of the ring in the program's file
     */
    record Receives(RingSpace.Extent extent, PostedReceives posted) {
    }

    /**
     * Returns what a send queue gets that was asked for: librxe's inline data and elements share room.
     *
     * @return at least what was asked for
     */
    QpCapabilities grant(QpCapabilities asked);

    /** Creates a completion queue for {@code cqe} completions. */
    RingCompletions completions(RingSpace space, int cqe, CompletionEvents events);

    /** Creates a send queue with granted capabilities. */
    PostedSends sends(RingSpace space, QpCapabilities granted);

    /** Creates a receive queue, shared or not. */
    Receives receives(RingSpace space, int maxWr, int maxSge);
}
