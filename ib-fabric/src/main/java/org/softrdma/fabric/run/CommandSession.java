// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricPort;

/** A session of one command: a line, answered with lines, after which the connection ends or becomes a {@link PortSession}. */
final class CommandSession implements Session {
    /** Command that attaches the process to a port: ATTACH NODE PORT. */
    static final String ATTACH = "attach";
    private static final int MAX_LINE_BYTES = 1024;

    private final FabricService service;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer input = ByteBuffer.allocate(MAX_LINE_BYTES);
    /** The part of the answer that is not written; null before the command. */
    private ByteBuffer answer;

    CommandSession(FabricService service, SocketChannel channel, SelectionKey key) {
        this.service = service;
        this.channel = channel;
        this.key = key;
    }

    @Override
    public void onReady(Fabric fabric) {
        try {
            if (answer == null) {
                read(fabric);
            }
            if (answer != null) {
                write(fabric);
            }
        } catch (IOException gone) {
            close(fabric);
        }
    }

    private void read(Fabric fabric) throws IOException {
        boolean ended = channel.read(input) < 0;
        for (int end = 0; end < input.position(); end++) {
            if (input.get(end) == '\n') {
                begin(fabric, FabricCommands.words(new String(input.array(), 0, end, StandardCharsets.UTF_8)));
                return;
            }
        }
        if (ended || !input.hasRemaining()) {
            close(fabric);
        }
    }

    private void begin(Fabric fabric, List<String> words) throws IOException {
        try {
            if (words.getFirst().equals(ATTACH)) {
                FabricPort port = FabricCommands.adapterPort(fabric, words.subList(1, words.size()));
                service.replace(this, new PortSession(service, channel, key, fabric, port));
            } else {
                answer = text(FabricConnection.OK + FabricCommands.execute(fabric, words));
            }
        } catch (FabricCommands.Refused refused) {
            answer = text("error: " + refused.getMessage() + "\n");
        }
    }

    private static ByteBuffer text(String lines) {
        return ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8));
    }

    private void write(Fabric fabric) throws IOException {
        channel.write(answer);
        if (answer.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
        } else {
            close(fabric);
        }
    }

    @Override
    public void close(Fabric fabric) {
        service.forget(this);
        try {
            channel.close();
        } catch (IOException ignored) {
            // closed in any case
        }
    }
}
