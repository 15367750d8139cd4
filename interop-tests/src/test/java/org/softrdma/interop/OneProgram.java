// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * An application: two queue pairs of one RoCE device, connected with each other. It prints what happened, which must be the same on every
 * device, whoever provides it.
 */
final class OneProgram {
    private static final int BYTES = 4096;
    private static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY;
    private static final int FIRST_PSN = 0x123456;

    private final QueuePair qp;
    private final CompletionQueue cq;
    private final CompletionChannel channel;
    private final MemoryRegion near;
    private final MemoryRegion far;
    private final SendRequest wr = new SendRequest();

    private OneProgram(QueuePair qp, CompletionQueue cq, CompletionChannel channel, MemoryRegion near, MemoryRegion far) {
        this.qp = qp;
        this.cq = cq;
        this.channel = channel;
        this.near = near;
        this.far = far;
    }

    /** Returns what it prints, by the rules of the API. */
    static String output() throws IOException {
        try (InputStream in = OneProgram.class.getResourceAsStream("one-program.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** @param arguments name of the device, with or without its origin */
    public static void main(String[] arguments) {
        try (Context context = Verbs.open(arguments[0]);
            ProtectionDomain pd = context.allocatePd();
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue cq = context.createCq(64, null, channel, 0);
            MemoryRegion near = pd.register(Arena.ofAuto().allocate(BYTES, 64), ALL);
            MemoryRegion far = pd.register(Arena.ofAuto().allocate(BYTES, 64), ALL);
            QueuePair a = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL.withMaxSendWr(16).withMaxRecvWr(16)));
            QueuePair b = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL.withMaxSendWr(16).withMaxRecvWr(16)))) {
            GidEntry gid = context.queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
            connect(a, b.qpNum(), gid);
            connect(b, a.qpNum(), gid);
            new OneProgram(a, cq, channel, near, far).run(b);
        }
    }

    private static void connect(QueuePair qp, int peer, GidEntry gid) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(gid.gid(), gid.index())).pathMtu(Mtu.MTU_1024)
            .destQpn(peer).rqPsn(FIRST_PSN).maxDestRdAtomic(4).minRnrTimer(12));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(18).retryCount(7).rnrRetry(7).sqPsn(FIRST_PSN).maxRdAtomic(4));
        System.out.println("connected: " + qp.state());
    }

    private void run(QueuePair peer) {
        put(near, "written by the peer");
        complete(wr.write(far.address(), far.rkey()).wrId(1).element(near, 0, BYTES).signaled());
        System.out.println("WRITE: " + text(far));

        put(far, "read from the peer");
        complete(wr.read(far.address(), far.rkey()).wrId(2).element(near, 0, BYTES).signaled());
        System.out.println("READ: " + text(near));

        far.memory().set(ValueLayout.JAVA_LONG, 0, 40);
        complete(wr.fetchAndAdd(far.address(), far.rkey(), 2).wrId(3).element(near, 0, Long.BYTES).signaled());
        System.out.println("FETCH_ADD: " + number(near) + " became " + number(far));
        complete(wr.compareAndSwap(far.address(), far.rkey(), 42, 7).wrId(4).element(near, 0, Long.BYTES).signaled());
        System.out.println("CMP_SWAP: " + number(near) + " became " + number(far));

        put(near, "sent with an immediate");
        peer.postReceive(new ReceiveRequest().begin(5).element(far, 0, BYTES));
        cq.requestNotify();
        qp.postSend(wr.sendWithImmediate(0x01020304).wrId(6).element(near, 0, BYTES));
        System.out.println("event of this queue: " + (channel.getEvent(-1) == cq));
        cq.ackEvents(1);
        WorkCompletion received = next();
        System.out.println("RECV: " + received.wrId() + " " + received.status() + " " + received.byteLength() + " bytes, immediate 0x"
            + Integer.toHexString(received.immediate()) + ": " + text(far));

        complete(wr.write(far.address(), far.rkey() ^ 0xff).wrId(7).element(near, 0, BYTES).signaled());
        System.out.println("afterwards: " + qp.state());
        try {
            qp.modify(new QpAttributes().state(QpState.RTS));
        } catch (VerbsException refused) {
            System.out.println("refused: " + refused.verb() + " " + refused.errno());
        }
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
