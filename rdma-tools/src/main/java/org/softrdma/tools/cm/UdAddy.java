// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.List;
import java.util.Locale;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.cm.PortSpace;

/** {@code udaddy}: the client looks up a server's queue pair, sends it datagrams, and gets as many back. */
public final class UdAddy implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        TestOptions options = parse(name, arguments, console);
        return options == null ? 1 : new UdAddyRun(options, console).run() & 0xff;
    }

    private static TestOptions parse(String name, List<String> arguments, Console console) {
        TestOptions options = new TestOptions("7174", PortSpace.UDP);
        GetoptLong reader = new GetoptLong(name, "s:b:c:C:S:t:p:P:f:", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'p' -> options.space = PortSpace.of(CNumber.signed(reader.argument()));
                case 'f' -> TestOptions.addressFormat(reader.argument(), console);
                case 'P' -> {
                    String space = reader.argument().toLowerCase(Locale.ROOT);
                    if (space.startsWith("ipoib")) {
                        options.space = PortSpace.IPOIB;
                    } else if (!space.startsWith("udp")) {
                        console.error("Warning: unknown port space format");
                    }
                }
                default -> {
                    if (!options.take(option, reader.argument())) {
                        usage(name, console);
                        return null;
                    }
                }
            }
            if (options.space == null) {
                usage(name, console);
                return null;
            }
        }
        return options;
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + "\n" + """
            \t[-s server_address]
            \t[-b bind_address]
            \t[-f address_format]
            \t    name, ip, ipv6, or gid
            \t[-P port_space]
            \t    udp or ipoib
            \t[-c connections]
            \t[-C message_count]
            \t[-S message_size]
            \t[-t type_of_service]
            \t[-p port_space - 0x111 for UDP (default), 0x2 for IPOIB]
            """);
    }
}
