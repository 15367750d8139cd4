// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.verbs.cm.PortSpace;

/** Command line of cmtime. */
final class CmTimeOptions {
    private static final int DEFAULT_CONNECTIONS = 100;

    /** Options that the other tests have, too. */
    final TestOptions common = new TestOptions("7471", PortSpace.TCP);
    int retries = 2;
    int timeoutMs = 2000;

    private CmTimeOptions() {
        common.connections = DEFAULT_CONNECTIONS;
    }

    /** @return null for a wrong command line, after the usage text was printed */
    static CmTimeOptions parse(String name, List<String> arguments, Console console) {
        CmTimeOptions options = new CmTimeOptions();
        GetoptLong reader = new GetoptLong(name, "s:b:c:p:r:t:", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 's', 'b', 'c' -> options.common.take(option, reader.argument());
                case 'p' -> options.common.port = reader.argument();
                case 'r' -> options.retries = CNumber.decimal(reader.argument());
                case 't' -> options.timeoutMs = CNumber.decimal(reader.argument());
                default -> {
                    console.print("usage: " + name + "\n\t[-s server_address]\n\t[-b bind_address]\n\t[-c connections]\n"
                        + "\t[-p port_number]\n\t[-r retries]\n\t[-t timeout_ms]\n");
                    return null;
                }
            }
        }
        return options;
    }
}
