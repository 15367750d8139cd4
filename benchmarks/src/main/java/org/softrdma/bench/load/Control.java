// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The TCP connection beside the measured traffic: addresses are exchanged and phases announced over it. The server prints
 * {@code READY port}; the runner starts the client with that port.
 */
final class Control implements AutoCloseable {
    private static final int PATIENCE_MS = 60_000;

    private final Socket socket;
    final DataInputStream in;
    final DataOutputStream out;

    private Control(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    static Control accept() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(PATIENCE_MS);
            System.out.println("READY " + server.getLocalPort());
            System.out.flush();
            return new Control(server.accept());
        }
    }

    static Control connect(int port) throws IOException {
        return new Control(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    void send(int command) throws IOException {
        out.writeInt(command);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
