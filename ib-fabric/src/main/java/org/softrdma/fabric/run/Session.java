// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.softrdma.fabric.model.Fabric;

/**
 * One connection of a process to the fabric: a line with a command, answered with lines, after which the connection ends. Used with the
 * fabric's lock held.
 */
final class Session {
    private static final int MAX_LINE_BYTES = 1024;

    private final FabricService service;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer input = ByteBuffer.allocate(MAX_LINE_BYTES);
    /** The part of the answer that is not written; null before the command. */
    private ByteBuffer answer;

    Session(FabricService service, SocketChannel channel, SelectionKey key) {
        this.service = service;
        this.channel = channel;
        this.key = key;
    }

    /** Reads the command, or writes the answer, as far as the channel permits. */
    void onReady(Fabric fabric) {
        try {
            if (answer == null) {
                read(fabric);
            }
            if (answer != null) {
                write();
            }
        } catch (IOException gone) {
            close();
        }
    }

    private void read(Fabric fabric) throws IOException {
        boolean ended = channel.read(input) < 0;
        for (int end = 0; end < input.position(); end++) {
            if (input.get(end) == '\n') {
                String line = new String(input.array(), 0, end, StandardCharsets.UTF_8);
                answer = ByteBuffer.wrap(execute(fabric, line).getBytes(StandardCharsets.UTF_8));
                return;
            }
        }
        if (ended || !input.hasRemaining()) {
            close();
        }
    }

    private static String execute(Fabric fabric, String line) {
        try {
            return FabricConnection.OK + FabricCommands.execute(fabric, FabricCommands.words(line));
        } catch (FabricCommands.Refused refused) {
            return "error: " + refused.getMessage() + "\n";
        }
    }

    private void write() throws IOException {
        channel.write(answer);
        if (answer.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
        } else {
            close();
        }
    }

    /** Ends the session. */
    void close() {
        service.forget(this);
        try {
            channel.close();
        } catch (IOException ignored) {
            // closed in any case
        }
    }
}
