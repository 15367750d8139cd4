// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.List;
import java.util.function.Supplier;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** {@code show_gids [DEVICE]}: the table of GIDs, whose indices the other tools' {@code -g} and {@code -x} take. */
public final class ShowGids implements Tool {
    private final Supplier<List<RdmaDevice>> devices;

    /**
     * The tool on a list of devices.
     *
     * @param devices supplies all devices; may throw a VerbsException
     */
    public ShowGids(Supplier<List<RdmaDevice>> devices) {
        this.devices = devices;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        if (arguments.equals(List.of("-h")) || arguments.equals(List.of("--help"))) {
            console.print("Usage: " + name + " [DEVICE]\n");
            return 0;
        }
        console.print("DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n"
            + "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n");
        int count = 0;
        for (RdmaDevice device : chosen(arguments)) {
            for (GidEntry entry : device.describe().gids()) {
                print(device.name(), entry, console);
                count++;
            }
        }
        console.println("n_gids_found=" + count);
        return 0;
    }

    private List<RdmaDevice> chosen(List<String> arguments) {
        List<RdmaDevice> all;
        try {
            all = devices.get();
        } catch (VerbsException refused) {
            throw new ToolFailure(refused.getMessage());
        }
        if (arguments.isEmpty()) {
            return all;
        }
        List<RdmaDevice> chosen = all.stream().filter(each -> each.isNamed(arguments.getFirst())).toList();
        if (chosen.isEmpty()) {
            throw new ToolFailure("Device " + arguments.getFirst() + " not found");
        }
        return chosen;
    }

    private static void print(String device, GidEntry entry, Console console) {
        String ipv4 = entry.gid().isIpv4Mapped() ? entry.gid().toInetAddress().getHostAddress() + "  \t" : "\t\t";
        console.println(device + "\t" + entry.port() + "\t" + entry.index() + "\t" + entry.gid().sysfsText() + "\t" + ipv4
            + word(entry.type()) + "\t" + entry.netdev());
    }

    private static String word(GidType type) {
        return switch (type) {
            case IB -> "IB";
            case ROCE_V1 -> "v1";
            case ROCE_V2 -> "v2";
        };
    }
}
