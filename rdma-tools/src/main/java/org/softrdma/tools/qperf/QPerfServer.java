// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.qperf.Parameters.Side;
import org.softrdma.verbs.VerbsException;

/** Serves clients, one after the other, until one sends quit. A failure with one client does not affect the next. */
final class QPerfServer {
    /** Backlog of clients. */
    private static final int WAITING = 5;
    /** Limit for the memory that a client's request may take here. */
    private static final int LARGEST_MESSAGE = 256 << 20;

    private final int port;
    private final int timeoutSeconds;
    private final Display display;
    private final Console console;

    QPerfServer(int port, Parameters parameters, Display display, Console console) {
        this.port = port;
        int timeout = parameters.number(Side.LOCAL, Parameter.TIMEOUT);
        timeoutSeconds = timeout == 0 ? QPerfClient.TIMEOUT_SECONDS : timeout;
        this.display = display;
        this.console = console;
    }

    /** @return the exit code */
    int serve() {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listen(listener);
            boolean last = false;
            while (!last) {
                debug("ready for requests");
                SocketChannel client = listener.accept();
                // A thread for each, as the original has a process: the processor that a client asks for is not the next one's.
                last = CompletableFuture.supplyAsync(() -> serve(client), work -> Thread.ofPlatform().name("qperf-client").start(work))
                    .join();
            }
            return 0;
        } catch (IOException failed) {
            throw new QPerfFailure("accept failed: " + failed.getMessage());
        }
    }

    private void listen(ServerSocketChannel listener) {
        try {
            listener.bind(new InetSocketAddress(port), WAITING);
        } catch (IOException refused) {
            throw new QPerfFailure("unable to bind to listen port", "port " + port + ": " + refused.getMessage()
                + "; -lp takes another, at both ends");
        }
    }

    /** @return whether this client was the last */
    private boolean serve(SocketChannel accepted) {
        try (ControlConnection control = ControlConnection.of(accepted, "client")) {
            return serve(control);
        } catch (IOException gone) {
            debug("client: " + gone.getMessage());
            return false;
        }
    }

    private boolean serve(ControlConnection control) {
        try {
            return answer(control);
        } catch (PeerFailure failure) {
            debug(failure.getMessage());
        } catch (QPerfFailure failure) {
            fail(control, failure);
        } catch (VerbsException refused) {
            fail(control, new QPerfFailure(refused.getMessage()));
        } catch (RuntimeException | OutOfMemoryError unexpected) {
            fail(control, new QPerfFailure("internal error: " + unexpected));
        }
        return false;
    }

    private void fail(ControlConnection control, QPerfFailure failure) {
        console.println(failure.text());
        console.out().flush();
        control.reportFailure(failure.getMessage());
    }

    private boolean answer(ControlConnection control) {
        control.timeout(timeoutSeconds);
        Request request = receive(control);
        if (request.index() >= Tests.ALL.size()) {
            throw new QPerfFailure("bad request index: " + request.index());
        }
        Tests.Entry entry = Tests.ALL.get(request.index());
        debug("received request: " + entry.name());
        requireAffordable(request.number(Parameter.MSG_SIZE));
        Session session = new Session(entry.name(), false, request, control, this::debug);
        try {
            Affinity.set(request);
            PerfTest test = entry.make().get();
            test.asServer(session);
            return test.isLast();
        } finally {
            session.timer().halt();
        }
    }

    /** @param messageBytes u32 */
    private static void requireAffordable(int messageBytes) {
        if (Integer.compareUnsigned(messageBytes, LARGEST_MESSAGE) > 0) {
            throw new QPerfFailure("message size must be at most " + LARGEST_MESSAGE + " with this server");
        }
    }

    /** The version is looked at before the rest is waited for: another version's request may be shorter. */
    private static Request receive(ControlConnection control) {
        byte[] all = new byte[Request.BYTES];
        byte[] version = control.receive(Request.VERSION_BYTES, "request version");
        Request.parse(version).checkVersion();
        byte[] rest = control.receive(Request.BYTES - Request.VERSION_BYTES, "request data");
        System.arraycopy(version, 0, all, 0, version.length);
        System.arraycopy(rest, 0, all, version.length, rest.length);
        return Request.parse(all);
    }

    private void debug(String line) {
        if (display.debug) {
            console.error(line);
        }
    }
}
