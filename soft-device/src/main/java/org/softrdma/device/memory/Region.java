// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.AccessFlags;

/**
 * A key's view on memory: a registered region, or a window on one. {@link #covers} and {@link #grants} are checked before anything else is
 * called; the copies themselves check nothing but that the memory still exists.
 */
public final class Region {
    /** Open to every queue pair of its protection domain: regions, and windows of type 1. */
    static final int ANY_QP = 0;
    /** A window of type 2 that is not bound. */
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
    private int boundWindows;

    /**
     * @param base   address in {@code space} of the first byte
     * @param start  address of the first byte as work requests and peers name it
     * @param pd     number of the protection domain
     * @param qpn    the one queue pair a type 2 window is bound to, or {@link #ANY_QP}, {@link #NO_QP}
     * @param parent the region a window is bound to, or null
     */
    Region(AddressSpace space, long base, long start, long length, int access, int key, int pd, int qpn, Region parent) {
        this.space = space;
        this.base = base;
        this.start = start;
        this.length = length;
        this.access = access;
        this.key = key;
        this.pd = pd;
        this.qpn = qpn;
        this.parent = parent;
    }

    /** A narrower view under another key; the caller has checked that this region covers it. */
    Region window(long at, long windowLength, int windowAccess, int windowKey, int boundQpn) {
        long windowStart = (windowAccess & AccessFlags.ZERO_BASED) != 0 ? 0 : at;
        return new Region(space, base + (at - start), windowStart, windowLength, windowAccess, windowKey, pd, boundQpn, this);
    }

    /** The same region under other terms. */
    Region changed(AddressSpace newSpace, long newStart, long newLength, int newAccess, int newPd) {
        return new Region(newSpace, 0, newStart, newLength, newAccess, key, newPd, qpn, null);
    }

    /** Windows bound to this region now. Owner's side. */
    int boundWindows() {
        return boundWindows;
    }

    /** A window of this region was bound (1), or its binding ended (-1). Owner's side. */
    void countWindow(int change) {
        boundWindows += change;
    }

    /** Whether this window is tied to that queue pair. */
    boolean isBoundTo(int byQpn) {
        return qpn == byQpn;
    }

    /** Whether this window, bound or not, is of type 1. */
    boolean isTypeOne() {
        return qpn == ANY_QP;
    }

    /** The region this window is bound to; null for regions and unbound windows. */
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

    /** Whether all of [va, va + bytes) lies inside, in unsigned 64-bit arithmetic without wrap. */
    public boolean covers(long va, long bytes) {
        long offset = va - start;
        return bytes >= 0 && Long.compareUnsigned(offset, length) <= 0 && Long.compareUnsigned(bytes, length - offset) <= 0;
    }

    /** Whether a queue pair of protection domain {@code byPd} may do all of {@code rights} here. */
    public boolean grants(int byPd, int byQpn, int rights) {
        return pd == byPd && (access & rights) == rights && (qpn == ANY_QP || qpn == byQpn);
    }

    /** @return false if the memory is gone */
    public boolean copyOut(long va, MemorySegment to, long toOffset, long bytes) {
        return space.copyOut(base + (va - start), to, toOffset, bytes);
    }

    /** @return false if the memory is gone */
    public boolean copyIn(long va, MemorySegment from, long fromOffset, long bytes) {
        return space.copyIn(base + (va - start), from, fromOffset, bytes);
    }

    /** @param va 8-aligned. @return false if the memory is gone */
    public boolean compareAndSwap(long va, long compare, long swap, long[] original) {
        return space.compareAndSwap(base + (va - start), compare, swap, original);
    }

    /** @param va 8-aligned. @return false if the memory is gone */
    public boolean fetchAndAdd(long va, long add, long[] original) {
        return space.fetchAndAdd(base + (va - start), add, original);
    }

    /** Stores eight bytes at once. @param va 8-aligned. @return false if the memory is gone, or not aligned as the addresses are */
    public boolean store(long va, long value) {
        return space.store(base + (va - start), value);
    }

    /** Pushes what was written before to where everybody sees it, or to where it persists. @return false if that cannot be done */
    public boolean flush(long va, long bytes, boolean persistent) {
        return space.flush(base + (va - start), bytes, persistent);
    }
}
