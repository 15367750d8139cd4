// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.qperf.Parameters.Side;

/** The client's end of one test: sends the request, measures, prints. */
final class QPerfClient {
    /** Time limit for a message, and for attempts to reach the server. */
    static final int TIMEOUT_SECONDS = 5;

    private static final int TIME_SECONDS = 2;
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final String host;
    private final int port;
    private final int waitSeconds;
    private final Parameters parameters;
    private final Display display;
    private final Console console;

    QPerfClient(String host, int port, int waitSeconds, Parameters parameters, Display display, Console console) {
        this.host = host;
        this.port = port;
        this.waitSeconds = waitSeconds;
        this.parameters = parameters;
        this.display = display;
        this.console = console;
    }

    /**
     * @param index of the test
     * @return whether the server is gone now
     * @throws QPerfFailure this end has failed; the server knows
     * @throws PeerFailure  the server has failed
     */
    boolean run(int index) {
        String name = Tests.ALL.get(index).name();
        PerfTest test = Tests.ALL.get(index).make().get();
        console.println(name + ":");
        console.out().flush();
        declare(test, name);
        Request own = parameters.request(Side.LOCAL, index);
        try (ControlConnection control = connect()) {
            Session session = new Session(name, true, own, control, this::debug);
            try {
                Affinity.set(own);
                control.send(parameters.request(Side.REMOTE, index).toMessage(), "request data");
                test.asClient(session);
            } catch (QPerfFailure failure) {
                session.timer().halt();
                control.reportFailure(failure.getMessage());
                throw failure;
            } finally {
                session.timer().halt();
            }
            ResultTable table = new ResultTable(display);
            test.report(session, parameters, new Report(display, table), table);
            table.print(console);
            console.out().flush();
        }
        return test.isLast();
    }

    private void declare(PerfTest test, String name) {
        parameters.beginTest();
        for (Side side : Parameters.BOTH) {
            if (!parameters.isSetByUser(side, Parameter.NO_MSGS)) {
                parameters.useDefault(side, Parameter.TIME, TIME_SECONDS);
            }
        }
        parameters.useDefault(Parameter.TIMEOUT, TIMEOUT_SECONDS);
        parameters.use(Parameter.AFFINITY, Parameter.TIME);
        test.declare(parameters);
        for (String option : parameters.unused()) {
            console.println("warning: " + option + " set but not used in test " + name);
        }
    }

    /** The first of the server's addresses that answers, tried again for a while. */
    private ControlConnection connect() {
        InetAddress[] addresses = HostName.findAll(host);
        if (addresses.length == 0) {
            throw new QPerfFailure("getaddrinfo failed: " + HostName.UNKNOWN);
        }
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.toUnsignedLong(waitSeconds));
        while (true) {
            for (InetAddress each : addresses) {
                ControlConnection control = connect(each);
                if (control != null) {
                    return control;
                }
            }
            if (System.nanoTime() - untilNs >= 0) {
                throw new QPerfFailure(host + ": failed to connect", "is a qperf running there, on port " + port + "?");
            }
            LockSupport.parkNanos(RETRY_NS);
        }
    }

    /** Connects to an address; null if that fails. */
    private ControlConnection connect(InetAddress address) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.connect(new InetSocketAddress(address, port));
            return ControlConnection.of(channel, "server");
        } catch (IOException refused) {
            debug(address + ": " + refused.getMessage());
            close(channel);
            return null;
        }
    }

    private static void close(SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException moot) {
            // it was never connected
        }
    }

    private void debug(String line) {
        if (display.debug) {
            console.error(line);
        }
    }
}
