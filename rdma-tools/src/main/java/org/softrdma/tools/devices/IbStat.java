// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.List;
import java.util.function.Supplier;
import org.softrdma.abi.sysfs.LinkRate;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/**
 * {@code ibstat}: states of devices and ports. The original finds devices by their management datagrams, which iWARP devices do not have;
 * this tool shows iWARP devices, too.
 */
public final class IbStat implements Tool {
    private static final int WRONG_USAGE = 2;
    private static final int PANIC = 255;
    /** {@link PortAttributes#linkLayer}. */
    private static final int LINK_LAYER_INFINIBAND = 1;
    /** Port number if none is selected. */
    private static final int ALL_PORTS = -1;
    private static final List<GetoptLong.Long> LONG_OPTIONS = List.of(
        new GetoptLong.Long("list_of_cas", false, 'l'), new GetoptLong.Long("short", false, 's'),
        new GetoptLong.Long("port_list", false, 'p'), new GetoptLong.Long("config", true, 'z'),
        new GetoptLong.Long("verbose", false, 'v'), new GetoptLong.Long("debug", false, 'd'),
        new GetoptLong.Long("help", false, 'h'), new GetoptLong.Long("version", false, 'V'));

    private enum Form { WHOLE, SHORT, NAMES, PORT_GUIDS }

    private final Supplier<List<RdmaDevice>> devices;

    /**
     * The tool on a list of devices.
     *
     * @param devices supplies all devices; may throw a VerbsException
     */
    public IbStat(Supplier<List<RdmaDevice>> devices) {
        this.devices = devices;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        boolean names = false;
        boolean brief = false;
        boolean ports = false;
        GetoptLong options = new GetoptLong(name, "lspz:vdhV", LONG_OPTIONS, arguments, console);
        for (int option = options.next(); option != GetoptLong.END; option = options.next()) {
            switch (option) {
                case 'l' -> names = true;
                case 's' -> brief = true;
                case 'p' -> ports = true;
                case 'z', 'v', 'd' -> {
                    // nothing to configure, and no further details
                }
                case 'V' -> {
                    String version = IbStat.class.getPackage().getImplementationVersion();
                    console.error(name + " BUILD VERSION: softrdma " + (version == null ? "unpackaged" : version));
                    return 0;
                }
                default -> {
                    usage(name, console);
                    return WRONG_USAGE;
                }
            }
        }
        Form form = ports ? Form.PORT_GUIDS : names ? Form.NAMES : brief ? Form.SHORT : Form.WHOLE;
        List<String> operands = options.operands();
        int port = operands.size() > 1 ? CNumber.signed(operands.get(1)) : ALL_PORTS;
        for (RdmaDevice device : chosen(operands)) {
            print(device, form, port, console);
        }
        return 0;
    }

    private List<RdmaDevice> chosen(List<String> operands) {
        List<RdmaDevice> all;
        try {
            all = devices.get();
        } catch (VerbsException refused) {
            throw new ToolFailure(PANIC, panic("can't list IB device names: " + refused.errno().text()) + "\n" + refused.getMessage());
        }
        if (operands.isEmpty()) {
            return all;
        }
        for (RdmaDevice each : all) {
            if (each.isNamed(operands.getFirst())) {
                return List.of(each);
            }
        }
        throw new ToolFailure(PANIC, panic("'" + operands.getFirst() + "' IB device can't be found: Success"));
    }

    private static void print(RdmaDevice device, Form form, int portNumber, Console console) {
        if (form == Form.NAMES) {
            console.println(device.name());
            return;
        }
        DeviceDescription description;
        try {
            description = device.describe();
        } catch (VerbsException refused) {
            throw new ToolFailure(PANIC, panic("stat of IB device '" + device.name() + "' failed: " + refused.errno().text()) + "\n"
                + refused.getMessage());
        }
        String type = device.nodeType() == NodeType.RNIC ? "iWARP RNIC" : "CA";
        if (form == Form.PORT_GUIDS) {
            console.println("0x" + guid(description.device().nodeGuid()));
        } else if (form == Form.WHOLE && portNumber != ALL_PORTS) {
            requirePort(device, type, portNumber, console);
            console.println(type + ": '" + device.name() + "'");
            printPort("", "", description, console);
        } else {
            printDevice(device, type, description, console);
            if (form == Form.WHOLE) {
                printPort("\t", "\t\t", description, console);
            }
        }
    }

    private static void requirePort(RdmaDevice device, String type, int port, Console console) {
        if (port != 1) {
            console.error("ibwarn: [" + ProcessHandle.current().pid() + "] ca_stat: " + type + ": '" + device.name()
                + "' has no port number " + port + " - max (1)");
            throw new ToolFailure(PANIC, panic("stat of IB device '" + device.name() + "' failed: No such file or directory"));
        }
    }

    /** Soft devices have neither type nor versions in sysfs. */
    private static void printDevice(RdmaDevice device, String type, DeviceDescription description, Console console) {
        console.print(type + " '" + device.name() + "'\n\t" + type + " type: \n"
            + "\tNumber of ports: " + description.device().physPortCnt() + "\n\tFirmware version: \n\tHardware version: \n"
            + "\tNode GUID: 0x" + guid(description.device().nodeGuid()) + "\n"
            + "\tSystem image GUID: 0x" + guid(description.device().sysImageGuid()) + "\n");
    }

    private static void printPort(String headIndent, String indent, DeviceDescription description, Console console) {
        PortAttributes port = description.port();
        console.println(headIndent + "Port 1:");
        console.println(indent + "State: " + state(port));
        console.println(indent + "Physical state: " + PortTexts.physicalState(port));
        console.println(indent + "Rate: " + LinkRate.of(port.activeWidth(), port.activeSpeed()).gigabits());
        console.println(indent + "Base lid: " + port.lid());
        console.println(indent + "LMC: " + port.lmc());
        console.println(indent + "SM lid: " + port.smLid());
        console.println(indent + "Capability mask: " + String.format("0x%08x", port.portCapFlags()));
        console.println(indent + "Port GUID: 0x" + guid(portGuid(description)));
        console.println(indent + "Link layer: " + PortTexts.linkLayer(port));
    }

    /** GUID of the port: on an InfiniBand subnet that of its first GID, on Ethernet the node's. */
    private static long portGuid(DeviceDescription description) {
        return description.port().linkLayer() == LINK_LAYER_INFINIBAND && !description.gids().isEmpty()
            ? description.gids().getFirst().gid().low() : description.device().nodeGuid();
    }

    private static String state(PortAttributes port) {
        return switch (port.state()) {
            case DOWN -> "Down";
            case INIT -> "Initializing";
            case ARMED -> "Armed";
            case ACTIVE -> "Active";
            default -> "???";
        };
    }

    private static String guid(long guid) {
        return String.format("%016x", guid);
    }

    private static String panic(String what) {
        return "ibpanic: [" + ProcessHandle.current().pid() + "] main: " + what;
    }

    private static void usage(String name, Console console) {
        console.error("\nUsage: " + name + " [options] <ca_name> [portnum]\n" + """

            Options:
              --list_of_cas, -l       list all IB devices
              --short, -s             short output
              --port_list, -p         show port list
              --config, -z <config>   use config file, default: /etc/infiniband-diags/ibdiag.conf
              --verbose, -v           increase verbosity level
              --debug, -d             raise debug level
              --help, -h              help message
              --version, -V           show version

            Examples:
            """ + "  " + name + " -l       # list all IB devices\n  " + name + " mthca0 2 # stat port 2 of 'mthca0'\n");
    }
}
