// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the reports, or the recordings, of all processes of the user with open devices, concurrently: within one second in total, at most
 * 8 MiB each; of recordings ten seconds, 64 MiB. Processes that do not send a valid report in time are named as problems and do not affect
 * the others. Entries of dead processes are removed.
 *
 * @param <T> what a process answers
 */
public final class RunningProcesses<T> {
    static final int LONGEST_ANSWER = 8 << 20;

    private static final int LONGEST_RECORDING = 64 << 20;
    private static final long PATIENCE_NS = 1_000_000_000L;
    private static final int CHUNK = 1 << 16;

    private final ProcessDirectory directory;
    private final String suffix;
    private final int longest;
    private final long patienceNs;
    private final Parser<T> parser;
    private final Consumer<String> problems;
    private final List<T> answers = new ArrayList<>();
    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);

    /** Makes an object of an answer. */
    private interface Parser<T> {
        T parse(byte[] answer) throws ReportText.MalformedException;
    }

    private RunningProcesses(Path state, String suffix, int longest, long patienceNs, Parser<T> parser, Consumer<String> problems) {
        directory = new ProcessDirectory(state);
        this.suffix = suffix;
        this.longest = longest;
        this.patienceNs = patienceNs;
        this.parser = parser;
        this.problems = problems;
    }

    /**
     * Reads all reports.
     *
     * @param state    the user's state directory
     * @param problems receives a sentence for each process without a valid report
     * @return the reports, by process number
     */
    public static List<ProcessReport> ask(Path state, Consumer<String> problems) {
        RunningProcesses<ProcessReport> asking = new RunningProcesses<>(state, ProcessDirectory.REPORTS, LONGEST_ANSWER, PATIENCE_NS,
            answer -> ReportText.parse(new String(answer, StandardCharsets.US_ASCII)), problems);
        asking.askAll();
        asking.answers.sort(Comparator.comparingLong(ProcessReport::pid));
        return asking.answers;
    }

    /**
     * Reads all recordings.
     *
     * @param state    the user's state directory
     * @param problems receives a sentence for each process that does not send one
     * @return JSON lines of each process, with a head for each device; untrusted
     */
    public static List<byte[]> recordings(Path state, Consumer<String> problems) {
        RunningProcesses<byte[]> asking = new RunningProcesses<>(state, ProcessDirectory.RECORDINGS, LONGEST_RECORDING, 10 * PATIENCE_NS,
            answer -> answer, problems);
        asking.askAll();
        return asking.answers;
    }

    /** A process whose report is being read, and its text so far. */
    private record Asked(Path entry, ByteArrayOutputStream answer) {
        private String name() {
            long pid = ProcessDirectory.pidOf(entry);
            return pid < 0 ? entry.toString() : "process " + pid;
        }
    }

    private void askAll() {
        try (Selector selector = Selector.open()) {
            List<Path> entries = directory.entries(suffix);
            if (entries.size() == ProcessDirectory.MAX_ENTRIES) {
                problems.accept("there are " + entries.size() + " processes or more; some are not shown");
            }
            for (Path entry : entries) {
                begin(entry, selector);
            }
            try {
                listen(selector);
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
            }
        } catch (IOException | RuntimeException refused) {
            problems.accept(directory.path() + " cannot be read: " + refused
                + "; it must belong to this user, and its name must be short enough for a socket");
        }
    }

    private void begin(Path entry, Selector selector) {
        Asked asked = new Asked(entry, new ByteArrayOutputStream());
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.configureBlocking(false);
            // A local connection succeeds at once unless the process's backlog is full.
            if (channel.connect(ListeningFile.address(entry))) {
                channel.register(selector, SelectionKey.OP_READ, asked);
                return;
            }
            problems.accept(asked.name() + " does not respond");
        } catch (ConnectException dead) {
            forget(entry);
        } catch (IOException refused) {
            if (Files.exists(entry)) {
                problems.accept(asked.name() + " cannot be reached: " + refused.getMessage());
            }
        }
        close(channel);
    }

    private void listen(Selector selector) throws IOException {
        long untilNs = System.nanoTime() + patienceNs;
        for (long leftNs = patienceNs; leftNs > 0 && !waiting(selector).isEmpty(); leftNs = untilNs - System.nanoTime()) {
            selector.select(key -> take(key), Math.max(1, leftNs / 1_000_000));
        }
        for (Asked silent : waiting(selector)) {
            problems.accept(silent.name() + " does not respond");
        }
    }

    private static List<Asked> waiting(Selector selector) {
        return selector.keys().stream().filter(SelectionKey::isValid).map(key -> (Asked) key.attachment()).toList();
    }

    private void take(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        Asked asked = (Asked) key.attachment();
        try {
            chunk.clear();
            int read = channel.read(chunk);
            if (read > 0) {
                asked.answer.write(chunk.array(), 0, read);
            }
            if (asked.answer.size() > longest) {
                problems.accept(asked.name() + " sent more than " + longest + " bytes");
            } else if (read >= 0) {
                return;
            } else {
                answers.add(parser.parse(asked.answer.toByteArray()));
            }
        } catch (ReportText.MalformedException nonsense) {
            problems.accept(asked.name() + " sent an invalid report: " + nonsense.getMessage());
        } catch (IOException broken) {
            problems.accept(asked.name() + " closed the connection early: " + broken.getMessage());
        }
        key.cancel();
        close(channel);
    }

    private void forget(Path entry) {
        try {
            ListeningFile.delete(entry);
        } catch (IOException stays) {
            problems.accept(entry + " belongs to a dead process and cannot be removed: " + stays.getMessage());
        }
    }

    private static void close(SocketChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException nothingLeftToDo) {
                // nothing was written, so nothing is lost
            }
        }
    }
}
