// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** {@code ibv_devices}: lists names and node GUIDs. It ignores all arguments, as the original does. */
final class IbvDevices implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        print(devices(), console);
        return 0;
    }

    static void print(List<RdmaDevice> devices, Console console) {
        console.printf("    %-16s\t   node GUID\n", "device");
        console.printf("    %-16s\t----------------\n", "------");
        for (RdmaDevice each : devices) {
            console.printf("    %-16s\t%016x\n", each.name(), each.nodeGuid());
        }
    }

    private static List<RdmaDevice> devices() {
        try {
            return Verbs.devices();
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get IB devices list: " + refused.errno().text(), refused);
        }
    }
}
