// SPDX-License-Identifier: Apache-2.0
package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.softrdma.junit.Seeds;
import org.softrdma.junit.SoftRdma;
import org.softrdma.testing.Counters;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.RdmaPair;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Tests of RDMA code on a simulated network, which loses packets as the seed says, and whose time costs nothing. */
@SoftRdma(faults = "drop=5%")
class LossyNetworkTest {
    private static final int WRITES = 100;
    private static final QpInitAttributes QUEUES = QpInitAttributes.rc(null, QpCapabilities.ofDepth(4));

    private final WorkCompletion received = new WorkCompletion();

    /** A loss is repaired by the transport: the program notices nothing of it. */
    @Seeds(20)
    void shouldWriteInOrder(RdmaPair pair) {
        try (MemoryRegion from = pair.left().register(8L * WRITES); MemoryRegion to = pair.right().register(8)) {
            for (int i = 0; i < WRITES; i++) {
                from.memory().setAtIndex(ValueLayout.JAVA_LONG, i, i);
                pair.left().qp().postSend(new SendRequest().write(to.address(), to.rkey()).wrId(i).element(from, 8L * i, 8).signaled());
                assertEquals(WcStatus.SUCCESS, pair.left().await().status());
                assertEquals(i, to.memory().get(ValueLayout.JAVA_LONG, 0));
            }
        }
    }

    /** Eight attempts of 67 ms, as timeout 14 and retry_cnt 7 say, within no time. */
    @Test
    void shouldReportADeadPeer(RdmaPair pair, Fabric fabric, Counters counters) {
        try (MemoryRegion from = pair.left().register(8); MemoryRegion to = pair.right().register(8)) {
            fabric.kill(1);
            pair.left().qp().postSend(new SendRequest().write(to.address(), to.rkey()).element(from, 0, 8).signaled());
            assertEquals(WcStatus.RETRY_EXC_ERR, pair.left().await().status());
            assertTrue(fabric.nowNs() > 500_000_000L, "after " + fabric.nowNs() + " ns");
            assertEquals(1, counters.moved(0, "retry_exceeded_err"));
        }
    }

    /** A server that waits has a thread of its own, on the same virtual time. */
    @Test
    void shouldConnectByAddress(Fabric fabric) {
        try (CmId listener = fabric.connectionManager(1).createId(null, null, PortSpace.TCP);
             CmId id = fabric.connectionManager(0).createId(null, null, PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(fabric.address(1), 7471));
            listener.listen(1);
            Fabric.Task server = fabric.start("server", () -> {
                try (CmId accepted = listener.getRequest()) {                // waits, on virtual time
                    accepted.createQp(null, QUEUES);
                    accepted.qp().postReceive(new ReceiveRequest().begin(7));
                    accepted.accept();
                    accepted.awaitReceive(received);
                }
            });
            id.resolveAddress(null, new InetSocketAddress(fabric.address(1), 7471), 2000);
            id.resolveRoute(2000);
            id.createQp(null, QUEUES);
            id.connect(ConnectionParameters.DEFAULT);
            id.qp().postSend(new SendRequest().send());
            server.join();
            assertEquals(7, received.requireSuccess().wrId());
        }
    }
}
