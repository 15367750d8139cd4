// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.mad.Mad;

/**
 * Datagrams of one file that wait for an answer. Each is repeated as often as the program wants, and comes back to the program if no answer
 * arrives. Called by the program's calls, by the timer, and with the device's lock held; takes no other lock.
 */
final class UmadOutstanding {
    private final UmadFile file;
    /** Guarded by this object's monitor, as is the rest. */
    private final Map<Key, Entry> entries = new HashMap<>();
    /** Datagrams that came back and were not read yet. */
    private int unread;

    /**
     * Identity of a datagram: a file may have one of each at a time.
     *
     * @param to null for a request: two requests with one transaction id are refused wherever they go
     */
    private record Key(long transactionId, int managementClass, Gid to) {
        static Key of(ByteBuffer mad, Gid to) {
            return new Key(Mad.transactionId(mad, 0), Mad.managementClass(mad, 0), ManagementClass.isResponse(mad) ? to : null);
        }
    }

    /** One datagram that waits. */
    static final class Entry {
        final UmadAgent agent;
        final Gid from;
        final Gid to;
        final ByteBuffer mad;
        /** The program's header, which comes back with it. */
        final byte[] header;
        final long timeoutMs;
        private long retriesLeft;
        private Future<?> timer;

        /**
         * Describes a datagram.
         *
         * @param timeoutMs u32, not 0
         * @param retries   u32
         */
        Entry(UmadAgent agent, Gid from, Gid to, ByteBuffer mad, byte[] header, long timeoutMs, long retries) {
            this.agent = agent;
            this.from = from;
            this.to = to;
            this.mad = mad;
            this.header = header;
            this.timeoutMs = timeoutMs;
            retriesLeft = retries;
        }

        private void cancel() {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    UmadOutstanding(UmadFile file) {
        this.file = file;
    }

    /**
     * Enters a datagram before it is sent.
     *
     * @throws VerbsException EINVAL: another one with its transaction id waits; ENOMEM: too many wait
     */
    synchronized void add(Entry entry) {
        Key key = Key.of(entry.mad, entry.to);
        if (entries.containsKey(key)) {
            throw new VerbsException(Errno.EINVAL, "send_mad", "a datagram with this transaction id waits for its answer");
        }
        if (entries.size() + unread >= UmadLimits.OUTSTANDING) {
            throw new VerbsException(Errno.ENOMEM, "send_mad", UmadLimits.OUTSTANDING + " requests wait for answers, or to be read");
        }
        entries.put(key, entry);
    }

    /** Starts the timer of a datagram that was sent, unless it was answered already. */
    synchronized void sent(Entry entry) {
        if (entries.get(Key.of(entry.mad, entry.to)) == entry) {
            entry.timer = file.device().after(entry.timeoutMs, () -> expired(entry));
        }
    }

    /** Forgets a datagram that could not be sent. */
    synchronized void remove(Entry entry) {
        entries.remove(Key.of(entry.mad, entry.to), entry);
    }

    /**
     * Ends the waiting of the request that a received datagram answers.
     *
     * @return false if there is none
     */
    synchronized boolean answered(UmadAgent agent, Gid from, ByteBuffer answer) {
        Key key = new Key(Mad.transactionId(answer, 0), Mad.managementClass(answer, 0), null);
        Entry found = entries.get(key);
        if (found == null || found.agent != agent || !found.to.equals(from)) {
            return false;
        }
        entries.remove(key);
        found.cancel();
        return true;
    }

    private void expired(Entry entry) {
        synchronized (this) {
            if (entries.get(Key.of(entry.mad, entry.to)) != entry) {
                return;
            }
            if (entry.retriesLeft == 0) {
                giveUp(entry);
                return;
            }
            entry.retriesLeft--;
        }
        // Without the monitor: the device's lock comes before it.
        try {
            file.port().send(entry.from, entry.to, entry.mad);
        } catch (VerbsException noWay) {
            synchronized (this) {
                if (entries.get(Key.of(entry.mad, entry.to)) == entry) {
                    giveUp(entry);
                }
            }
            return;
        }
        sent(entry);
    }

    private void giveUp(Entry entry) {
        entries.remove(Key.of(entry.mad, entry.to));
        unread++;
        file.timedOut(entry);
    }

    /** A datagram that came back was read. */
    synchronized void read() {
        unread--;
    }

    /** Forgets the datagrams of an agent that ends. */
    synchronized void removeAll(UmadAgent agent) {
        List<Entry> all = new ArrayList<>(entries.values());
        for (Entry each : all) {
            if (each.agent == agent) {
                entries.remove(Key.of(each.mad, each.to));
                each.cancel();
            }
        }
    }
}
