// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Something an application does in the middle of everything.
 *
 * @param ofA  it happens to what A's requests use; otherwise to what B's use
 * @param when share of the planned bytes after which it happens, 0..1
 * @param amid it happens when the memory is in use, if it soon is
 */
record IwarpAccident(Kind kind, Place place, boolean ofA, double when, boolean amid) {
    /** The region that it happens to. */
    enum Place {
        /** Memory of the peer, which requests write, read and change. */
        TARGET,
        /** Memory of the requester: payloads, and places of answers. */
        SOURCE,
        /** Memory of the peer's receives. */
        INBOX,
        /** Words of the peer, which atomics change. */
        WORDS
    }

    /** Kinds of accidents. */
    enum Kind {
        DEREGISTER(true),
        /** Registered anew with other memory: this must not be noticed. */
        MOVE(false),
        /** Registered anew without rights for the peer. */
        REVOKE(true),
        /** Registered anew in another protection domain. */
        GIVE(true),
        /** The window by which the peer uses the region is freed. */
        FREE_WINDOW(true),
        /** The window's owner invalidates it. */
        INVALIDATE(true),
        /** The peer invalidates the window, and goes on using it. */
        PEER_INVALIDATES(true),
        /** The requester's queue pair is moved to ERR. */
        TO_ERROR(true),
        /** The requester's queue pair is destroyed. */
        DESTROY(true);

        /** The connection may end by it. */
        final boolean kills;

        Kind(boolean kills) {
            this.kills = kills;
        }
    }

    private static final List<Kind> OF_REGIONS = List.of(Kind.DEREGISTER, Kind.MOVE);
    private static final List<Kind> OF_TARGETS = List.of(Kind.DEREGISTER, Kind.MOVE, Kind.REVOKE, Kind.GIVE);
    private static final List<Kind> OF_WINDOWS = List.of(Kind.DEREGISTER, Kind.FREE_WINDOW);
    private static final List<Kind> OF_TYPE_2_WINDOWS = List.of(Kind.DEREGISTER, Kind.FREE_WINDOW, Kind.INVALIDATE, Kind.PEER_INVALIDATES);
    private static final List<Kind> OF_QUEUE_PAIRS = List.of(Kind.TO_ERROR, Kind.DESTROY);

    /** @param windows how each side's targets are used, A's first */
    static IwarpAccident draw(SplittableRandom random, List<IwarpScenario.Window> windows) {
        boolean ofA = random.nextBoolean();
        IwarpScenario.Window window = windows.get(ofA ? 0 : 1);
        Place place = random.nextBoolean() ? Place.TARGET : Place.values()[1 + random.nextInt(3)];
        List<Kind> kinds = switch (place) {
            case SOURCE, INBOX -> OF_REGIONS;
            case WORDS -> OF_TARGETS;
            case TARGET -> switch (window) {
                case NONE -> OF_TARGETS;
                case TYPE_1 -> OF_WINDOWS;
                case TYPE_2 -> OF_TYPE_2_WINDOWS;
            };
        };
        kinds = random.nextInt(8) == 0 ? OF_QUEUE_PAIRS : kinds;
        return new IwarpAccident(kinds.get(random.nextInt(kinds.size())), place, ofA, random.nextDouble(), random.nextInt(4) > 0);
    }
}
