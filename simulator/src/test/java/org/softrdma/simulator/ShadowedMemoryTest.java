// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;

class ShadowedMemoryTest {
    private final SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
    private final Context context = SimulatedRxe.open(new Simulation(fabric), fabric.attach(Gid.ofIpv4(1)), new SplittableRandom(1), 1500);
    private final ShadowedMemory memory = new ShadowedMemory(new SplittableRandom(2), true);
    private final Slot slot = memory.reserve(8, 8);
    private final MemorySegment bytes;

    ShadowedMemoryTest() {
        memory.open(context.allocatePd(), 0, AccessFlags.LOCAL_WRITE);
        bytes = memory.region().memory();
    }

    /** Another byte than is there. */
    private byte change(long at) {
        byte other = (byte) ~bytes.get(ValueLayout.JAVA_BYTE, at);
        bytes.set(ValueLayout.JAVA_BYTE, at, other);
        return other;
    }

    @Test
    void shouldFindAStrayByteAnywhere() {
        for (long at = 0; at < bytes.byteSize(); at++) {
            assertNull(memory.difference());
            change(at);
            assertTrue(memory.difference().startsWith("byte " + at + " is "), memory.difference());
            change(at);
        }
    }

    @Test
    void shouldTakeOldAndNewBytesOfWhatFailedHalfwayAndNoOthers() {
        byte old = bytes.get(ValueLayout.JAVA_BYTE, slot.at());
        byte placed = change(slot.at());
        assertNotNull(memory.difference());
        memory.mayBecome(slot.at(), new byte[] {0, placed}, 1, 1);
        assertNull(memory.difference());
        bytes.set(ValueLayout.JAVA_BYTE, slot.at(), old);
        assertNull(memory.difference());
        bytes.set(ValueLayout.JAVA_BYTE, slot.at(), (byte) (old ^ 1));
        assertNotNull(memory.difference());
    }

    @Test
    void shouldKnowWhatIsCertain() {
        Slot first = slot.part(0, 4);
        Slot second = slot.part(4, 4);
        assertTrue(memory.knows(slot));
        memory.mayBecome(second.at(), new byte[4], 0, 4);
        assertTrue(memory.knows(first));
        assertFalse(memory.knows(second));
        memory.forget(first.at() + 3, 1);
        assertFalse(memory.knows(first));
    }

    @Test
    void shouldJudgeADeregisteredRegionByWhatStoodInItThen() {
        memory.deregister();
        assertTrue(memory.isDead());
        assertNull(memory.difference());
        assertEquals(ShadowedMemory.DEAD, bytes.get(ValueLayout.JAVA_BYTE, slot.at()));
        change(slot.at());
        assertEquals("byte " + slot.at() + " was written after the region was deregistered", memory.difference());
    }

    @Test
    void shouldFindAByteWrittenWhereARegionLayBeforeItMoved() {
        byte before = bytes.get(ValueLayout.JAVA_BYTE, slot.at());
        memory.move();
        assertNull(memory.difference());
        assertEquals(before, memory.region().memory().get(ValueLayout.JAVA_BYTE, slot.at()));
        change(slot.at());
        assertEquals("byte " + slot.at() + " was written after the region was moved away", memory.difference());
    }

    @Test
    void shouldLetAnythingBeWrittenToALentSlotUntilItIsTakenBack() {
        memory.lend(slot);
        change(slot.at());
        assertNull(memory.difference());
        memory.takeBack(slot);
        assertNull(memory.difference());
        change(slot.at());
        assertTrue(memory.difference().startsWith("byte " + slot.at() + " is "), memory.difference());
        assertThrows(AssertionError.class, () -> memory.lend(slot));
    }

    @Test
    void shouldNotOverlookAStrayByteBehindALentSlot() {
        memory.lend(slot);
        change(slot.at() + slot.length());
        assertNotNull(memory.difference());
    }
}
