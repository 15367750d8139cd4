// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * The guest, driven through its exec agent, whose protocol is described in {@code lab/guest/exec-agent.py}. Each command uses a connection
 * of its own.
 */
public final class Guest {
    /** Command identifier in the agent's protocol; constant, since there is one command per connection. */
    private static final String ID = "1";
    private static final int LAB_TROUBLE = 125;

    private final KernelLab lab;
    private final UnixDomainSocketAddress agent;

    Guest(KernelLab lab, Path socket) {
        this.lab = lab;
        agent = UnixDomainSocketAddress.of(socket);
    }

    /**
     * Starts a command and returns at once.
     *
     * @param file receives the output
     */
    public RunningCommand start(Path file, List<String> command) {
        try {
            return new Command(file, command);
        } catch (IOException gone) {
            lab.requireAlive();
            throw new IllegalStateException("the guest's agent does not answer", gone);
        }
    }

    /** Runs a command to its end; it must succeed. */
    public String run(Path file, Duration deadline, String... command) {
        try (RunningCommand running = start(file, List.of(command))) {
            return running.awaitSuccess(deadline);
        }
    }

    private final class Command extends RunningCommand {
        private final SocketChannel channel;

        Command(Path file, List<String> command) throws IOException {
            super(lab::requireAlive, "guest: " + String.join(" ", command), file, String.join(" ", command));
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(agent);
            ByteBuffer start = ByteBuffer.wrap((Json.format(Json.object("op", "start", "id", ID, "argv", command)) + "\n")
                .getBytes(StandardCharsets.UTF_8));
            while (start.hasRemaining()) {
                channel.write(start);
            }
            Thread.ofVirtual().name("guest-" + command.getFirst()).start(this::listen);
        }

        private void listen() {
            try (channel; BufferedReader lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Map<String, Object> event = Json.parseObject(line);
                    switch ((String) event.get("ev")) {
                        case "out", "err" -> printed(Base64.getDecoder().decode((String) event.get("data")));
                        case "exit" -> {
                            int code = ((Long) event.get("code")).intValue();
                            ended(code >= 0 ? code : 128 - code);
                            return;
                        }
                        case "error" -> {
                            printed("agent: " + event.get("message") + "\n");
                            ended(LAB_TROUBLE);
                            return;
                        }
                        default -> {
                            // hello, started
                        }
                    }
                }
                printed("agent: connection closed\n");
            } catch (IOException closed) {
                printed("agent: " + closed + "\n");
            } finally {
                ended(LAB_TROUBLE);
            }
        }

        /** Closes the connection, upon which the agent kills its command. */
        @Override
        protected void kill() {
            try {
                channel.close();
            } catch (IOException ignored) {
                // the channel is closed either way
            }
        }
    }
}
