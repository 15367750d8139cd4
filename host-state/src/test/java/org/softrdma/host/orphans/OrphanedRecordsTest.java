// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.orphans;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real files and real processes: only the end of a process drops a lock as the end of a process does. */
@Timeout(60)
class OrphanedRecordsTest {
    @TempDir
    private Path state;

    private List<String> take() throws IOException {
        List<String> taken = new ArrayList<>();
        OrphanedRecords.take(state, (_, entries) -> entries.forEach(entry -> taken.add(new String(entry, StandardCharsets.US_ASCII))));
        return taken;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(state)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Process start(String... entries) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Recorder.class.getName(), state.toString()));
        command.addAll(List.of(entries));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertEquals("recorded", process.inputReader().readLine());
        return process;
    }

    /** Records its arguments from the second on, except those that begin with a minus, and waits until it is killed. */
    static final class Recorder {
        private Recorder() {
        }

        public static void main(String[] arguments) throws IOException {
            ConnectionRecord record = new ConnectionRecord(Path.of(arguments[0]));
            List<Integer> slots = new ArrayList<>();
            for (int i = 1; i < arguments.length; i++) {
                slots.add(record.add(bytes(arguments[i])));
            }
            for (int i = 1; i < arguments.length; i++) {
                if (arguments[i].startsWith("-")) {
                    record.remove(slots.get(i - 1));
                }
            }
            System.out.println("recorded");
            System.in.read();
        }
    }

    @Test
    void shouldTakeTheEntriesOfAKilledProcessOnce() throws Exception {
        Process process = start("one", "-two", "three");
        assertEquals(List.of(), take(), "it lives");
        assertEquals(1, files().size());
        process.destroyForcibly().waitFor();
        assertEquals(List.of("one", "three"), take());
        assertEquals(List.of(), files());
        assertEquals(List.of(), take());
    }

    @Test
    void shouldNotTakeItsOwn() throws Exception {
        ConnectionRecord record = new ConnectionRecord(state);
        record.add(bytes("mine"));
        assertEquals(List.of(), take());
        assertEquals(List.of(), take(), "the first look did not drop the lock");
        assertEquals(1, files().size());
        record.close();
        assertEquals(List.of(), files());
        assertEquals(ConnectionRecord.NONE, record.add(bytes("late")));
        record.remove(ConnectionRecord.NONE);
        assertEquals(List.of(), files());
    }

    /** The thread that makes a connection may be interrupted by the program: that must not cost the lock. */
    @Test
    void shouldKeepTheLockOfAnInterruptedThread() throws Exception {
        ConnectionRecord record = new ConnectionRecord(state);
        int first = record.add(bytes("one"));
        Thread.currentThread().interrupt();
        int second = record.add(bytes("two"));
        assertEquals(true, Thread.interrupted());
        assertNotEquals(first, second);
        Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Taker.class.getName(), state.toString()).redirectErrorStream(true).start();
        assertEquals("[]", other.inputReader().readLine());
        record.close();
    }

    /** Prints the entries that it finds. */
    static final class Taker {
        private Taker() {
        }

        public static void main(String[] arguments) throws IOException {
            List<String> taken = new ArrayList<>();
            OrphanedRecords.take(Path.of(arguments[0]), (_, entries) -> entries.forEach(each -> taken.add(new String(each))));
            System.out.println(taken);
        }
    }

    @Test
    void shouldUseTheSlotOfARemovedEntryAgain() {
        ConnectionRecord record = new ConnectionRecord(state);
        int first = record.add(bytes("one"));
        int second = record.add(bytes("two"));
        record.remove(first);
        assertEquals(first, record.add(bytes("three")));
        assertNotEquals(second, record.add(bytes("four")));
        record.close();
    }

    @Test
    void shouldBoundAnEntry() {
        ConnectionRecord record = new ConnectionRecord(state);
        assertThrows(IllegalArgumentException.class, () -> record.add(new byte[128]));
        assertThrows(IllegalArgumentException.class, () -> record.add(new byte[0]));
        assertEquals(0, record.add(new byte[127]));
        record.close();
    }

    /** A file that somebody has damaged: lengths that cannot be are left out, and the file is removed. */
    @Test
    void shouldSurviveADamagedRecord() throws Exception {
        Process process = start("one", "two", "three");
        process.destroyForcibly().waitFor();
        Path file = files().getFirst();
        byte[] all = Files.readAllBytes(file);
        all[0] = (byte) 200;
        all[2 * ConnectionRecord.SLOT_BYTES] = 100;
        Files.write(file, all);
        assertEquals(List.of("two"), take());
        assertEquals(List.of(), files());
    }

    /** As where the state directory cannot be created: the connection is made nevertheless. */
    @Test
    void shouldDoWithoutAFile() throws Exception {
        Path file = Files.createFile(state.resolve("file"));
        ConnectionRecord record = new ConnectionRecord(file);
        assertEquals(ConnectionRecord.NONE, record.add(bytes("one")));
        record.close();
    }
}
