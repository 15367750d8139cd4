// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.io.IOException;
import org.softrdma.device.agent.Deadline;
import org.softrdma.link.Path;
import org.softrdma.verbs.Gid;

/**
 * The way from one address of a link to one peer: a ring, if the peer has an inbox, belongs to the same user, and has begun to read it. For
 * the link's owner.
 */
final class Outlet {
    private static final System.Logger LOG = System.getLogger(Outlet.class.getName());
    /** Time until the second look for an inbox, or the second announcement of a ring; it doubles each time. */
    private static final long FIRST_INTERVAL_NS = 100_000_000;
    private static final long LONGEST_INTERVAL_NS = 60_000_000_000L;
    /** Time between two looks whether the process that reads the ring lives. */
    private static final long LIFE_CHECK_NS = 1_000_000_000;
    /**
     * A peer that has read nothing from its full ring for this time is treated like one that has ended: longer than a busy machine keeps a
     * process waiting, shorter than other peers wait for an acknowledgement, with all retries.
     */
    private static final long STUCK_NS = 250_000_000;

    private final SharedDirectory directory;
    private final Gid local;
    private final Gid remote;
    private HeldFile file;
    /** Null without a ring. */
    private RingWriter ring;
    private java.nio.file.Path inbox;
    /** A path of packets to the peer. */
    private Path path;
    /** An inbox that closed the ring or broke it. */
    private java.nio.file.Path refusing;
    private long intervalNs = FIRST_INTERVAL_NS;
    private long nextLookNs;
    private long nextLifeCheckNs;
    /** Since when the ring has been full, and how far the peer had read it then. */
    private long fullSinceNs;
    private long consumedWhenFull;
    private boolean full;

    /** @param nowNs the first look is at once */
    Outlet(SharedDirectory directory, Gid local, Gid remote, long nowNs) {
        this.directory = directory;
        this.local = local;
        this.remote = remote;
        nextLookNs = nowNs;
    }

    /** Whether packets go through the ring now. */
    boolean isOpen() {
        return ring != null && ring.isRead();
    }

    RingWriter ring() {
        return ring;
    }

    /** A path to the peer, by which it gets notices of the ring. */
    Path path() {
        return path;
    }

    boolean hasRing() {
        return ring != null;
    }

    /** Has the next {@link #look} look at once, and often again. */
    void hurry(long nowNs) {
        intervalNs = FIRST_INTERVAL_NS;
        nextLookNs = nowNs;
        nextLifeCheckNs = nowNs;
    }

    /**
     * Looks, if it is time to, for an inbox of the peer, and makes a ring for it.
     *
     * @param by   a path to the peer
     * @return whether the peer must be notified of the ring
     */
    boolean look(Path by, long nowNs) {
        if (ring != null && ring.isOver()) {
            refusing = inbox;
            close();
        }
        if (Deadline.isBefore(nowNs, nextLookNs)) {
            return false;
        }
        nextLookNs = nowNs + intervalNs;
        intervalNs = Math.min(2 * intervalNs, LONGEST_INTERVAL_NS);
        if (ring != null) {
            checkLife(nowNs);
            return ring != null && !ring.isRead();
        }
        try {
            java.nio.file.Path found = directory.findInbox(remote);
            if (found == null || found.equals(refusing)) {
                return false;
            }
            file = directory.createRing(found, local);
            inbox = found;
            path = by;
            ring = new RingWriter(file.memory());
            full = false;
            return true;
        } catch (IOException unusable) {
            LOG.log(System.Logger.Level.DEBUG, "no ring in " + directory + ": " + unusable);
            return false;
        }
    }

    /** Closes the ring if the process that reads it has ended; looks at most once a second. */
    void checkLife(long nowNs) {
        if (ring == null || Deadline.isBefore(nowNs, nextLifeCheckNs)) {
            return;
        }
        nextLifeCheckNs = nowNs + LIFE_CHECK_NS;
        try {
            if (!SharedDirectory.isAlive(inbox)) {
                close();
                nextLookNs = nowNs;
            }
        } catch (IOException unknown) {
            LOG.log(System.Logger.Level.DEBUG, inbox + " is taken for that of a living process: " + unknown);
        }
    }

    /** Takes note of a packet that found room. */
    void noteRoom() {
        full = false;
    }

    /**
     * Handles a packet that found no room.
     *
     * @return true if it is to be dropped, because the peer has not read anything for long; false if it is to be tried again
     */
    boolean isStuck(long nowNs) {
        if (!full || consumedWhenFull != ring.consumed()) {
            full = true;
            fullSinceNs = nowNs;
            consumedWhenFull = ring.consumed();
            return false;
        }
        return nowNs - fullSinceNs >= STUCK_NS;
    }

    /** Removes the ring. The peer reads what is in it. */
    void close() {
        if (ring != null) {
            ring.close();
            file.close();
            ring = null;
            file = null;
        }
    }
}
