// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;

/**
 * How the two ends of a ping-pong learn of each other over TCP. The client sends its {@link Destination}s, the server connects its queue
 * pairs and answers with its own, the client says "done". Where there is one destination, the original reads it with a single read and
 * wants all of it, so ours go out in one write, without delay; on our side we read until a message is complete. Where there are several,
 * their number does not depend on how many queue pairs there are: the rest is zero.
 */
final class AddressExchange {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private static final Destination UNUSED = new Destination(0, 0, 0, Gid.ZERO);

    private final int count;

    /** @param count destinations each end sends */
    AddressExchange(int count) {
        this.count = count;
    }

    /**
     * The client's part; when it returns, the server is ready to receive.
     *
     * @throws ToolFailure in the original's words
     */
    List<Destination> asClient(String server, int port, List<Destination> own) {
        try (Socket socket = connect(server, port)) {
            try {
                socket.getOutputStream().write(messages(own));
            } catch (IOException failed) {
                throw new ToolFailure("Couldn't send local address\n" + text(failed));
            }
            byte[] answer;
            try {
                answer = socket.getInputStream().readNBytes(bytes());
                if (answer.length == bytes()) {
                    socket.getOutputStream().write(DONE);
                }
            } catch (IOException failed) {
                throw new ToolFailure("client read/write: " + text(failed) + "\nCouldn't read/write remote address");
            }
            if (answer.length < bytes()) {
                throw new ToolFailure("client read/write: Success\nCouldn't read/write remote address\nThe server closed after "
                    + answer.length + " of " + bytes() + " bytes; its output says why.");
            }
            return parse(answer, "Couldn't read/write remote address");
        } catch (IOException ofClose) {
            throw new ToolFailure("Couldn't close the connection to " + server + ": " + text(ofClose));
        }
    }

    /**
     * The server's part: takes one client, then listens no more.
     *
     * @param connect connects the queue pairs to the client's; called before the client is answered, so that the client's first message
     *     finds them ready
     * @throws ToolFailure in the original's words
     */
    List<Destination> asServer(int port, List<Destination> own, Consumer<List<Destination>> connect) {
        try (Socket socket = accept(port)) {
            byte[] message;
            try {
                message = socket.getInputStream().readNBytes(bytes());
            } catch (IOException failed) {
                throw new ToolFailure("server read: " + text(failed) + "\n-1/" + bytes() + ": Couldn't read remote address");
            }
            String couldNotRead = message.length + "/" + bytes() + ": Couldn't read remote address";
            if (message.length < bytes()) {
                throw new ToolFailure("server read: Success\n" + couldNotRead);
            }
            List<Destination> client = parse(message, couldNotRead);
            try {
                connect.accept(client);
            } catch (ToolFailure failure) {
                throw new ToolFailure(failure.exitCode(), failure.getMessage() + "\nCouldn't connect to remote QP");
            }
            try {
                socket.getOutputStream().write(messages(own));
                if (socket.getInputStream().readNBytes(DONE.length).length < DONE.length) {
                    throw new ToolFailure("Couldn't send/recv local address");
                }
            } catch (IOException failed) {
                throw new ToolFailure("Couldn't send/recv local address\n" + text(failed));
            }
            return client;
        } catch (IOException ofClose) {
            throw new ToolFailure("Couldn't close the connection to the client: " + text(ofClose));
        }
    }

    /** The first of the server's addresses that answers; no delay for small messages. */
    static Socket connect(String server, int port) {
        InetAddress[] addresses = HostName.findAll(server);
        if (addresses.length == 0) {
            throw new ToolFailure(HostName.UNKNOWN + " for " + server + ":" + port);
        }
        StringBuilder reasons = new StringBuilder();
        for (InetAddress each : addresses) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(each, port));
                socket.setTcpNoDelay(true);
                return socket;
            } catch (IOException refused) {
                reasons.append('\n').append(each.getHostAddress()).append(": ").append(text(refused));
                close(socket);
            }
        }
        throw new ToolFailure("Couldn't connect to " + server + ":" + port + reasons + "\nIs the server running there?");
    }

    private static Socket accept(int port) {
        try (ServerSocket listener = listen(port, 1)) {
            Socket socket = listener.accept();
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException failed) {
            throw new ToolFailure("accept() failed\n" + text(failed));
        }
    }

    /** On every address, IPv6 and IPv4. @param waiting clients that may wait to be accepted */
    static ServerSocket listen(int port, int waiting) throws IOException {
        ServerSocket listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(port), waiting);
            return listener;
        } catch (IOException refused) {
            listener.close();
            throw new ToolFailure("Couldn't listen to port " + port + "\n" + text(refused) + "; -p takes another port, at both ends");
        }
    }

    private int bytes() {
        return count * Destination.MESSAGE_BYTES;
    }

    private byte[] messages(List<Destination> own) {
        byte[] all = new byte[bytes()];
        for (int i = 0; i < count; i++) {
            byte[] message = (i < own.size() ? own.get(i) : UNUSED).toMessage();
            System.arraycopy(message, 0, all, i * message.length, message.length);
        }
        return all;
    }

    private List<Destination> parse(byte[] messages, String complaint) {
        List<Destination> all = new ArrayList<>();
        for (int at = 0; at < messages.length; at += Destination.MESSAGE_BYTES) {
            all.add(parseOne(Arrays.copyOfRange(messages, at, at + Destination.MESSAGE_BYTES), complaint));
        }
        return all;
    }

    private static Destination parseOne(byte[] message, String complaint) {
        try {
            return Destination.ofMessage(message);
        } catch (IllegalArgumentException garbled) {
            String shown = new String(message, StandardCharsets.US_ASCII).replaceAll("[^ -~]", ".");
            throw new ToolFailure(complaint + "\nThe peer sent '" + shown + "' where LID:QPN:PSN:GID is due: " + garbled.getMessage()
                + ". Does the same ibv_*_pingpong run at both ends?");
        }
    }

    /** What {@code perror} says, where the JDK says it differently. */
    static String text(IOException failed) {
        String message = String.valueOf(failed.getMessage());
        return switch (message) {
            case "Connection reset" -> Errno.ECONNRESET.text();
            case "Connection refused", "Connection refused: connect" -> Errno.ECONNREFUSED.text();
            default -> message;
        };
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // it was never connected
        }
    }
}
