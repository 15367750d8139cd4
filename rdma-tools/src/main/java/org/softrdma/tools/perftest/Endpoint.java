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
 * What one end opens on its device. One region has the memory of all queue pairs: first what each sends from, then what each receives into
 * and its peer writes to and reads from. Each has room for a message, or for a page's worth of small ones.
 */
final class Endpoint {
    static final int GRH_BYTES = 40;

    private static final String NO_RESOURCES = "\n Couldn't create IB resources";
    private static final String NO_MEMORY = "Couldn't allocate work buf.\nfailed to create mr\nFailed to create MR" + NO_RESOURCES;

    /** Where datagrams go. */
    record Destination(AddressHandle handle, int qpn, int qkey) {
    }

    final Parameters parameters;
    /** Bytes through which small messages walk: the page size both ends agreed on. */
    private final int cycleBytes;
    /** Small messages keep this distance. */
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

    /** Everything but the queue pairs. The context stays its owner's. @throws ToolFailure in the original's words */
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

    /** Whether messages could be faster than receives, and nothing would hold them up. */
    private boolean needsCredits() {
        return isIwarp() && parameters.verb == Verb.SEND && !parameters.latency;
    }

    private boolean isIwarp() {
        return context.device().transport() == Transport.IWARP;
    }

    /** Work requests of a queue pair. */
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
            // On iWARP the answer to a READ is written to its sink by the peer.
            case READ -> AccessFlags.REMOTE_READ | (isIwarp() ? AccessFlags.REMOTE_WRITE : 0);
            case ATOMIC -> AccessFlags.REMOTE_ATOMIC;
        };
    }

    /** Random bytes, but zeros where the last byte of a WRITE is waited for. */
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

    /** Null unless datagrams are sent. */
    Destination destination(int index) {
        return destinations[index];
    }

    /** Something else to close, before everything opened so far. */
    void closeFirst(String complaint, Runnable close) {
        opened.add(complaint, close);
    }

    void close() {
        opened.close();
    }

    /** Closes what can be closed, after a failure that was already told. */
    void abandon() {
        opened.abandon();
    }

    Context context() {
        return context;
    }

    ProtectionDomain pd() {
        return pd;
    }

    /** Null without events. */
    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    /** Null unless messages are received. */
    CompletionQueue receiveCq() {
        return receiveCq;
    }

    /** Null if queue pairs have receives of their own. */
    SharedReceiveQueue srq() {
        return srq;
    }

    /** Null unless messages are sent on iWARP, one after the other. */
    Credits credits() {
        return credits;
    }

    MemorySegment memory() {
        return memory;
    }

    MemoryRegion region() {
        return region;
    }

    // ---- where in the memory ----

    /** Where a queue pair's messages begin. */
    long sendsFrom(int index) {
        return index * bufferBytes();
    }

    /** What the peer is told to write to or to read from. */
    long peerUses(int index) {
        return (parameters.queuePairs + index) * bufferBytes();
    }

    /** Where a queue pair's receives begin; of datagrams the GRH stands before the message, which begins a line. */
    long receivesInto(int index) {
        return (parameters.queuePairs + index) * roundUp(bufferBytes()) + (parameters.isUd() ? lineBytes - GRH_BYTES : 0);
    }

    /** From one message to the next, bytes. */
    int step(int messageBytes) {
        return (int) roundUp(messageBytes);
    }

    /** Messages before the first place is used again; 1 for those that do not walk. */
    int steps(int messageBytes) {
        return messageBytes <= cycleBytes / 2 && !parameters.latency ? cycleBytes / step(messageBytes) : 1;
    }

    /** How a queue pair is reached, and what its peer writes to or reads from. */
    Keys keys(int index, int lid, int psn, Gid gid) {
        int rkey = credits == null ? region.rkey() : credits.rkey();
        long address = credits == null ? region.address() + peerUses(index) : credits.address(index);
        return new Keys(lid, parameters.outstandingReads, queuePairs[index].qpNum(), psn, rkey, address, gid, 0);
    }
}
