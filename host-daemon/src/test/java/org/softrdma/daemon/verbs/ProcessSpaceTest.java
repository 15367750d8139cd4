// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.linux.process.ProcessMemory;

/** The memory of this process, reached as that of a program. */
@EnabledOnOs(OS.LINUX)
final class ProcessSpaceTest {
    private static final int BYTES = 1 << 18;
    private static final int PACKET = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment program = arena.allocate(BYTES, 4096);
    private final MemorySegment packet = arena.allocate(BYTES);
    private ProcessMemory memory;
    private long round = 1;
    private ProcessSpace space;

    @BeforeEach
    void open() {
        memory = ProcessMemory.open((int) ProcessHandle.current().pid());
        space = new ProcessSpace(memory, () -> round);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < BYTES; i++) {
            program.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
    }

    @AfterEach
    void close() {
        memory.close();
        arena.close();
    }

    private void read(long offset, long length) {
        assertTrue(space.copyOut(program.address() + offset, packet, 0, length));
        assertEquals(-1, packet.asSlice(0, length).mismatch(program.asSlice(offset, length)), "at " + offset + ", " + length + " bytes");
    }

    @Test
    void shouldReadMessagesPacketByPacket() {
        for (int length : new int[] {64, 1024, PACKET, 5000, 40_000}) {
            for (int offset = 0; offset + length <= BYTES; offset += length) {
                read(offset, length);
            }
        }
    }

    @Test
    void shouldReadBackwardsAndAtRandom() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 1000; i++) {
            int length = 1 + random.nextInt(10_000);
            read(random.nextInt(BYTES - length), length);
            if (random.nextInt(3) == 0) {
                round++;
            }
        }
    }

    @Test
    void shouldReadAgainInTheNextRound() {
        for (int i = 0; i < 4; i++) {
            read(i * PACKET, PACKET);
        }
        program.fill((byte) 7);
        round++;
        read(4 * PACKET, PACKET);
        read(5 * PACKET, PACKET);
    }

    @Test
    void shouldReadWhatTheDeviceHasWrittenInTheSameRound() {
        read(0, PACKET);
        read(PACKET, PACKET);
        packet.fill((byte) 9);
        assertTrue(space.copyIn(program.address() + 2 * PACKET, packet, 0, PACKET));
        read(2 * PACKET, PACKET);
        read(3 * PACKET, PACKET);
        assertTrue(space.store(program.address() + 4 * PACKET, -1));
        read(4 * PACKET, PACKET);
        assertTrue(space.fetchAndAdd(program.address() + 5 * PACKET, 3, new long[1]));
        read(5 * PACKET, PACKET);
    }

    @Test
    void shouldFailWhereTheProgramHasNoMemory() {
        assertFalse(space.copyOut(8, packet, 0, 8));
        assertFalse(space.copyOut(16, packet, 0, 8));
        assertFalse(space.copyIn(8, packet, 0, 8));
        assertFalse(space.copyOut(-8, packet, 0, 8));
        assertFalse(space.store(program.address() + 1, 0));
        assertFalse(space.compareAndSwap(8, 0, 0, new long[1]));
    }
}
