// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.List;
import java.util.function.Supplier;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Report;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/**
 * {@code ibv_devinfo}: attributes of devices and ports. Unlike the original, it accepts a device's name without {@code -d}, and
 * {@code --json}, which tells the provider as well.
 */
public final class IbvDevinfo implements Tool {
    /** Exit code of a C program whose main returns -1. */
    private static final int FAILED = 255;
    private static final int CANNOT_OPEN = 1;
    private static final int NO_SUCH_PORT = 4;
    /** Stands for {@code --json}, which has no letter. */
    private static final char JSON = '\u0100';
    private static final List<GetoptLong.Long> LONG_OPTIONS = List.of(new GetoptLong.Long("ib-dev", true, 'd'),
        new GetoptLong.Long("ib-port", true, 'i'), new GetoptLong.Long("list", false, 'l'), new GetoptLong.Long("verbose", false, 'v'),
        new GetoptLong.Long("json", false, JSON));

    private final Supplier<List<RdmaDevice>> devices;

    /**
     * The tool on a list of devices.
     *
     * @param devices supplies all devices; may throw a VerbsException
     */
    public IbvDevinfo(Supplier<List<RdmaDevice>> devices) {
        this.devices = devices;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        String wanted = null;
        int port = 0;
        boolean verbose = false;
        boolean json = false;
        GetoptLong options = new GetoptLong(name, "d:i:lv", LONG_OPTIONS, arguments, console);
        for (int option = options.next(); option != GetoptLong.END; option = options.next()) {
            switch (option) {
                case 'd' -> wanted = options.argument();
                case 'i' -> {
                    port = CNumber.signed(options.argument());
                    if (port <= 0) {
                        usage(name, console);
                        return 1;
                    }
                }
                case 'l' -> {
                    return list(console);
                }
                case 'v' -> verbose = true;
                case JSON -> json = true;
                default -> {
                    usage(name, console);
                    return FAILED;
                }
            }
        }
        if (wanted == null && !options.operands().isEmpty()) {
            wanted = options.operands().getFirst();
        }
        List<RdmaDevice> chosen = chosen(wanted);
        if (!json) {
            return show(chosen, port, verbose, null, console);
        }
        Report report = Report.of(true, true, console);
        report.begin();
        int worst = show(chosen, port, verbose, report, console);
        report.end();
        return worst;
    }

    private List<RdmaDevice> all() {
        try {
            return devices.get();
        } catch (VerbsException refused) {
            throw ToolFailure.perror(FAILED, "Failed to get IB devices list", refused);
        }
    }

    /**
     * Prints devices.
     *
     * @param wanted null for all
     */
    private List<RdmaDevice> chosen(String wanted) {
        List<RdmaDevice> all = all();
        if (wanted == null) {
            if (all.isEmpty()) {
                throw new ToolFailure(FAILED, "No IB devices found");
            }
            return all;
        }
        for (RdmaDevice each : all) {
            if (each.isNamed(wanted)) {
                return List.of(each);
            }
        }
        throw new ToolFailure(FAILED, "IB device '" + wanted + "' wasn't found");
    }

    private int list(Console console) {
        List<RdmaDevice> all = all();
        console.println(all.size() + (all.size() == 1 ? " HCA found:" : " HCAs found:"));
        for (String each : Verbs.names(all)) {
            console.println("\t" + each);
        }
        console.println("");
        return 0;
    }

    /**
     * Prints devices.
     *
     * @param port 0 for all
     * @param json null for text
     */
    private static int show(List<RdmaDevice> chosen, int port, boolean verbose, Report json, Console console) {
        int worst = 0;
        for (RdmaDevice device : chosen) {
            worst |= show(device, port, verbose, json, console);
        }
        return worst;
    }

    private static int show(RdmaDevice device, int port, boolean verbose, Report json, Console console) {
        DeviceDescription description;
        try {
            description = device.describe();
        } catch (VerbsException refused) {
            console.error("Failed to open device\n" + refused.getMessage());
            return CANNOT_OPEN;
        }
        if (port > description.device().physPortCnt()) {
            console.error("Invalid port requested for device");
            return NO_SUCH_PORT;
        }
        if (json == null) {
            new DevinfoSheet(device, description, console).print(verbose);
        } else {
            new DevinfoReport(json).add(device, description, verbose);
        }
        return 0;
    }

    private static void usage(String name, Console console) {
        console.print("Usage: " + name + "             print the ca attributes\n" + """

            Options:
              -d, --ib-dev=<dev>     use IB device <dev> (default first device found)
              -i, --ib-port=<port>   use port <port> of IB device (default all ports)
              -l, --list             print only the IB devices names
              -v, --verbose          print all the attributes of the IB device(s)
            """);
    }
}
