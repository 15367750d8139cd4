// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.util.List;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkStore;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * {@code cma_roce_mode -d DEV -p PORT [-m 1|2]}: shows, and with {@code -m} sets, the version of RoCE of connections by address. Linux
 * stores it in configfs as {@code default_roce_mode}; here it is stored with the links.
 */
final class CmaRoceMode implements Tool {
    private final LinkStore store;
    private String device;
    private String port;
    private GidType mode;

    CmaRoceMode() {
        this(LinkStore.open());
    }

    CmaRoceMode(LinkStore store) {
        this.store = store;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        if (!parse(name, arguments, console)) {
            console.print(usage(name));
            return 0;
        }
        if (device == null || port == null) {
            throw new ToolFailure("Please provide a device (-d) and a port (-p).\n" + usage(name).stripTrailing());
        }
        find();
        if (!port.equals("1")) {
            throw new ToolFailure("Wrong port " + port + ": " + device + " has port 1 only");
        }
        if (mode != null) {
            choose();
        }
        console.print(RxeLinkType.roceMode(find()).text() + "\n");
        return 0;
    }

    /** @return false if only the help text is requested */
    private boolean parse(String name, List<String> arguments, Console console) {
        GetoptLong options = new GetoptLong(name, "hd:p:m:", List.of(), arguments, console);
        for (int option = options.next(); option != GetoptLong.END; option = options.next()) {
            switch (option) {
                case 'd' -> device = options.argument();
                case 'p' -> port = options.argument();
                case 'm' -> mode = mode(options.argument());
                case 'h' -> {
                    return false;
                }
                default -> throw new ToolFailure(usage(name).stripTrailing());
            }
        }
        return true;
    }

    /** Parses a number, or a name as in configfs. */
    private static GidType mode(String text) {
        return switch (text) {
            case "1", "IB/RoCE v1" -> GidType.ROCE_V1;
            case "2", "RoCE v2" -> GidType.ROCE_V2;
            default -> throw new ToolFailure("Wrong mode " + text + ": 1 is RoCE v1, 2 is RoCE v2");
        };
    }

    private void choose() {
        try {
            RxeLinkType.setRoceMode(store, device, mode);
        } catch (VerbsException refused) {
            throw new ToolFailure("error: " + refused.errno().text(), refused);
        }
    }

    private ConfiguredLink find() {
        for (ConfiguredLink each : store.effectiveLinks()) {
            if (each.name().equals(device) && each.type().equals(RxeLinkType.NAME)) {
                return each;
            }
        }
        throw new ToolFailure("Wrong device name " + device + ": there is no RoCE device of this name");
    }

    private static String usage(String name) {
        return "Usage: " + name + " -d DEV -p PORT [-m MODE]\n"
            + "  -d  device, such as rxe0\n"
            + "  -p  port of it: 1\n"
            + "  -m  set the version of RoCE: 1 for v1, 2 for v2; without this option it is shown\n"
            + "  -h  this help\n";
    }
}
