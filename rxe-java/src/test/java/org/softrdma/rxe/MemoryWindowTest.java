// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.SendRequest;

/** Memory windows in the table of keys. */
class MemoryWindowTest {
    private final SimulatedPair pair = new SimulatedPair(12, new SimulatedPair.Setup());
    private final SimulatedPair.Side side = pair.b;

    /** Otherwise windows of an earlier queue pair would grant access to one that draws its number again. */
    @Test
    void shouldEndTheBindingsOfADestroyedQueuePair() {
        MemoryRegion region = side.memory(4096, SimulatedPair.ALL_REMOTE);
        MemoryWindow two = side.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        side.qp.postSend(new SendRequest().bindWindow(two.rkey(), region, region.address(), 64, AccessFlags.REMOTE_WRITE).signaled());
        pair.runUntil(() -> !side.sends().isEmpty());
        assertNotNull(side.engine().memory().lookup(two.rkey()));
        side.qp.close();
        assertNull(side.engine().memory().lookup(two.rkey()));
        region.close();
    }
}
