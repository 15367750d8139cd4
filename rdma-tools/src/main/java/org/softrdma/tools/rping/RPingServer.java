// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.net.InetSocketAddress;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;

/**
 * Server of rping: answers the pings of one client, or, if persistent, of any number of clients at once.
 *
 * <p>A persistent server answers requests on the thread of the events, and gives a connection threads when it is established: peers whose
 * connections never get that far cost a queue pair and its buffers until the connection manager reports their end, and no thread.
 */
final class RPingServer extends RPingRun {
    /** Connections of a persistent server that are accepted and not established yet; further requests are refused. */
    static final int MAX_HALF_OPEN = 1024;

    private static final int BACKLOG = 3;

    /** Connection of a server that is not persistent; null before its request. */
    private volatile RPingEnd requested;
    /** Number of connections that are accepted and not established. For the thread of the events. */
    private int halfOpen;

    RPingServer(RPingOptions options, Console console) {
        super(options, console);
    }

    @Override
    void play() {
        listen();
        if (options.persistent) {
            serveAll();
        } else {
            serveOne();
        }
    }

    private void serveOne() {
        first.await(RPingState.CONNECT_REQUEST, "wait for CONNECT_REQUEST");
        RPingEnd end = requested;
        try {
            end.setUp();
            end.takeCompletions();
            accept(end);
            awaitEstablished(end);
            serve(end);
        } finally {
            end.close();
        }
    }

    /** Waits while the thread of the events accepts connections, and other threads serve them. */
    private void serveAll() {
        while (true) {
            first.await(RPingState.CONNECT_REQUEST, "wait for CONNECT_REQUEST");
        }
    }

    private void listen() {
        try {
            id.bind(new InetSocketAddress(options.address, options.port));
        } catch (VerbsException refused) {
            throw ToolFailure.perror(RPingEnd.FAILED, "rdma_bind_addr", refused);
        }
        debug("rdma_bind_addr successful\n");
        debug("rdma_listen\n");
        try {
            id.listen(BACKLOG);
        } catch (VerbsException refused) {
            throw ToolFailure.perror(RPingEnd.FAILED, "rdma_listen", refused);
        }
    }

    // ---- connections, on the thread of the events ----

    @Override
    RPingEnd onRequest(CmId request) {
        if (options.persistent ? halfOpen == MAX_HALF_OPEN : requested != null) {
            return null;
        }
        RPingEnd end = new RPingEnd(options, console);
        end.id(request);
        request.context(end);
        if (!options.persistent) {
            requested = end;
            return end;
        }
        try {
            end.setUp();
            accept(end);
            halfOpen++;
            return end;
        } catch (ToolFailure failure) {
            console.error(failure.getMessage());
            end.close();
            return null;
        }
    }

    /** The server continues with its first receive. */
    @Override
    void onEstablished(RPingEnd end) {
        if (options.persistent) {
            halfOpen--;
            end.takeCompletions();
            Thread.ofPlatform().daemon().name("rping-server").start(() -> serveAndClose(end));
        }
        proceed(end, end.state());
    }

    @Override
    RPingState afterFailure(RPingState now) {
        return RPingState.ERROR;
    }

    @Override
    void release(RPingEnd end) {
        if (options.persistent && end != first && !end.takesCompletions() && end.isOver()) {
            halfOpen--;
            end.close();
        }
    }

    // ---- one connection ----

    private void serveAndClose(RPingEnd end) {
        try {
            awaitEstablished(end);
            serve(end);
        } catch (ToolFailure failure) {
            console.error(failure.getMessage());
        } finally {
            end.close();
        }
    }

    private void serve(RPingEnd end) {
        answerPings(end);
        end.disconnect();
    }

    private void accept(RPingEnd end) {
        debug("accepting client connection request\n");
        try {
            if (end.hasOwnQp()) {
                end.moveOwnQp();
                end.id().accept(end.parameters());
            } else {
                end.id().accept();
            }
        } catch (VerbsException refused) {
            throw ToolFailure.perror(RPingEnd.FAILED, "rdma_accept", refused);
        }
    }

    private static void awaitEstablished(RPingEnd end) {
        end.await();
        if (end.state() == RPingState.ERROR) {
            throw new ToolFailure(RPingEnd.FAILED, "wait for CONNECTED state " + end.state().number() + "\nconnect error -1");
        }
    }

    /** Answers pings until the client disconnects, which is how every test ends. */
    private void answerPings(RPingEnd end) {
        try {
            while (true) {
                answer(end);
            }
        } catch (ToolFailure over) {
            console.error(over.getMessage());
            if (end.state() != RPingState.DISCONNECTED) {
                end.disconnect();
                throw new ToolFailure(RPingEnd.FAILED, "rping server failed: -1");
            }
        }
    }

    private void answer(RPingEnd end) {
        end.await(RPingState.RDMA_READ_ADV, "wait for RDMA_READ_ADV");
        debug("server received sink adv\n");
        post(end::postRead);
        debug("server posted rdma read req \n");
        end.await(RPingState.RDMA_READ_COMPLETE, "wait for RDMA_READ_COMPLETE");
        debug("server received read complete\n");
        int length = textLength(end.data().memory());
        if (options.verbose) {
            show("server ping data: ", end.data().memory(), length);
        }
        post(end::postInfo);
        debug("server posted go ahead\n");
        end.await(RPingState.RDMA_WRITE_ADV, "wait for RDMA_WRITE_ADV");
        debug("server received sink adv\n");
        post(() -> end.postWrite(length + 1));
        end.await(RPingState.RDMA_WRITE_COMPLETE, "wait for RDMA_WRITE_COMPLETE");
        debug("server rdma write complete \n");
        post(end::postInfo);
        debug("server posted go ahead\n");
    }
}
