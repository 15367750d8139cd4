// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.host.inspect.ListeningFile;

/** Serves processes that connect to a fabric by its name: one thread for all of them. */
public final class FabricService implements AutoCloseable {
    /** Connections at a time; the next one is closed. */
    static final int MAX_SESSIONS = 256;
    private static final long IDLE_MS = 1000;
    private static final System.Logger LOG = System.getLogger(FabricService.class.getName());

    private final FabricHost host;
    private final ListeningFile file;
    private final Selector selector;
    private final Set<Session> sessions = new LinkedHashSet<>();
    private final Thread thread;
    /** Sessions with something to write, and nothing that would make them ready. */
    private final Set<PortSession> waiting = new LinkedHashSet<>();
    private volatile boolean closed;

    /**
     * Begins to serve.
     *
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: a fabric of that name runs
     */
    public FabricService(FabricHost host, FabricDirectory directory, String name) {
        this.host = host;
        file = directory.listen(name);
        try {
            selector = Selector.open();
            file.channel().configureBlocking(false);
            file.channel().register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        thread = Thread.ofPlatform().name("softrdma-fabric-" + name).daemon().start(this::serve);
    }

    private void serve() {
        try {
            while (!closed) {
                selector.select(IDLE_MS);
                host.run(this::serveReady);
            }
            host.run(fabric -> List.copyOf(sessions).forEach(each -> each.close(fabric)));
            selector.close();
            file.close();
        } catch (IOException failed) {
            LOG.log(System.Logger.Level.ERROR, "the fabric serves no further processes: " + failed);
        }
    }

    private void serveReady(Fabric fabric) {
        List<SelectionKey> ready = new ArrayList<>(selector.selectedKeys());
        selector.selectedKeys().clear();
        for (SelectionKey key : ready) {
            if (key.attachment() == null) {
                accept();
            } else {
                ((Session) key.attachment()).onReady(fabric);
            }
        }
        List<PortSession> writing = List.copyOf(waiting);
        waiting.clear();
        writing.forEach(each -> each.flush(fabric));
    }

    /** Has a session write what it holds soon: all packets of this round together. With the fabric's lock held. */
    void writeSoon(PortSession session) {
        if (waiting.add(session) && Thread.currentThread() != thread) {
            selector.wakeup();
        }
    }

    private void accept() {
        try {
            SocketChannel channel = file.channel().accept();
            if (channel == null) {
                return;
            }
            if (sessions.size() == MAX_SESSIONS) {
                LOG.log(System.Logger.Level.WARNING, "a process was refused: " + MAX_SESSIONS + " are connected");
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            Session session = new CommandSession(this, channel, key);
            key.attach(session);
            sessions.add(session);
        } catch (IOException failed) {
            LOG.log(System.Logger.Level.WARNING, "a process could not be served: " + failed);
        }
    }

    /** Continues a connection with another session. */
    void replace(CommandSession before, PortSession now) {
        sessions.remove(before);
        sessions.add(now);
    }

    void forget(Session session) {
        sessions.remove(session);
        waiting.remove(session);
    }

    /** Ends all sessions and removes the name. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
