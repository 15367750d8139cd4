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
 * Flow control for iWARP, where a message without a posted receive ends the connection. The receiver writes the number of messages it
 * received on a queue pair into a word of the sender's memory, three times per queue of receives; the sender never has more messages under
 * way than such a queue holds. Each queue pair has two words, this end's count and the peer's, u32 in their host's byte order.
 */
final class Credits implements AutoCloseable {
    /** Maximum outstanding WRITEs of a queue pair: a later count includes those that were skipped. */
    static final int WRITES = 1;

    private static final int WORDS = 2;
    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
    private static final int TIMES_A_QUEUE = 3;

    private final Endpoint endpoint;
    private final MemorySegment words;
    private final MemoryRegion region;
    /** Capacity of the receive queue. */
    private final int window;
    /** Messages between two reports of the count. */
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

    /** Messages that may be posted at once: the minimum that the receiver grants when its last report is the oldest possible. */
    static int largestList(int rxDepth) {
        return rxDepth - interval(rxDepth) + 1;
    }

    static long bytes(int queuePairs) {
        return (long) WORDS * queuePairs * Integer.BYTES;
    }

    int rkey() {
        return region.rkey();
    }

    /** Address of the word into which the peer writes its count. */
    long address(int index) {
        return region.address() + told(index);
    }

    private long own(int index) {
        return (long) index * Integer.BYTES;
    }

    private long told(int index) {
        return (long) (received.length + index) * Integer.BYTES;
    }

    /** Sets the addresses of the peer's words, from the keys of its queue pairs. */
    void tellTo(List<Keys> peers) {
        for (int i = 0; i < writes.length; i++) {
            Keys peer = peers.get(i);
            writes[i] = new SendRequest().write(peer.address(), peer.rkey()).wrId(i).element(region, own(i), Integer.BYTES).signaled();
        }
    }

    /** Restarts the counts at 0. */
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
        // More than were sent: a late report about messages of the previous size.
        return (outstanding < 0 ? posted : outstanding) + more <= window;
    }

    /** Counts a received message; its receive was posted again if more messages follow. */
    void onReceived(int index) {
        received[index]++;
        if (received[index] % window % interval == 0) {
            due[index] = true;
            tell(index);
        }
    }

    /** Processes the completion of a WRITE of this class. */
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

    /** Whether WRITEs are outstanding. */
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
