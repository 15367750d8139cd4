// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;

/**
 * A key's view on memory: a registered region, or a window on one. {@link #covers} and {@link #grants} are checked before anything else is
 * called; the copies themselves check nothing but that the memory still exists.
 */
public final class Region {
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
     * @param qpn    the one queue pair a type 2 window is bound to, or 0
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
    Region window(long windowStart, long windowLength, int windowAccess, int windowKey, int boundQpn) {
        return new Region(space, base + (windowStart - start), windowStart, windowLength, windowAccess, windowKey, pd, boundQpn,
            this);
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
        return pd == byPd && (access & rights) == rights && (qpn == 0 || qpn == byQpn);
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
}
