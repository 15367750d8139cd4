// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongPredicate;
import org.softrdma.host.config.StateDirectory;

/**
 * Sends this process's report, or its recording, to each client that connects to one of two sockets, while there is a source: an open
 * device. Failures do not keep devices from being opened: the process is then not listed, which is logged.
 */
public final class ProcessPublisher {
    private static final System.Logger LOG = System.getLogger(ProcessPublisher.class.getName());

    private final ProcessDirectory directory;
    private final List<ReportSource> sources = new CopyOnWriteArrayList<>();
    private final List<ReportSource> guests = new CopyOnWriteArrayList<>();
    private AnsweringSockets server;

    private static final class Holder {
        private static final ProcessPublisher OF_THIS_PROCESS = make();

        private static ProcessPublisher make() {
            ProcessPublisher publisher = new ProcessPublisher(StateDirectory.ofUser());
            // Removes the socket of a program that ends with devices open.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("softrdma-inspect-exit").unstarted(publisher::stop));
            return publisher;
        }
    }

    /**
     * The directory within a state directory; it need not exist.
     *
     * @param state the user's state directory
     */
    ProcessPublisher(Path state) {
        directory = new ProcessDirectory(state);
    }

    public static ProcessPublisher ofThisProcess() {
        return Holder.OF_THIS_PROCESS;
    }

    /** Adds a source to future reports; with the first one the process becomes visible to others. */
    public synchronized void add(ReportSource source) {
        sources.add(source);
        if (server == null) {
            start();
        }
    }

    /** Adds a source that only supplements others: it does not make the process visible by itself. */
    public void also(ReportSource source) {
        guests.add(source);
    }

    /** Removes a source, which a report in progress may still call once; without the last one the process is no longer visible. */
    public synchronized void remove(ReportSource source) {
        sources.remove(source);
        if (sources.isEmpty()) {
            stop();
        }
    }

    private void start() {
        try {
            directory.create();
            AnsweringSockets opened = new AnsweringSockets(directory, Map.of(
                ProcessDirectory.REPORTS, () -> ReportText.format(report()).getBytes(StandardCharsets.US_ASCII),
                ProcessDirectory.RECORDINGS, this::recording));
            server = opened;
            Thread.ofPlatform().daemon().name("softrdma-inspect").start(() -> {
                // Sockets of live processes are left alone.
                forgetTheDead(directory, pid -> pid >= 0 && ProcessHandle.of(pid).isEmpty());
                opened.serve();
            });
        } catch (IOException | RuntimeException refused) {
            LOG.log(System.Logger.Level.DEBUG, "rdma resource will not show this process: " + refused);
        }
    }

    private synchronized void stop() {
        if (server == null) {
            return;
        }
        try {
            server.close();
        } catch (IOException stays) {
            LOG.log(System.Logger.Level.DEBUG, "cannot remove the socket of this process's report: " + stays);
        }
        server = null;
    }

    ProcessReport report() {
        ReportBuilder builder = new ReportBuilder();
        for (ReportSource source : sources) {
            source.report(builder);
        }
        for (ReportSource guest : guests) {
            guest.report(builder);
        }
        return builder.build(ProcessHandle.current().pid(), ProcessName.ofThisProcess());
    }

    private byte[] recording() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ReportSource source : sources) {
            all.writeBytes(source.recording());
        }
        return all.toByteArray();
    }

    /**
     * Removes the sockets of a process that was killed. Its number may exist until its parent has noticed.
     *
     * @param state the user's state directory
     */
    public static void forget(Path state, long pid) {
        forgetTheDead(new ProcessDirectory(state), of -> of == pid);
    }

    /** Removes the sockets of processes that were killed, if nobody listens at them. */
    private static void forgetTheDead(ProcessDirectory directory, LongPredicate which) {
        try {
            for (Path each : directory.sockets()) {
                if (which.test(ProcessDirectory.pidOf(each))) {
                    forgetIfDead(each);
                }
            }
        } catch (IOException | RuntimeException unreadable) {
            LOG.log(System.Logger.Level.DEBUG, "cannot remove the sockets of dead processes: " + unreadable);
        }
    }

    private static void forgetIfDead(Path socket) throws IOException {
        try {
            SocketChannel.open(ListeningFile.address(socket)).close();
        } catch (ConnectException nobodyThere) {
            ListeningFile.delete(socket);
        }
    }
}
