// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;

/** {@code mckey}: all members join a multicast group, one sends, the others receive. */
public final class McKey implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        McKeyOptions options = McKeyOptions.parse(name, arguments, console);
        return options == null ? 1 : new McKeyRun(options, console).run() & 0xff;
    }
}
