// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Verbs;

/**
 * {@code rstream}: the client sends, the server sends back, and both print how long that took. Without sizes and counts on the command line
 * a list of sizes is tested twice, over one connection for latency and one for bandwidth.
 */
public final class RStream implements Tool {
    /** Exit code of what returns -1 in C. */
    static final int FAILED = 255;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        RStreamOptions options = RStreamOptions.parse(name, arguments, console);
        if (options == null) {
            return 1;
        }
        if (!options.sockets && Verbs.devices().isEmpty()) {
            throw new ToolFailure(FAILED, "No RDMA devices were detected\n`rdma link add rxe0 type rxe netdev NETDEV` adds one.");
        }
        try (StreamKind kind = options.sockets ? new TcpStreams(options) : new RdmaStreams(options)) {
            new RStreamSession(options, kind, console).run();
            return 0;
        } catch (IOException closing) {
            throw new ToolFailure(FAILED, "rclose: " + closing.getMessage());
        }
    }
}
