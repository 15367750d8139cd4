// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real sockets in a directory of the test's own. The time limit is generous; it only makes a hanging tool fail. */
@Timeout(60)
class RunningProcessesTest {
    private static final long OWN_PID = ProcessHandle.current().pid();

    @TempDir
    private Path state;
    private final List<String> problems = new ArrayList<>();

    @Test
    void shouldSeeAProcessAsLongAsItHasASource() throws IOException {
        ProcessPublisher publisher = new ProcessPublisher(state);
        ReportSource source = report -> report.device("rxe0").counters(Map.of("sent_pkts", 5L));
        ReportSource second = report -> report.device("rxe0").add(Resource.of(ResourceKind.CTX).with("ctxn", 1));
        assertEquals(List.of(), ask());

        publisher.also(report -> report.device("siw0"));
        assertEquals(List.of(), ask());
        publisher.add(source);
        publisher.add(second);

        ProcessReport seen = ask().getFirst();
        assertEquals(publisher.report(), seen);
        assertEquals(OWN_PID, seen.pid());
        assertEquals(List.of("rxe0", "siw0"), seen.devices().stream().map(DeviceReport::device).toList());
        assertEquals(5, seen.devices().getFirst().counters().get("sent_pkts"));
        assertEquals(1, seen.devices().getFirst().totals().get(ResourceKind.CTX));

        publisher.remove(source);
        assertEquals(Map.of(), ask().getFirst().devices().getFirst().counters());
        publisher.remove(second);
        assertEquals(List.of(), ask());
        assertEquals(List.of(), problems);
        assertEquals(List.of(), directory().sockets());
    }

    /** A recording is sent as it is, that of each device after the other. */
    @Test
    void shouldSendTheRecordingsOfAllSources() {
        ProcessPublisher publisher = new ProcessPublisher(state);
        ReportSource silent = report -> report.device("siw0");
        ReportSource first = recorded("one\n");
        ReportSource second = recorded("two\n");
        publisher.add(silent);
        publisher.add(first);
        publisher.add(second);

        List<byte[]> recordings = RunningProcesses.recordings(state, problems::add);

        assertEquals(List.of("one\ntwo\n"), recordings.stream().map(each -> new String(each, StandardCharsets.US_ASCII)).toList());
        List.of(silent, first, second).forEach(publisher::remove);
        assertEquals(List.of(), RunningProcesses.recordings(state, problems::add));
        assertEquals(List.of(), problems);
    }

    private static ReportSource recorded(String lines) {
        return new ReportSource() {
            @Override
            public void report(ReportBuilder into) {
            }

            @Override
            public byte[] recording() {
                return lines.getBytes(StandardCharsets.US_ASCII);
            }
        };
    }

    /** Addresses of Unix sockets have 103 bytes at most. */
    @Test
    void shouldSeeAProcessWhosePathIsTooLongForASocket() throws IOException {
        state = Files.createDirectories(state.resolve("a-directory-with-a-long-name/".repeat(4)));
        ProcessPublisher publisher = new ProcessPublisher(state);
        ReportSource source = report -> report.device("rxe0");
        publisher.add(source);

        assertEquals(List.of(publisher.report()), ask());
        Path socket = Files.readSymbolicLink(directory().entries(ProcessDirectory.REPORTS).getFirst());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())));

        publisher.remove(source);
        assertEquals(List.of(), ask());
        assertEquals(List.of(), problems);
        assertEquals(List.of(), directory().sockets());
        assertFalse(Files.exists(socket.getParent()));
    }

    /** After a restart of the host, its temporary files are gone. */
    @Test
    void shouldForgetAProcessWhoseSocketIsGone() throws IOException {
        Files.createSymbolicLink(newSocket(OWN_PID), state.resolve("gone/socket"));

        assertEquals(List.of(), ask());

        assertEquals(List.of(), problems);
        assertEquals(List.of(), directory().sockets());
    }

    @Test
    void shouldLetNobodyElseIn() throws IOException {
        ProcessPublisher publisher = new ProcessPublisher(state);
        publisher.add(report -> report.device("rxe0"));

        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory().path())));
        Path socket = directory().entries(ProcessDirectory.REPORTS).getFirst();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
    }

    @Test
    void shouldCloseADirectoryThatStoodOpen() throws IOException {
        Files.createDirectory(directory().path());
        Files.setPosixFilePermissions(directory().path(), PosixFilePermissions.fromString("rwxrwxrwx"));

        assertEquals(List.of(), ask());

        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory().path())));
    }

    @Test
    void shouldForgetAProcessThatWasKilled() throws IOException {
        Path socket = newSocket(12345);
        listenAt(socket).close();
        assertTrue(Files.exists(socket));

        assertEquals(List.of(), ask());

        assertEquals(List.of(), problems);
        assertFalse(Files.exists(socket));
    }

    /** The number of this process stands for one that its parent has not noticed yet. */
    @Test
    void shouldForgetAProcessThatIsAboutToEnd() throws IOException {
        Path ended = newSocket(OWN_PID);
        listenAt(ended).close();
        Path other = newSocket(12345);
        listenAt(other).close();
        Path alive = newSocket(OWN_PID);
        try (ServerSocketChannel _ = listenAt(alive)) {
            ProcessPublisher.forget(state, OWN_PID);
        }
        assertEquals(Set.of(alive, other), Set.copyOf(directory().sockets()));
    }

    /** One process accepts and never sends, one sends half a report: the third one is shown nevertheless. */
    @Test
    void shouldNotWaitForeverForAnybody() throws IOException {
        try (ServerSocketChannel silent = listenAt(newSocket(101));
             Answering half = new Answering(102, "softrdma-report 1\nprocess 102 x\n", false)) {
            assertTrue(silent.isOpen());
            // Last, since a starting publisher would remove sockets that are bound but do not listen yet.
            ProcessPublisher publisher = new ProcessPublisher(state);
            publisher.add(report -> report.device("rxe0"));

            assertEquals(List.of(OWN_PID), ask().stream().map(ProcessReport::pid).toList());

            assertEquals(List.of("process 101 does not respond", half.name + " does not respond"), problems.stream().sorted().toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HTTP/1.1\n", "softrdma-report 1\nprocess 7 x\n", "softrdma-report 1\nprocess 7 x\nqp a=b\nend\n"})
    void shouldRefuseNonsense(String answer) throws IOException {
        try (Answering hostile = new Answering(7, answer, true)) {
            assertEquals(List.of(), ask(hostile.name));

            assertEquals(1, problems.size());
            assertTrue(problems.getFirst().startsWith(hostile.name + " sent an invalid report: "), problems.toString());
        }
    }

    @Test
    void shouldNotReadForever() throws IOException {
        try (Answering endless = new Answering(7, "counter x 1\n".repeat(1_000_000), true)) {
            assertEquals(List.of(), ask(endless.name));

            assertEquals(List.of(endless.name + " sent more than " + RunningProcesses.LONGEST_ANSWER + " bytes"), problems);
        }
    }

    /** A client that never reads does not block the others for ever. */
    @Test
    void shouldAnswerTheNextOne() throws IOException {
        ProcessPublisher publisher = new ProcessPublisher(state);
        publisher.add(report -> {
            for (int i = 0; i < ReportBuilder.MAX_LISTED; i++) {
                report.device("rxe0").add(Resource.of(ResourceKind.MR).with("mrn", i).with("mrlen", 4096));
            }
        });
        Path reports = directory().entries(ProcessDirectory.REPORTS).getFirst();
        try (SocketChannel lazy = SocketChannel.open(UnixDomainSocketAddress.of(reports))) {
            assertTrue(lazy.isConnected());
            List<ProcessReport> seen = List.of();
            while (seen.isEmpty()) {
                seen = ask();
            }
            assertEquals(ReportBuilder.MAX_LISTED, seen.getFirst().devices().getFirst().resources().size());
        }
    }

    /** Names of sockets are limited, to 107 bytes on Linux. A process can open its devices nevertheless. */
    @Test
    void shouldDoWithoutWhereThePathIsTooLong() throws IOException {
        Path deep = Files.createDirectories(state.resolve("x".repeat(120)));
        ProcessPublisher publisher = new ProcessPublisher(deep);
        ReportSource source = report -> report.device("rxe0");

        publisher.add(source);
        publisher.remove(source);

        assertEquals(List.of(), RunningProcesses.ask(deep, problems::add));
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.softrdma.tools.Softrdma rping -s", "/opt/a/Softrdma.jar x", "Softrdma", "app.module/org.x.Softrdma"})
    void shouldNameAProgramByItsMainClassOrJar(String command) {
        assertEquals("Softrdma", ProcessName.of(command));
    }

    @Test
    void shouldHaveANameWithoutCommand() {
        assertEquals("java", ProcessName.of(""));
        assertEquals("java", ProcessName.of(".jar"));
    }

    private List<ProcessReport> ask() {
        return ask("process " + OWN_PID);
    }

    /** Retries while a process that does send reports misses the time limit, as on a busy machine. */
    private List<ProcessReport> ask(String answering) {
        List<ProcessReport> seen;
        do {
            problems.clear();
            seen = RunningProcesses.ask(state, problems::add);
        } while (problems.contains(answering + " does not respond"));
        return seen;
    }

    private ProcessDirectory directory() {
        return new ProcessDirectory(state);
    }

    private Path newSocket(long pid) throws IOException {
        directory().create();
        return directory().newEntry(pid, ProcessDirectory.REPORTS);
    }

    private static ServerSocketChannel listenAt(Path socket) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    /** Server that sends the same text to every client, then closes the connection or keeps it open. */
    private final class Answering implements AutoCloseable {
        private final String name;
        private final ServerSocketChannel server;

        Answering(long pid, String answer, boolean closes) throws IOException {
            name = "process " + pid;
            server = listenAt(newSocket(pid));
            Thread.ofPlatform().daemon().start(() -> {
                List<SocketChannel> open = new ArrayList<>();
                try {
                    while (true) {
                        SocketChannel asker = server.accept();
                        open.add(asker);
                        ByteBuffer bytes = ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII));
                        while (bytes.hasRemaining()) {
                            asker.write(bytes);
                        }
                        if (closes) {
                            asker.close();
                        }
                    }
                } catch (IOException ended) {
                    // closed by the test or by the client
                }
            });
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
