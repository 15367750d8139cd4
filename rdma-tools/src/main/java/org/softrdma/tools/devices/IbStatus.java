// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.softrdma.abi.sysfs.LinkRate;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** {@code ibstatus [DEVICE[:PORT]]...}: the original is a shell script over sysfs and prints everything, errors too, to stdout. */
public final class IbStatus implements Tool {
    private static final int FAILED = 255;

    private final Supplier<List<RdmaDevice>> devices;

    /**
     * The tool on a list of devices.
     *
     * @param devices supplies all devices; may throw a VerbsException
     */
    public IbStatus(Supplier<List<RdmaDevice>> devices) {
        this.devices = devices;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        if (!arguments.isEmpty() && arguments.getFirst().equals("-h")) {
            usage(name, console);
            return FAILED;
        }
        List<RdmaDevice> all;
        try {
            all = devices.get().stream().sorted(Comparator.comparing(RdmaDevice::name)).toList();
        } catch (VerbsException refused) {
            throw new ToolFailure(FAILED, refused.getMessage());
        }
        if (arguments.isEmpty()) {
            if (all.isEmpty()) {
                throw notFound("*", console);
            }
            all.forEach(device -> print(device, "1", console));
            return 0;
        }
        for (String argument : arguments) {
            int colon = argument.indexOf(':');
            String wanted = colon < 0 ? argument : argument.substring(0, colon);
            RdmaDevice device = all.stream().filter(each -> each.isNamed(wanted)).findFirst()
                .orElseThrow(() -> notFound(wanted, console));
            print(device, colon < 0 ? "1" : argument.substring(colon + 1), console);
        }
        return 0;
    }

    private static ToolFailure notFound(String device, Console console) {
        console.println("Fatal error:  device '" + device + "': sys files not found (/sys/class/infiniband/" + device + "/ports)");
        return ToolFailure.silent(FAILED);
    }

    private static void print(RdmaDevice device, String port, Console console) {
        console.println("Infiniband device '" + device.name() + "' port " + port + " status:");
        if (!port.equals("1")) {
            console.print("""
                \tdefault gid:\t unknown
                \tbase lid:\t unknown
                \tsm lid:\t\t unknown
                \tstate:\t\t unknown
                \tphys state:\t unknown
                \trate:\t\t unknown
                \tlink_layer:\t IB

                """);
            return;
        }
        DeviceDescription description;
        try {
            description = device.describe();
        } catch (VerbsException refused) {
            throw new ToolFailure(FAILED, refused.getMessage());
        }
        PortAttributes attributes = description.port();
        Gid gid = description.gids().isEmpty() ? Gid.ZERO : description.gids().getFirst().gid();
        console.print("\tdefault gid:\t " + gid.sysfsText() + "\n"
            + "\tbase lid:\t 0x" + Integer.toHexString(attributes.lid()) + "\n"
            + "\tsm lid:\t\t 0x" + Integer.toHexString(attributes.smLid()) + "\n"
            + "\tstate:\t\t " + attributes.state().value() + ": " + attributes.state().text() + "\n"
            + "\tphys state:\t " + attributes.physState() + ": " + PortTexts.physicalState(attributes) + "\n"
            + "\trate:\t\t " + LinkRate.of(attributes.activeWidth(), attributes.activeSpeed()).kernelText() + "\n"
            + "\tlink_layer:\t " + PortTexts.linkLayer(attributes) + "\n\n");
    }

    private static void usage(String name, Console console) {
        console.print("Usage:  " + name + "  [-h] [devname[:portnum]]\n"
            + "\t-h:\tthis help screen\n"
            + "\tExamples:\n"
            + "\t\t" + name + " mthca1\t\t# shows status of all ports of 'mthca1'\n"
            + "\t\t" + name + " mthca0:2\t# shows status port number 2 of 'mthca0'\n"
            + "\t\t" + name + "\t\t# default: shows status of all 'mthca0' ports\n");
    }
}
