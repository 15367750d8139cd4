// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;

/** Server of rping: answers the pings of one client, or, if persistent, of any number of clients at once. */
final class RPingServer extends RPingRun {
    private static final int BACKLOG = 3;

    /** Has a permit if the next request may be taken. */
    private final Semaphore acceptReady = new Semaphore(1);
    private volatile CmId requested;

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
        serve(takeRequest());
    }

    private void serveAll() {
        while (true) {
            first.await(RPingState.CONNECT_REQUEST, "wait for CONNECT_REQUEST");
            RPingEnd end = takeRequest();
            acceptReady.release();
            Thread.ofPlatform().daemon().name("rping-server").start(() -> {
                try {
                    serve(end);
                } catch (ToolFailure failure) {
                    console.error(failure.getMessage());
                }
            });
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

    @Override
    boolean onRequest(CmId request) {
        if (!mayTakeRequest()) {
            return false;
        }
        requested = request;
        return true;
    }

    /** A persistent server takes one request after the other; any other server takes the first one only. */
    private boolean mayTakeRequest() {
        if (!options.persistent) {
            return acceptReady.tryAcquire();
        }
        try {
            acceptReady.acquire();
            return true;
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private RPingEnd takeRequest() {
        RPingEnd end = new RPingEnd(options, console);
        end.id(requested);
        requested.context(end);
        return end;
    }

    private void serve(RPingEnd end) {
        try {
            end.setUp();
            accept(end);
            answerPings(end);
            end.disconnect();
        } finally {
            end.id().close();
            end.close();
        }
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
