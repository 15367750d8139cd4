// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.net.InetAddress;
import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;

/** Command line of rping. */
final class RPingOptions {
    /** Exit code for a wrong command line: EINVAL. */
    static final int WRONG = 22;

    /** Smallest size that the original accepts. Its formula aims at any ping number and falls short: numbers below 10^8 fit. */
    private static final int SMALLEST = 23;
    private static final int BUFFER = 64 * 1024;

    boolean server;
    /** The server takes any number of clients. */
    boolean persistent;
    /** Address to connect to or to listen at; never null. */
    InetAddress address = HostName.find("0.0.0.0");
    /** Local address of the client; null to let the route to the server decide. */
    InetAddress source;
    int port = 7174;
    /** Bytes of a ping. */
    int size = 64;
    /** Pings of the client; 0 for no limit. */
    int count;
    boolean verbose;
    boolean validate;
    boolean debug;
    /** The program makes and moves the queue pair, not the connection manager. */
    boolean ownQp;

    private RPingOptions() {
    }

    /**
     * Parses the command line.
     *
     * @return null for a wrong command line, after the usage text was printed
     * @throws ToolFailure a value is out of range
     */
    static RPingOptions parse(List<String> arguments, Console console) {
        RPingOptions options = new RPingOptions();
        boolean sideChosen = false;
        GetoptLong reader = new GetoptLong("rping", ":a:I:Pp:C:S:t:scvVdq", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'a' -> options.address = find(reader.argument(), console);
                case 'I' -> options.source = find(reader.argument(), console);
                case 'P' -> options.persistent = true;
                case 'p' -> options.port = CNumber.decimal(reader.argument()) & 0xffff;
                case 's', 'c' -> {
                    sideChosen = true;
                    options.server = option == 's';
                }
                case 'S' -> options.size = checkSize(CNumber.decimal(reader.argument()));
                case 'C' -> options.count = checkCount(CNumber.decimal(reader.argument()));
                case 'v' -> options.verbose = true;
                case 'V' -> options.validate = true;
                case 'd' -> options.debug = true;
                case 'q' -> options.ownQp = true;
                default -> {
                    usage(console);
                    return null;
                }
            }
        }
        if (!sideChosen) {
            usage(console);
            return null;
        }
        return options;
    }

    private static InetAddress find(String name, Console console) {
        InetAddress found = HostName.find(name);
        if (found == null) {
            console.print("getaddrinfo failed (" + HostName.UNKNOWN + ") - invalid hostname or IP address\n");
            throw ToolFailure.silent(HostName.UNKNOWN_EXIT);
        }
        return found;
    }

    private static int checkSize(int size) {
        if (size < SMALLEST || size > BUFFER - 1) {
            throw new ToolFailure(WRONG, "Invalid size " + size + " (valid range is " + SMALLEST + " to " + BUFFER + ")");
        }
        return size;
    }

    private static int checkCount(int count) {
        if (count < 0) {
            throw new ToolFailure(WRONG, "Invalid count " + count);
        }
        return count;
    }

    private static void usage(Console console) {
        console.print("""
            rping -s [-vVd] [-S size] [-C count] [-a addr] [-p port]
            rping -c [-vVd] [-S size] [-C count] [-I addr] -a addr [-p port]
            \t-c\t\tclient side
            \t-I\t\tSource address to bind to for client.
            \t-s\t\tserver side.  To bind to any address with IPv6 use -a ::0
            \t-v\t\tdisplay ping data to stdout
            \t-V\t\tvalidate ping data
            \t-d\t\tdebug printfs
            \t-S size \tping data size
            \t-C count\tping count times
            \t-a addr\t\taddress
            \t-p port\t\tport
            \t-P\t\tpersistent server mode allowing multiple connections
            \t-q\t\tuse self-created, self-modified QP
            """);
    }
}
