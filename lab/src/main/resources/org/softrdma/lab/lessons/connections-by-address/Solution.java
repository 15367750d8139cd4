// SPDX-License-Identifier: Apache-2.0
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import org.softrdma.testing.DeviceKind;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.FabricOptions;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** A program that passes the check of lesson connections-by-address: two devices on the loopback interface, in one process. */
public class Solution {
    public static void main(String[] args) {
        try (Fabric fabric = Fabric.onSockets(FabricOptions.DEFAULT.withDevices(2, DeviceKind.ROCE_V2))) {
            CmId listener = fabric.connectionManager(1).createId(null, null, PortSpace.TCP);
            listener.bind(new InetSocketAddress(fabric.address(1), 7471));
            listener.listen(1);
            Fabric.Task server = fabric.start("server", () -> receive(listener));
            CmId id = fabric.connectionManager(0).createId(null, null, PortSpace.TCP);
            id.resolveAddress(null, new InetSocketAddress(fabric.address(1), 7471), 2000);
            id.resolveRoute(2000);
            CompletionQueue cq = id.verbs().createCq(4);
            id.createQp(null, QpInitAttributes.rc(cq, ONE));
            MemoryRegion memory = id.pd().register(Arena.ofAuto().allocate(100, 8), AccessFlags.LOCAL_WRITE);
            id.connect(ConnectionParameters.DEFAULT);
            id.qp().postSend(new SendRequest().send().wrId(1).element(memory, 0, 100).signaled());
            System.out.println("sent: " + next(cq));
            // Both ends disconnect: an end that stays away is waited for.
            id.disconnect();
            server.join();
            id.destroyQp();
            id.close();
            listener.close();
        }
    }

    private static final QpCapabilities ONE = new QpCapabilities(4, 4, 1, 1, 0);

    private static void receive(CmId listener) {
        CmId id = listener.getRequest();
        CompletionQueue cq = id.verbs().createCq(4);
        id.createQp(null, QpInitAttributes.rc(cq, ONE));
        MemoryRegion memory = id.pd().register(Arena.ofAuto().allocate(100, 8), AccessFlags.LOCAL_WRITE);
        id.qp().postReceive(new ReceiveRequest().begin(1).element(memory, 0, 100));
        id.accept(ConnectionParameters.DEFAULT);
        System.out.println("received: " + next(cq));
        id.disconnect();
        id.destroyQp();
        id.close();
    }

    private static WorkCompletion next(CompletionQueue cq) {
        WorkCompletion[] one = WorkCompletion.array(1);
        while (cq.poll(one) == 0) {
            Thread.onSpinWait();
        }
        return one[0];
    }
}
