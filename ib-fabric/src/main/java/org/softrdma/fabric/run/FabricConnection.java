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

    private static void send(SocketChannel channel, String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
