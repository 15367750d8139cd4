// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.verbs.cm.PortSpace;

/** Command line of mckey. */
final class McKeyOptions {
    /** Options that the other tests have, too. */
    final TestOptions common = new TestOptions("0", PortSpace.UDP);
    boolean sender;
    boolean sendOnly;
    /** Option -M: the group is joined without resolving its address first. */
    boolean unmapped;
    String group;
    private boolean loopback = true;

    /** @return null for a wrong command line, after a message was printed */
    static McKeyOptions parse(String name, List<String> arguments, Console console) {
        McKeyOptions options = new McKeyOptions();
        GetoptLong reader = new GetoptLong(name, "m:M:sb:c:C:S:p:ol", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'm' -> options.group = reader.argument();
                case 'M' -> {
                    options.group = reader.argument();
                    options.unmapped = true;
                }
                case 's' -> options.sender = true;
                case 'p' -> options.common.space = PortSpace.of(CNumber.signed(reader.argument()));
                case 'o' -> options.sendOnly = true;
                case 'l' -> options.loopback = false;
                case 'b', 'c', 'C', 'S' -> options.common.take(option, reader.argument());
                default -> {
                    usage(name, console);
                    return null;
                }
            }
        }
        if (options.unmapped && options.common.source == null) {
            console.print("unmapped multicast address requires binding to source address\n");
            return null;
        }
        if (options.group == null || options.common.space == null) {
            usage(name, console);
            return null;
        }
        if (!options.loopback) {
            console.error("Warning: what is sent comes back to this host's members all the same");
        }
        return options;
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + "\n" + """
            \t-m multicast_address
            \t[-M unmapped_multicast_address]
            \t replaces -m and requires -b
            \t[-s(ender)]
            \t[-b bind_address]
            \t[-c connections]
            \t[-C message_count]
            \t[-S message_size]
            \t[-p port_space - 0x111 for UDP (default), 0x2 for IPOIB]
            \t[-o join as a send-only full-member]
            \t[-l join without multicast loopback]
            """);
    }
}
