// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * UDP sockets, as ibsim uses them with {@code -r}: the server's control port, and behind it a port for each client. Works on every host.
 */
final class UdpSimSockets implements SimSockets {
    private static final long NS_PER_MS = 1_000_000;

    private final DatagramChannel[] channels;
    private final SelectionKey[] keys;
    private final Selector selector;
    private final InetSocketAddress server;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(SimPacket.LENGTH);
    /** Sender of the last control message. */
    private SocketAddress peer;

    private UdpSimSockets(InetSocketAddress server, DatagramChannel[] channels) throws IOException {
        this.server = server;
        this.channels = channels;
        selector = Selector.open();
        keys = new SelectionKey[channels.length];
        for (int i = 0; i < channels.length; i++) {
            channels[i].configureBlocking(false);
            keys[i] = channels[i].register(selector, SelectionKey.OP_READ);
        }
    }

    /**
     * Opens the sockets of a server on the loopback interface.
     *
     * @param port control port; those of the clients follow it
     * @throws VerbsException EADDRINUSE: a port is taken
     */
    static UdpSimSockets server(int port, int clients) {
        DatagramChannel[] channels = new DatagramChannel[clients + 1];
        try {
            for (int i = 0; i < channels.length; i++) {
                channels[i] = DatagramChannel.open();
                channels[i].bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port + i));
            }
            return new UdpSimSockets(null, channels);
        } catch (IOException refused) {
            closeAll(channels);
            throw new VerbsException(Errno.EADDRINUSE, "fabric", "UDP ports " + port + " to " + (port + clients) + ": "
                + refused.getMessage() + "; choose other ones", refused);
        }
    }

    /**
     * Opens the sockets of a client.
     *
     * @param server address of its control port
     */
    static UdpSimSockets client(InetSocketAddress server) {
        DatagramChannel[] channels = new DatagramChannel[2];
        try {
            for (int i = 0; i < channels.length; i++) {
                channels[i] = DatagramChannel.open();
            }
            channels[CONTROL].connect(server);
            channels[1].bind(new InetSocketAddress(0));
            return new UdpSimSockets(server, channels);
        } catch (IOException refused) {
            closeAll(channels);
            throw new VerbsException(Errno.ECONNREFUSED, "fabric", server + ": " + refused.getMessage(), refused);
        }
    }

    /** Number that names the client's socket to the server: its port. */
    int session() {
        try {
            return ((InetSocketAddress) channels[1].getLocalAddress()).getPort();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Override
    public void connect(int socket, int session) {
        try {
            if (channels[socket].isConnected()) {
                channels[socket].disconnect();
            }
            channels[socket].connect(server == null ? new InetSocketAddress(((InetSocketAddress) peer).getAddress(), session)
                : new InetSocketAddress(server.getAddress(), server.getPort() + 1 + session));
        } catch (IOException | IllegalArgumentException refused) {
            throw new VerbsException(Errno.ECONNREFUSED, "fabric", "UDP port of session " + session + ": " + refused.getMessage(), refused);
        }
    }

    @Override
    public void await(long timeoutNs) {
        try {
            selector.select(Math.max(1, timeoutNs / NS_PER_MS));
            selector.selectedKeys().clear();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public int receive(int socket, ByteBuffer into) {
        bytes.clear();
        try {
            SocketAddress from = channels[socket].receive(bytes);
            if (from == null) {
                return -1;
            }
            if (socket == CONTROL) {
                peer = from;
            }
        } catch (PortUnreachableException gone) {
            // Reported to the sender of the next packet.
            return -1;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        int length = bytes.position();
        into.put(0, bytes, 0, Math.min(length, into.capacity()));
        return length;
    }

    @Override
    public void sendControl(ByteBuffer message) {
        try {
            message.clear();
            if (server == null) {
                channels[CONTROL].send(message, peer);
            } else {
                channels[CONTROL].write(message);
            }
        } catch (IOException gone) {
            // A client that is gone needs no answer; a server that is gone gives none.
        } finally {
            message.clear();
        }
    }

    @Override
    public Sent send(int socket, ByteBuffer packet) {
        packet.clear();
        try {
            boolean full = channels[socket].write(packet) == 0;
            keys[socket].interestOps(full ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            return full ? Sent.LATER : Sent.YES;
        } catch (ClosedChannelException closed) {
            throw new UncheckedIOException(closed);
        } catch (IOException gone) {
            return Sent.DEAD;
        } finally {
            packet.clear();
        }
    }

    @Override
    public void close() {
        closeAll(channels);
        try {
            selector.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void closeAll(DatagramChannel... channels) {
        for (DatagramChannel each : channels) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }
}
