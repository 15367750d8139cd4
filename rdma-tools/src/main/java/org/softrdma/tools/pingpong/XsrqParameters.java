// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.verbs.Mtu;

/** Parameters of {@code ibv_xsrq_pingpong}, with their defaults. */
final class XsrqParameters {
    private static final int HIGHEST_PORT = 65535;
    private static final String SHORT = "p:d:i:s:m:n:l:eog:c:";
    private static final List<GetoptLong.Long> LONG = List.of(
        new GetoptLong.Long("port", true, 'p'), new GetoptLong.Long("ib-dev", true, 'd'), new GetoptLong.Long("ib-port", true, 'i'),
        new GetoptLong.Long("size", true, 's'), new GetoptLong.Long("mtu", true, 'm'), new GetoptLong.Long("clients", true, 'c'),
        new GetoptLong.Long("num_tests", true, 'n'), new GetoptLong.Long("sl", true, 'l'), new GetoptLong.Long("events", false, 'e'),
        new GetoptLong.Long("odp", false, 'o'), new GetoptLong.Long("gid-idx", true, 'g'));
    /** Usage text of the original, whose default MTU is not the one it names. */
    private static final String OPTIONS = """

        Options:
          -p, --port=<port>      listen on/connect to port <port> (default 18515)
          -d, --ib-dev=<dev>     use IB device <dev> (default first device found)
          -i, --ib-port=<port>   use port <port> of IB device (default 1)
          -s, --size=<size>      size of message to exchange (default 4096)
          -m, --mtu=<size>       path MTU (default 2048)
          -c, --clients=<n>      number of clients (on server only, default 1)
          -n, --num_tests=<n>    number of tests per client (default 5)
          -l, --sl=<sl>          service level value
          -e, --events           sleep on CQ events (default poll)
          -o, --odp\t\t    use on demand paging
          -g, --gid-idx=<gid index> local port gid index
        """;

    /** Host to connect to; null to be the server. */
    String server;
    /** TCP port of the address exchange. */
    int port = 18515;
    /** Name of the device; null for the first one. */
    String device;
    /** Port of the device. */
    int ibPort = 1;
    /** Bytes of a message. */
    int size = 4096;
    Mtu mtu = Mtu.MTU_1024;
    /** Clients that the server waits for, and its connections; 1 for a client. */
    int clients = 1;
    /** Messages for each client. */
    int tests = 5;
    /** Service level, mapped to the priority of packets. */
    int serviceLevel;
    /** Sleep on completion events instead of polling. */
    boolean events;
    /** Index of the local GID; negative for none, which works on InfiniBand only. */
    int gidIndex = -1;
    /** Requests on-demand paging, which no soft device has. */
    boolean onDemandPaging;

    private XsrqParameters() {
    }

    boolean isClient() {
        return server != null;
    }

    /** @return null for a wrong command line, after the usage text was printed */
    static XsrqParameters parse(String name, List<String> arguments, Console console) {
        XsrqParameters parameters = new XsrqParameters();
        GetoptLong reader = new GetoptLong(name, SHORT, LONG, arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            if (!parameters.take(option, reader.argument())) {
                return usage(name, console);
            }
        }
        if (reader.operands().size() > 1) {
            return usage(name, console);
        }
        if (!reader.operands().isEmpty()) {
            parameters.server = reader.operands().getFirst();
            parameters.clients = 1;
        }
        return parameters;
    }

    private boolean take(int option, String argument) {
        switch (option) {
            case 'p' -> port = CNumber.signed(argument);
            case 'd' -> device = argument;
            case 'i' -> ibPort = CNumber.signed(argument);
            case 's' -> size = CNumber.signed(argument);
            case 'm' -> mtu = Mtu.ofBytes(CNumber.signed(argument));
            case 'c' -> clients = CNumber.signed(argument);
            case 'n' -> tests = CNumber.signed(argument);
            case 'l' -> serviceLevel = CNumber.signed(argument);
            case 'e' -> events = true;
            case 'g' -> gidIndex = CNumber.signed(argument);
            case 'o' -> onDemandPaging = true;
            default -> {
                return false;
            }
        }
        return port >= 0 && port <= HIGHEST_PORT && ibPort >= 0 && mtu != null;
    }

    private static XsrqParameters usage(String name, Console console) {
        console.print("Usage:\n"
            + "  " + name + "            start a server and wait for connection\n"
            + "  " + name + " <host>     connect to server at <host>\n" + OPTIONS);
        return null;
    }
}
