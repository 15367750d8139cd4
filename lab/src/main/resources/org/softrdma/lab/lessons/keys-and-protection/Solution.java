// SPDX-License-Identifier: Apache-2.0
import org.softrdma.testing.Fabric;
import org.softrdma.testing.FabricOptions;
import org.softrdma.testing.RdmaPair;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.SendRequest;

/** A program that passes the check of lesson keys-and-protection: two devices on the loopback interface, in one process. */
public class Solution {
    public static void main(String[] args) {
        try (Fabric fabric = Fabric.onSockets(FabricOptions.DEFAULT)) {
            RdmaPair pair = fabric.pair(0, 1);
            MemoryRegion alice = pair.left().register(65536);
            MemoryRegion bob = pair.right().register(65536);
            pair.left().qp().postSend(new SendRequest().write(bob.address(), 0xbad0b).wrId(1).element(alice, 0, 100).signaled());
            System.out.println(pair.left().await());
        }
    }
}
