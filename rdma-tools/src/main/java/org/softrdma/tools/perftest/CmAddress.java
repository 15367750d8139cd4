// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.cm.CmId;

/** Address and port of the connection manager's connections, for control and for queue pairs. */
final class CmAddress {
    private static final int TIMEOUT_MS = 2000;
    private static final String ANY = "0.0.0.0";

    private CmAddress() {
    }

    static void listen(CmId id, Parameters parameters, int backlog) {
        id.bind(new InetSocketAddress(find(parameters.sourceIp == null ? ANY : parameters.sourceIp, parameters.port), parameters.port));
        id.listen(backlog);
    }

    static void resolve(CmId id, Parameters parameters) {
        InetSocketAddress source = parameters.sourceIp == null ? null : new InetSocketAddress(find(parameters.sourceIp, 0), 0);
        id.resolveAddress(source, new InetSocketAddress(find(parameters.server, parameters.port), parameters.port), TIMEOUT_MS);
        if (parameters.tos >= 0) {
            id.typeOfService(parameters.tos);
        }
        id.resolveRoute(TIMEOUT_MS);
    }

    private static InetAddress find(String name, int port) {
        InetAddress found = HostName.find(name);
        if (found == null) {
            throw new ToolFailure(HostName.UNKNOWN + " for " + name + ":" + port + "\nProblem in resolving basic address and port\n"
                + " Unable to init the socket connection");
        }
        return found;
    }
}
