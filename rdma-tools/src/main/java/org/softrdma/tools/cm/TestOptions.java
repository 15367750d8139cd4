// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.HostName;
import org.softrdma.verbs.cm.PortSpace;

/** Options that the command lines of the tests share. */
final class TestOptions {
    private static final int UNKNOWN_NAME = -2;
    private static final int UNKNOWN_SERVICE = -8;

    String destination;
    String source;
    String port;
    int connections = 1;
    int messageCount = 10;
    int messageSize = 100;
    /** Type of service, 0..255; negative if not set. */
    int tos = -1;
    /** ACK timeout code; negative if not set. */
    int ackTimeout = -1;
    boolean migrate;
    PortSpace space;

    TestOptions(String port, PortSpace space) {
        this.port = port;
        this.space = space;
    }

    /**
     * Takes an option that has the same meaning in all tests.
     *
     * @return false if it is not such an option
     */
    boolean take(int option, String argument) {
        switch (option) {
            case 's' -> destination = argument;
            case 'b' -> source = argument;
            case 'c' -> connections = CNumber.decimal(argument);
            case 'C' -> messageCount = CNumber.decimal(argument);
            case 'S' -> messageSize = CNumber.decimal(argument);
            case 't' -> tos = CNumber.unsigned(argument) & 0xff;
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Checks the argument of {@code -f}; names and IP addresses are both accepted with any format. */
    static void addressFormat(String format, Console console) {
        String lower = format.toLowerCase(Locale.ROOT);
        if (lower.startsWith("gid")) {
            console.error("Warning: GIDs are not accepted as addresses; on RoCE use the IP address that the GID contains");
        } else if (!lower.startsWith("ip") && !lower.startsWith("name")) {
            console.error("Warning: unknown address format");
        }
    }

    boolean isClient() {
        return destination != null;
    }

    /**
     * Address to listen at.
     *
     * @param message printed before an error
     */
    InetSocketAddress passiveAddress(String message, Console console) {
        return new InetSocketAddress(source == null ? HostName.find("0.0.0.0") : find(source, message, console), port(message, console));
    }

    /**
     * Address to connect to.
     *
     * @param message printed before an error
     */
    InetSocketAddress destinationAddress(String message, Console console) {
        return new InetSocketAddress(find(destination, message, console), port(message, console));
    }

    /**
     * Address to connect from.
     *
     * @param message printed before an error
     * @return null to let the route to the destination decide
     */
    InetSocketAddress sourceAddress(String message, Console console) {
        return source == null ? null : new InetSocketAddress(find(source, message, console), 0);
    }

    private static InetAddress find(String name, String message, Console console) {
        InetAddress found = HostName.find(name);
        if (found == null) {
            console.print(message + ": " + HostName.UNKNOWN + "\n");
            throw new TestFailure(UNKNOWN_NAME);
        }
        return found;
    }

    private int port(String message, Console console) {
        if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535) {
            console.print(message + ": Servname not supported for ai_socktype\n");
            throw new TestFailure(UNKNOWN_SERVICE);
        }
        return Integer.parseInt(port);
    }
}
