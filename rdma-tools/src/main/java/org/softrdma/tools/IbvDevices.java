// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Report;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.tools.devices.Guid;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/**
 * {@code ibv_devices}: lists names and node GUIDs. It ignores all arguments, as the original does, but {@code --json}, which tells the
 * provider as well.
 */
final class IbvDevices implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        if (arguments.contains("--json")) {
            printJson(devices(), console);
        } else {
            print(devices(), console);
        }
        return 0;
    }

    static void print(List<RdmaDevice> devices, Console console) {
        console.printf("    %-16s\t   node GUID\n", "device");
        console.printf("    %-16s\t----------------\n", "------");
        List<String> names = Verbs.names(devices);
        for (int i = 0; i < names.size(); i++) {
            console.printf("    %-16s\t%016x\n", names.get(i), devices.get(i).nodeGuid());
        }
    }

    static void printJson(List<RdmaDevice> devices, Console console) {
        Report report = Report.of(true, true, console);
        report.begin();
        for (RdmaDevice each : devices) {
            report.beginObject();
            report.string("device", null, each.name());
            report.string("provider", null, each.origin());
            report.string("node_guid", null, Guid.text(each.nodeGuid()));
            report.string("netdev", null, each.netdev());
            report.endObject();
        }
        report.end();
    }

    private static List<RdmaDevice> devices() {
        try {
            return Verbs.devices();
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get IB devices list: " + refused.errno().text(), refused);
        }
    }
}
