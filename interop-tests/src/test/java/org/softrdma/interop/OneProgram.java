// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * An application: two queue pairs of one device, connected with each other by address. It prints what happened, which must be the same on
 * every device, whoever provides it; it says what the device does not have.
 */
final class OneProgram {
    private static final int BYTES = 4096;
    private static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY;
    private static final int TIMEOUT_MS = 5000;

    private final boolean iwarp;
    private final EventChannel events;
    private final QueuePair qp;
    private final CompletionQueue cq;
    private final CompletionChannel channel;
    private final MemoryRegion near;
    private final MemoryRegion far;
    private final SendRequest wr = new SendRequest();

    private OneProgram(boolean iwarp, EventChannel events, QueuePair qp, CompletionQueue cq, CompletionChannel channel, MemoryRegion near,
            MemoryRegion far) {
        this.iwarp = iwarp;
        this.events = events;
        this.qp = qp;
        this.cq = cq;
        this.channel = channel;
        this.near = near;
        this.far = far;
    }

    /** Returns what it prints, by the rules of the API. */
    static String output(Transport transport) throws IOException {
        String file = transport == Transport.IWARP ? "one-program-iwarp.txt" : "one-program.txt";
        try (InputStream in = OneProgram.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** @param arguments name of the device, an address of it */
    public static void main(String[] arguments) {
        ConnectionManager manager = ConnectionManager.get();
        try (EventChannel events = manager.createEventChannel();
            CmId listener = manager.createId(events, null, PortSpace.TCP);
            CmId asking = manager.createId(events, null, PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(arguments[1], 0));
            listener.listen(1);
            asking.resolveAddress(null, listener.localAddress(), TIMEOUT_MS);
            await(events, CmEventType.ADDR_RESOLVED);
            asking.resolveRoute(TIMEOUT_MS);
            await(events, CmEventType.ROUTE_RESOLVED);
            Context context = asking.verbs();
            if (!context.device().name().equals(arguments[0])) {
                throw new IllegalArgumentException(arguments[1] + " is an address of " + context.device().name());
            }
            try (ProtectionDomain pd = context.allocatePd();
                CompletionChannel channel = context.createCompletionChannel();
                CompletionQueue cq = context.createCq(64, null, channel, 0);
                MemoryRegion near = pd.register(Arena.ofAuto().allocate(BYTES, 64), ALL);
                MemoryRegion far = pd.register(Arena.ofAuto().allocate(BYTES, 64), ALL)) {
                QpInitAttributes queues = QpInitAttributes.rc(cq, QpCapabilities.MINIMAL.withMaxSendWr(16).withMaxRecvWr(16));
                asking.createQp(pd, queues);
                asking.connect(ConnectionParameters.DEFAULT);
                CmId asked = await(events, CmEventType.CONNECT_REQUEST);
                asked.createQp(pd, queues);
                asked.accept(ConnectionParameters.DEFAULT);
                await(events, CmEventType.ESTABLISHED);
                await(events, CmEventType.ESTABLISHED);
                System.out.println("connected");
                boolean iwarp = context.device().transport() == Transport.IWARP;
                new OneProgram(iwarp, events, asking.qp(), cq, channel, near, far).run(asked.qp());
                asking.destroyQp();
                asked.destroyQp();
                asked.close();
            }
        }
    }

    private static CmId await(EventChannel events, CmEventType expected) {
        CmEvent event = events.getEvent(-1);
        if (event.type() != expected) {
            throw new IllegalStateException("instead of " + expected + ": " + event);
        }
        CmId id = event.id();
        event.ack();
        return id;
    }

    private void run(QueuePair peer) {
        put(near, "written by the peer");
        complete(wr.write(far.address(), far.rkey()).wrId(1).element(near, 0, BYTES).signaled());
        System.out.println("WRITE: " + text(far));

        put(far, "read from the peer");
        complete(wr.read(far.address(), far.rkey()).wrId(2).element(near, 0, BYTES).signaled());
        System.out.println("READ: " + text(near));

        if (qp.pd().context().queryDevice().atomicCap() == 0) {
            System.out.println("FETCH_ADD, CMP_SWAP: the device has no atomics");
        } else {
            atomics();
        }

        put(near, "sent");
        peer.postReceive(new ReceiveRequest().begin(5).element(far, 0, BYTES));
        cq.requestNotify();
        qp.postSend((iwarp ? wr.send() : wr.sendWithImmediate(0x01020304)).wrId(6).element(near, 0, BYTES));
        System.out.println("event of this queue: " + (channel.getEvent(-1) == cq));
        cq.ackEvents(1);
        WorkCompletion received = next();
        System.out.println("RECV: " + received.wrId() + " " + received.status() + " " + received.byteLength() + " bytes"
            + (iwarp ? "" : ", immediate 0x" + Integer.toHexString(received.immediate())) + ": " + text(far));

        complete(wr.write(far.address(), far.rkey() ^ 0xff).wrId(7).element(near, 0, BYTES).signaled());
        if (iwarp) {
            await(events, CmEventType.DISCONNECTED);
            System.out.println("afterwards: disconnected");
            return;
        }
        System.out.println("afterwards: " + qp.state());
        try {
            qp.modify(new QpAttributes().state(QpState.RTS));
        } catch (VerbsException refused) {
            System.out.println("refused: " + refused.verb() + " " + refused.errno());
        }
    }

    private void atomics() {
        far.memory().set(ValueLayout.JAVA_LONG, 0, 40);
        complete(wr.fetchAndAdd(far.address(), far.rkey(), 2).wrId(3).element(near, 0, Long.BYTES).signaled());
        System.out.println("FETCH_ADD: " + number(near) + " became " + number(far));
        complete(wr.compareAndSwap(far.address(), far.rkey(), 42, 7).wrId(4).element(near, 0, Long.BYTES).signaled());
        System.out.println("CMP_SWAP: " + number(near) + " became " + number(far));
    }

    private void complete(SendRequest request) {
        qp.postSend(request);
        WorkCompletion done = next();
        System.out.println(done.wrId() + " " + done.status());
    }

    private WorkCompletion next() {
        WorkCompletion[] one = WorkCompletion.array(1);
        while (cq.poll(one) == 0) {
            Thread.onSpinWait();
        }
        return one[0];
    }

    private static void put(MemoryRegion region, String text) {
        region.memory().fill((byte) 0);
        MemorySegment.copy(MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII)), 0, region.memory(), 0, text.length());
    }

    private static String text(MemoryRegion region) {
        return region.memory().getString(0, StandardCharsets.US_ASCII);
    }

    private static long number(MemoryRegion region) {
        return region.memory().get(ValueLayout.JAVA_LONG, 0);
    }
}
