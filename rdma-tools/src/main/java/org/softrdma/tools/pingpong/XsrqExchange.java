// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.softrdma.tools.cli.ToolFailure;

/**
 * TCP connection to one peer of {@code ibv_xsrq_pingpong}: addresses at the start, "END" at the end. It stays open in between, since no
 * end may close queue pairs that others still send to: the server waits for the "END" of all clients before it answers.
 */
final class XsrqExchange {
    private static final byte[] END = "END\0".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;

    XsrqExchange(Socket socket) {
        this.socket = socket;
    }

    void send(XsrqDestination own) {
        try {
            socket.getOutputStream().write(own.toMessage());
        } catch (IOException failed) {
            throw new ToolFailure("Couldn't send local address\n" + AddressExchange.text(failed));
        }
    }

    /** @param index of the peer, for messages */
    XsrqDestination receive(int index) {
        byte[] message = read(XsrqDestination.MESSAGE_BYTES, "remote address [" + index + "]");
        try {
            return XsrqDestination.ofMessage(message);
        } catch (IllegalArgumentException garbled) {
            String shown = new String(message, StandardCharsets.US_ASCII).replaceAll("[^ -~]", ".");
            throw new ToolFailure("Couldn't read remote address [" + index + "]\nThe peer sent '" + shown
                + "' instead of LID:QPN:QPN:PSN:SRQN:GID: " + garbled.getMessage() + ". Does ibv_xsrq_pingpong run at both ends?");
        }
    }

    void sendEnd() {
        try {
            socket.getOutputStream().write(END);
        } catch (IOException failed) {
            throw new ToolFailure("Couldn't send termination ack\n" + AddressExchange.text(failed));
        }
    }

    void receiveEnd() {
        if (!Arrays.equals(read(END.length, "remote termination ack"), END)) {
            throw new ToolFailure("Invalid termination ack was accepted");
        }
    }

    private byte[] read(int bytes, String what) {
        byte[] message;
        try {
            message = socket.getInputStream().readNBytes(bytes);
        } catch (IOException failed) {
            throw new ToolFailure("client read: " + AddressExchange.text(failed) + "\n0/" + bytes + ": Couldn't read " + what);
        }
        if (message.length < bytes) {
            throw new ToolFailure("client read: Success\n" + message.length + "/" + bytes + ": Couldn't read " + what
                + "\nThe peer closed the connection; see its output for the cause.");
        }
        return message;
    }

    void close() {
        try {
            socket.close();
        } catch (IOException moot) {
            // All messages were exchanged: nothing is lost.
        }
    }
}
