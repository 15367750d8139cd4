// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.linux.process.ChildStatus.Kind;

/** Signals of a JVM, as its parent sees them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SignalsTest extends ChildTests {
    private int start(String... arguments) {
        List<byte[]> all = new ArrayList<>(Commands.bytes(out().toString()));
        all.addAll(Commands.bytes(arguments));
        return CLibrary.check(JavaChild.prepare(all).run(), "run", "java");
    }

    /** SIGINT and SIGTERM are the JVM's own, SIGQUIT it blocks, SIGSEGV it handles, SIGKILL has no handler. */
    @Test
    void shouldDieBySignals() throws IOException {
        for (int signal : new int[] {Signals.SIGINT, Signals.SIGQUIT, Signals.SIGTERM, Signals.SIGKILL, 11}) {
            assertEquals(new ChildStatus(Kind.KILLED, signal), ChildStatus.await(start("die", Integer.toString(signal))));
        }
        try (var files = Files.list(Path.of(""))) {
            assertFalse(files.anyMatch(each -> each.getFileName().toString().startsWith("core")));
        }
    }

    /** SIGCHLD has no effect by default. */
    @Test
    void shouldExitAsAShellWhereASignalDoesNotKill() {
        assertEquals(new ChildStatus(Kind.EXITED, 128 + 17), ChildStatus.await(start("die", "17")));
    }

    @Test
    void shouldStopAndContinue() {
        int pid = start("stop");
        assertEquals(new ChildStatus(Kind.STOPPED, Signals.SIGSTOP), ChildStatus.await(pid));
        Signals.send(pid, Signals.SIGCONT);
        ChildStatus status = ChildStatus.await(pid);
        while (!status.kind().isEnd()) {
            status = ChildStatus.await(pid);
        }
        assertEquals(new ChildStatus(Kind.EXITED, 7), status);
    }

    @Test
    void shouldIgnoreAndHandleSignals() throws IOException {
        int pid = start("signals");
        Commands.until("the JVM has written", () -> out().toFile().length() > 0);
        assertEquals("true false " + Signals.wasIgnored(Signals.SIGHUP), Files.readString(out()));
        Signals.send(pid, Signals.SIGINT);
        Signals.send(pid, Signals.SIGQUIT);
        Signals.send(pid, Signals.SIGTERM);
        assertEquals(new ChildStatus(Kind.EXITED, 9), ChildStatus.await(pid));
    }

    @Test
    void shouldReadOwnArgumentsByteForByte() throws IOException {
        byte[] odd = {(byte) 0xFF, 'a', (byte) 0xC3, '\n'};
        List<byte[]> all = new ArrayList<>(Commands.bytes(out().toString(), "arguments"));
        all.add(odd);
        assertEquals(new ChildStatus(Kind.EXITED, 0), ChildStatus.await(JavaChild.prepare(all).run()));
        assertArrayEquals(odd, Files.readAllBytes(out()));
    }

    @Test
    void shouldReportProcessesThatDoNotExist() {
        assertEquals(-3, Signals.send(Integer.MAX_VALUE, 0));
        assertEquals(0, Signals.send((int) ProcessHandle.current().pid(), 0));
    }

    /** Fields 5 and 8 of the status: the process group, and that of the terminal's foreground, -1 without a terminal. */
    @Test
    void shouldFindTheForegroundOfTheTerminal() throws IOException {
        String status = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = status.substring(status.lastIndexOf(')') + 2).split(" ");
        assertEquals(fields[5 - 3].equals(fields[8 - 3]), Signals.isForeground());
    }
}
