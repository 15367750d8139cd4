// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.softrdma.tools.cli.Opened;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.Transport;

/**
 * Objects of one end on its device. One region holds the memory of all queue pairs: first the send buffers, then the buffers that are
 * received into and that peers write to and read from. Each has room for one message, or for a page of small ones.
 */
final class Endpoint {
    static final int GRH_BYTES = 40;

    private static final String NO_RESOURCES = "\n Couldn't create IB resources";
    private static final String NO_MEMORY = "Couldn't allocate work buf.\nfailed to create mr\nFailed to create MR" + NO_RESOURCES;

    /** Destination of datagrams. */
    record Destination(AddressHandle handle, int qpn, int qkey) {
    }

    final Parameters parameters;
    /** Bytes over which small messages are spread: the page size that both ends agreed on. */
    private final int cycleBytes;
    /** Distance between small messages, bytes. */
    private final int lineBytes;
    private final Opened opened = new Opened();
    private final QueuePair[] queuePairs;
    private final Destination[] destinations;
    private Context context;
    private ProtectionDomain pd;
    private CompletionChannel channel;
    private CompletionQueue sendCq;
    private CompletionQueue receiveCq;
    private SharedReceiveQueue srq;
    private MemorySegment memory;
    private MemoryRegion region;
    private Credits credits;

    Endpoint(Parameters parameters, int cycleBytes, int lineBytes) {
        this.parameters = parameters;
        this.cycleBytes = cycleBytes;
        this.lineBytes = lineBytes;
        queuePairs = new QueuePair[parameters.queuePairs];
        destinations = new Destination[parameters.queuePairs];
    }

    /**
     * Opens everything but the queue pairs. The caller keeps the context.
     *
     * @throws ToolFailure in the original's words
     */
    void open(Context on) {
        context = on;
        if (parameters.events) {
            Opened.attempt("Couldn't create completion channel" + NO_RESOURCES, () -> channel = context.createCompletionChannel());
            closeFirst("failed to destroy completion channel", channel::close);
        }
        Opened.attempt("Couldn't allocate PD" + NO_RESOURCES, () -> pd = context.allocatePd());
        closeFirst("Failed to deallocate PD", pd::close);
        Arena arena = Arena.ofShared();
        closeFirst("Couldn't free work buf.", arena::close);
        allocate(arena);
        Opened.attempt("Couldn't allocate MR\nfailed to create mr\nFailed to create MR" + NO_RESOURCES,
            () -> region = pd.register(memory, access()));
        closeFirst("Failed to deregister MR", region::close);
        if (needsCredits()) {
            MemorySegment words = arena.allocate(Credits.bytes(parameters.queuePairs), Integer.BYTES);
            Opened.attempt("Couldn't allocate MR" + NO_RESOURCES, () -> credits = new Credits(this, pd, words));
            closeFirst("Failed to deregister send credit MR", credits::close);
        }
        Opened.attempt("Couldn't create CQ\nFailed to create CQs" + NO_RESOURCES, () -> sendCq = createCq(sendDepth()));
        closeFirst("Failed to destroy CQ", sendCq::close);
        if (parameters.verb == Verb.SEND) {
            Opened.attempt("Couldn't create a receiver CQ\nFailed to create CQs" + NO_RESOURCES,
                () -> receiveCq = createCq(parameters.rxDepth));
            closeFirst("Failed to destroy CQ", receiveCq::close);
        }
        if (parameters.sharedReceives && parameters.receives()) {
            Opened.attempt("Couldn't create SRQ" + NO_RESOURCES, () -> srq = pd.createSrq(parameters.rxDepth, 1, 0));
            closeFirst("Couldn't destroy SRQ", srq::close);
        }
    }

    /** Whether {@link Credits} are needed: messages could overtake receives, and no other flow control prevents it. */
    private boolean needsCredits() {
        return isIwarp() && parameters.verb == Verb.SEND && !parameters.latency;
    }

    private boolean isIwarp() {
        return context.device().transport() == Transport.IWARP;
    }

    /** Capacity of a send queue. */
    private int sendDepth() {
        return parameters.txDepth + (credits == null ? 0 : Credits.WRITES);
    }

    private CompletionQueue createCq(int depth) {
        return context.createCq(depth * parameters.queuePairs, null, channel, parameters.vector);
    }

    private int access() {
        return AccessFlags.LOCAL_WRITE | switch (parameters.verb) {
            case SEND -> 0;
            case WRITE -> AccessFlags.REMOTE_WRITE;
            // On iWARP the peer writes the response to a READ into its sink buffer.
            case READ -> AccessFlags.REMOTE_READ | (isIwarp() ? AccessFlags.REMOTE_WRITE : 0);
            case ATOMIC -> AccessFlags.REMOTE_ATOMIC;
        };
    }

    /** Fills the memory with random bytes, and with zeros where an end polls for the last byte of a WRITE. */
    private void allocate(Arena arena) {
        try {
            memory = arena.allocate(2L * parameters.queuePairs * roundUp(bufferBytes()) + (parameters.isUd() ? lineBytes : 0), cycleBytes);
        } catch (OutOfMemoryError | IllegalArgumentException tooLarge) {
            throw new ToolFailure(NO_MEMORY);
        }
        if (parameters.verb != Verb.WRITE || !parameters.latency) {
            SplittableRandom random = new SplittableRandom();
            for (long at = 0; at + Long.BYTES <= memory.byteSize(); at += Long.BYTES) {
                memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
            }
        }
    }

    private long bufferBytes() {
        return Math.max(parameters.size, cycleBytes);
    }

    private long roundUp(long bytes) {
        return Math.ceilDiv(bytes, (long) lineBytes) * lineBytes;
    }

    QpInitAttributes queuePairAttributes() {
        return new QpInitAttributes(parameters.connection.type, sendCq, receiveCq == null ? sendCq : receiveCq, srq,
            new QpCapabilities(sendDepth(), srq == null ? parameters.rxDepth : 0, 1, 1, parameters.inlineSize), false);
    }

    void queuePair(int index, QueuePair qp) {
        queuePairs[index] = qp;
    }

    QueuePair queuePair(int index) {
        return queuePairs[index];
    }

    void destination(int index, AddressHandle handle, int qpn, int qkey) {
        closeFirst("failed to destroy AH", handle::close);
        destinations[index] = new Destination(handle, qpn, qkey);
    }

    /** Destination of a queue pair's messages; null unless datagrams are sent. */
    Destination destination(int index) {
        return destinations[index];
    }

    /** Adds an object to close before everything opened so far. */
    void closeFirst(String complaint, Runnable close) {
        opened.add(complaint, close);
    }

    void close() {
        opened.close();
    }

    /** Closes as much as possible after a failure that was already reported. */
    void abandon() {
        opened.abandon();
    }

    Context context() {
        return context;
    }

    ProtectionDomain pd() {
        return pd;
    }

    /** The completion channel; null without events. */
    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    /** The completion queue of receives; null unless messages are received. */
    CompletionQueue receiveCq() {
        return receiveCq;
    }

    /** The shared receive queue; null if queue pairs have receives of their own. */
    SharedReceiveQueue srq() {
        return srq;
    }

    /** Flow control; null unless messages are streamed on iWARP. */
    Credits credits() {
        return credits;
    }

    MemorySegment memory() {
        return memory;
    }

    MemoryRegion region() {
        return region;
    }

    // ---- memory layout ----

    /** Address of a queue pair's send buffer. */
    long sendsFrom(int index) {
        return index * bufferBytes();
    }

    /** Address that the peer writes to or reads from. */
    long peerUses(int index) {
        return (parameters.queuePairs + index) * bufferBytes();
    }

    /** Address of a queue pair's first receive; a datagram's GRH precedes the message, which is aligned to a cache line. */
    long receivesInto(int index) {
        return (parameters.queuePairs + index) * roundUp(bufferBytes()) + (parameters.isUd() ? lineBytes - GRH_BYTES : 0);
    }

    /** Distance from one message to the next, bytes. */
    int step(int messageBytes) {
        return (int) roundUp(messageBytes);
    }

    /** Number of places; 1 for messages that are not spread. */
    int steps(int messageBytes) {
        return messageBytes <= cycleBytes / 2 && !parameters.latency ? cycleBytes / step(messageBytes) : 1;
    }

    /** Keys of a queue pair: its address, and the memory that its peer writes to or reads from. */
    Keys keys(int index, int lid, int psn, Gid gid) {
        int rkey = credits == null ? region.rkey() : credits.rkey();
        long address = credits == null ? region.address() + peerUses(index) : credits.address(index);
        return new Keys(lid, parameters.outstandingReads, queuePairs[index].qpNum(), psn, rkey, address, gid, 0);
    }
}
