// SPDX-License-Identifier: Apache-2.0
import java.lang.foreign.Arena;
import org.softrdma.testing.DeviceKind;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.FabricOptions;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
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
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WorkCompletion;

/** A program that passes the check of lesson shared-receive-queues: two devices on the loopback interface, in one process. */
public class Solution {
    public static void main(String[] args) {
        try (Fabric fabric = Fabric.onSockets(FabricOptions.DEFAULT.withDevices(3, DeviceKind.ROCE_V2))) {
            Context server = fabric.context(2);
            ProtectionDomain pd = server.allocatePd();
            CompletionQueue cq = server.createCq(16);
            SharedReceiveQueue queue = pd.createSrq(4, 1, 0);
            MemoryRegion memory = pd.register(Arena.ofAuto().allocate(8192, 8), AccessFlags.LOCAL_WRITE);
            for (int i = 0; i < 2; i++) {
                queue.postReceive(new ReceiveRequest().begin(i).element(memory, 4096L * i, 4096));
            }
            for (int client = 0; client < 2; client++) {
                send(fabric, client, pd.createQp(QpInitAttributes.rc(cq, ONE).withSrq(queue)));
            }
            WorkCompletion[] received = WorkCompletion.array(2);
            int count = 0;
            while (count < 2) {
                int polled = cq.poll(received);
                for (int i = 0; i < polled; i++) {
                    System.out.println("received: " + received[i]);
                }
                count += polled;
            }
        }
    }

    private static final QpCapabilities ONE = new QpCapabilities(4, 4, 1, 1, 0);

    private static void send(Fabric fabric, int client, QueuePair peer) {
        Context context = fabric.context(client);
        ProtectionDomain pd = context.allocatePd();
        CompletionQueue cq = context.createCq(4);
        QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, ONE));
        MemoryRegion memory = pd.register(Arena.ofAuto().allocate(100, 8), AccessFlags.LOCAL_WRITE);
        toRts(qp, fabric.gid(client).index(), fabric.gid(2).gid(), peer.qpNum());
        toRts(peer, fabric.gid(2).index(), fabric.gid(client).gid(), qp.qpNum());
        qp.postSend(new SendRequest().send().wrId(client).element(memory, 0, 100).signaled());
        WorkCompletion[] done = WorkCompletion.array(1);
        while (cq.poll(done) == 0) {
            Thread.onSpinWait();
        }
        System.out.println("sent: " + done[0]);
    }

    private static void toRts(QueuePair qp, int gidIndex, Gid peer, int peersQpn) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer, gidIndex)).pathMtu(Mtu.MTU_1024)
            .destQpn(peersQpn).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(0).maxRdAtomic(1));
    }
}
