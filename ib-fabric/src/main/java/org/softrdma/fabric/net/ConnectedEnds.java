// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.ipoib.ConnectedMessage;
import org.softrdma.fabric.ipoib.ConnectionStep;
import org.softrdma.fabric.ipoib.IpoibInterface;
import org.softrdma.rxe.ServiceConnections;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ipoib.IpoibConnection;
import org.softrdma.wire.ipoib.IpoibHeader;

/**
 * Queue pairs of an interface in connected mode. All of them receive from one queue. The machine's lock guards everything; events of the
 * connection manager, which come with the lock of the device, wait in a queue for {@link #awaitEvent}.
 */
final class ConnectedEnds implements AutoCloseable {
    private static final int RECEIVES = 128;
    private static final int SENDS = 64;
    private static final int WINDOW = 16;
    private static final int SLOT = IpoibConnection.MAX_MTU + IpoibHeader.LENGTH;
    /** Requests and other events that wait; further requests are dropped, and repeated by their senders. */
    private static final int MAX_EVENTS = 64;
    private static final int RETRIES = 7;
    /** ACK timeout as exponent, 0.27 s: what the path's life time would give, seconds, is more than TCP waits. */
    private static final int ACK_TIMEOUT = 16;
    /** Time for the last receive of a queue pair that failed to be flushed. */
    private static final long FLUSH_NS = 200_000_000;
    private static final byte[] NO_DATA = {};

    private final IpoibInterface machine;
    private final int pkey;
    private final ServiceConnections service;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final ByteBuffer bytes;
    private final MemoryRegion region;
    private final CompletionQueue received;
    private final CompletionQueue sent;
    private final SharedReceiveQueue receives;
    private final WorkCompletion[] completions = WorkCompletion.array(64);
    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final Map<Integer, End> byNumber = new HashMap<>();
    private final Map<Integer, End> byQpn = new HashMap<>();
    private final ArrayDeque<End> closing = new ArrayDeque<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    /** Ends that send from slots; null for free ones. */
    private final End[] senders = new End[RECEIVES + SENDS];

    /** One end of a connection. */
    private final class End implements CmHandler {
        int number;
        QueuePair queuePair;
        CmConnection connection;
        /** When the queue pair is closed. */
        long closeNs;

        @Override
        public void onResponse(ConnectionParameters parameters) {
            events.add(() -> replied(this, parameters.privateData()));
        }

        @Override
        public void onEstablished(ConnectionParameters parameters) {
        }

        @Override
        public void onDatagramTarget(DatagramParameters parameters) {
        }

        @Override
        public void onRejected(int status, byte[] privateData) {
            onConnectError(status);
        }

        @Override
        public void onUnreachable(int status, byte[] privateData) {
            onConnectError(status);
        }

        @Override
        public void onConnectError(int status) {
            events.add(() -> ended(this));
        }

        @Override
        public void onDisconnected(int status) {
            onConnectError(status);
        }

        @Override
        public void onTimewaitExit() {
        }
    }

    /**
     * Begins to listen.
     *
     * @param pkey    P_Key of the interface, u16
     * @param channel of the completions
     */
    ConnectedEnds(Context context, ProtectionDomain pd, int pkey, CompletionChannel channel, IpoibInterface machine) {
        this.pd = pd;
        this.pkey = pkey;
        this.machine = machine;
        service = ServiceConnections.of(context);
        MemorySegment memory = arena.allocate((long) (RECEIVES + SENDS) * SLOT, 8);
        bytes = memory.asByteBuffer();
        region = pd.register(memory, AccessFlags.LOCAL_WRITE);
        received = context.createCq(RECEIVES, null, channel, 0);
        sent = context.createCq(SENDS, null, channel, 0);
        receives = pd.createSrq(RECEIVES, 1, 0);
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(i);
        }
        for (int i = RECEIVES; i < RECEIVES + SENDS; i++) {
            freeSlots.add(i);
        }
        received.requestNotify();
        sent.requestNotify();
        service.listen(machine.serviceId(), this::onRequest);
    }

    private void postReceive(int slot) {
        receives.postReceive(new ReceiveRequest().begin(slot).element(region, (long) slot * SLOT, SLOT));
    }

    // ---- events of the connection manager ----

    private RequestVerdict onRequest(CmConnection connection, ServiceConnections.Request request) {
        if (((request.pkey() ^ pkey) & PKeyBlock.PARTITION) != 0) {
            return RequestVerdict.REFUSED;
        }
        if (events.size() >= MAX_EVENTS) {
            return RequestVerdict.DROPPED;
        }
        End end = new End();
        end.connection = connection;
        connection.handler(end);
        events.add(() -> requested(end, request));
        return RequestVerdict.TAKEN;
    }

    /**
     * Waits for an event.
     *
     * @return what to do with the machine's lock; null if there is none in time
     */
    Runnable awaitEvent(long timeoutNs) {
        try {
            return events.poll(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new VerbsException(Errno.EINTR, "ipoib", "the thread was interrupted", stopped);
        }
    }

    private void requested(End end, ServiceConnections.Request request) {
        end.number = machine.onConnectionRequest(request.port(), request.privateData(), System.nanoTime());
        if (end.number == 0) {
            end.connection.close();
            return;
        }
        byNumber.put(end.number, end);
        attempt(end, () -> {
            enter(end);
            connect(end);
            end.connection.accept(parameters(end, machine.connectionData()), 0);
        });
    }

    private void replied(End end, byte[] privateData) {
        if (isOpen(end) && machine.onConnectionReply(end.number, privateData, System.nanoTime())) {
            attempt(end, () -> {
                connect(end);
                end.connection.establish();
            });
        }
    }

    private void ended(End end) {
        if (isOpen(end)) {
            machine.onConnectionEnd(end.number, System.nanoTime());
        }
    }

    private boolean isOpen(End end) {
        return byNumber.get(end.number) == end;
    }

    /** Does a step of a connection; if the peer has given up meanwhile, or there are too many of something, it has ended. */
    private void attempt(End end, Runnable step) {
        try {
            step.run();
        } catch (VerbsException refused) {
            IpoibProcess.requireDevice(refused);
            machine.onConnectionEnd(end.number, System.nanoTime());
        }
    }

    // ---- steps of the machine ----

    void apply(ConnectionStep step) {
        switch (step) {
            case ConnectionStep.Connect connect -> request(connect);
            case ConnectionStep.Close close -> close(byNumber.remove(close.connection()));
        }
    }

    private void request(ConnectionStep.Connect step) {
        End end = new End();
        end.number = step.connection();
        byNumber.put(end.number, end);
        attempt(end, () -> {
            enter(end);
            end.connection = service.connect(step.path(), step.serviceId(), parameters(end, step.privateData()), end);
        });
    }

    private void enter(End end) {
        end.queuePair = pd.createQp(new QpInitAttributes(QpType.RC, sent, received, receives, new QpCapabilities(WINDOW, 0, 1, 0, 0),
            true));
        byQpn.put(end.queuePair.qpNum(), end);
    }

    private static ConnectionParameters parameters(End end, byte[] privateData) {
        return ConnectionParameters.builder().privateData(privateData).retryCount(RETRIES).rnrRetryCount(RETRIES).srq(true)
            .qpNum(end.queuePair.qpNum()).build();
    }

    private static void connect(End end) {
        for (QpState state : List.of(QpState.INIT, QpState.RTR, QpState.RTS)) {
            QpAttributes attributes = end.connection.qpAttributes(state, CmPathOptions.DEFAULT);
            end.queuePair.modify(state == QpState.RTS ? attributes.timeout(ACK_TIMEOUT) : attributes);
        }
    }

    /** Ends a connection; its queue pair is closed when what it has taken from the receive queue came back. */
    private void close(End end) {
        if (end == null) {
            return;
        }
        if (end.queuePair != null) {
            end.queuePair.modify(new QpAttributes().state(QpState.ERR));
            end.closeNs = System.nanoTime() + FLUSH_NS;
            closing.add(end);
        }
        if (end.connection != null) {
            end.connection.close();
        }
    }

    // ---- messages ----

    /** Whether there is room to send a message. */
    boolean hasRoom() {
        return !freeSlots.isEmpty();
    }

    void send(ConnectedMessage message) {
        End end = byNumber.get(message.connection());
        int slot = freeSlots.remove();
        int length = message.payload().capacity();
        bytes.put(slot * SLOT, message.payload(), 0, length);
        senders[slot] = end;
        try {
            end.queuePair.postSend(new SendRequest().send().wrId(slot).element(region, (long) slot * SLOT, length));
        } catch (VerbsException failed) {
            IpoibProcess.requireDevice(failed);
            free(slot);
            machine.onConnectionEnd(end.number, System.nanoTime());
        }
    }

    private void free(int slot) {
        senders[slot] = null;
        freeSlots.add(slot);
    }

    /** Handles completions, and closes the queue pairs whose time has come. */
    void poll() {
        for (int count = received.poll(completions, completions.length); count > 0;
                count = received.poll(completions, completions.length)) {
            for (int i = 0; i < count; i++) {
                onReceived(completions[i]);
            }
        }
        for (int count = sent.poll(completions, completions.length); count > 0; count = sent.poll(completions, completions.length)) {
            for (int i = 0; i < count; i++) {
                onSent(completions[i]);
            }
        }
        while (!closing.isEmpty() && Deadline.isDue(closing.peek().closeNs, System.nanoTime())) {
            release(closing.remove());
        }
    }

    /** Asks for an event of the next completion, after one of this queue. */
    boolean requestNotify(CompletionQueue ready) {
        boolean ours = ready == received || ready == sent;
        if (ours) {
            ready.requestNotify();
        }
        return ours;
    }

    private void onReceived(WorkCompletion completion) {
        int slot = (int) completion.wrId();
        End end = byQpn.get(completion.qpNum());
        if (completion.isSuccess() && end != null && isOpen(end)) {
            machine.onMessage(end.number, bytes, slot * SLOT, completion.byteLength(), System.nanoTime());
        }
        postReceive(slot);
    }

    private void onSent(WorkCompletion completion) {
        int slot = (int) completion.wrId();
        End end = senders[slot];
        if (end == null || end.queuePair.qpNum() != completion.qpNum()) {
            return;
        }
        free(slot);
        if (isOpen(end)) {
            if (completion.isSuccess()) {
                machine.onMessageSent(end.number);
            } else {
                machine.onConnectionEnd(end.number, System.nanoTime());
            }
        }
    }

    private void release(End end) {
        byQpn.remove(end.queuePair.qpNum(), end);
        end.queuePair.close();
        for (int slot = RECEIVES; slot < senders.length; slot++) {
            if (senders[slot] == end) {
                free(slot);
            }
        }
    }

    /** Ends all connections; the machine has closed them. */
    @Override
    public void close() {
        service.unlisten(machine.serviceId());
        closing.forEach(this::release);
        receives.close();
        received.close();
        sent.close();
        region.close();
        arena.close();
    }
}
