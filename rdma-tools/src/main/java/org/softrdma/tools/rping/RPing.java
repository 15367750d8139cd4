// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;

/** {@code rping}: pings by RDMA READ and RDMA WRITE. */
public final class RPing implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        RPingOptions options = RPingOptions.parse(arguments, console);
        if (options == null) {
            return RPingOptions.WRONG;
        }
        try (RPingRun run = options.server ? new RPingServer(options, console) : new RPingClient(options, console)) {
            run.run();
            return 0;
        }
    }
}
