// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

class IbvDevicesTest {
    private record Device(String name, long nodeGuid) implements RdmaDevice {
        @Override
        public NodeType nodeType() {
            return NodeType.CA;
        }

        @Override
        public Transport transport() {
            return Transport.INFINIBAND;
        }

        @Override
        public String netdev() {
            return "eth0";
        }

        @Override
        public Context open() {
            throw new AssertionError("listing opens nothing");
        }
    }

    /** The first lines are those of ibverbs-utils 44. GUIDs have 16 digits, and names may be longer than their column. */
    @Test
    void shouldPrintTheTableOfTheOriginal() {
        ToolRun run = ToolRun.of(console -> {
            IbvDevices.print(List.of(new Device("rxe0", 0x505400fffe123456L), new Device("a-name-of-20-letters", 0x02L)), console);
            return 0;
        });

        assertEquals("    device          \t   node GUID\n"
            + "    ------          \t----------------\n"
            + "    rxe0            \t505400fffe123456\n"
            + "    a-name-of-20-letters\t0000000000000002\n", run.out());
    }
}
