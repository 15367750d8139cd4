// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.SendRequest;

/**
 * On iWARP a message without a receive ends the connection, so a sender must not be faster than the receiver posts receives. The receiver
 * writes into a word of the sender's memory how many messages of a queue pair it took, three times while a queue of receives is used up;
 * the sender never has more under way than such a queue holds. Each queue pair has two words: what this end tells, and what the peer told.
 * They are u32 in the order of bytes of their host.
 */
final class Credits implements AutoCloseable {
    /** WRITEs of a queue pair at a time: a count that is told late stands for those before it. */
    static final int WRITES = 1;

    private static final int WORDS = 2;
    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
    private static final int TIMES_A_QUEUE = 3;

    private final Endpoint endpoint;
    private final MemorySegment words;
    private final MemoryRegion region;
    /** Receives that a queue holds. */
    private final int window;
    /** Messages from one time to tell of them to the next. */
    private final int interval;
    private final SendRequest[] writes;
    private final long[] received;
    private final boolean[] due;
    private final boolean[] underWay;

    /** @param words zeros, {@link #bytes} of them */
    Credits(Endpoint endpoint, ProtectionDomain pd, MemorySegment words) {
        this.endpoint = endpoint;
        this.words = words;
        int queuePairs = endpoint.parameters.queuePairs;
        window = endpoint.parameters.rxDepth;
        interval = interval(window);
        region = pd.register(words, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        writes = new SendRequest[queuePairs];
        received = new long[queuePairs];
        due = new boolean[queuePairs];
        underWay = new boolean[queuePairs];
    }

    private static int interval(int rxDepth) {
        return Math.max(1, rxDepth / TIMES_A_QUEUE);
    }

    /** Messages that may be posted at once: as many as a receiver grants that was told of all but the last ones. */
    static int largestList(int rxDepth) {
        return rxDepth - interval(rxDepth) + 1;
    }

    static long bytes(int queuePairs) {
        return (long) WORDS * queuePairs * Integer.BYTES;
    }

    int rkey() {
        return region.rkey();
    }

    /** Where the peer writes what it took of a queue pair. */
    long address(int index) {
        return region.address() + told(index);
    }

    private long own(int index) {
        return (long) index * Integer.BYTES;
    }

    private long told(int index) {
        return (long) (received.length + index) * Integer.BYTES;
    }

    /** The keys of the peer's queue pairs are those of its words. */
    void tellTo(List<Keys> peers) {
        for (int i = 0; i < writes.length; i++) {
            Keys peer = peers.get(i);
            writes[i] = new SendRequest().write(peer.address(), peer.rkey()).wrId(i).element(region, own(i), Integer.BYTES).signaled();
        }
    }

    /** Messages are counted from 0 again. */
    void restart() {
        Arrays.fill(received, 0);
        for (int i = 0; i < received.length; i++) {
            WORD.setRelease(words, told(i), 0);
        }
    }

    /** Whether the peer has receives for {@code more} messages behind the first {@code posted}. */
    boolean suffice(int index, long posted, int more) {
        return suffice((int) WORD.getAcquire(words, told(index)), posted, more, window);
    }

    /**
     * @param told   messages the peer says it took, modulo 2^32
     * @param posted messages sent to it
     */
    static boolean suffice(int told, long posted, int more, int window) {
        int outstanding = (int) posted - told;
        // More than were sent: a word about the messages of another size before these, which came late.
        return (outstanding < 0 ? posted : outstanding) + more <= window;
    }

    /** A message came, and its receive was posted again if there is to be another one. */
    void onReceived(int index) {
        received[index]++;
        if (received[index] % window % interval == 0) {
            due[index] = true;
            tell(index);
        }
    }

    /** A WRITE of this class completed. */
    void onTold(int index) {
        underWay[index] = false;
        tell(index);
    }

    private void tell(int index) {
        if (due[index] && !underWay[index]) {
            words.set(ValueLayout.JAVA_INT, own(index), (int) received[index]);
            endpoint.queuePair(index).postSend(writes[index]);
            due[index] = false;
            underWay[index] = true;
        }
    }

    /** Whether there are WRITEs to wait for. */
    boolean isTelling() {
        for (boolean each : underWay) {
            if (each) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        region.close();
    }
}
