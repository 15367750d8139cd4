// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

class IbvDevicesTest {
    private record Device(String origin, String name, long nodeGuid) implements RdmaDevice {
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
            IbvDevices.print(List.of(new Device("softrdma", "rxe0", 0x505400fffe123456L),
                new Device("softrdma", "a-name-of-20-letters", 0x02L)), console);
            return 0;
        });

        assertEquals("    device          \t   node GUID\n"
            + "    ------          \t----------------\n"
            + "    rxe0            \t505400fffe123456\n"
            + "    a-name-of-20-letters\t0000000000000002\n", run.out());
    }

    /** Each name of the list is one that the option -d of tools takes, and finds that device. */
    @Test
    void shouldTellDevicesOfOneNameApart() {
        List<RdmaDevice> devices = List.of(new Device("softrdma", "rxe0", 1), new Device("libibverbs", "rxe0", 2),
            new Device("libibverbs", "mlx5_0", 3));
        ToolRun run = ToolRun.of(console -> {
            IbvDevices.print(devices, console);
            return 0;
        });

        assertEquals("    rxe0            \t0000000000000001\n"
            + "    libibverbs:rxe0 \t0000000000000002\n"
            + "    mlx5_0          \t0000000000000003\n",
            run.out().lines().skip(2).map(line -> line + "\n").collect(Collectors.joining()));
        assertTrue(devices.get(0).isNamed("softrdma:rxe0") && !devices.get(0).isNamed("libibverbs:rxe0"));
    }

    @Test
    void shouldTellTheProviderInJson() {
        ToolRun run = ToolRun.of(console -> {
            IbvDevices.printJson(List.of(new Device("libibverbs", "rxe0", 0x505400fffe123456L)), console);
            return 0;
        });

        assertEquals("""
            [ {
                    "device": "rxe0",
                    "provider": "libibverbs",
                    "node_guid": "5054:00ff:fe12:3456",
                    "netdev": "eth0"
                } ]
            """, run.out());
    }
}
