// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.util.List;
import java.util.Locale;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;

/** Command line of rstream. */
final class RStreamOptions {
    /** Server to connect to; null to be the server. */
    String destination;
    String source;
    String port = "7471";
    boolean numericHost;
    /** Buffer size as given to setsockopt, which doubles it; 0 for the default. */
    int bufferBytes;
    int inlineBytes = 64;
    /** Run one test with the following numbers instead of the list of tests. */
    boolean custom;
    int iterations = 1;
    int transferCount = 1000;
    int transferSize = 1000;
    boolean allSizes;
    int keepAliveSeconds;
    boolean sockets;
    boolean async;
    boolean blocking;
    boolean verify;

    boolean isClient() {
        return destination != null;
    }

    /** @return null for a wrong command line, after the usage text was printed */
    static RStreamOptions parse(String name, List<String> arguments, Console console) {
        RStreamOptions options = new RStreamOptions();
        GetoptLong reader = new GetoptLong(name, "s:b:f:B:i:I:C:S:p:k:T:", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            if (!options.take(option, reader.argument(), console)) {
                usage(name, console);
                return null;
            }
        }
        return options;
    }

    private boolean take(int option, String argument, Console console) {
        switch (option) {
            case 's' -> destination = argument;
            case 'b' -> source = argument;
            case 'f' -> addressFormat(argument, console);
            case 'B' -> bufferBytes = CNumber.decimal(argument);
            case 'i' -> inlineBytes = CNumber.decimal(argument);
            case 'I' -> {
                custom = true;
                iterations = CNumber.decimal(argument);
            }
            case 'C' -> {
                custom = true;
                transferCount = CNumber.decimal(argument);
            }
            case 'S' -> {
                if (startsWith(argument, "all")) {
                    allSizes = true;
                } else {
                    custom = true;
                    transferSize = CNumber.decimal(argument);
                }
            }
            case 'p' -> port = argument;
            case 'k' -> keepAliveSeconds = CNumber.decimal(argument);
            case 'T' -> {
                return test(argument);
            }
            default -> {
                return false;
            }
        }
        // The original takes negative numbers for huge ones, and fails.
        return bufferBytes >= 0 && inlineBytes >= 0 && iterations >= 0 && transferCount >= 0 && transferSize >= 0 && keepAliveSeconds >= 0;
    }

    /** Sets the address format. The usage text has "name", which the original does not recognize either. */
    private void addressFormat(String format, Console console) {
        if (startsWith(format, "ip")) {
            numericHost = true;
        } else if (startsWith(format, "gid")) {
            console.error("Warning: GIDs are not accepted as addresses; on RoCE use the IP address that the GID contains");
        } else {
            console.error("Warning: unknown address format");
        }
    }

    /** Sets a test option, a letter or the start of a word. Forking is not needed: "fork" only selects sockets. */
    private boolean test(String what) {
        if (what.equals("s") || startsWith(what, "socket") || what.equals("f") || startsWith(what, "fork")) {
            sockets = true;
        } else if (what.equals("a") || startsWith(what, "async")) {
            async = true;
        } else if (what.equals("b") || startsWith(what, "block")) {
            blocking = true;
        } else if (what.equals("n") || startsWith(what, "nonblock")) {
            blocking = false;
        } else if (what.equals("v") || startsWith(what, "verify")) {
            verify = true;
        } else {
            // Both ways to resolve names have the same result here.
            return what.equals("r") || startsWith(what, "resolve");
        }
        return true;
    }

    private static boolean startsWith(String word, String begin) {
        return word.toLowerCase(Locale.ROOT).startsWith(begin);
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + """

            \t[-s server_address]
            \t[-b bind_address]
            \t[-f address_format]
            \t    name, ip, ipv6, or gid
            \t[-B buffer_size]
            \t[-i inline_size]
            \t[-I iterations]
            \t[-C transfer_count]
            \t[-S transfer_size or all]
            \t[-p port_number]
            \t[-k keepalive_time]
            \t[-T test_option]
            \t    s|sockets - use standard tcp/ip sockets
            \t    a|async - asynchronous operation (use poll)
            \t    b|blocking - use blocking calls
            \t    f|fork - fork server processing
            \t    n|nonblocking - use nonblocking calls
            \t    r|resolve - use rdma cm to resolve address
            \t    v|verify - verify data
            """);
    }
}
