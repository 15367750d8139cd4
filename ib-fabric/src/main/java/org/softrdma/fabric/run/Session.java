// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.softrdma.fabric.model.Fabric;

/**
 * One connection of a process to the fabric. It begins with a line: a command, which is answered with lines, or the wish to use a port, and
 * then what follows are the messages of a {@link PortUse}. Used with the fabric's lock held.
 */
final class Session {
    /** Bytes that wait to be read by the process at most. */
    static final int OUTPUT_BYTES = 1 << 20;
    private static final int INPUT_BYTES = 256 * 1024;
    private static final int MAX_LINE_BYTES = 1024;
    private static final String OK = "ok\n";

    private final FabricService service;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES);
    private final OutputBuffer output = new OutputBuffer(OUTPUT_BYTES);
    /** How the process uses a port; null before it says so. */
    private PortUse use;
    /** Text of an answer that did not fit yet. */
    private ByteBuffer rest = ByteBuffer.allocate(0);
    private boolean ending;
    private boolean closed;

    Session(FabricService service, SocketChannel channel, SelectionKey key) {
        this.service = service;
        this.channel = channel;
        this.key = key;
    }

    /** Reads what has been received. */
    void onReadable(Fabric fabric) {
        try {
            if (channel.read(input) < 0) {
                close(fabric);
                return;
            }
        } catch (IOException broken) {
            close(fabric);
            return;
        }
        consume(fabric);
    }

    private void consume(Fabric fabric) {
        input.flip();
        if (use == null) {
            readLine(fabric);
        }
        if (use != null && !closed) {
            use.consume(fabric, input);
        }
        input.compact();
        if (!input.hasRemaining()) {
            close(fabric);
        }
    }

    private void readLine(Fabric fabric) {
        int end = input.position();
        while (end < input.limit() && input.get(end) != '\n') {
            end++;
        }
        if (end == input.limit()) {
            if (input.remaining() > MAX_LINE_BYTES) {
                close(fabric);
            }
            return;
        }
        byte[] line = new byte[end - input.position()];
        input.get(line);
        input.get();
        execute(fabric, FabricCommands.words(new String(line, StandardCharsets.UTF_8)));
    }

    private void execute(Fabric fabric, List<String> words) {
        try {
            if (words.getFirst().equals(PortUse.MANAGE)) {
                // The answer is before the first message of the port.
                say(OK);
                use = new ManagerUse(this, fabric, FabricCommands.port(fabric, words.subList(1, words.size()), 2), service.nextNumber());
                return;
            }
            say(OK + FabricCommands.execute(fabric, words));
        } catch (FabricCommands.Refused refused) {
            say("error: " + refused.getMessage() + "\n");
        }
        ending = true;
    }

    private void say(String text) {
        say(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Queues text for the process. */
    private void say(ByteBuffer text) {
        int fits = Math.min(text.remaining(), output.room());
        output.add(text, text.position(), fits);
        text.position(text.position() + fits);
        rest = text;
        service.hasOutput(this);
    }

    /**
     * Queues a message for the process.
     *
     * @return false if there is no room, and it is lost
     */
    boolean send(ByteBuffer message, int at, int length) {
        boolean added = output.add(message, at, length);
        service.hasOutput(this);
        return added;
    }

    /** Writes what is queued. */
    void flush(Fabric fabric) {
        if (closed) {
            return;
        }
        try {
            output.writeTo(channel);
            while (rest.hasRemaining() && output.isEmpty()) {
                say(rest);
                output.writeTo(channel);
            }
            key.interestOps(output.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            if (ending && output.isEmpty() && !rest.hasRemaining()) {
                close(fabric);
            }
        } catch (IOException broken) {
            close(fabric);
        }
    }

    /** Ends the session. */
    void close(Fabric fabric) {
        if (!closed) {
            closed = true;
            if (use != null) {
                use.end(fabric);
            }
            service.forget(this);
            try {
                channel.close();
            } catch (IOException ignored) {
                // closed in any case
            }
        }
    }
}
