// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.linux.LinuxSockets;

/** Records in a pipe, read by this process or by a program. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventPipeTest {
    @TempDir
    Path directory;

    private final MemorySegment bytes = Arena.ofAuto().allocate(1 << 17, 8);
    private EventPipe pipe;

    @BeforeEach
    void open() {
        Commands.assumeLinux();
        pipe = new EventPipe();
    }

    @Test
    void shouldDeliverRecordsToAProgram() throws IOException {
        Path out = directory.resolve("out");
        ProcessSpawn reader = ProcessSpawn.prepare(
            Commands.bytes("sh", "-c", "head -c 25 < /dev/fd/" + pipe.reader() + " > " + out), Map.of(), pipe.reader());
        int pid = reader.run();
        pipe.closeReader();
        assertEquals(-1, pipe.reader());
        assertTrue(pipe.write(0x1122334455667788L));
        assertTrue(pipe.write(1, -1));
        bytes.set(JAVA_BYTE, 5, (byte) 'z');
        assertTrue(pipe.write(bytes, 5, 1));
        assertEquals(new ChildStatus(ChildStatus.Kind.EXITED, 0), ChildStatus.await(pid));
        MemorySegment.copy(Files.readAllBytes(out), 0, bytes, JAVA_BYTE, 0, 25);
        assertEquals(0x1122334455667788L, bytes.get(JAVA_LONG, 0));
        assertEquals(1, bytes.get(JAVA_LONG, 8));
        assertEquals(-1, bytes.get(JAVA_LONG, 16));
        assertEquals('z', bytes.get(JAVA_BYTE, 24));
        assertTrue(pipe.hasNoReader(), "the program has ended");
        assertFalse(pipe.write(1), "no SIGPIPE either");
    }

    @Test
    void shouldHaveOneIdentityForBothEnds() {
        int self = (int) ProcessHandle.current().pid();
        FileIdentity found = new FileIdentity();
        for (int end : new int[] {pipe.reader(), pipe.writer()}) {
            assertTrue(ProcessInfo.identify(self, end, found));
            assertTrue(found.isSame(pipe.identity()));
            assertEquals(pipe.linkText(), ProcessInfo.fdLink(self, end));
        }
        try (EventPipe other = new EventPipe()) {
            assertFalse(other.identity().isSame(pipe.identity()));
        }
    }

    @Test
    void shouldRefuseRecordsWhenFull() {
        int records = 0;
        while (pipe.write(records, 0)) {
            records++;
        }
        assertEquals(EventPipe.CAPACITY_BYTES / 16, records);
        assertEquals(EventPipe.CAPACITY_BYTES, pipe.drain(bytes));
        assertEquals(4095, bytes.get(JAVA_LONG, 4095 * 16));
        assertTrue(pipe.write(1, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> pipe.write(bytes, 0, EventPipe.MAX_RECORD_BYTES + 1));
    }

    @Test
    void shouldDrainWhatIsUnread() {
        assertEquals(0, pipe.drain(bytes));
        pipe.write(1);
        pipe.write(2);
        assertEquals(8, Descriptors.read(pipe.reader(), bytes, 8));
        assertEquals(8, pipe.drain(bytes));
        assertEquals(2, bytes.get(JAVA_LONG, 0));
        assertEquals(0, pipe.drain(bytes));
        pipe.writeByte();
        pipe.writeByte();
        assertEquals(1, pipe.drain(bytes.asSlice(0, 1)));
        assertEquals(1, pipe.drain(bytes));
    }

    /** A full pipe, of which every third record is of the object. */
    @Test
    void shouldPurgeRecordsOfOneObject() {
        int written = 0;
        while (pipe.write(written % 3, written)) {
            written++;
        }
        assertEquals((written + 2) / 3, pipe.purge(0, 16));
        assertEquals(0, pipe.purge(0, 16));
        int expected = 0;
        int left = pipe.drain(bytes) / 16;
        assertEquals(written - (written + 2) / 3, left);
        for (int i = 0; i < left; i++) {
            expected += expected % 3 == 0 ? 1 : 0;
            assertEquals(expected++, bytes.get(JAVA_LONG, i * 16L + 8), "in order");
        }
        pipe.write(7);
        pipe.write(8);
        pipe.write(7);
        assertEquals(2, pipe.purge(7, 8));
        assertEquals(8, pipe.drain(bytes));
        assertEquals(8, bytes.get(JAVA_LONG, 0));
    }

    @Test
    void shouldNoticeWhenAllReadersAreClosed() {
        int copy = Descriptors.duplicate(pipe.reader(), 3);
        try (EpollSet set = new EpollSet()) {
            set.add(pipe.writer(), 0, 5);
            pipe.closeReader();
            assertFalse(pipe.hasNoReader());
            assertEquals(0, set.await(0));
            LinuxSockets.close(copy);
            assertTrue(pipe.hasNoReader());
            assertEquals(1, set.await(-1));
            assertEquals(5, set.key(0));
            assertEquals(EpollSet.ERROR, set.events(0));
        }
    }

    @Test
    void shouldEndTheFileWhenClosed() {
        int copy = Descriptors.duplicate(pipe.reader(), 3);
        pipe.close();
        pipe.close();
        assertEquals(0, Descriptors.read(copy, bytes, 8));
        assertFalse(pipe.write(1));
        assertEquals(0, pipe.drain(bytes));
        assertTrue(pipe.hasNoReader());
        LinuxSockets.close(copy);
    }

    @Test
    void shouldNotAllocatePerRecord() {
        Allocation.assertNone(() -> {
            pipe.write(1);
            pipe.write(1, 2);
            pipe.write(bytes, 8, 16);
            pipe.drain(bytes);
        });
    }
}
