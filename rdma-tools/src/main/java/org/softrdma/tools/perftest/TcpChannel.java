// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.io.EOFException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;

/** Control messages over TCP and IPv4, as in the original. */
final class TcpChannel implements ControlChannel {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
    /** End of every error: two messages of the original on one line. */
    private static final String FAILED =
        "\nUnable to open file descriptor for socket connection Unable to init the socket connection";

    private final Socket socket;

    TcpChannel(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
    }

    /**
     * Connects to the server.
     *
     * @throws ToolFailure in the original's words
     */
    static TcpChannel connect(Parameters parameters) {
        String reasons = "";
        for (InetAddress each : find(parameters.server, parameters.port)) {
            if (!(each instanceof Inet4Address)) {
                continue;
            }
            Socket socket = new Socket();
            try {
                if (parameters.sourceIp != null) {
                    socket.bind(new InetSocketAddress(find(parameters.sourceIp, 0)[0], 0));
                }
                socket.connect(new InetSocketAddress(each, parameters.port));
                return new TcpChannel(socket);
            } catch (IOException refused) {
                reasons += "\n" + each.getHostAddress() + ": " + refused.getMessage();
                closeQuietly(socket);
            }
        }
        throw new ToolFailure("Couldn't connect to " + parameters.server + ":" + parameters.port + FAILED + reasons);
    }

    /**
     * Accepts one client and closes the listener.
     *
     * @throws ToolFailure in the original's words
     */
    static TcpChannel accept(Parameters parameters) {
        InetAddress own = parameters.sourceIp == null ? null : find(parameters.sourceIp, parameters.port)[0];
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReuseAddress(true);
            try {
                listener.bind(own == null ? new InetSocketAddress(parameters.port) : new InetSocketAddress(own, parameters.port), 1);
            } catch (IOException | IllegalArgumentException refused) {
                throw new ToolFailure("Couldn't listen to port " + parameters.port + FAILED + "\n" + refused.getMessage());
            }
            return new TcpChannel(listener.accept());
        } catch (IOException failed) {
            throw new ToolFailure("server accept: " + failed.getMessage() + "\naccept() failed" + FAILED);
        }
    }

    private static InetAddress[] find(String name, int port) {
        InetAddress[] addresses = HostName.findAll(name);
        if (addresses.length == 0) {
            throw new ToolFailure(HostName.UNKNOWN + " for " + name + ":" + port + "\nProblem in resolving basic address and port"
                + FAILED);
        }
        return addresses;
    }

    @Override
    public void write(byte[] message) throws IOException {
        socket.getOutputStream().write(message);
    }

    @Override
    public byte[] read(int bytes) throws IOException {
        byte[] message = socket.getInputStream().readNBytes(bytes);
        if (message.length < bytes) {
            throw new EOFException("the peer closed after " + message.length + " of " + bytes + " bytes; its output says why");
        }
        return message;
    }

    @Override
    public void writeDone() throws IOException {
        write(DONE);
    }

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException moot) {
            // no further messages are expected
        }
    }
}
