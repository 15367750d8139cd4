// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;

/** A test of sockets, for comparison: one socket, one buffer, blocking calls, which are interrupted when the time is over. */
abstract class SocketTest implements PerfTest {
    private final Measure measure;
    private final int bytes;

    /** @param bytes of a message, if the user says nothing */
    SocketTest(Measure measure, int bytes) {
        this.measure = measure;
        this.bytes = bytes;
    }

    @Override
    public void declare(Parameters parameters) {
        if (measure != Measure.LATENCY) {
            parameters.use(Parameter.ACCESS_RECV);
        }
        parameters.useDefault(Parameter.MSG_SIZE, bytes);
        parameters.use(Parameter.PORT, Parameter.SOCK_BUF_SIZE);
    }

    @Override
    public void report(Session session, Parameters parameters, Report report, ResultTable table) {
        report.measured(measure, session.statistics(), session.peersStatistics(), parameters);
    }

    static ByteBuffer buffer(Session session) {
        int size = session.request().number(Parameter.MSG_SIZE);
        try {
            return ByteBuffer.allocateDirect(size);
        } catch (OutOfMemoryError | IllegalArgumentException tooLarge) {
            throw new QPerfFailure("malloc failed", Integer.toUnsignedString(size) + " bytes for a message are too much for this JVM; "
                + "SOFTRDMA_JAVA_OPTS=-XX:MaxDirectMemorySize=SIZE allows more");
        }
    }

    static void bufferSizes(NetworkChannel channel, Session session) throws IOException {
        int size = session.request().number(Parameter.SOCK_BUF_SIZE);
        if (size > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, size);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, size);
        }
    }

    static int port(Session session) {
        int port = session.request().number(Parameter.PORT);
        if (port < 0 || port > 0xffff) {
            throw new QPerfFailure("getaddrinfo failed: Servname not supported for ai_socktype");
        }
        return port;
    }

    /** Closes {@code channel} when the time is over, which ends a blocking call on it. */
    static void closeWhenStuck(NetworkChannel channel, Session session) {
        session.timer().onStuck(() -> {
            try {
                channel.close();
            } catch (IOException moot) {
                session.debug("closing: " + moot.getMessage());
            }
        });
    }

    /**
     * Reads the received data, if the user requested it.
     *
     * @return a value computed from the data, so that the read cannot be optimized away
     */
    static long touch(ByteBuffer received) {
        long sum = 0;
        for (int at = 0; at + Long.BYTES <= received.limit(); at += Long.BYTES) {
            sum += received.getLong(at);
        }
        return sum;
    }
}
