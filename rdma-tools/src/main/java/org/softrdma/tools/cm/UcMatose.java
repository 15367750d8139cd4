// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.List;
import java.util.Locale;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.cm.PortSpace;

/** {@code ucmatose}: the server sends messages on all connections, the client answers with its own, and the server disconnects. */
public final class UcMatose implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        TestOptions options = parse(name, arguments, console);
        return options == null ? 1 : new UcMatoseRun(options, console).run() & 0xff;
    }

    private static TestOptions parse(String name, List<String> arguments, Console console) {
        TestOptions options = new TestOptions("7471", PortSpace.TCP);
        GetoptLong reader = new GetoptLong(name, "s:b:f:P:c:C:S:t:p:a:m", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'p' -> options.port = reader.argument();
                case 'm' -> options.migrate = true;
                case 'a' -> options.ackTimeout = CNumber.unsigned(reader.argument()) & 0xff;
                case 'f' -> TestOptions.addressFormat(reader.argument(), console);
                case 'P' -> portSpace(options, reader.argument().toLowerCase(Locale.ROOT), console);
                default -> {
                    if (!options.take(option, reader.argument())) {
                        usage(name, console);
                        return null;
                    }
                }
            }
        }
        return options;
    }

    private static void portSpace(TestOptions options, String space, Console console) {
        if (space.startsWith("ib")) {
            options.space = PortSpace.IB;
        } else if (!space.startsWith("tcp")) {
            console.error("Warning: unknown port space format");
        }
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + "\n" + """
            \t[-s server_address]
            \t[-b bind_address]
            \t[-f address_format]
            \t    name, ip, ipv6, or gid
            \t[-P port_space]
            \t    tcp or ib
            \t[-c connections]
            \t[-C message_count]
            \t[-S message_size]
            \t[-t type_of_service]
            \t[-p port_number]
            \t[-m(igrate)]
            \t[-a ack_timeout]
            """);
    }
}
