// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.ChildStatus.Kind;
import org.softrdma.verbs.VerbsException;

/** Programs of the system as children. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessSpawnTest extends ChildTests {
    @Test
    void shouldReportTheExitStatus() {
        assertEquals(new ChildStatus(Kind.EXITED, 0), ChildStatus.await(Commands.start("true")));
        assertEquals(new ChildStatus(Kind.EXITED, 37), ChildStatus.await(Commands.start("sh", "-c", "exit 37")));
        assertEquals(new ChildStatus(Kind.EXITED, 255), ChildStatus.await(Commands.start("sh", "-c", "exit 255")));
    }

    @Test
    void shouldReportTheSignalThatEndedAChild() {
        for (int signal : new int[] {Signals.SIGINT, Signals.SIGQUIT, Signals.SIGTERM, Signals.SIGKILL}) {
            if ((InheritedSignals.IGNORED & InheritedSignals.bit(signal)) != 0) {
                // As under nohup, or in the background of a script: the child ignores it too.
                continue;
            }
            int pid = Commands.start("sh", "-c", "ulimit -c 0; kill -" + signal + " $$; sleep 60");
            assertEquals(new ChildStatus(Kind.KILLED, signal), ChildStatus.await(pid));
        }
    }

    @Test
    void shouldReportStopsAndContinuations() {
        int pid = Commands.start("sh", "-c", "kill -STOP $$; exec sleep 1000");
        assertEquals(new ChildStatus(Kind.STOPPED, Signals.SIGSTOP), ChildStatus.await(pid));
        assertTrue(ProcessInfo.isAlive(pid));
        assertEquals(0, Signals.send(pid, Signals.SIGCONT));
        assertEquals(new ChildStatus(Kind.CONTINUED, 0), ChildStatus.await(pid));
        assertEquals(0, Signals.send(pid, Signals.SIGTERM));
        assertEquals(new ChildStatus(Kind.KILLED, Signals.SIGTERM), ChildStatus.await(pid));
    }

    @Test
    void shouldReportProgramsThatCannotBeExecuted() throws IOException {
        assertEquals(-2, Commands.prepare("/no/such/program").run());
        assertEquals(-13, Commands.prepare(Files.createFile(directory.resolve("data")).toString()).run());
        assertThrows(VerbsException.class, () -> ProcessSpawn.prepare(List.of(), Map.of()));
    }

    @Test
    void shouldPassArgumentsByteForByte() throws IOException {
        byte[] odd = {'a', (byte) 0xFF, ' ', '\n', (byte) 0xC3, '"', '$'};
        List<byte[]> command = new ArrayList<>(Commands.bytes("sh", "-c", "printf %s \"$1\" > \"$2\"", "sh"));
        command.add(odd);
        command.add(out().toString().getBytes());
        assertEquals(Kind.EXITED, ChildStatus.await(ProcessSpawn.prepare(command, Map.of()).run()).kind());
        assertArrayEquals(odd, Files.readAllBytes(out()));
    }

    @Test
    void shouldInheritTheEnvironmentExceptForChanges() throws IOException {
        Map<String, String> changes = new HashMap<>();
        changes.put("SOFTRDMA_TEST_NEW", "a=b c");
        changes.put("PATH", null);
        ProcessSpawn prepared = ProcessSpawn.prepare(Commands.bytes("/bin/sh", "-c", "/usr/bin/env > " + out()), changes);
        assertEquals(0, ChildStatus.await(prepared.run()).number());
        List<String> there = Files.readAllLines(out());
        assertTrue(there.contains("SOFTRDMA_TEST_NEW=a=b c"), there::toString);
        for (Map.Entry<String, String> each : System.getenv().entrySet()) {
            if (each.getKey().matches("HOME|USER|LANG|TERM|JAVA_HOME")) {
                assertTrue(there.contains(each.getKey() + '=' + each.getValue()), each::toString);
            }
        }
        assertFalse(there.contains("PATH=" + System.getenv("PATH")), there::toString);
    }

    @Test
    void shouldStayInTheDirectoryAndTheProcessGroup() throws IOException {
        String command = "(pwd -P; cut -d ' ' -f 5 /proc/$$/stat) > " + out();
        assertEquals(0, ChildStatus.await(Commands.start("sh", "-c", command)).number());
        List<String> lines = Files.readAllLines(out());
        assertEquals(Path.of("").toRealPath().toString(), lines.getFirst());
        // The fifth field of the status, behind the name in parentheses, is the process group.
        String status = Files.readString(Path.of("/proc/self/stat"));
        assertEquals(status.substring(status.lastIndexOf(')') + 2).split(" ")[2], lines.get(1).strip());
    }

    @Test
    void shouldLeaveOnlyNamedDescriptorsOpen() throws IOException {
        try (SharedFile _ = new SharedFile("one", 1); SharedFile other = new SharedFile("other", 1)) {
            String list = "ls -l /proc/self/fd > " + out();
            assertEquals(0, ChildStatus.await(Commands.start("sh", "-c", list)).number());
            assertFalse(Files.readString(out()).contains("softrdma-"), "no descriptor by default");
            ProcessSpawn named = ProcessSpawn.prepare(Commands.bytes("sh", "-c", list), Map.of(), other.fd());
            assertEquals(0, ChildStatus.await(named.run()).number());
            String there = Files.readString(out());
            assertTrue(there.contains(other.fd() + " -> /dev/shm/softrdma-other"), there);
            assertFalse(there.contains("softrdma-one"), there);
            assertThrows(VerbsException.class, () -> ProcessSpawn.prepare(Commands.bytes("true"), Map.of(), 2));
            assertThrows(VerbsException.class, () -> ProcessSpawn.prepare(Commands.bytes("true"), Map.of(), new int[65]));
        }
    }

    /** The archives of the child's own class path are open too, without the flag that closes them. */
    @Test
    void shouldFindInheritedDescriptors() throws IOException {
        try (SharedFile file = new SharedFile("inherited", 1); EventPipe pipe = new EventPipe()) {
            int moved = Descriptors.duplicate(pipe.reader(), 400);
            int[] left = {file.fd(), moved};
            ProcessSpawn child = JavaChild.prepare(Commands.bytes(out().toString(), "descriptors"), left);
            assertEquals(0, ChildStatus.await(child.run()).number());
            Arrays.sort(left);
            assertEquals(Arrays.toString(left), Files.readString(out()));
            LinuxSockets.close(moved);
        }
    }

    /** Compared with a process that was started before any signal was changed: the JVM's parent gave it those. */
    @Test
    void shouldStartWithDefaultSignals() throws IOException {
        Signals.ignore(Signals.SIGTSTP);
        Map<String, String> status = status();
        assertEquals(InheritedSignals.IGNORED, Long.parseUnsignedLong(status.get("SigIgn"), 16));
        assertEquals(InheritedSignals.BLOCKED, Long.parseUnsignedLong(status.get("SigBlk"), 16));
        assertEquals(0, Long.parseUnsignedLong(status.get("SigCgt"), 16));
        assertTrue((Long.parseUnsignedLong(own().get("SigIgn"), 16) & 1L << Signals.SIGTSTP - 1) != 0, "here it is ignored");
    }

    private Map<String, String> status() throws IOException {
        int pid = Commands.start("cp", "/proc/self/status", out().toString());
        assertEquals(0, ChildStatus.await(pid).number());
        return fields(out());
    }

    private static Map<String, String> own() throws IOException {
        return fields(Path.of("/proc/self/status"));
    }

    private static Map<String, String> fields(Path file) throws IOException {
        return Files.readAllLines(file).stream().map(line -> line.split(":\\s*", 2))
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    }
}
