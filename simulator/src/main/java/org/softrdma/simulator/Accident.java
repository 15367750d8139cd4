// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.SplittableRandom;
import org.softrdma.verbs.QpType;

/**
 * Something an application does in the middle of everything.
 *
 * @param victim  which queue pair of its side it happens to: those of the RC connections first, then UC, then UD
 * @param onA     on which side
 * @param when    share of the packets planned from and to the victim after which it happens, 0..1
 * @param amid    a region is deregistered when a message that writes or reads it was executed in part, if there is one soon
 * @param variant chooses between ways to do it
 */
record Accident(Kind kind, int victim, boolean onA, double when, boolean amid, boolean variant) {
    enum Kind {
        /** A region is deregistered that the peer reads and writes, that work requests here send from, and that receives wait in. */
        DEREGISTER(true, true),
        /** The same, but the region is registered anew: its memory lies elsewhere now, and nobody notices. */
        MOVE(true, false),
        /** The region is registered anew without rights for the peer. */
        REVOKE(true, true),
        /** The peer uses the region through a window, and the window is freed. */
        FREE_WINDOW(true, true),
        /** The queue pair is moved to ERR. */
        TO_ERROR(false, true),
        /** The queue pair is destroyed. */
        DESTROY(false, true),
        /** The queue pair is moved to SQD, and back some time later. */
        DRAIN(false, false),
        /** The application shrinks a completion queue and sleeps until it overruns. */
        OVERRUN(false, true);

        /** Needs a region of its own. */
        final boolean ofMemory;
        /** Work requests may fail by it. */
        final boolean kills;

        Kind(boolean ofMemory, boolean kills) {
            this.ofMemory = ofMemory;
            this.kills = kills;
        }
    }

    /** @param service the victim's: datagrams have no remote access that could end */
    static Accident draw(SplittableRandom random, int victim, QpType service) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        if (service == QpType.UD && (kind == Kind.REVOKE || kind == Kind.FREE_WINDOW)) {
            kind = Kind.DEREGISTER;
        }
        return new Accident(kind, victim, random.nextBoolean(), random.nextDouble(),
            random.nextBoolean() && kind == Kind.DEREGISTER && service == QpType.RC, random.nextBoolean());
    }
}
