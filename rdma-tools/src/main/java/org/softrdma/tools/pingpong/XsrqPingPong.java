// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * {@code ibv_xsrq_pingpong}: a server and its clients exchange messages over XRC. The server's messages for one client are sent over the
 * connections to all clients in turn; several clients must therefore share an XRC domain, and so a device.
 */
public final class XsrqPingPong implements Tool {
    private static final int POLLS_BEFORE_YIELD = 100;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        XsrqParameters parameters = XsrqParameters.parse(name, arguments, console);
        if (parameters == null) {
            return 1;
        }
        XsrqEndpoint endpoint = XsrqEndpoint.open(parameters);
        List<XsrqExchange> exchanges = new ArrayList<>();
        try {
            for (int i = 0; i < parameters.clients; i++) {
                endpoint.postReceive();
            }
            if (parameters.isClient()) {
                connect(endpoint, parameters, exchanges, console);
            } else {
                accept(endpoint, parameters, exchanges, console);
                for (int i = 0; i < parameters.clients; i++) {
                    endpoint.postSend(i);
                }
            }
            play(endpoint, parameters);
            terminate(parameters, exchanges);
            endpoint.close();
            console.println("success");
            return 0;
        } finally {
            exchanges.forEach(XsrqExchange::close);
            endpoint.abandon();
        }
    }

    private static void connect(XsrqEndpoint endpoint, XsrqParameters parameters, List<XsrqExchange> exchanges, Console console) {
        XsrqExchange exchange = new XsrqExchange(AddressExchange.connect(parameters.server, parameters.port));
        exchanges.add(exchange);
        endpoint.sendAddress(exchange, 0, console);
        endpoint.receiveAddress(exchange, 0, console);
        endpoint.connect(0);
    }

    private static void accept(XsrqEndpoint endpoint, XsrqParameters parameters, List<XsrqExchange> exchanges, Console console) {
        try (ServerSocket listener = AddressExchange.listen(parameters.port, parameters.clients)) {
            for (int i = 0; i < parameters.clients; i++) {
                var socket = listener.accept();
                socket.setTcpNoDelay(true);
                XsrqExchange exchange = new XsrqExchange(socket);
                exchanges.add(exchange);
                endpoint.receiveAddress(exchange, i, console);
                endpoint.sendAddress(exchange, i, console);
                endpoint.connect(i);
            }
        } catch (IOException failed) {
            throw new ToolFailure("accept() failed for client " + exchanges.size() + "\n" + AddressExchange.text(failed));
        }
    }

    /** Answers each message with the next one, until all were received and the last send to each peer is complete. */
    private static void play(XsrqEndpoint endpoint, XsrqParameters parameters) {
        WorkCompletion[] one = WorkCompletion.array(1);
        long toReceive = (long) parameters.clients * parameters.tests;
        int toComplete = parameters.clients;
        int events = 0;
        int idle = 0;
        try {
            while (toReceive > 0 || toComplete > 0) {
                if (parameters.events && toReceive > 0) {
                    awaitEvent(endpoint);
                    events++;
                }
                int received = receiveAll(endpoint, one);
                int completed = completeAll(endpoint, one);
                toReceive -= received;
                toComplete -= completed;
                idle = received + completed > 0 ? 0 : idle + 1;
                pause(idle);
            }
        } finally {
            if (events > 0) {
                endpoint.receiveCq().ackEvents(events);
            }
        }
    }

    private static int receiveAll(XsrqEndpoint endpoint, WorkCompletion[] one) {
        int received = 0;
        while (endpoint.receiveCq().poll(one) > 0) {
            requireSuccess(one[0]);
            endpoint.postReceive();
            int peer = endpoint.peerOf(one[0].qpNum());
            if (endpoint.hasMoreFor(peer)) {
                endpoint.postSend(peer);
            }
            received++;
        }
        return received;
    }

    /** Polls sends. A failure ends the program at once; the original checks after the last message, which then never arrives. */
    private static int completeAll(XsrqEndpoint endpoint, WorkCompletion[] one) {
        int completed = 0;
        while (endpoint.sendCq().poll(one) > 0) {
            requireSuccess(one[0]);
            completed++;
        }
        return completed;
    }

    private static void requireSuccess(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            throw new ToolFailure("Work completion error " + completion.status().value() + "\n" + completion.status().text());
        }
    }

    /** Pauses after empty polls. If both ends share too few processors, the other end needs one to answer. */
    private static void pause(int idle) {
        if (idle < POLLS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    private static void awaitEvent(XsrqEndpoint endpoint) {
        try {
            endpoint.channel().getEvent(-1);
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get cq_event", refused);
        }
        endpoint.receiveCq().requestNotify();
    }

    private static void terminate(XsrqParameters parameters, List<XsrqExchange> exchanges) {
        if (parameters.isClient()) {
            exchanges.getFirst().sendEnd();
            exchanges.getFirst().receiveEnd();
        } else {
            exchanges.forEach(XsrqExchange::receiveEnd);
            exchanges.forEach(XsrqExchange::sendEnd);
        }
    }
}
