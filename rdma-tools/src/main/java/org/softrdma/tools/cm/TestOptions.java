// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.HostName;
import org.softrdma.verbs.cm.PortSpace;

/** What command lines of the tests have in common. */
final class TestOptions {
    private static final int UNKNOWN_NAME = -2;
    private static final int UNKNOWN_SERVICE = -8;

    String destination;
    String source;
    String port;
    int connections = 1;
    int messageCount = 10;
    int messageSize = 100;
    /** Negative: not set. */
    int tos = -1;
    /** Negative: not set. */
    int ackTimeout = -1;
    boolean migrate;
    PortSpace space;

    TestOptions(String port, PortSpace space) {
        this.port = port;
        this.space = space;
    }

    /** One of the options that mean the same everywhere. @return false if it is none */
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

    /** {@code -f}: only names and IP addresses are left to choose from. */
    static void addressFormat(String format, Console console) {
        String lower = format.toLowerCase(Locale.ROOT);
        if (lower.startsWith("gid")) {
            console.error("Warning: GIDs are no addresses here; on RoCE every GID is an IP address, which will do");
        } else if (!lower.startsWith("ip") && !lower.startsWith("name")) {
            console.error("Warning: unknown address format");
        }
    }

    boolean isClient() {
        return destination != null;
    }

    /** Where to listen. @param message what precedes the error */
    InetSocketAddress passiveAddress(String message, Console console) {
        return new InetSocketAddress(source == null ? HostName.find("0.0.0.0") : find(source, message, console), port(message, console));
    }

    InetSocketAddress destinationAddress(String message, Console console) {
        return new InetSocketAddress(find(destination, message, console), port(message, console));
    }

    /** What to connect from; null for what the way to the destination asks for. */
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
