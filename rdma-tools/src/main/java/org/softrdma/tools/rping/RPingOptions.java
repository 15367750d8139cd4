// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.net.InetAddress;
import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;

/**
 * Command line of rping.
 *
 * @param address to connect to or to listen at; never null
 * @param source  of the client; null to let the route to the server decide
 * @param count   pings of the client; 0 for no limit
 * @param ownQp   the program makes and moves the queue pair, not the connection manager
 */
record RPingOptions(boolean server, boolean persistent, InetAddress address, InetAddress source, int port, int size, int count,
                    boolean verbose, boolean validate, boolean debug, boolean ownQp) {
    /** Exit code for a wrong command line: EINVAL. */
    static final int WRONG = 22;

    private static final int DEFAULT_PORT = 7174;
    private static final int DEFAULT_SIZE = 64;
    /** Smallest size that the original accepts. Its formula aims at any ping number and falls short: numbers below 10^8 fit. */
    private static final int SMALLEST = 23;
    private static final int BUFFER = 64 * 1024;

    /**
     * Parses the command line.
     *
     * @return null for a wrong command line, after the usage text was printed
     * @throws ToolFailure a value is out of range
     */
    static RPingOptions parse(List<String> arguments, Console console) {
        int server = -1;
        boolean persistent = false;
        InetAddress address = HostName.find("0.0.0.0");
        InetAddress source = null;
        int port = DEFAULT_PORT;
        int size = DEFAULT_SIZE;
        int count = 0;
        boolean verbose = false;
        boolean validate = false;
        boolean debug = false;
        boolean ownQp = false;
        GetoptLong reader = new GetoptLong("rping", ":a:I:Pp:C:S:t:scvVdq", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'a' -> address = find(reader.argument(), console);
                case 'I' -> source = find(reader.argument(), console);
                case 'P' -> persistent = true;
                case 'p' -> port = CNumber.decimal(reader.argument()) & 0xffff;
                case 's' -> server = 1;
                case 'c' -> server = 0;
                case 'S' -> size = checkSize(CNumber.decimal(reader.argument()));
                case 'C' -> count = checkCount(CNumber.decimal(reader.argument()));
                case 'v' -> verbose = true;
                case 'V' -> validate = true;
                case 'd' -> debug = true;
                case 'q' -> ownQp = true;
                default -> {
                    usage(console);
                    return null;
                }
            }
        }
        if (server < 0) {
            usage(console);
            return null;
        }
        return new RPingOptions(server == 1, persistent, address, source, port, size, count, verbose, validate, debug, ownQp);
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
