// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/** Facts about this process, and about children. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessInfoTest {
    private static final int NO_SUCH = Integer.MAX_VALUE;

    @BeforeAll
    static void assumeLinux() {
        Commands.assumeLinux();
    }

    private static int self() {
        return (int) ProcessHandle.current().pid();
    }

    @Test
    void shouldDescribeProcesses() throws IOException {
        int pid = Commands.start("sleep", "1000");
        try {
            Commands.until("the program is sleep", () -> ProcessInfo.commandLine(pid).equals(List.of("sleep", "1000")));
            assertEquals("sleep", ProcessInfo.comm(pid));
            assertEquals(pid, ProcessInfo.tgid(pid));
            assertEquals((Integer) Files.getAttribute(Path.of("/proc/" + pid), "unix:uid"), ProcessInfo.uid(pid));
            assertTrue(ProcessInfo.isAlive(pid));
        } finally {
            Signals.send(pid, Signals.SIGKILL);
        }
        Commands.until("it is a zombie", () -> !ProcessInfo.isAlive(pid));
        assertEquals(pid, ProcessInfo.tgid(pid));
        assertEquals(List.of(), ProcessInfo.commandLine(pid));
        ChildStatus.await(pid);
        assertFalse(ProcessInfo.isAlive(pid));
    }

    @Test
    void shouldFindTheProcessOfEachThread() throws IOException {
        try (var threads = Files.list(Path.of("/proc/self/task"))) {
            List<Integer> tids = threads.map(each -> Integer.valueOf(each.getFileName().toString())).toList();
            assertTrue(tids.size() > 1);
            // Threads of the JVM may end meanwhile.
            assertTrue(tids.stream().filter(tid -> ProcessInfo.tgid(tid) == self()).count() > 1);
        }
    }

    @Test
    void shouldKnowNothingOfProcessesThatDoNotExist() {
        assertEquals(ProcessInfo.UNKNOWN, ProcessInfo.tgid(NO_SUCH));
        assertEquals(ProcessInfo.UNKNOWN, ProcessInfo.uid(NO_SUCH));
        assertEquals(ProcessInfo.UNKNOWN, ProcessInfo.fdFlags(NO_SUCH, 0));
        assertEquals(ProcessInfo.UNKNOWN, ProcessInfo.fdFlags(self(), -1));
        assertNull(ProcessInfo.comm(NO_SUCH));
        assertNull(ProcessInfo.commandLine(NO_SUCH));
        assertNull(ProcessInfo.fdLink(NO_SUCH, 0));
        assertFalse(ProcessInfo.identify(NO_SUCH, 0, new FileIdentity()));
        assertFalse(ProcessInfo.isAlive(NO_SUCH));
    }

    @Test
    void shouldFindFilesBehindDescriptors() {
        try (SharedFile file = new SharedFile("identity", 1); SharedFile other = new SharedFile("identity", 1)) {
            int copy = Descriptors.duplicate(file.fd(), 100);
            assertTrue(copy >= 100);
            FileIdentity found = new FileIdentity();
            assertTrue(ProcessInfo.identify(self(), copy, found));
            assertTrue(found.isSame(file.identity()));
            assertFalse(found.isSame(other.identity()));
            assertEquals(file.linkText(), ProcessInfo.fdLink(self(), copy));
            assertTrue(file.linkText().matches("/dev/shm/softrdma-identity-.* \\(deleted\\)"), file::linkText);
            LinuxSockets.close(copy);
            assertFalse(ProcessInfo.identify(self(), copy, found));
        }
    }

    @Test
    void shouldReadFlagsOfDescriptors() {
        try (EventPipe pipe = new EventPipe()) {
            assertFalse(ProcessInfo.isNonBlocking(self(), pipe.reader()));
            assertTrue(ProcessInfo.isNonBlocking(self(), pipe.writer()));
            assertEquals(Descriptors.O_CLOEXEC, ProcessInfo.fdFlags(self(), pipe.reader()));
            assertEquals(1 | Descriptors.O_NONBLOCK | Descriptors.O_CLOEXEC, ProcessInfo.fdFlags(self(), pipe.writer()));
        }
    }

    @Test
    void shouldFindFreeNumbers() {
        try (SharedFile file = new SharedFile("numbers", 1)) {
            int used = Descriptors.duplicate(file.fd(), 600);
            assertEquals(ProcessInfo.UNKNOWN, ProcessInfo.freeNumber(self(), used, used + 1));
            int next = Descriptors.duplicate(file.fd(), used + 1);
            int free = ProcessInfo.freeNumber(self(), used, used + 100);
            assertEquals(Math.max(next, used + 1) + (next == used + 1 ? 1 : 0), free);
            LinuxSockets.close(used);
            LinuxSockets.close(next);
        }
    }

    @Test
    void shouldHoldAProcessByDescriptor() {
        int pid = Commands.start("sleep", "1000");
        try (PidFd descriptor = PidFd.open(pid); EpollSet set = new EpollSet()) {
            set.add(descriptor.fd(), EpollSet.READABLE, 7);
            assertFalse(descriptor.hasEnded());
            assertEquals(0, set.await(0));
            assertEquals(0, Signals.send(pid, Signals.SIGTERM));
            assertEquals(1, set.await(20_000_000_000L));
            assertEquals(7, set.key(0));
            assertTrue(descriptor.hasEnded());
            assertEquals(new ChildStatus(ChildStatus.Kind.KILLED, Signals.SIGTERM), ChildStatus.await(pid));
            assertTrue(descriptor.hasEnded());
        }
        assertThrows(VerbsException.class, () -> PidFd.open(NO_SUCH));
    }
}
