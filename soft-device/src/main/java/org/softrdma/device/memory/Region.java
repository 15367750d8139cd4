// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.AccessFlags;

/**
 * The memory that a key gives access to: a registered region, or a window of one. Callers must check {@link #covers} and {@link #grants}
 * before they access the memory; the copy methods only check that the memory was not freed.
 */
public final class Region {
    /** Accessible to all queue pairs of the protection domain: regions, and windows of type 1. */
    static final int ANY_QP = 0;
    /** Accessible to no queue pair: windows of type 2 that are not bound. */
    static final int NO_QP = -1;

    private final AddressSpace space;
    private final long base;
    private final long start;
    private final long length;
    private final int access;
    private final int key;
    private final int pd;
    private final int qpn;
    private final Region parent;
    /** Null unless strict. */
    private final RegionUse use;
    private int boundWindows;

    /**
     * Creates a region or a window.
     *
     * @param base   address in {@code space} of the first byte
     * @param start  address of the first byte in work requests and packets
     * @param pd     number of the protection domain
     * @param qpn    number of the queue pair that a type 2 window is bound to, or {@link #ANY_QP}, {@link #NO_QP}
     * @param parent the region that a window is bound to, or null
     * @param use    observer of its use, or null
     */
    Region(AddressSpace space, long base, long start, long length, int access, int key, int pd, int qpn, Region parent, RegionUse use) {
        this.space = space;
        this.base = base;
        this.start = start;
        this.length = length;
        this.access = access;
        this.key = key;
        this.pd = pd;
        this.qpn = qpn;
        this.parent = parent;
        this.use = use;
    }

    /** Creates a window of a part of this region under another key. The caller has checked that this region covers the part. */
    Region window(long at, long windowLength, int windowAccess, int windowKey, int boundQpn) {
        long windowStart = (windowAccess & AccessFlags.ZERO_BASED) != 0 ? 0 : at;
        return new Region(space, base + (at - start), windowStart, windowLength, windowAccess, windowKey, pd, boundQpn, this, use);
    }

    /** Creates the successor of this region after a re-registration, with the same key. */
    Region changed(AddressSpace newSpace, long newStart, long newLength, int newAccess, int newPd) {
        return new Region(newSpace, 0, newStart, newLength, newAccess, key, newPd, qpn, null, use);
    }

    /** Returns the number of windows bound to this region. Owner's side. */
    int boundWindows() {
        return boundWindows;
    }

    /**
     * Changes the number of bound windows. Owner's side.
     *
     * @param change 1 when a window was bound, -1 when its binding ended
     */
    void countWindow(int change) {
        boundWindows += change;
    }

    /** Returns whether this is a type 2 window bound to the queue pair. */
    boolean isBoundTo(int byQpn) {
        return qpn == byQpn;
    }

    /** Returns whether this window, bound or not, is of type 1. */
    boolean isTypeOne() {
        return qpn == ANY_QP;
    }

    /** Returns the region that this window is bound to; null for regions and unbound windows. */
    Region parent() {
        return parent;
    }

    public int key() {
        return key;
    }

    public long start() {
        return start;
    }

    public long length() {
        return length;
    }

    public int access() {
        return access;
    }

    public int pd() {
        return pd;
    }

    /** Returns whether all of [va, va + bytes) lies in this region, in unsigned 64-bit arithmetic without wrap. */
    public boolean covers(long va, long bytes) {
        long offset = va - start;
        return bytes >= 0 && Long.compareUnsigned(offset, length) <= 0 && Long.compareUnsigned(bytes, length - offset) <= 0;
    }

    /** Returns whether all of {@code rights} are granted to the queue pair {@code byQpn} of protection domain {@code byPd}. */
    public boolean grants(int byPd, int byQpn, int rights) {
        if (use != null) {
            // A peer that uses the key of a window was not given that of the region.
            use.onUse(parent == null ? rights : 0);
        }
        return pd == byPd && (access & rights) == rights && (qpn == ANY_QP || qpn == byQpn);
    }

    /**
     * Copies bytes of this region to {@code to}.
     *
     * @return false if the memory was freed
     */
    public boolean copyOut(long va, MemorySegment to, long toOffset, long bytes) {
        return space.copyOut(base + (va - start), to, toOffset, bytes);
    }

    /**
     * Copies bytes of {@code from} into this region.
     *
     * @return false if the memory was freed
     */
    public boolean copyIn(long va, MemorySegment from, long fromOffset, long bytes) {
        return space.copyIn(base + (va - start), from, fromOffset, bytes);
    }

    /**
     * Atomically replaces eight bytes, host order, by {@code swap} if they equal {@code compare}.
     *
     * @param va       8-aligned
     * @param original receives the old value at index 0
     * @return false if the memory was freed
     */
    public boolean compareAndSwap(long va, long compare, long swap, long[] original) {
        return space.compareAndSwap(base + (va - start), compare, swap, original);
    }

    /**
     * Atomically adds to eight bytes, host order.
     *
     * @param va       8-aligned
     * @param original receives the old value at index 0
     * @return false if the memory was freed
     */
    public boolean fetchAndAdd(long va, long add, long[] original) {
        return space.fetchAndAdd(base + (va - start), add, original);
    }

    /**
     * Stores eight bytes atomically.
     *
     * @param va 8-aligned
     * @return false if the memory was freed, or is not 8-aligned where {@code va} is
     */
    public boolean store(long va, long value) {
        return space.store(base + (va - start), value);
    }

    /**
     * Makes earlier writes visible to all threads and, on request, persistent.
     *
     * @return false if that is not possible, or the memory was freed
     */
    public boolean flush(long va, long bytes, boolean persistent) {
        return space.flush(base + (va - start), bytes, persistent);
    }
}
