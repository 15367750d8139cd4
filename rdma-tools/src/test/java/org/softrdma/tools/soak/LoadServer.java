// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.soak;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Passive end of the load: accepts connections, advertises memory to each client, and returns every message to its sender. After a message
 * of one byte it disconnects.
 */
final class LoadServer implements Runnable {
    /** Memory open to the WRITEs and READs of a client. */
    static final int WINDOW_BYTES = 1 << 20;
    /** Maximum message. */
    static final int MESSAGE_BYTES = 64 << 10;
    /** Line of output from which on clients can connect. */
    static final String LISTENING = "listening";
    /** Bytes of the advertisement: u64 address, u32 rkey. */
    static final int ADVERTISEMENT_BYTES = 12;

    private final int port;
    private final LongAdder connections;
    private final LongAdder operations;

    LoadServer(int port, LongAdder connections, LongAdder operations) {
        this.port = port;
        this.connections = connections;
        this.operations = operations;
    }

    static QpInitAttributes queuePair() {
        return QpInitAttributes.rc(null, new QpCapabilities(4, 4, 1, 1, 0)).withSignalAll(true);
    }

    @Override
    public void run() {
        try (EventChannel events = ConnectionManager.get().createEventChannel();
             CmId listener = ConnectionManager.get().createId(events, null, PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(port));
            listener.listen(64);
            System.out.println(LISTENING);
            while (true) {
                CmEvent event = events.getEvent(Long.MAX_VALUE);
                CmEventType type = event.type();
                CmId id = event.id();
                event.ack();
                switch (type) {
                    case CONNECT_REQUEST -> {
                        CountDownLatch established = new CountDownLatch(1);
                        id.context(established);
                        id.createQp(null, queuePair());
                        Thread.ofPlatform().name("connection").start(() -> serve(id, established));
                    }
                    case ESTABLISHED -> ((CountDownLatch) id.context()).countDown();
                    // The connection's thread then finds its receive flushed, and ends.
                    case DISCONNECTED -> disconnect(id);
                    default -> throw new IllegalStateException("unexpected event: " + event);
                }
            }
        }
    }

    private static void disconnect(CmId id) {
        try {
            id.disconnect();
        } catch (VerbsException closed) {
            // Its thread was faster: the client's last message requested the disconnection.
        }
    }

    private void serve(CmId request, CountDownLatch established) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment received = arena.allocate(MESSAGE_BYTES);
            MemorySegment answer = arena.allocate(MESSAGE_BYTES);
            try (CmId id = request;
                 MemoryRegion window = id.pd().register(arena.allocate(WINDOW_BYTES),
                     AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
                 MemoryRegion receive = id.pd().register(received, AccessFlags.LOCAL_WRITE);
                 MemoryRegion send = id.pd().register(answer, 0)) {
                postReceive(id, receive);
                id.accept(ConnectionParameters.DEFAULT);
                // Earlier than that the client's queue pair drops what it receives.
                established.await();
                answer.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, window.address());
                answer.set(ValueLayout.JAVA_INT_UNALIGNED, 8, window.rkey());
                send(id, send, ADVERTISEMENT_BYTES);
                answerAll(id, received, receive, answer, send);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            connections.increment();
        }
    }

    private void answerAll(CmId id, MemorySegment received, MemoryRegion receive, MemorySegment answer, MemoryRegion send) {
        WorkCompletion completion = new WorkCompletion();
        while (true) {
            id.awaitReceive(completion);
            if (completion.status() != WcStatus.SUCCESS) {
                return;
            }
            int bytes = completion.byteLength();
            MemorySegment.copy(received, 0, answer, 0, bytes);
            postReceive(id, receive);
            send(id, send, bytes);
            operations.increment();
            if (bytes == 1) {
                disconnect(id);
                return;
            }
        }
    }

    private static void postReceive(CmId id, MemoryRegion into) {
        id.qp().postReceive(new ReceiveRequest().begin(0).element(into, 0, MESSAGE_BYTES));
    }

    private static void send(CmId id, MemoryRegion from, int bytes) {
        id.qp().postSend(new SendRequest().send().element(from, 0, bytes));
        WorkCompletion completion = new WorkCompletion();
        id.awaitSend(completion);
        if (completion.status() != WcStatus.SUCCESS && completion.status() != WcStatus.WR_FLUSH_ERR) {
            throw new IllegalStateException("an answer failed: " + completion);
        }
    }
}
