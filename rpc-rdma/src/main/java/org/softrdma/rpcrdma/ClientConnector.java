// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** The thread that makes a client's connections, one after the other, and processes their events. */
final class ClientConnector {
    private static final System.Logger LOG = System.getLogger(ClientConnector.class.getName());
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    /** Pause before the second attempt to connect again; it doubles up to the longest one. */
    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 2000;

    private final RpcRdmaClient client;
    private final InetSocketAddress server;
    private final Duration timeout;
    private final EventChannel channel = ConnectionManager.get().createEventChannel();
    private final Thread thread = Thread.ofPlatform().daemon().name("rpc-rdma-connector").unstarted(this::run);
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private volatile CmId id;
    private volatile boolean closed;

    ClientConnector(RpcRdmaClient client, InetSocketAddress server, Duration timeout) {
        this.client = client;
        this.server = server;
        this.timeout = timeout;
    }

    /** Makes the first connection. */
    void start() throws RpcRdmaException {
        thread.start();
        try {
            first.join();
        } catch (CompletionException refused) {
            throw (RpcRdmaException) refused.getCause();
        }
    }

    /** Ends the connection because a work request has failed; the next one is made. */
    void onBroken(String cause) {
        LOG.log(System.Logger.Level.DEBUG, () -> "connection to " + server + " ended: " + cause);
        disconnect();
    }

    private void disconnect() {
        CmId current = id;
        if (current != null) {
            try {
                current.disconnect();
            } catch (VerbsException notConnected) {
                // The event of its end has been delivered.
            }
        }
    }

    void close() {
        closed = true;
        disconnect();
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        RpcRdmaException end = new RpcRdmaException(Errno.ENOTCONN, "the client is closed");
        try {
            makeConnection();
            first.complete(null);
            while (!closed) {
                awaitEnd();
                connectAgain();
            }
        } catch (RpcRdmaException failed) {
            end = failed;
        } catch (VerbsException failed) {
            end = closed ? end : new RpcRdmaException(failed);
        }
        dropConnection();
        client.onGivenUp(end);
        channel.close();
        first.completeExceptionally(end);
    }

    private void awaitEnd() {
        CmEventType type;
        do {
            type = take(channel.getEvent(-1)).type();
        } while (type != CmEventType.DISCONNECTED && type != CmEventType.DEVICE_REMOVAL);
        dropConnection();
    }

    private void dropConnection() {
        CmId current = id;
        if (current != null) {
            disconnect();
            client.onDisconnected();
            id = null;
            current.close();
        }
    }

    private void connectAgain() throws RpcRdmaException {
        long beganNs = System.nanoTime();
        long pauseMs = FIRST_PAUSE_MS;
        while (!closed) {
            try {
                makeConnection();
                return;
            } catch (RpcRdmaException refused) {
                dropConnection();
                if (System.nanoTime() - beganNs > timeout.toNanos()) {
                    throw refused;
                }
            }
            pause(pauseMs);
            pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
        }
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void makeConnection() throws RpcRdmaException {
        try {
            id = ConnectionManager.get().createId(channel, null, PortSpace.TCP);
            id.resolveAddress(null, server, RESOLVE_TIMEOUT_MS);
            await(CmEventType.ADDR_RESOLVED);
            id.resolveRoute(RESOLVE_TIMEOUT_MS);
            await(CmEventType.ROUTE_RESOLVED);
            id.connect(client.prepare(id));
            client.onConnected(await(CmEventType.ESTABLISHED));
        } catch (VerbsException refused) {
            throw new RpcRdmaException(refused);
        }
    }

    /** Waits for an event, and fails at any other one. */
    private ConnectionParameters await(CmEventType wanted) throws RpcRdmaException {
        CmEvent event = channel.getEvent(timeout.toNanos());
        if (event == null) {
            throw new RpcRdmaException(Errno.ETIMEDOUT, "no answer of " + server + " within " + timeout.toSeconds() + " s");
        }
        take(event);
        if (event.type() == wanted) {
            return event.connection();
        }
        Errno errno = event.type() == CmEventType.REJECTED ? Errno.ECONNREFUSED : Errno.of(-event.status());
        throw new RpcRdmaException(errno == null ? Errno.ECONNREFUSED : errno, server + ": " + event.type().text() + ", status "
            + event.status() + (event.detail() == null ? "" : ": " + event.detail()));
    }

    private static CmEvent take(CmEvent event) {
        event.ack();
        return event;
    }
}
