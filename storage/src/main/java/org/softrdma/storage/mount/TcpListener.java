// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.mount;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.storage.rpc.CallCounter;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcPrograms;

/** Remote procedure calls over TCP, for MOUNT: one record per message (RFC 5531, section 11), of one fragment and bounded length. */
public final class TcpListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TcpListener.class.getName());
    private static final int MAX_CONNECTIONS = 64;
    /** Longest record of MOUNT, bytes. */
    private static final int MOUNT_RECORD = 8192;
    /** A client that sends nothing for so long is disconnected. */
    private static final int IDLE_MS = 30_000;
    private static final int LAST_FRAGMENT = 0x80000000;

    private final RpcPrograms programs;
    private final CallCounters counters;
    private final int maxRecord;
    private final ServerSocket listener = new ServerSocket();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    /**
     * Listens for calls of MOUNT, which are short.
     *
     * @throws IOException the address is in use
     */
    public TcpListener(InetSocketAddress address, RpcPrograms programs, CallCounters counters) throws IOException {
        this(address, programs, counters, MOUNT_RECORD);
    }

    /**
     * Listens for calls.
     *
     * @param maxRecord longest call and reply, bytes
     * @throws IOException the address is in use
     */
    public TcpListener(InetSocketAddress address, RpcPrograms programs, CallCounters counters, int maxRecord) throws IOException {
        this.programs = programs;
        this.counters = counters;
        this.maxRecord = maxRecord;
        try {
            listener.setReuseAddress(true);
            listener.bind(address);
        } catch (IOException refused) {
            listener.close();
            throw new IOException("TCP port " + address.getPort() + " for MOUNT: " + refused.getMessage(), refused);
        }
        Thread.ofPlatform().daemon().name("mount-listener").start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                if (connections.size() == MAX_CONNECTIONS) {
                    counters.count(CallCounter.REFUSED_CONNECTIONS);
                    socket.close();
                } else {
                    connections.add(socket);
                    Thread.ofVirtual().name("mount-connection").start(() -> serve(socket));
                }
            }
        } catch (IOException failed) {
            if (!listener.isClosed()) {
                LOG.log(System.Logger.Level.ERROR, "MOUNT takes no more connections", failed);
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setSoTimeout(IDLE_MS);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            ByteBuffer reply = ByteBuffer.allocate(4 + maxRecord);
            while (true) {
                int mark = in.readInt();
                int length = mark & ~LAST_FRAGMENT;
                if ((mark & LAST_FRAGMENT) == 0 || length > maxRecord) {
                    counters.count(CallCounter.LONG_RECORDS);
                    return;
                }
                byte[] call = new byte[length];
                in.readFully(call);
                int bytes = programs.serve(socket.getInetAddress(), ByteBuffer.wrap(call), reply.clear().position(4), ResultItems.NONE);
                if (bytes != RpcPrograms.NO_REPLY) {
                    reply.putInt(0, LAST_FRAGMENT | bytes);
                    out.write(reply.array(), 0, 4 + bytes);
                }
            }
        } catch (IOException | BufferOverflowException ended) {
            LOG.log(System.Logger.Level.DEBUG, "a MOUNT connection ended", ended);
        } finally {
            connections.remove(socket);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket each : connections) {
                each.close();
            }
        } catch (IOException moot) {
            LOG.log(System.Logger.Level.DEBUG, "closing MOUNT", moot);
        }
    }
}
