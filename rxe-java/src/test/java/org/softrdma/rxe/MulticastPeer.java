// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.softrdma.rxe.engine.MulticastTable;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * A member of a multicast group, on a real interface; also a program: {@code MulticastPeer NETDEV GROUP [SGID_INDEX TEXT]} joins,
 * says "ready", sends TEXT if it has one, and prints what it receives, one datagram.
 */
final class MulticastPeer implements AutoCloseable {
    private static final int QKEY = 0x11111111;
    private static final int BYTES = 256;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final Gid group;
    private final Context context;
    private final CompletionChannel channel;
    private final CompletionQueue cq;
    private final ProtectionDomain pd;
    private final QueuePair qp;
    private final MemoryRegion memory;

    MulticastPeer(String device, String netdev, Gid group) {
        this.group = group;
        context = Rxe.device(device, netdev).open();
        channel = context.createCompletionChannel();
        cq = context.createCq(16, null, channel, 0);
        pd = context.allocatePd();
        memory = pd.register(Arena.ofAuto().allocate(2 * BYTES), AccessFlags.LOCAL_WRITE);
        qp = pd.createQp(new QpInitAttributes(QpType.UD, cq, cq, null, new QpCapabilities(4, 4, 1, 1, 0), false));
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.modify(new QpAttributes().state(QpState.RTR));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, BYTES));
        cq.requestNotify();
        qp.attachMulticast(group);
    }

    void send(int sgidIndex, String text) {
        MemorySegment bytes = memory.memory().asSlice(BYTES);
        bytes.setString(0, text);
        qp.postSend(new SendRequest().send().element(memory, BYTES, text.length() + 1)
            .to(pd.createAh(AddressVector.to(group, sgidIndex)), MulticastTable.QPN, QKEY));
    }

    /** Text and source of the next datagram; waits for it. */
    String receive() {
        WorkCompletion[] done = WorkCompletion.array(1);
        while (cq.poll(done) == 0) {
            if (channel.getEvent(PATIENCE_NS) == null) {
                throw new AssertionError("nothing came: " + context.counters());
            }
            cq.ackEvents(1);
            cq.requestNotify();
        }
        Gid from = memory.memory().get(ValueLayout.JAVA_BYTE, 0) == 0
            ? Gid.ofIpv4(Integer.reverseBytes(memory.memory().get(ValueLayout.JAVA_INT_UNALIGNED, 32)))
            : new Gid(Long.reverseBytes(memory.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, 8)),
                Long.reverseBytes(memory.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, 16)));
        return memory.memory().asSlice(40, done[0].byteLength() - 40).getString(0) + " from " + from;
    }

    Gid gid(int index) {
        return context.queryGid(1, index);
    }

    @Override
    public void close() {
        qp.detachMulticast(group);
        qp.close();
        memory.close();
    }

    public static void main(String[] arguments) throws Exception {
        try (MulticastPeer peer = new MulticastPeer("peer", arguments[0], Gid.of(InetAddress.getByName(arguments[1])))) {
            System.out.println("ready");
            if (arguments.length > 3) {
                peer.send(Integer.parseInt(arguments[2]), arguments[3]);
            }
            System.out.println(peer.receive());
        }
        System.exit(0);
    }
}
