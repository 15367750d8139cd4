// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** One end of one test: its parameters, its peer, its counts. */
final class Session {
    private static final String BEFORE = "synchronization before test";
    private static final String AFTER = "synchronization after test";
    private static final int PORT_BYTES = 4;

    private final String testName;
    private final boolean client;
    private final Request request;
    private final ControlConnection control;
    private final Consumer<String> debug;
    private final Statistics statistics = new Statistics();
    private final TestTimer timer;
    private Statistics peersStatistics;

    /** @param debug takes lines for those who look for faults */
    Session(String testName, boolean client, Request request, ControlConnection control, Consumer<String> debug) {
        this.testName = testName;
        this.client = client;
        this.request = request;
        this.control = control;
        this.debug = debug;
        timer = new TestTimer(control, statistics);
        control.timeout(request.number(Parameter.TIMEOUT));
    }

    String testName() {
        return testName;
    }

    boolean isClient() {
        return client;
    }

    /** This end's parameters. */
    Request request() {
        return request;
    }

    ControlConnection control() {
        return control;
    }

    TestTimer timer() {
        return timer;
    }

    Statistics statistics() {
        return statistics;
    }

    /** The server's, at the client, after the test. */
    Statistics peersStatistics() {
        return peersStatistics;
    }

    void debug(String line) {
        debug.accept(line);
    }

    // ---- steps of a test ----

    void sendPort(int port, String item) {
        control.send(ByteBuffer.allocate(PORT_BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(port).array(), item);
    }

    /** @throws QPerfFailure it is no port */
    int receivePort(String item) {
        int port = ByteBuffer.wrap(control.receive(PORT_BYTES, item)).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (port < 1 || port > 0xffff) {
            throw new QPerfFailure("invalid port");
        }
        return port;
    }

    /** Both ends are ready, and the time begins. */
    void begin() {
        control.synchronize(BEFORE);
        debug("synchronization complete");
        timer.start(request.number(Parameter.TIME));
    }

    /** The test is over: the client learns what the server counted. When this returns, neither end is in its loop any more. */
    void end() {
        timer.stop();
        debug("stopping timer");
        if (client) {
            peersStatistics = Statistics.parse(control.receive(Statistics.BYTES, "results"));
            control.sendSync(AFTER);
        } else {
            control.send(statistics.toMessage(), "results");
            control.receiveSync(AFTER);
        }
    }

    /** Both ends meet without a test. */
    void meet() {
        control.synchronize(BEFORE);
    }
}
