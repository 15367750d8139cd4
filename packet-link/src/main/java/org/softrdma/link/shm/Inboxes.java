// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.Gid;

/** The inboxes of a link, one for each address, and the rings in them. For the link's owner, except {@link #readers}. */
final class Inboxes {
    /** Maximum rings that are read. */
    static final int MAX_RINGS = 256;
    private static final System.Logger LOG = System.getLogger(Inboxes.class.getName());
    /** Time between two looks for senders that have ended. */
    private static final long LIFE_CHECK_NS = 1_000_000_000;

    private final SharedDirectory directory;
    private final Counters<ShmCounter> counters;
    private final List<Inbox> open = new ArrayList<>();
    /** Rings that are not read, in the directory. */
    private final Set<Path> refused = new HashSet<>();
    /** Replaced as a whole: a thread may be parked with the former array. */
    private volatile RingReader[] readers = {};
    private long nextLifeCheckNs;

    /** An address, and the file that says that packets to it are read here. */
    private record Inbox(Gid address, HeldFile file) {
    }

    Inboxes(SharedDirectory directory, Counters<ShmCounter> counters, long nowNs) {
        this.directory = directory;
        this.counters = counters;
        nextLifeCheckNs = nowNs;
    }

    /** Opens one. Link-local addresses have none: another interface may have the same. */
    void open(Gid address) {
        if (address.isLinkLocal() || open.stream().anyMatch(inbox -> inbox.address.equals(address))) {
            return;
        }
        try {
            open.add(new Inbox(address, directory.createInbox(address)));
        } catch (IOException unusable) {
            LOG.log(System.Logger.Level.WARNING, "packets of other processes here take the network, not shared memory: " + unusable);
        }
    }

    /** Closes the one of an address. */
    void close(Gid address) {
        for (Inbox inbox : List.copyOf(open)) {
            if (inbox.address.equals(address)) {
                open.remove(inbox);
                close(inbox);
            }
        }
    }

    private void close(Inbox inbox) {
        for (RingReader reader : readers) {
            if (reader.local().equals(inbox.address)) {
                detach(reader);
            }
        }
        inbox.file.close();
        try {
            directory.removeRings(inbox.file.path());
        } catch (IOException stay) {
            LOG.log(System.Logger.Level.DEBUG, "rings stay in " + directory + ": " + stay);
        }
    }

    void closeAll() {
        for (Inbox inbox : open) {
            close(inbox);
        }
        open.clear();
    }

    RingReader[] readers() {
        return readers;
    }

    /**
     * Looks for new rings, and for rings whose senders have ended.
     *
     * @return true if another look is due soon: a ring that is closed has packets still
     */
    boolean scan(long nowNs) {
        boolean checksLife = !Deadline.isBefore(nowNs, nextLifeCheckNs);
        if (checksLife) {
            nextLifeCheckNs = nowNs + LIFE_CHECK_NS;
        }
        boolean again = false;
        try {
            for (RingReader reader : readers) {
                boolean ended = reader.isClosed() || checksLife && !SharedDirectory.isAlive(reader.file());
                if (ended && !reader.hasPackets()) {
                    detach(reader);
                } else {
                    again |= ended;
                }
            }
            Set<Path> present = new HashSet<>();
            for (Inbox inbox : open) {
                for (Path ring : directory.rings(inbox.file.path())) {
                    present.add(ring);
                    attach(ring, inbox.address);
                }
            }
            refused.retainAll(present);
        } catch (IOException unreadable) {
            LOG.log(System.Logger.Level.DEBUG, "rings in " + directory + " are not found: " + unreadable);
        }
        return again;
    }

    private void attach(Path ring, Gid address) {
        RingReader[] now = readers;
        for (RingReader reader : now) {
            if (reader.file().equals(ring)) {
                return;
            }
        }
        if (refused.contains(ring)) {
            return;
        }
        RingReader reader = null;
        try {
            if (now.length < MAX_RINGS && SharedDirectory.isAlive(ring)) {
                reader = RingReader.attach(ring, HeldFile.map(ring, Ring.FILE_BYTES), address);
            }
        } catch (IOException unusable) {
            LOG.log(System.Logger.Level.DEBUG, ring + " is not read: " + unusable);
        }
        if (reader == null) {
            refused.add(ring);
            counters.count(ShmCounter.SHM_RING_REFUSED);
            return;
        }
        RingReader[] more = Arrays.copyOf(now, now.length + 1);
        more[now.length] = reader;
        readers = more;
    }

    /** Stops reading a ring with invalid contents; its sender sees it. */
    void refuse(RingReader reader) {
        counters.count(ShmCounter.SHM_RING_BROKEN);
        LOG.log(System.Logger.Level.WARNING, reader.file() + " has invalid contents and is not read any more");
        refused.add(reader.file());
        detach(reader);
    }

    private void detach(RingReader gone) {
        gone.close();
        List<RingReader> left = new ArrayList<>(List.of(readers));
        left.remove(gone);
        readers = left.toArray(RingReader[]::new);
    }
}
