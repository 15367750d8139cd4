// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.tools.cli.Worker;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * One end of a connection: its queue pair, its buffers, and a thread that processes completions. This thread and the one that processes
 * events advance {@link #state} and release {@link #turn}; the thread of the test waits for a turn, and continues as the state demands.
 */
final class RPingEnd {
    /** Parameters of both ends: one READ at a time, RNR retries without a limit. */
    static final ConnectionParameters PARAMETERS = ConnectionParameters.DEFAULT.withReads(1, 1);
    /** Exit code of what returns -1 in C. */
    static final int FAILED = 255;

    private static final int SEND_DEPTH = 16;
    private static final int INFO_BYTES = 16;
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final RPingOptions options;
    private final Console console;
    private final Semaphore turn = new Semaphore(0);
    private final Arena arena = Arena.ofShared();
    private final ReceiveRequest receive = new ReceiveRequest();
    private volatile RPingState state = RPingState.IDLE;
    private volatile CmId id;
    private ProtectionDomain pd;
    private CompletionChannel channel;
    private CompletionQueue cq;
    /** Queue pair made by the program itself (-q), which must close it; otherwise null. */
    private QueuePair ownQp;
    private QueuePair qp;
    private MemoryRegion receiveRegion;
    private MemoryRegion sendRegion;
    private MemoryRegion dataRegion;
    private MemoryRegion startRegion;
    private volatile Worker completions;
    private final AtomicBoolean closed = new AtomicBoolean();
    private long remoteAddress;
    private int remoteKey;
    private int remoteLength;

    RPingEnd(RPingOptions options, Console console) {
        this.options = options;
        this.console = console;
    }

    // ---- turns ----

    RPingState state() {
        return state;
    }

    /** Sets the state. DISCONNECTED and ERROR are final: later events do not change them. */
    synchronized void state(RPingState next) {
        if (state.compareTo(RPingState.DISCONNECTED) < 0) {
            state = next;
        }
    }

    /** @return whether the connection has ended, or was never made */
    boolean isOver() {
        return state.compareTo(RPingState.DISCONNECTED) >= 0;
    }

    void post() {
        turn.release();
    }

    /** Waits for a turn. */
    void await() {
        turn.acquireUninterruptibly();
    }

    /**
     * Waits for a turn, in which the state must be the expected one.
     *
     * @param message of the original if the state is another one
     */
    void await(RPingState expected, String message) {
        await();
        if (state != expected) {
            throw new ToolFailure(FAILED, message + " state " + state.number());
        }
    }

    CmId id() {
        return id;
    }

    void id(CmId connection) {
        id = connection;
    }

    // ---- set up ----

    void setUp() {
        try {
            pd = id.verbs().allocatePd();
            debug("created pd " + name(pd) + "\n");
            channel = id.verbs().createCompletionChannel();
            debug("created channel " + name(channel) + "\n");
            cq = id.verbs().createCq(SEND_DEPTH * 2, this, channel, 0);
            debug("created cq " + name(cq) + "\n");
            cq.requestNotify();
            createQp();
            debug("created qp " + name(qp) + "\n");
            allocateBuffers();
            qp.postReceive(receive);
        } catch (VerbsException refused) {
            throw new ToolFailure(FAILED, "setup_qp failed: -1\n" + refused.getMessage());
        }
    }

    /** Starts the thread that processes completions. */
    void takeCompletions() {
        completions = Worker.start("rping-cq", this::runCompletions);
    }

    /** @return whether completions are processed, by a thread that must end before this end can be closed */
    boolean takesCompletions() {
        return completions != null;
    }

    private void createQp() {
        QpInitAttributes attributes = QpInitAttributes.rc(cq, new QpCapabilities(SEND_DEPTH, 2, 1, 1, 0));
        if (!options.ownQp) {
            id.createQp(pd, attributes);
            qp = id.qp();
            return;
        }
        ownQp = pd.createQp(attributes);
        qp = ownQp;
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(id.port())
            .accessFlags(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE));
    }

    private void allocateBuffers() {
        debug("rping_setup_buffers called on cb " + name(this) + "\n");
        int open = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE;
        receiveRegion = pd.register(arena.allocate(INFO_BYTES), AccessFlags.LOCAL_WRITE);
        sendRegion = pd.register(arena.allocate(INFO_BYTES), 0);
        dataRegion = pd.register(arena.allocate(options.size), open);
        if (!options.server) {
            startRegion = pd.register(arena.allocate(options.size), open);
        }
        receive.begin(0).element(receiveRegion, 0, INFO_BYTES);
        debug("allocated & registered buffers...\n");
    }

    /** @return parameters to connect or accept with */
    ConnectionParameters parameters() {
        return ownQp == null ? PARAMETERS : PARAMETERS.withQp(ownQp.qpNum(), false);
    }

    boolean hasOwnQp() {
        return ownQp != null;
    }

    /** Moves the program's own queue pair to RTS. */
    void moveOwnQp() {
        QpAttributes readyToReceive = id.initQpAttributes(QpState.RTR);
        if (readyToReceive == null) {
            // On iWARP the connection manager moves the queue pair.
            return;
        }
        ownQp.modify(id.initQpAttributes(QpState.INIT));
        ownQp.modify(readyToReceive);
        ownQp.modify(id.initQpAttributes(QpState.RTS));
    }

    /** Disconnects, and waits until all outstanding work requests are flushed. */
    void disconnect() {
        try {
            if (ownQp != null) {
                ownQp.modify(new QpAttributes().state(QpState.ERR));
            }
            id.disconnect();
        } catch (VerbsException notConnected) {
            debug(notConnected.getMessage() + "\n");
            completions.interrupt();
        }
        completions.join();
    }

    /** Frees everything, once. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (completions != null) {
            completions.interrupt();
            completions.join();
        }
        if (id != null) {
            // Refuses the request if it was not answered, and frees the queue pair that it was made for.
            id.close();
        }
        for (AutoCloseable each : new AutoCloseable[] {ownQp, startRegion, dataRegion, sendRegion, receiveRegion, cq, channel, pd}) {
            closeOne(each);
        }
        arena.close();
    }

    private static void closeOne(AutoCloseable what) {
        try {
            if (what != null) {
                what.close();
            }
        } catch (RuntimeException refused) {
            throw refused;
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }

    // ---- completions ----

    private void runCompletions() {
        debug("cq_thread started.\n");
        WorkCompletion[] one = WorkCompletion.array(1);
        try {
            while (true) {
                channel.getEvent(-1);
                cq.requestNotify();
                boolean goOn = handleAll(one);
                cq.ackEvents(1);
                if (!goOn) {
                    return;
                }
            }
        } catch (VerbsException ended) {
            if (ended.errno() != Errno.EINTR) {
                console.error(ended.getMessage());
                fail();
            }
        }
    }

    private void fail() {
        state(RPingState.ERROR);
        turn.release();
    }

    /** @return false when the queue pair was flushed, or on an error */
    private boolean handleAll(WorkCompletion[] one) {
        boolean flushed = false;
        while (cq.poll(one) == 1) {
            if (one[0].status() == WcStatus.WR_FLUSH_ERR) {
                flushed = true;
            } else if (!handle(one[0])) {
                fail();
                return false;
            }
        }
        return !flushed;
    }

    private boolean handle(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            console.error("cq completion failed status " + completion.status().value());
            return false;
        }
        WcOpcode opcode = completion.opcode();
        switch (opcode) {
            case SEND -> debug("send completion\n");
            case RDMA_WRITE -> {
                debug("rdma write completion\n");
                state(RPingState.RDMA_WRITE_COMPLETE);
                turn.release();
            }
            case RDMA_READ -> {
                debug("rdma read completion\n");
                state(RPingState.RDMA_READ_COMPLETE);
                turn.release();
            }
            case RECV -> {
                debug("recv completion\n");
                return received(completion.byteLength());
            }
            default -> {
                debug("unknown!!!!! completion\n");
                return false;
            }
        }
        return true;
    }

    private boolean received(int bytes) {
        if (bytes != INFO_BYTES) {
            console.error("Received bogus data, size " + bytes);
            console.error("recv wc error: -1");
            return false;
        }
        if (options.server) {
            readInfo();
        }
        RPingState now = state;
        if (options.server) {
            boolean first = now.compareTo(RPingState.CONNECTED) <= 0 || now == RPingState.RDMA_WRITE_COMPLETE;
            state(first ? RPingState.RDMA_READ_ADV : RPingState.RDMA_WRITE_ADV);
        } else {
            state(now == RPingState.RDMA_READ_ADV ? RPingState.RDMA_WRITE_ADV : RPingState.RDMA_WRITE_COMPLETE);
        }
        qp.postReceive(receive);
        turn.release();
        return true;
    }

    private void readInfo() {
        MemorySegment info = receiveRegion.memory();
        remoteAddress = info.get(U64, 0);
        remoteKey = info.get(U32, 8);
        remoteLength = info.get(U32, 12);
        debug("Received rkey " + Integer.toHexString(remoteKey) + " addr " + Long.toHexString(remoteAddress) + " len " + remoteLength
            + " from peer\n");
    }

    // ---- work requests ----

    /** Sends the address and rkey of a region that the peer may use now. */
    void advertise(MemoryRegion region) {
        MemorySegment info = sendRegion.memory();
        info.set(U64, 0, region.address());
        info.set(U32, 8, region.rkey());
        info.set(U32, 12, options.size);
        debug("RDMA addr " + Long.toHexString(region.address()) + " rkey " + Integer.toHexString(region.rkey()) + " len " + options.size
            + "\n");
        postInfo();
    }

    /** Sends the last advertisement, or 16 bytes that only mean "go ahead". */
    void postInfo() {
        qp.postSend(new SendRequest().send().element(sendRegion, 0, INFO_BYTES).signaled());
    }

    /** Reads the region that the peer advertised. A region longer than our buffer ends in a protection error, as in C. */
    void postRead() {
        qp.postSend(new SendRequest().read(remoteAddress, remoteKey)
            .element(dataRegion.address(), remoteLength, dataRegion.lkey()).signaled());
    }

    void postWrite(int bytes) {
        debug("rdma write from lkey " + Integer.toHexString(dataRegion.lkey()) + " laddr " + Long.toHexString(dataRegion.address())
            + " len " + bytes + "\n");
        qp.postSend(new SendRequest().write(remoteAddress, remoteKey).element(dataRegion, 0, bytes).signaled());
    }

    /** @return the client's text, which the server reads */
    MemoryRegion start() {
        return startRegion;
    }

    /** @return buffer for received data: the server reads into it, the client is written to */
    MemoryRegion data() {
        return dataRegion;
    }

    /** Prints debug output (-d) at once. */
    void debug(String text) {
        if (options.debug) {
            console.print(text);
            console.out().flush();
        }
    }

    /** @return a stand-in for C's %p */
    static String name(Object object) {
        return "0x" + Integer.toHexString(System.identityHashCode(object));
    }
}
