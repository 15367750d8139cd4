// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.List;
import java.util.Map;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Mtu;

/** Command line of the {@code ibv_*_pingpong} programs: each one has the options that its service can use. */
final class PingPongOptions {
    private static final Map<Service, String> SHORT = Map.of(
        Service.RC, "p:d:i:s:m:r:n:l:eg:oOPtcjN",
        Service.UC, "p:d:i:s:m:r:n:l:eg:c",
        Service.UD, "p:d:i:s:r:n:l:eg:c",
        Service.SRQ, "p:d:i:s:m:q:r:n:l:eog:c");
    /** Option of softrdma for all services: a long name without a short one, hence a letter that cannot be typed. */
    private static final char JSON = '\ue000';

    private static final List<GetoptLong.Long> LONG = List.of(
        new GetoptLong.Long("port", true, 'p'), new GetoptLong.Long("ib-dev", true, 'd'), new GetoptLong.Long("ib-port", true, 'i'),
        new GetoptLong.Long("size", true, 's'), new GetoptLong.Long("mtu", true, 'm'), new GetoptLong.Long("num-qp", true, 'q'),
        new GetoptLong.Long("rx-depth", true, 'r'),
        new GetoptLong.Long("iters", true, 'n'), new GetoptLong.Long("sl", true, 'l'), new GetoptLong.Long("events", false, 'e'),
        new GetoptLong.Long("gid-idx", true, 'g'), new GetoptLong.Long("odp", false, 'o'), new GetoptLong.Long("iodp", false, 'O'),
        new GetoptLong.Long("prefetch", false, 'P'), new GetoptLong.Long("ts", false, 't'), new GetoptLong.Long("chk", false, 'c'),
        new GetoptLong.Long("dm", false, 'j'), new GetoptLong.Long("new_send", false, 'N'),
        new GetoptLong.Long("json", false, JSON));
    private static final int HIGHEST_PORT = 65535;

    private final PingPongParameters parameters;
    private boolean prefetch;

    private PingPongOptions(Service service) {
        parameters = new PingPongParameters(service);
    }

    /**
     * Parses a command line.
     *
     * @return null for a wrong command line, after the usage text was printed
     * @throws ToolFailure options exclude each other
     */
    static PingPongParameters parse(Service service, String name, List<String> arguments, Console console) {
        PingPongOptions options = new PingPongOptions(service);
        String letters = SHORT.get(service);
        List<GetoptLong.Long> words = LONG.stream().filter(word -> word.letter() == JSON || letters.indexOf(word.letter()) >= 0).toList();
        GetoptLong reader = new GetoptLong(name, letters, words, arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            if (!options.take(option, reader.argument())) {
                usage(service, name, console);
                return null;
            }
        }
        if (reader.operands().size() > 1) {
            usage(service, name, console);
            return null;
        }
        return options.check(reader.operands().isEmpty() ? null : reader.operands().getFirst());
    }

    private boolean take(int option, String argument) {
        switch (option) {
            case 'p' -> parameters.port = CNumber.unsigned(argument);
            case 'd' -> parameters.device = argument;
            case 'i' -> parameters.ibPort = CNumber.signed(argument);
            case 's' -> parameters.size = CNumber.unsigned(argument);
            case 'm' -> parameters.mtu = Mtu.ofBytes(CNumber.signed(argument));
            case 'q' -> parameters.queuePairs = CNumber.unsigned(argument);
            case 'r' -> parameters.rxDepth = CNumber.unsigned(argument);
            case 'n' -> parameters.iterations = CNumber.unsigned(argument);
            case 'l' -> parameters.serviceLevel = CNumber.signed(argument);
            case 'e' -> parameters.events = true;
            case 'g' -> parameters.gidIndex = CNumber.signed(argument);
            case 'o', 'O' -> parameters.onDemandPaging = true;
            case 'P' -> prefetch = true;
            case 't' -> parameters.timestamps = true;
            case 'c' -> parameters.validate = true;
            case 'j' -> parameters.deviceMemory = true;
            case JSON -> parameters.json = true;
            case 'N' -> {
                // Selects another API of the same send; here there is only one.
            }
            default -> {
                return false;
            }
        }
        return Integer.compareUnsigned(parameters.port, HIGHEST_PORT) <= 0 && parameters.ibPort >= 1 && parameters.mtu != null
            && (parameters.size != 0 || parameters.service != Service.SRQ);
    }

    private PingPongParameters check(String server) {
        if (parameters.onDemandPaging && parameters.deviceMemory) {
            throw new ToolFailure("DM memory region can't be on demand");
        }
        if (prefetch && !parameters.onDemandPaging) {
            throw new ToolFailure("prefetch is valid only with on-demand memory region");
        }
        if (parameters.service == Service.SRQ) {
            checkQueuePairs();
        }
        parameters.server = server;
        return parameters;
    }

    private void checkQueuePairs() {
        int queuePairs = parameters.queuePairs;
        int rxDepth = parameters.rxDepth;
        int destinations = parameters.service.destinations;
        if (Integer.compareUnsigned(queuePairs, rxDepth) > 0) {
            throw new ToolFailure("rx_depth " + rxDepth + " is too small for " + queuePairs
                + " QPs -- must have at least one receive per QP.");
        }
        // The original's message names a limit that is one too low: 255 are accepted.
        if (Integer.compareUnsigned(queuePairs, destinations) >= 0) {
            throw new ToolFailure("num_qp " + queuePairs + " must be less than " + (destinations - 1));
        }
        if (queuePairs == 0) {
            throw new ToolFailure("num_qp 0: at least one queue pair is needed\nThe original would wait forever.");
        }
    }

    private static void usage(Service service, String name, Console console) {
        console.print("Usage:\n"
            + "  " + name + "            start a server and wait for connection\n"
            + "  " + name + " <host>     connect to server at <host>\n"
            + """

            Options:
              -p, --port=<port>      listen on/connect to port <port> (default 18515)
              -d, --ib-dev=<dev>     use IB device <dev> (default first device found)
              -i, --ib-port=<port>   use port <port> of IB device (default 1)
            """
            + (service == Service.UD ? """
              -s, --size=<size>      size of message to exchange (default 2048)
            """ : """
              -s, --size=<size>      size of message to exchange (default 4096)
              -m, --mtu=<size>       path MTU (default 1024)
            """)
            + (service == Service.SRQ ? """
              -q, --num-qp=<num>     number of QPs to use (default 16)
              -r, --rx-depth=<dep>   number of receives to post at a time (default 500)
              -n, --iters=<iters>    number of exchanges per QP(default 1000)
            """ : """
              -r, --rx-depth=<dep>   number of receives to post at a time (default 500)
              -n, --iters=<iters>    number of exchanges (default 1000)
            """)
            + (service == Service.UD ? """
              -l, --sl=<SL>          send messages with service level <SL> (default 0)
            """ : """
              -l, --sl=<sl>          service level value
            """)
            + """
              -e, --events           sleep on CQ events (default poll)
              -g, --gid-idx=<gid index> local port gid index
            """
            + (service == Service.RC ? """
              -o, --odp\t\t    use on demand paging
              -O, --iodp\t\t    use implicit on demand paging
              -P, --prefetch\t    prefetch an ODP MR
              -t, --ts\t            get CQE with timestamp
              -c, --chk\t            validate received buffer
              -j, --dm\t            use device memory
              -N, --new_send            use new post send WR API
            """ : (service == Service.SRQ ? """
              -o, --odp\t\t    use on demand paging
            """ : "") + """
              -c, --chk              validate received buffer
            """) + """
                  --json             print nothing but the result, as JSON (of softrdma)
            """);
    }
}
