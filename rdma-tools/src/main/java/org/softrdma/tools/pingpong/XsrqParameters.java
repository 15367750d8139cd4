// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.verbs.Mtu;

/**
 * Parameters of {@code ibv_xsrq_pingpong}.
 *
 * @param server         host to connect to; null to be the server
 * @param port           TCP port of the address exchange
 * @param device         null for the first one
 * @param ibPort         port of the device
 * @param size           bytes of a message
 * @param clients        clients that the server waits for, and its connections; 1 for a client
 * @param tests          messages for each client
 * @param serviceLevel   mapped to the priority of packets
 * @param events         sleep on completion events instead of polling
 * @param gidIndex       negative for none, which works on InfiniBand only
 * @param onDemandPaging requested; no soft device has it
 */
record XsrqParameters(
    String server, int port, String device, int ibPort, int size, Mtu mtu, int clients, int tests, int serviceLevel, boolean events,
    int gidIndex, boolean onDemandPaging) {
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

    boolean isClient() {
        return server != null;
    }

    /** @return null for a wrong command line, after the usage text was printed */
    static XsrqParameters parse(String name, List<String> arguments, Console console) {
        int port = 18515;
        String device = null;
        int ibPort = 1;
        int size = 4096;
        Mtu mtu = Mtu.MTU_1024;
        int clients = 1;
        int tests = 5;
        int serviceLevel = 0;
        boolean events = false;
        int gidIndex = -1;
        boolean onDemandPaging = false;
        GetoptLong reader = new GetoptLong(name, SHORT, LONG, arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            String argument = reader.argument();
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
                    return usage(name, console);
                }
            }
            if (port < 0 || port > HIGHEST_PORT || ibPort < 0 || mtu == null) {
                return usage(name, console);
            }
        }
        if (reader.operands().size() > 1) {
            return usage(name, console);
        }
        String server = reader.operands().isEmpty() ? null : reader.operands().getFirst();
        return new XsrqParameters(server, port, device, ibPort, size, mtu, server == null ? clients : 1, tests, serviceLevel, events,
            gidIndex, onDemandPaging);
    }

    private static XsrqParameters usage(String name, Console console) {
        console.print("Usage:\n"
            + "  " + name + "            start a server and wait for connection\n"
            + "  " + name + " <host>     connect to server at <host>\n" + OPTIONS);
        return null;
    }
}
