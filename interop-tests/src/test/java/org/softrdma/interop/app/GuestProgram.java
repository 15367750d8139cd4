// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.softrdma.interop.Json;

/**
 * A program in the guest that executes requests received over TCP: a request and its answer are one line of JSON each. Both are printed.
 */
final class GuestProgram implements AutoCloseable {
    private static final int ANSWER_MS = 30_000;
    private static final int TEXT_LIMIT = 300;

    private final String name;
    private final Socket socket = new Socket();
    private final BufferedReader in;

    /**
     * Connects to the program.
     *
     * @param name name of the program, for messages
     */
    GuestProgram(String name, InetAddress guest, int port) {
        this.name = name;
        try {
            socket.connect(new InetSocketAddress(guest, port), ANSWER_MS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MS);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        } catch (IOException refused) {
            throw new UncheckedIOException("no answer from " + name + " in the guest", refused);
        }
    }

    Object ask(Map<String, Object> request) {
        String line = Json.format(request);
        try {
            System.out.println("> " + shortened(line));
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            String answer = in.readLine();
            System.out.println("< " + (answer == null ? "end of file" : shortened(answer)));
            if (answer == null) {
                throw new IllegalStateException(name + " closed the connection after " + shortened(line));
            }
            Map<String, Object> result = Json.parseObject(answer);
            if (result.containsKey("error")) {
                throw new IllegalStateException("the guest refused " + shortened(line) + ": " + result.get("error"));
            }
            return result.get("ok");
        } catch (IOException gone) {
            throw new UncheckedIOException("no answer to " + shortened(line), gone);
        }
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_LIMIT ? text : text.substring(0, TEXT_LIMIT) + "… (" + text.length() + ")";
    }

    /** Sends the request to end and closes the connection. */
    @Override
    public void close() {
        if (socket.isClosed()) {
            return;
        }
        try (socket) {
            ask(Json.object("op", "close"));
        } catch (IOException gone) {
            // the socket is closed either way
        }
    }
}
