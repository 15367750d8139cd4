// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.FabricOptions;
import org.softrdma.testing.RdmaPair;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;

/** A program that passes the check of lesson receiver-not-ready: two devices on the loopback interface, in one process. */
public class Solution {
    public static void main(String[] args) {
        try (Fabric fabric = Fabric.onSockets(FabricOptions.DEFAULT)) {
            RdmaPair pair = fabric.pair(0, 1);
            MemoryRegion alice = pair.left().register(65536);
            MemoryRegion bob = pair.right().register(65536);
            pair.left().qp().postSend(new SendRequest().send().wrId(1).element(alice, 0, 100).signaled());
            fabric.runFor(Duration.ofMillis(20));
            pair.right().qp().postReceive(new ReceiveRequest().begin(2).element(bob, 0, 100));
            if (!pair.left().await().isSuccess()) {
                throw new IllegalStateException("the request failed");
            }
        }
    }
}
