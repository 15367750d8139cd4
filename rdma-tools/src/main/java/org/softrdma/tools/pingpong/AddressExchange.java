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
 * Exchange of the {@link Destination}s of the two ends over TCP. The client sends its own, the server connects its queue pairs and answers
 * with its own, the client sends "done". The original expects a single destination in one read, so it is sent in one write without delay;
 * receiving here continues until a message is complete. Several destinations have a fixed number, which does not depend on the number of
 * queue pairs: the others are zero.
 */
final class AddressExchange {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private static final Destination UNUSED = new Destination(0, 0, 0, Gid.ZERO);

    private final int count;

    /** @param count destinations that each end sends */
    AddressExchange(int count) {
        this.count = count;
    }

    /**
     * Exchanges as the client. Afterwards the server is ready to receive.
     *
     * @return the server's destinations
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
                throw new ToolFailure("client read/write: Success\nCouldn't read/write remote address\n"
                    + "The server closed the connection after " + answer.length + " of " + bytes()
                    + " bytes; see its output for the cause.");
            }
            return parse(answer, "Couldn't read/write remote address");
        } catch (IOException ofClose) {
            throw new ToolFailure("Couldn't close the connection to " + server + ": " + text(ofClose));
        }
    }

    /**
     * Exchanges as the server with the first client that connects.
     *
     * @param connect connects the queue pairs to the client's; called before the answer to the client, so that they are ready for the
     *     client's first message
     * @return the client's destinations
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

    /** Connects to the first address of the server that answers, with TCP_NODELAY. */
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

    /**
     * Listens at all addresses, IPv6 and IPv4.
     *
     * @param backlog clients that may wait to be accepted
     */
    static ServerSocket listen(int port, int backlog) throws IOException {
        ServerSocket listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(port), backlog);
            return listener;
        } catch (IOException refused) {
            listener.close();
            throw new ToolFailure("Couldn't listen to port " + port + "\n" + text(refused) + "; use -p at both ends for another port");
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
            throw new ToolFailure(complaint + "\nThe peer sent '" + shown + "' instead of LID:QPN:PSN:GID: " + garbled.getMessage()
                + ". Does the same ibv_*_pingpong run at both ends?");
        }
    }

    /** @return the text of {@code perror} where the JDK's differs */
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
            // The socket was never connected: there is nothing to lose.
        }
    }
}
