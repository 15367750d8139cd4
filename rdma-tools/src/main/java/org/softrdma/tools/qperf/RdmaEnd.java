// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.tools.cli.Opened;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/** One end of an RDMA test: a queue pair with one completion queue, and one buffer, from which everything goes and into which it comes. */
final class RdmaEnd implements AutoCloseable {
    /** Work requests of a stream that are under way. */
    static final int DEPTH = 1024;
    static final long SEND_ID = 1;
    static final long RECEIVE_ID = 2;
    static final long RDMA_ID = 3;

    /** Bytes of the GRH at the start of a datagram's receive. */
    private static final int GRH_BYTES = 40;
    private static final int PAGE_BYTES = 4096;
    private static final int POLLS_BEFORE_YIELD = 100;
    /** Maximum wait for an event between checks whether the test is over. */
    private static final long EVENT_NS = 20_000_000;

    private final Session session;
    private final QpType type;
    private final Traffic traffic;
    private final int messageBytes;
    private final boolean polling;
    private final boolean touching;
    private final Arena arena = Arena.ofShared();
    private final Opened opened = new Opened();
    private final RdmaConnection connection;
    private CompletionChannel channel;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private QueuePair qp;
    private MemorySegment buffer;
    private MemoryRegion region;
    private Node peer;
    /** Messages are short enough to be copied when they are posted. */
    private boolean inline;
    private final ReceiveRequest receive = new ReceiveRequest();
    private final SendRequest send = new SendRequest();
    private final SendRequest rdma = new SendRequest();
    private final SendRequest atomic = new SendRequest();
    /** Polls since the last that found something. */
    private int empty;
    /** Result of reading the data, kept so that the read cannot be optimized away. */
    private long touched;

    private RdmaEnd(Session session, QpType type, Traffic traffic) {
        this.session = session;
        this.type = type;
        this.traffic = traffic;
        // A test whose buffer has a size of its own counts what it does.
        messageBytes = traffic.bufferBytes() == 0 ? session.request().number(Parameter.MSG_SIZE) : 0;
        if (messageBytes < 0) {
            throw new QPerfFailure("message size must be at most " + Integer.MAX_VALUE);
        }
        polling = session.request().isSet(Parameter.POLL_MODE);
        touching = session.request().isSet(Parameter.ACCESS_RECV);
        connection = session.request().isSet(Parameter.USE_CM) ? new CmConnection(session) : new DirectConnection(session, type);
        opened.add("buffer", arena::close);
        opened.add("connection", connection::close);
    }

    /**
     * Opens a device, connects, and exchanges where the buffers are.
     *
     * @throws QPerfFailure something of it failed; everything is closed
     */
    static RdmaEnd open(Session session, QpType type, Traffic traffic) {
        RdmaEnd end = new RdmaEnd(session, type, traffic);
        try {
            end.qp = end.connection.open(end);
            end.exchange();
            return end;
        } catch (RuntimeException | Error failed) {
            end.close();
            throw failed;
        }
    }

    // ---- set up ----

    /**
     * Makes what a queue pair needs on that device; then there are {@link #attributes}.
     *
     * @return its protection domain
     */
    ProtectionDomain preparedPd(Context context) {
        QPerfFailure.attempt("failed to allocate protection domain", () -> pd = context.allocatePd());
        opened.add("protection domain", pd::close);
        QPerfFailure.attempt("failed to create completion channel", () -> channel = context.createCompletionChannel());
        opened.add("completion channel", channel::close);
        int depth = traffic.sendDepth() + traffic.receiveDepth();
        QPerfFailure.attempt("failed to create completion queue", () -> cq = context.createCq(depth, null, channel, 0));
        opened.add("completion queue", cq::close);
        registerBuffer();
        opened.add("memory region", region::close);
        opened.add("queue pair", connection::closeQueuePair);
        return pd;
    }

    QpInitAttributes attributes() {
        return new QpInitAttributes(type, cq, cq, null, new QpCapabilities(traffic.sendDepth(), traffic.receiveDepth(), 1, 1, 0), false);
    }

    ProtectionDomain pd() {
        return pd;
    }

    private void registerBuffer() {
        int payload = traffic.bufferBytes() == 0 ? Math.max(1, messageBytes) : traffic.bufferBytes();
        try {
            buffer = arena.allocate((long) payload + (type == QpType.UD ? GRH_BYTES : 0), PAGE_BYTES);
        } catch (OutOfMemoryError tooLarge) {
            throw new QPerfFailure("failed to allocate memory: " + Errno.ENOMEM.text());
        }
        int access = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;
        QPerfFailure.attempt("failed to allocate memory region", () -> region = pd.register(buffer, access));
    }

    private void exchange() {
        session.control().send(connection.node(region.address(), region.rkey()).toMessage(), "node information");
        peer = Node.parse(session.control().receive(Node.BYTES, "node information"));
        connection.connect(peer);
        if (!polling) {
            QPerfFailure.attempt("failed to request CQ notification", cq::requestNotify);
        }
        session.debug("peer: qpn=" + Integer.toHexString(peer.qpn()) + " psn=" + Integer.toHexString(peer.psn()) + " rkey="
            + Integer.toHexString(peer.rkey()) + " vaddr=" + Long.toHexString(peer.address()));
        receive.begin(RECEIVE_ID).element(region, 0, Math.toIntExact(buffer.byteSize()));
        send.send().wrId(SEND_ID).element(region, 0, messageBytes).signaled();
        connection.address(send, peer);
        inline = messageBytes <= qp.capabilities().maxInlineData();
        if (inline) {
            send.inline();
        }
    }

    Session session() {
        return session;
    }

    Statistics statistics() {
        return session.statistics();
    }

    boolean isFinished() {
        return session.timer().isFinished();
    }

    MemorySegment buffer() {
        return buffer;
    }

    int messageBytes() {
        return messageBytes;
    }

    // ---- what is posted, each unless the time is over ----

    void postSends(int count) {
        for (int i = 0; i < count && !isFinished(); i++) {
            post(send, "send");
            statistics().sent.message(messageBytes);
        }
    }

    void postReceives(int count) {
        try {
            for (int i = 0; i < count && !isFinished(); i++) {
                qp.postReceive(receive);
            }
        } catch (VerbsException refused) {
            throw QPerfFailure.of("failed to post receive", refused);
        }
    }

    /** RDMA WRITEs that the peer notices. */
    void postNoticedWrites(int count) {
        rdma.writeWithImmediate(peer.address(), peer.rkey(), 0);
        postWrites(count, "rdma write with immediate");
    }

    /** An RDMA WRITE that the peer does not notice. */
    void postWrite() {
        rdma.write(peer.address(), peer.rkey());
        postWrites(1, "rdma write");
    }

    private void postWrites(int count, String what) {
        rdma.wrId(RDMA_ID).element(region, 0, messageBytes).signaled();
        if (inline) {
            rdma.inline();
        }
        for (int i = 0; i < count && !isFinished(); i++) {
            post(rdma, what);
            statistics().sent.message(messageBytes);
        }
    }

    void postReads(int count) {
        rdma.read(peer.address(), peer.rkey()).wrId(RDMA_ID).element(region, 0, messageBytes).signaled();
        for (int i = 0; i < count && !isFinished(); i++) {
            post(rdma, "rdma read");
        }
    }

    /** On the first eight bytes of the peer's buffer; what was there comes into {@code slot} of ours. */
    void postCompareAndSwap(int slot, long compare, long swap) {
        atomic.compareAndSwap(peer.address(), peer.rkey(), compare, swap);
        postAtomic(slot, "compare and swap");
    }

    /** As {@link #postCompareAndSwap}. */
    void postFetchAndAdd(int slot, long add) {
        atomic.fetchAndAdd(peer.address(), peer.rkey(), add);
        postAtomic(slot, "fetch and add");
    }

    private void postAtomic(int slot, String what) {
        if (isFinished()) {
            return;
        }
        atomic.wrId(slot).element(region, (long) slot * Long.BYTES, Long.BYTES).signaled();
        post(atomic, what);
        statistics().sent.message(Long.BYTES);
    }

    private void post(SendRequest request, String what) {
        try {
            qp.postSend(request);
        } catch (VerbsException refused) {
            throw QPerfFailure.of("failed to post " + what, refused);
        }
    }

    // ---- what completes ----

    /**
     * Takes completions, after waiting for an event unless this end polls. Where both ends share too few processors, a poll that finds
     * nothing for a while lets the other end run.
     */
    int poll(WorkCompletion[] into) {
        if (!polling && !awaitEvent()) {
            return 0;
        }
        return look(into);
    }

    /** Takes completions that are there. */
    int look(WorkCompletion[] into) {
        int count = cq.poll(into);
        if (count > 0) {
            empty = 0;
        } else if (++empty < POLLS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
        return count;
    }

    private boolean awaitEvent() {
        try {
            if (channel.getEvent(EVENT_NS) == null) {
                return false;
            }
            cq.ackEvents(1);
            cq.requestNotify();
            return true;
        } catch (VerbsException refused) {
            throw QPerfFailure.of("failed to get CQ event", refused);
        }
    }

    /** A message is there, or what was read. */
    void received() {
        statistics().received.message(messageBytes);
        if (touching) {
            touch();
        }
    }

    private void touch() {
        long sum = 0;
        for (long at = 0; at + Long.BYTES <= messageBytes; at += Long.BYTES) {
            sum += buffer.get(ValueLayout.JAVA_LONG, at);
        }
        touched += sum;
    }

    /** @throws QPerfFailure the work request of {@code completion} failed */
    void check(WorkCompletion completion, Statistics.Count count) {
        if (!completion.isSuccess()) {
            count.errors++;
            throw new QPerfFailure(session.testName() + " failed: " + CompletionError.text(completion.status()));
        }
    }

    // ---- the end ----

    /** The test is over at both ends: takes leave of the peer, as far as that is done. */
    void disconnect() {
        connection.disconnect();
    }

    /** How that goes makes no difference to what was measured. */
    @Override
    public void close() {
        opened.abandon();
    }
}
