// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Sends commands to running fabrics. */
public final class FabricConnection {
    /** First line of the answer to a command that was executed. */
    static final String OK = "ok\n";
    private static final int CHUNK_BYTES = 8192;

    private FabricConnection() {
    }

    /**
     * Has a running fabric execute a command.
     *
     * @param line words with blanks between them
     * @return lines of the answer
     * @throws VerbsException ENODEV: no fabric of that name runs; EINVAL: it refuses the command, and says why
     */
    public static String execute(String fabric, String line) {
        try (SocketChannel channel = FabricDirectory.ofUser().connect(fabric)) {
            send(channel, line);
            StringBuilder answer = new StringBuilder();
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
            while (channel.read(chunk) >= 0) {
                answer.append(new String(chunk.array(), 0, chunk.position(), StandardCharsets.UTF_8));
                chunk.clear();
            }
            if (!answer.toString().startsWith(OK)) {
                throw new VerbsException(Errno.EINVAL, "fabric", answer.toString().strip());
            }
            return answer.substring(OK.length());
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "fabric", "the fabric " + fabric + " ended: " + failed.getMessage(), failed);
        }
    }

    /**
     * Attaches to a port of a running fabric.
     *
     * @param port node and number of the port as words of a command
     * @return in blocking mode; the messages of {@link org.softrdma.fabric.attach.PortMessages} follow
     * @throws VerbsException ENODEV: no fabric of that name runs; EBUSY: it refuses, and says why
     */
    public static SocketChannel attach(String fabric, String port) {
        SocketChannel channel = FabricDirectory.ofUser().connect(fabric);
        try {
            send(channel, CommandSession.ATTACH + " " + port);
            String answer = readLine(channel);
            if (answer.equals(OK)) {
                return channel;
            }
            channel.close();
            throw new VerbsException(Errno.EBUSY, "open_device", answer.replaceFirst("^error: ", "").strip());
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "open_device", "the fabric " + fabric + " ended: " + failed.getMessage(), failed);
        }
    }

    /** Reads one line, and nothing of what follows it. */
    private static String readLine(SocketChannel channel) throws IOException {
        StringBuilder line = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (line.length() < CHUNK_BYTES && channel.read(one.clear()) > 0) {
            line.append((char) (one.get(0) & 0xff));
            if (one.get(0) == '\n') {
                break;
            }
        }
        return line.toString();
    }

    private static void send(SocketChannel channel, String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
