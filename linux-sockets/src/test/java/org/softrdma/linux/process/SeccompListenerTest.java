// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.ChildStatus.Kind;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Programs of the system whose calls are answered by this process. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeccompListenerTest extends ChildTests {
    private static final String NOWHERE = "/no/such/directory/file";

    private static ChildStatus exited(int status) {
        return new ChildStatus(Kind.EXITED, status);
    }

    private static boolean isOpen(Notification call) {
        SystemCall kind = Architecture.current().call(call.number());
        return kind == SystemCall.OPENAT || kind == SystemCall.OPEN;
    }

    @Test
    void shouldAnswerAnOpenWithADescriptor() throws IOException {
        Path file = Files.writeString(directory.resolve("real"), "content of another file\n");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment path = arena.allocateFrom(file.toString());
            try (Supervisor supervisor = new Supervisor(false, (call, listener, name) -> {
                if (!isOpen(call) || !NOWHERE.equals(name)) {
                    return false;
                }
                int fd = Descriptors.open(Descriptors.AT_FDCWD, path, Descriptors.O_CLOEXEC, 0);
                assertTrue(listener.answerWithDescriptor(call.id(), fd, SeccompListener.ANY_NUMBER, true) > 2);
                LinuxSockets.close(fd);
                return true;
            }, "sh", "-c", "cat " + NOWHERE + " > " + out())) {
                assertEquals(exited(0), ChildStatus.await(supervisor.start()));
                assertEquals("content of another file\n", Files.readString(out()));
                Commands.until("the listener has hung up", supervisor::hasEnded);
            }
        }
    }

    @Test
    void shouldPutDescriptorsUnderAGivenNumber() throws IOException {
        try (SharedFile file = new SharedFile("given", 1)) {
            try (Supervisor supervisor = new Supervisor(true, (call, listener, name) -> {
                if (!isOpen(call) || !NOWHERE.equals(name)) {
                    return false;
                }
                assertEquals(ProcessInfo.UNKNOWN, ProcessInfo.fdFlags(call.tid(), 905));
                assertEquals(905, listener.addDescriptor(call.id(), file.fd(), 905, false));
                assertEquals(906, listener.answerWithDescriptor(call.id(), file.fd(), 906, false));
                assertFalse(listener.isValid(call.id()), "answered");
                assertEquals(-2, listener.answerWithDescriptor(call.id(), file.fd(), 907, false));
                return true;
            }, "sh", "-c", ": < " + NOWHERE + "; readlink /proc/self/fd/905 > " + out() + "; readlink /proc/self/fd/906 >> " + out())) {
                ChildStatus.await(supervisor.start());
            }
            // The shell has moved the result of open, 906, to its standard input and closed it.
            assertEquals(file.linkText() + "\n", Files.readString(out()));
        }
    }

    @Test
    void shouldAnswerWithValuesAndErrors() throws IOException {
        AtomicLong refused = new AtomicLong();
        try (Supervisor supervisor = new Supervisor(false, (call, listener, name) -> {
            if ("/softrdma/yes".equals(name)) {
                return listener.answer(call.id(), 0);
            }
            if ("/softrdma/no".equals(name)) {
                refused.incrementAndGet();
                return listener.fail(call.id(), 40);
            }
            return false;
        }, "sh", "-c", "test -r /softrdma/yes && test ! -r /softrdma/no && cat /softrdma/no 2> " + out())) {
            assertEquals(exited(1), ChildStatus.await(supervisor.start()));
            assertTrue(Files.readString(out()).contains("Too many levels of symbolic links"), "ELOOP is 40");
            assertEquals(2, refused.get());
            assertTrue(supervisor.notifications.get() > 5);
        }
    }

    /** Standard output is a verbs descriptor, so copies of it are notified; writes are not. */
    @Test
    void shouldNotifyCopiesAndStatusOfItsDescriptorsOnly() throws IOException {
        try (SharedFile file = new SharedFile("copies", 1 << 20)) {
            StringBuffer seen = new StringBuffer();
            try (Supervisor supervisor = new Supervisor(false, (call, listener, name) -> {
                SystemCall kind = Architecture.current().call(call.number());
                if (isOpen(call) && NOWHERE.equals(name)) {
                    return listener.answerWithDescriptor(call.id(), file.fd(), 900, false) == 900;
                }
                if (name == null && call.intArgument(0) == 900) {
                    seen.append(kind).append(' ');
                }
                return kind == SystemCall.FTRUNCATE && listener.fail(call.id(), 22);
            }, "python3", "-c", String.join("\n", "import os, fcntl, socket",
                "fd = os.open('" + NOWHERE + "', os.O_RDWR)",
                "assert fd == 900",
                "os.write(fd, b'x' * 32)",
                "try: os.ftruncate(fd, 0); raise SystemExit(3)",
                "except OSError as e: assert e.errno == 22",
                "try: socket.socket(16, 3, 20); raise SystemExit(4)",
                "except OSError as e: assert e.errno == 93",
                "copy = os.dup(fd)",
                "assert os.fstat(copy).st_size == 1048576",
                "try: fcntl.ioctl(fd, 0xc0181b01, b'y' * 24)",
                "except OSError as e: assert e.errno == 25"))) {
                assertEquals(exited(0), ChildStatus.await(supervisor.start()));
            }
            assertEquals("FTRUNCATE FCNTL IOCTL ", seen.toString());
            assertEquals(1 << 20, Files.size(Path.of("/proc/self/fd/" + file.fd())));
        }
    }

    @Test
    void shouldCancelCallsOfKilledPrograms() {
        AtomicLong parked = new AtomicLong();
        try (Supervisor supervisor = new Supervisor(false, (call, _, name) -> {
            if (NOWHERE.equals(name)) {
                parked.set(call.id());
                return true;
            }
            return false;
        }, "cat", NOWHERE)) {
            int pid = supervisor.start();
            Commands.until("a call waits", () -> parked.get() != 0);
            assertTrue(supervisor.listener.isValid(parked.get()));
            Signals.send(pid, Signals.SIGKILL);
            assertEquals(new ChildStatus(Kind.KILLED, Signals.SIGKILL), ChildStatus.await(pid));
            assertFalse(supervisor.listener.isValid(parked.get()));
            assertFalse(supervisor.listener.answer(parked.get(), 0));
            assertFalse(supervisor.listener.resume(parked.get()));
            assertEquals(-2, supervisor.listener.addDescriptor(parked.get(), 0, SeccompListener.ANY_NUMBER, false));
        }
    }

    /** With calls that only fatal signals cancel, a handler of the program runs after the answer; a pending signal can be seen. */
    @Test
    void shouldKeepSignalsFromReceivedCallsOnDemand() throws IOException {
        for (boolean killableOnly : new boolean[] {false, true}) {
            AtomicLong parked = new AtomicLong();
            AtomicLong received = new AtomicLong();
            AtomicLong tid = new AtomicLong();
            try (Supervisor supervisor = new Supervisor(killableOnly, (call, _, name) -> {
                if (NOWHERE.equals(name) && isOpen(call)) {
                    tid.set(call.tid());
                    received.incrementAndGet();
                    parked.set(call.id());
                    return true;
                }
                return false;
            }, "python3", "-c", "import os, signal\nsignal.signal(10, lambda *a: open('" + out() + "', 'a').close())\n"
                + "try: os.open('" + NOWHERE + "', 0)\nexcept OSError as e: raise SystemExit(e.errno)")) {
                int pid = supervisor.start();
                Commands.until("a call waits", () -> parked.get() != 0);
                assertEquals(PendingSignals.NONE, PendingSignals.errno(pid, (int) tid.get()));
                long first = parked.get();
                Signals.send(pid, 10);
                if (killableOnly) {
                    Commands.until("the signal is pending", () -> PendingSignals.errno(pid, (int) tid.get()) == PendingSignals.RESTART);
                    assertTrue(supervisor.listener.isValid(first));
                    assertFalse(Files.exists(out()));
                } else {
                    Commands.until("the call is made again", () -> parked.get() != first);
                    assertFalse(supervisor.listener.isValid(first));
                }
                assertTrue(supervisor.listener.fail(parked.get(), 61));
                assertEquals(exited(61), ChildStatus.await(pid));
                assertEquals(killableOnly ? 1 : 2, received.get());
                assertTrue(Files.deleteIfExists(out()), "the handler ran");
            }
        }
    }

    /** The program runs on a device that holds its own listener's process: a second filter with a listener is refused. */
    @Test
    void shouldExplainWhyANestedListenerIsRefused() throws IOException {
        ProcessSpawn nested = JavaChild.prepare(Commands.bytes(out().toString(), "filter"));
        try (Supervisor supervisor = new Supervisor(false, (_, _, _) -> false, nested)) {
            assertEquals(exited(0), ChildStatus.await(supervisor.start()));
            String text = Files.readString(out());
            assertTrue(text.startsWith("EBUSY seccomp: ") && text.contains("has a listener already"), text);
        }
    }

    @Test
    void shouldServeAListenerThroughACopy() throws Exception {
        String command = "cat " + NOWHERE + " 2> " + out();
        try (FilteredLaunch launch = Supervisor.launch(Commands.prepare("sh", "-c", command), false);
             SeccompListener copy = new SeccompListener(Descriptors.duplicate(launch.listener().fd(), 3))) {
            launch.listener().close();
            AtomicLong resumed = new AtomicLong();
            Thread server = Thread.ofPlatform().daemon().start(() -> {
                Notification call = new Notification();
                while (awaitCall(copy)) {
                    if (copy.receive(call) == 1 && copy.resume(call.id())) {
                        resumed.incrementAndGet();
                    }
                }
            });
            assertEquals(exited(1), ChildStatus.await(launch.start()));
            server.join();
            assertTrue(Files.readString(out()).contains("No such file or directory"));
            assertTrue(resumed.get() > 5);
        }
    }

    /** Waits until a call waits; false if there will be none. */
    private static boolean awaitCall(SeccompListener listener) {
        int events = 0;
        while (events == 0) {
            Thread.onSpinWait();
            events = EventPipe.events(listener.fd(), EventPipe.POLLIN);
        }
        return (events & EventPipe.POLLIN) != 0;
    }

    @Test
    void shouldReportProgramsThatCannotBeExecuted() {
        try (Supervisor supervisor = new Supervisor(false, (_, _, _) -> false, "/no/such/program")) {
            assertEquals(Errno.ENOENT, assertThrows(VerbsException.class, supervisor::start).errno());
        }
    }

    @Test
    void shouldAbandonALaunch() {
        FilteredLaunch launch = Supervisor.launch(Commands.prepare("true"), true);
        launch.close();
        Commands.until("no thread is under the filter",
            () -> (EventPipe.events(launch.listener().fd(), EventPipe.POLLIN) & EpollSet.HANG_UP) != 0);
        assertThrows(IllegalStateException.class, launch::start);
        launch.listener().close();
        assertEquals(-1, launch.listener().fd());
    }

    @Test
    void shouldPreferTheCallersProcessorSinceLinux66() {
        String[] version = System.getProperty("os.version").split("[.-]");
        boolean recent = Integer.parseInt(version[0]) * 100 + Integer.parseInt(version[1]) >= 606;
        try (FilteredLaunch launch = Supervisor.launch(Commands.prepare("true"), true); SeccompListener listener = launch.listener()) {
            assertEquals(recent ? 0 : -22, listener.preferCallersProcessor());
        }
    }

    @Test
    void shouldRefuseDescriptorsThatAreNoListener() {
        try (EventPipe pipe = new EventPipe(); SeccompListener none = new SeccompListener(Descriptors.duplicate(pipe.reader(), 3))) {
            assertTrue(none.receive(new Notification()) < 0);
            assertFalse(none.answer(1, 0));
            assertEquals(Errno.EOPNOTSUPP, assertThrows(VerbsException.class, none::requireDescriptors).errno());
        }
    }

    @Test
    void shouldNotAllocatePerCall() {
        String program = "import os\nfor i in range(60000): os.access('" + NOWHERE + "', 0)";
        try (FilteredLaunch launch = Supervisor.launch(Commands.prepare("python3", "-c", program), true)) {
            SeccompListener listener = launch.listener();
            Notification call = new Notification();
            FileIdentity identity = new FileIdentity();
            int pid = launch.start();
            Allocation.assertNone(() -> {
                if (listener.receive(call) == 1) {
                    ProcessInfo.identify(call.tid(), 0, identity);
                    listener.isValid(call.id());
                    listener.resume(call.id());
                }
            }, 5_000);
            listener.close();
            Commands.kill(pid);
        }
    }
}
