// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongSupplier;
import org.softrdma.device.memory.AddressSpace;
import org.softrdma.linux.process.ProcessMemory;

/**
 * Memory of a program as registered regions reach it. Nothing is pinned: an access to what the program has unmapped since fails. Atomics
 * are atomic for the device, whose owner alone calls this, not for the program's own processors: ATOMIC_HCA. Allocates nothing.
 *
 * <p>A message is read packet by packet, and each read costs a system call. From its second packet on, the next packets are read with it.
 * What was read ahead is valid within one round of the device: work requests that were posted later are found in a later round.
 */
final class ProcessSpace implements AddressSpace {
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG;
    private static final int ALIGNMENT_MASK = Long.BYTES - 1;
    /** Bytes that are read at once: a turn of a queue pair at the largest MTU. */
    private static final int AHEAD_BYTES = 1 << 16;

    private final ProcessMemory memory;
    private final LongSupplier rounds;
    private final MemorySegment word = Arena.ofAuto().allocate(U64);
    /** Copy of the memory from {@link #aheadFrom} to {@link #aheadTo}; null until the first message of several packets. */
    private MemorySegment ahead;
    private long aheadFrom;
    private long aheadTo;
    /** Round of the device in which {@link #ahead} was filled, and {@link #next} set. */
    private long round;
    /** The address after the last read. */
    private long next;

    /** @param rounds number of the device's current round */
    ProcessSpace(ProcessMemory memory, LongSupplier rounds) {
        this.memory = memory;
        this.rounds = rounds;
    }

    @Override
    public boolean copyOut(long address, MemorySegment to, long toOffset, long length) {
        boolean continues = rounds.getAsLong() == round && address == next;
        if (!continues) {
            forgetAhead();
        }
        next = address + length;
        if (continues && (hasAhead(address, length) || readAhead(address, length))) {
            MemorySegment.copy(ahead, address - aheadFrom, to, toOffset, length);
            return true;
        }
        return memory.read(address, to, toOffset, length);
    }

    private boolean hasAhead(long address, long length) {
        return address >= aheadFrom && address + length <= aheadTo;
    }

    private boolean readAhead(long address, long length) {
        if (length >= AHEAD_BYTES / 2) {
            return false;
        }
        if (ahead == null) {
            ahead = Arena.ofAuto().allocate(AHEAD_BYTES);
        }
        aheadFrom = address;
        aheadTo = address + memory.readUpTo(address, ahead, 0, AHEAD_BYTES);
        return hasAhead(address, length);
    }

    private void forgetAhead() {
        round = rounds.getAsLong();
        aheadFrom = 0;
        aheadTo = 0;
    }

    @Override
    public boolean copyIn(long address, MemorySegment from, long fromOffset, long length) {
        forgetAhead();
        return memory.write(address, from, fromOffset, length);
    }

    @Override
    public boolean compareAndSwap(long address, long compare, long swap, long[] original) {
        if (!memory.read(address, word, 0, Long.BYTES)) {
            return false;
        }
        original[0] = word.get(U64, 0);
        return original[0] != compare || store(address, swap);
    }

    @Override
    public boolean fetchAndAdd(long address, long add, long[] original) {
        if (!memory.read(address, word, 0, Long.BYTES)) {
            return false;
        }
        original[0] = word.get(U64, 0);
        return store(address, original[0] + add);
    }

    @Override
    public boolean store(long address, long value) {
        forgetAhead();
        word.set(U64, 0, value);
        return (address & ALIGNMENT_MASK) == 0 && memory.write(address, word, 0, Long.BYTES);
    }

    /** Copies are in the program's memory at once; its files are not ours to write back. */
    @Override
    public boolean flush(long address, long length, boolean persistent) {
        return !persistent;
    }
}
