// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.tools.rstream.StreamKind.Optimization;

/** One call of rstream: its connections and the tests on them. */
final class RStreamSession {
    private static final int SYNC_BYTES = 16;
    private static final int SMALLEST_POWER = 6;
    private static final int LARGEST_POWER = 22;
    /** Sizes without {@code -S all}: 64, 4k, 64k, 1m. */
    private static final List<Integer> USUAL_POWERS = List.of(6, 12, 16, 20);
    private static final String NUMERIC = "[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*(%.*)?";

    private final RStreamOptions options;
    private final StreamKind kind;
    private final Console console;
    private final Transfer transfer;

    RStreamSession(RStreamOptions options, StreamKind kind, Console console) {
        this.options = options;
        this.kind = kind;
        this.console = console;
        int capacity = options.custom ? options.transferSize : sizes(true).getLast();
        transfer = new Transfer(options, kind, console, Math.max(SYNC_BYTES, capacity));
    }

    void run() {
        if (!options.isClient()) {
            listen();
        }
        Run.printHead(console);
        console.out().flush();
        if (options.custom) {
            play(Optimization.MIXED,
                List.of(new Run("custom", options.transferSize, options.transferCount, options.iterations)));
        } else {
            play(Optimization.LATENCY, runs(Run::latency));
            play(Optimization.BANDWIDTH, runs(Run::bandwidth));
        }
    }

    private List<Run> runs(IntFunction<Run> test) {
        return sizes(options.allSizes).stream().map(test::apply).toList();
    }

    /** @return powers of two; with {@code all} also the sizes half way between two of them */
    private static List<Integer> sizes(boolean all) {
        List<Integer> sizes = new ArrayList<>();
        for (int power = SMALLEST_POWER; power <= LARGEST_POWER; power++) {
            if (all || USUAL_POWERS.contains(power)) {
                sizes.add(1 << power);
            }
            if (all && power > SMALLEST_POWER) {
                sizes.add((1 << power) + (1 << power - 1));
            }
        }
        return sizes;
    }

    /** Runs tests on a connection of their own. */
    private void play(Optimization optimization, List<Run> runs) {
        try (ByteChannel stream = options.isClient() ? connect(optimization) : accept(optimization)) {
            for (Run each : runs) {
                play(stream, each);
            }
        } catch (IOException closing) {
            throw failed("rshutdown", closing);
        }
    }

    private void play(ByteChannel stream, Run run) {
        turns(stream, SYNC_BYTES, 1);
        long beganNs = System.nanoTime();
        for (int i = 0; i < run.iterations(); i++) {
            turns(stream, run.transferSize(), run.transferCount());
        }
        run.print(console, System.nanoTime() - beganNs);
        console.out().flush();
    }

    /** Makes the client's transfers, and then the server's. */
    private void turns(ByteChannel stream, int bytes, int count) {
        for (int turn = 0; turn < 2; turn++) {
            boolean mine = options.isClient() == (turn == 0);
            for (int i = 0; i < count; i++) {
                if (mine) {
                    transfer.send(stream, bytes);
                } else {
                    transfer.receive(stream, bytes);
                }
            }
        }
    }

    // ---- connecting ----

    private void listen() {
        InetSocketAddress at = address(options.source == null ? "0.0.0.0" : options.source);
        try {
            kind.listen(at);
        } catch (IOException refused) {
            throw failed("rlisten", refused);
        }
    }

    private ByteChannel accept(Optimization optimization) {
        printKeepAlive();
        try {
            ByteChannel accepted = kind.accept(optimization);
            printKeepAlive();
            return accepted;
        } catch (IOException refused) {
            throw failed("raccept", refused);
        }
    }

    private ByteChannel connect(Optimization optimization) {
        InetSocketAddress destination = address(options.destination);
        InetSocketAddress source = options.source == null ? null : address(options.source);
        printKeepAlive();
        try {
            return kind.connect(source, destination, optimization);
        } catch (IOException refused) {
            throw failed("rconnect", refused);
        }
    }

    /** Prints what the original reads back from the socket, which is what it has set. */
    private void printKeepAlive() {
        if (options.keepAliveSeconds != 0) {
            console.printf("Keepalive: ON\n  time: %d\n", options.keepAliveSeconds);
            console.out().flush();
        }
    }

    private InetSocketAddress address(String name) {
        InetAddress found = options.numericHost && !name.matches(NUMERIC) ? null : HostName.find(name);
        if (found == null) {
            throw unknown(HostName.UNKNOWN, HostName.UNKNOWN_EXIT);
        }
        if (!options.port.matches("[0-9]{1,5}") || Integer.parseInt(options.port) > 0xffff) {
            throw unknown("Servname not supported for ai_socktype", HostName.UNKNOWN_SERVICE_EXIT);
        }
        return new InetSocketAddress(found, Integer.parseInt(options.port));
    }

    private ToolFailure unknown(String what, int exitCode) {
        console.print("getaddrinfo: " + what + "\n");
        return ToolFailure.silent(exitCode);
    }

    private ToolFailure failed(String call, IOException failure) {
        return new ToolFailure(RStream.FAILED, call + ": " + kind.text(failure) + "\n" + failure.getMessage());
    }
}
