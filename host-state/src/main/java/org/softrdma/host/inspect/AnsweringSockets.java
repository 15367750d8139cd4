// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Sockets of this process in the directory, each of which answers a client with its bytes of the moment. Clients are served one at a time,
 * each for two seconds at most.
 */
final class AnsweringSockets {
    private static final System.Logger LOG = System.getLogger(AnsweringSockets.class.getName());
    private static final long PATIENCE_NS = 2_000_000_000L;
    private static final long AFTER_FAILURE_NS = 100_000_000L;

    private final Selector selector = Selector.open();
    private final List<ListeningFile> files = new ArrayList<>();

    /** @param answers by the suffix of the socket's name */
    AnsweringSockets(ProcessDirectory directory, Map<String, Supplier<byte[]>> answers) throws IOException {
        try {
            for (Map.Entry<String, Supplier<byte[]>> each : answers.entrySet()) {
                ListeningFile file = ListeningFile.listen(directory.newEntry(ProcessHandle.current().pid(), each.getKey()));
                files.add(file);
                file.channel().configureBlocking(false);
                file.channel().register(selector, SelectionKey.OP_ACCEPT, each.getValue());
            }
        } catch (IOException | RuntimeException refused) {
            close();
            throw refused;
        }
    }

    /** Answers until the sockets are closed. */
    void serve() {
        try {
            while (true) {
                selector.select(key -> answer(key));
            }
        } catch (ClosedSelectorException stopped) {
            // as wanted
        } catch (IOException failed) {
            LOG.log(System.Logger.Level.DEBUG, "other processes no longer see this one: " + failed);
        }
    }

    @SuppressWarnings("unchecked")
    private static void answer(SelectionKey key) {
        try (SocketChannel client = ((ServerSocketChannel) key.channel()).accept()) {
            if (client != null) {
                send(((Supplier<byte[]>) key.attachment()).get(), client);
            }
        } catch (ClosedChannelException stopped) {
            // the next selection ends
        } catch (IOException | RuntimeException failed) {
            LOG.log(System.Logger.Level.DEBUG, "cannot answer another process: " + failed);
            LockSupport.parkNanos(AFTER_FAILURE_NS);
        }
    }

    private static void send(byte[] answer, SocketChannel client) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(answer);
        long untilNs = System.nanoTime() + PATIENCE_NS;
        client.configureBlocking(false);
        try (Selector writable = Selector.open()) {
            client.register(writable, SelectionKey.OP_WRITE);
            while (bytes.hasRemaining()) {
                long leftMs = (untilNs - System.nanoTime()) / 1_000_000;
                if (leftMs <= 0) {
                    throw new IOException("the client does not read");
                }
                writable.select(leftMs);
                writable.selectedKeys().clear();
                client.write(bytes);
            }
        }
    }

    /** Closes the sockets and deletes their entries. */
    void close() throws IOException {
        IOException first = null;
        for (ListeningFile file : files) {
            try {
                file.close();
            } catch (IOException stays) {
                first = first == null ? stays : first;
            }
        }
        selector.close();
        if (first != null) {
            throw first;
        }
    }
}
