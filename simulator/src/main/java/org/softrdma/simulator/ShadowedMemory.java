// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.Reregistration;

/**
 * A region and, beside it, what must stand in it: slots with guard bytes around, filled with noise. Whatever is not expected to change must
 * not change, so a stray byte anywhere is found.
 *
 * <p>A region that is deregistered is judged by what stood in it at that moment; from then on its memory holds {@link #DEAD} bytes only,
 * and whoever still writes there, or sends them, is found out.
 */
public final class ShadowedMemory {
    /** Fill byte of deregistered memory. */
    public static final byte DEAD = (byte) 0xdd;
    private static final byte SCRIBBLE = (byte) 0xee;
    private static final int GUARD_BYTES = 16;
    private static final ValueLayout.OfInt BIG_ENDIAN = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final SplittableRandom random;
    private final boolean doomed;
    private int reserved = GUARD_BYTES;
    private MemorySegment memory;
    private MemoryRegion region;
    private byte[] expected;
    /** By which peers name it: the region's, or a window's. */
    private int rkey;
    private int lkey;
    private long address;
    /** Contents at deregistration; null before. */
    private MemorySegment atDeath;
    /** Peers have no rights any more. */
    private boolean revoked;
    /** Where it lay before. */
    private final List<MemorySegment> left = new ArrayList<>();
    private final BitSet unknown = new BitSet();
    private final List<Possibility> possibilities = new ArrayList<>();

    /** Bytes that may or may not have been placed. */
    private record Possibility(int at, byte[] bytes) {
        boolean allows(int index, byte value) {
            return index >= at && index < at + bytes.length && bytes[index - at] == value;
        }
    }

    /** @param doomed its region will be deregistered while it is used */
    public ShadowedMemory(SplittableRandom random, boolean doomed) {
        this.random = random;
        this.doomed = doomed;
    }

    boolean isDoomed() {
        return doomed;
    }

    /** Before {@link #open}: takes a slot. */
    public Slot reserve(int bytes, int alignment) {
        int at = (reserved + alignment - 1) / alignment * alignment;
        reserved = at + bytes + GUARD_BYTES;
        return new Slot(this, at, bytes);
    }

    /** Allocates, fills and registers what was reserved. */
    public void open(ProtectionDomain pd, long iova, int access) {
        expected = new byte[reserved];
        random.nextBytes(expected);
        memory = Arena.ofAuto().allocate(reserved, 64);
        MemorySegment.copy(expected, 0, memory, ValueLayout.JAVA_BYTE, 0, reserved);
        region = pd.register(memory, iova, access);
        rkey = region.rkey();
        lkey = region.lkey();
        address = region.address();
    }

    /** The key of work requests, which an application may go on using by mistake when the region is closed. */
    public int lkey() {
        return lkey;
    }

    /** The address by which work requests and peers name the first byte; also when the region is closed. */
    public long address() {
        return address;
    }

    /** Where a slot lies now. */
    MemorySegment memory(Slot slot) {
        return memory.asSlice(slot.at(), slot.length());
    }

    public MemoryRegion region() {
        return region;
    }

    /** The key peers use; the same even when it opens nothing any more. */
    public int rkey() {
        return rkey;
    }

    /** Peers use this window of all of it. */
    void openBy(MemoryWindow window) {
        rkey = window.rkey();
    }

    /** Writes a number into the first bytes of a slot, big-endian. */
    void stamp(Slot slot, int number) {
        memory.set(BIG_ENDIAN, slot.at(), number);
        MemorySegment.ofArray(expected).set(BIG_ENDIAN, slot.at(), number);
    }

    // ---- the application's deeds ----

    /** Overwrites a slot, as an application may once its data is copied. */
    public void scribble(Slot slot) {
        if (!isDead()) {
            memory.asSlice(slot.at(), slot.length()).fill(SCRIBBLE);
        }
    }

    /** Deregisters the region and uses the memory for something else. */
    public void deregister() {
        region.close();
        abandon();
    }

    /** Uses the memory for something else, which peers must neither see nor change. */
    public void abandon() {
        atDeath = MemorySegment.ofArray(memory.toArray(ValueLayout.JAVA_BYTE));
        memory.fill(DEAD);
    }

    public boolean isDead() {
        return atDeath != null;
    }

    /** Takes the peers' rights away. */
    public void revoke() {
        region.reregister(new Reregistration().access(AccessFlags.LOCAL_WRITE));
        revoked = true;
    }

    /** Gives the region to a protection domain that the peer's queue pair does not have. */
    public void give(ProtectionDomain other) {
        region.reregister(new Reregistration().pd(other));
        revoked = true;
    }

    /** The window peers used is gone. */
    public void close(MemoryWindow window) {
        window.close();
        revoked = true;
    }

    /** Whether peers can do nothing here any more. */
    public boolean isClosedToPeers() {
        return revoked || isDead();
    }

    /** Registers the region anew with other memory, and uses the old one for something else. */
    public void move() {
        MemorySegment other = Arena.ofAuto().allocate(reserved, 64);
        other.copyFrom(memory);
        region.reregister(new Reregistration().memory(other, address));
        memory.fill(DEAD);
        left.add(memory);
        memory = other;
    }

    // ---- slots that are lent to the device again and again ----

    /** A receive is posted here: anything may be written until it completes. */
    void lend(Slot slot) {
        if (!isAsExpected(slot)) {
            throw new AssertionError("receive at " + slot + " was written after its completion");
        }
        unknown.set(slot.at(), slot.at() + slot.length());
    }

    /** The receive is complete: what stands here now must stay. */
    void takeBack(Slot slot) {
        unknown.clear(slot.at(), slot.at() + slot.length());
        MemorySegment.copy(contents(), ValueLayout.JAVA_BYTE, slot.at(), expected, slot.at(), slot.length());
    }

    private boolean isAsExpected(Slot slot) {
        long end = (long) slot.at() + slot.length();
        return MemorySegment.mismatch(contents(), slot.at(), end, MemorySegment.ofArray(expected), slot.at(), end) < 0;
    }

    /** Returns the current contents. */
    public byte[] bytes(Slot slot) {
        return contents().asSlice(slot.at(), slot.length()).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Whether these bytes have all been placed. */
    public boolean holds(int at, byte[] bytes, int from, int length) {
        return MemorySegment.mismatch(contents(), at, (long) at + length, MemorySegment.ofArray(bytes), from, (long) from + length) < 0;
    }

    // ---- what must stand in it ----

    byte[] expected(int at, int length) {
        return Arrays.copyOfRange(expected, at, at + length);
    }

    /** These bytes have been placed. */
    public void expect(int at, byte[] bytes, int from, int length) {
        System.arraycopy(bytes, from, expected, at, length);
    }

    public void expectScribble(Slot slot) {
        Arrays.fill(expected, slot.at(), slot.at() + slot.length(), SCRIBBLE);
    }

    public long expectedWord(Slot slot) {
        return MemorySegment.ofArray(expected).get(ValueLayout.JAVA_LONG_UNALIGNED, slot.at());
    }

    public void expectWord(Slot slot, long value) {
        MemorySegment.ofArray(expected).set(ValueLayout.JAVA_LONG_UNALIGNED, slot.at(), value);
    }

    /** Each of these bytes may have been placed, or not: a work request that places them failed, nobody knows how far it came. */
    public void mayBecome(int at, byte[] bytes, int from, int length) {
        if (length > 0) {
            possibilities.add(new Possibility(at, Arrays.copyOfRange(bytes, from, from + length)));
        }
    }

    /** Marks bytes as unpredictable. */
    public void forget(int at, int length) {
        unknown.set(at, at + length);
    }

    /** Whether it is certain what stands in all of a slot. */
    boolean knows(Slot slot) {
        int next = unknown.nextSetBit(slot.at());
        boolean certain = next < 0 || next >= slot.at() + slot.length();
        for (Possibility each : possibilities) {
            certain &= each.at >= slot.at() + slot.length() || each.at + each.bytes.length <= slot.at();
        }
        return certain;
    }

    // ---- what does ----

    private MemorySegment contents() {
        return isDead() ? atDeath : memory;
    }

    public long word(Slot slot) {
        return contents().get(ValueLayout.JAVA_LONG_UNALIGNED, slot.at());
    }

    /** @return where memory is not as expected, or null */
    public String difference() {
        MemorySegment want = MemorySegment.ofArray(expected);
        MemorySegment have = contents();
        long from = 0;
        while (from < reserved) {
            long mismatch = MemorySegment.mismatch(have, from, reserved, want, from, reserved);
            if (mismatch < 0) {
                break;
            }
            int at = (int) (from + mismatch);
            byte value = have.get(ValueLayout.JAVA_BYTE, at);
            if (unknown.get(at)) {
                from = unknown.nextClearBit(at);
                continue;
            }
            if (possibilities.stream().noneMatch(each -> each.allows(at, value))) {
                return "byte " + at + " is 0x" + Integer.toHexString(value & 0xff) + " instead of 0x"
                    + Integer.toHexString(expected[at] & 0xff) + (doomed ? ", in the doomed region" : "");
            }
            from = at + 1L;
        }
        for (MemorySegment each : left) {
            String touched = touched(each, "moved away");
            if (touched != null) {
                return touched;
            }
        }
        return isDead() ? touched(memory, "deregistered") : null;
    }

    private String touched(MemorySegment dead, String since) {
        for (int i = 0; i < reserved; i++) {
            if (dead.get(ValueLayout.JAVA_BYTE, i) != DEAD) {
                return "byte " + i + " was written after the region was " + since;
            }
        }
        return null;
    }
}
