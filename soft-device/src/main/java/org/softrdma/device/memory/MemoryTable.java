// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.VerbsException;

/**
 * The key table of a device: 32-bit key = index (24 bits) | key byte (8 bits). Regions use indices from 1, windows those from
 * {@link #FIRST_WINDOW}; a reused index gets another key byte, so that a stale key is refused. Changed by the device's owner only;
 * {@link #lookup} is safe from any thread.
 * Source: IBA vol 1 §10.6.3; the split of the index range is kernel rxe's.
 */
public final class MemoryTable {
    /** First index of memory windows. */
    public static final int FIRST_WINDOW = 0x80000;

    /** Never started: owns no memory, so that it can access only what every thread can access. */
    private static final Thread ANOTHER_THREAD = Thread.ofVirtual().unstarted(() -> { });
    private static final int KNOWN_ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND
        | AccessFlags.ZERO_BASED | AccessFlags.HUGETLB | AccessFlags.FLUSH_ANY | AccessFlags.OPTIONAL_RANGE;

    private final Keys regions;
    private final Keys windows;
    private final LongAdder gone = new LongAdder();
    private final MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

    /**
     * Creates an empty table.
     *
     * @param random     source of key bytes; secure, except in the simulator
     * @param maxRegions maximum number of regions at one time
     * @param maxWindows maximum number of windows at one time
     */
    public MemoryTable(RandomGenerator random, int maxRegions, int maxWindows) {
        regions = new Keys(random, 1, maxRegions);
        windows = new Keys(random, FIRST_WINDOW, maxWindows);
    }

    /**
     * Registers native memory.
     *
     * @param start address of the first byte as work requests name it
     * @throws VerbsException EINVAL, ENOMEM; see {@link org.softrdma.verbs.ProtectionDomain#register}
     */
    public Region register(MemorySegment memory, long start, int access, int pd) {
        return register(memory, start, access, pd, null);
    }

    /**
     * Registers native memory, as {@link #register(MemorySegment, long, int, int)} does.
     *
     * @param use observer of the region's use, or null
     */
    public Region register(MemorySegment memory, long start, int access, int pd, RegionUse use) {
        check("reg_mr", memory, start, access);
        int key = regions.take("reg_mr");
        Region region = new Region(spaceOf(memory), 0, start, memory.byteSize(), access, key, pd, Region.ANY_QP, null, use);
        regions.put(key, region);
        return region;
    }

    /**
     * Registers memory of another address space. Nothing is pinned: the memory is reached when it is used, so that ON_DEMAND is the same.
     *
     * @param address of the first byte in {@code space}
     * @param start   address of the first byte as work requests name it
     * @param length  bytes, unsigned
     * @param use     observer of the region's use, or null
     * @throws VerbsException EINVAL, ENOMEM; see {@link org.softrdma.verbs.ProtectionDomain#register}
     */
    public Region register(AddressSpace space, long address, long start, long length, int access, int pd, RegionUse use) {
        checkAccess("reg_mr", access & ~AccessFlags.ON_DEMAND);
        checkRange("reg_mr", start, length);
        if (address != 0 && Long.compareUnsigned(length, -address) > 0) {
            throw invalid("reg_mr", Long.toUnsignedString(length) + " bytes from 0x" + Long.toHexString(address) + " reach past 2^64");
        }
        checkAtomics("reg_mr", access, start, address);
        int key = regions.take("reg_mr");
        Region region = new Region(space, address, start, length, access, key, pd, Region.ANY_QP, null, use);
        regions.put(key, region);
        return region;
    }

    /**
     * Changes the memory, access rights and protection domain of a region. Its key stays the same.
     *
     * @param start address of the first byte as work requests name it
     * @return the region that replaces {@code region}
     * @throws VerbsException EINVAL as {@link #register}, EBUSY while windows are bound; then nothing has changed
     */
    public Region reregister(Region region, MemorySegment memory, long start, int access, int pd) {
        refuseIfBound("rereg_mr", region);
        check("rereg_mr", memory, start, access);
        Region changed = region.changed(spaceOf(memory), start, memory.byteSize(), access, pd);
        regions.put(region.key(), changed);
        return changed;
    }

    private AddressSpace spaceOf(MemorySegment memory) {
        return memory.isMapped() ? new MappedSpace(memory, gone) : new SegmentSpace(memory, gone);
    }

    private static void check(String verb, MemorySegment memory, long start, int access) {
        if (!memory.isNative()) {
            throw invalid(verb, "heap memory moves; register a native MemorySegment (Arena.ofShared, ofAuto or global)");
        }
        if (!memory.isAccessibleBy(ANOTHER_THREAD)) {
            throw invalid(verb, "the memory is confined to one thread; allocate it from Arena.ofShared, ofAuto or global");
        }
        checkAccess(verb, access);
        if ((access & AccessFlags.FLUSH_PERSISTENT) != 0 && !memory.isMapped()) {
            throw invalid(verb, "FLUSH_PERSISTENT needs memory that persists: a mapped file (FileChannel.map)");
        }
        if (memory.isReadOnly() && (access & AccessFlags.LOCAL_WRITE) != 0) {
            throw invalid(verb, "LOCAL_WRITE requested on read-only memory");
        }
        checkRange(verb, start, memory.byteSize());
        checkAtomics(verb, access, start, memory.address());
    }

    private static void checkAccess(String verb, int access) {
        if ((access & ~KNOWN_ACCESS) != 0) {
            throw invalid(verb, "access flags 0x" + Integer.toHexString(access & ~KNOWN_ACCESS) + " are unknown or not supported");
        }
        if ((access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0 && (access & AccessFlags.LOCAL_WRITE) == 0) {
            throw invalid(verb, "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE (access 0x" + Integer.toHexString(access) + ")");
        }
    }

    private static void checkRange(String verb, long start, long length) {
        if (start != 0 && Long.compareUnsigned(length, -start) > 0) {
            throw invalid(verb, Long.toUnsignedString(length) + " bytes from iova 0x" + Long.toHexString(start) + " reach past 2^64");
        }
    }

    private static void checkAtomics(String verb, int access, long start, long address) {
        if ((access & AccessFlags.REMOTE_ATOMIC) != 0 && ((start ^ address) & 7) != 0) {
            // An address that is 8-aligned for the peer must be 8-aligned in memory too.
            throw invalid(verb, "REMOTE_ATOMIC needs iova 0x" + Long.toHexString(start) + " and memory address 0x"
                + Long.toHexString(address) + " to agree in their last three bits");
        }
    }

    /**
     * Removes a region or window: its key is refused from now on.
     *
     * @param key as returned by registration or allocation; for a window, the low byte may be an old key byte
     * @throws VerbsException EBUSY while windows are bound to the region
     */
    public void remove(int key) {
        Keys keys = keysOf(key);
        Region region = keys.at(key);
        refuseIfBound("dereg_mr", region);
        unbind(region);
        keys.release(key, region.key());
    }

    private static void refuseIfBound(String verb, Region region) {
        if (region.boundWindows() > 0) {
            throw new VerbsException(Errno.EBUSY, verb, "memory windows bound to lkey 0x" + Integer.toHexString(region.key()) + ": "
                + region.boundWindows() + "; invalidate, unbind or free them first");
        }
    }

    private static void unbind(Region window) {
        if (window.parent() != null) {
            window.parent().countWindow(-1);
        }
    }

    /**
     * Allocates an unbound window.
     *
     * @return key of the window. It gives access to nothing until the window is bound; the caller chooses the low byte when binding
     */
    public int allocateWindow(int pd, MemoryWindow.Type type) {
        int key = windows.take("alloc_mw");
        windows.put(key, unbound(key, pd, type == MemoryWindow.Type.TYPE_1 ? Region.ANY_QP : Region.NO_QP));
        return key;
    }

    /** Returns whether the index bits of {@code key} name a window of type 1. Any thread. */
    public boolean isTypeOne(int key) {
        Region window = isWindow(key) ? windows.at(key) : null;
        return window != null && window.isTypeOne();
    }

    /**
     * Binds a window of type 1, bound or not, to part of a region; or ends its binding. The caller has checked that the region covers the
     * part.
     *
     * @param key    its index bits name the window, its low byte becomes the key byte
     * @param region a region of protection domain {@code pd}; unused if {@code length} is 0
     * @param length bytes; 0 ends the binding
     * @return false if there is no such window in this protection domain; then nothing has changed
     */
    public boolean bindTypeOne(int key, int pd, Region region, long at, long length, int access) {
        Region now = windows.at(key);
        if (!isTypeOne(key) || now.pd() != pd) {
            return false;
        }
        unbind(now);
        if (length == 0) {
            windows.put(key, unbound(key, pd, Region.ANY_QP));
        } else {
            windows.put(key, region.window(at, length, access, key, Region.ANY_QP));
            region.countWindow(1);
        }
        return true;
    }

    /**
     * Binds an unbound window of type 2 to part of a region. The caller has checked that the region covers the part.
     *
     * @param key    its index bits name the window, its low byte becomes the key byte
     * @param length bytes, at least 1
     * @param qpn    number of the queue pair that the window is bound to
     * @return false if there is no such window, it is bound already, or belongs to another protection domain
     */
    public boolean bindWindow(int key, Region region, long at, long length, int access, int qpn) {
        Region now = windows.at(key);
        if (!isWindow(key) || now == null || now.isTypeOne() || now.parent() != null || now.pd() != region.pd() || length == 0) {
            return false;
        }
        windows.put(key, region.window(at, length, access, key, qpn));
        region.countWindow(1);
        return true;
    }

    /**
     * Ends the binding of a type 2 window.
     *
     * @return false unless {@code key} is the key of a bound type 2 window that this queue pair may invalidate
     */
    public boolean invalidate(int key, int pd, int qpn) {
        Region window = isWindow(key) ? lookup(key) : null;
        if (window == null || window.isTypeOne() || !window.grants(pd, qpn, 0)) {
            return false;
        }
        unbind(window);
        windows.put(key, unbound(key, pd, Region.NO_QP));
        return true;
    }

    private static Region unbound(int key, int pd, int qpn) {
        return new Region(null, 0, 0, 0, 0, key, pd, qpn, null, null);
    }

    /** Ends the bindings of all windows bound to a destroyed queue pair, before its number is reused. */
    public void unbindWindowsOf(int qpn) {
        for (int slot = 0; slot < windows.touched; slot++) {
            Region window = windows.slots.getPlain(slot);
            if (window != null && window.parent() != null && window.isBoundTo(qpn)) {
                unbind(window);
                windows.put(window.key(), unbound(window.key(), window.pd(), Region.NO_QP));
            }
        }
    }

    public static boolean isWindow(int key) {
        return key >>> 8 >= FIRST_WINDOW;
    }

    /**
     * Finds the region or bound window of a key. Any thread.
     *
     * @return null if the key is invalid: never allocated, released, unbound, or with an old key byte
     */
    public Region lookup(int key) {
        if (isWindow(key)) {
            Region window = windows.lookup(key);
            return window == null || window.parent() == null ? null : window;
        }
        return regions.lookup(key);
    }

    /**
     * Returns eight bytes with a value in the host's byte order, to be copied into a region. Valid until the next call; for the device's
     * owner.
     */
    public MemorySegment hostOrder(long value) {
        word.set(ValueLayout.JAVA_LONG, 0, value);
        return word;
    }

    /** Returns the number of registered regions. */
    public int regionCount() {
        return regions.used;
    }

    /** Returns the number of accesses to regions whose memory had been freed while registered. Any thread. */
    public long goneAccesses() {
        return gone.sum();
    }

    private Keys keysOf(int key) {
        return isWindow(key) ? windows : regions;
    }

    private static VerbsException invalid(String verb, String why) {
        return new VerbsException(Errno.EINVAL, verb, why);
    }

    /** One index range: a growing array of slots, and the free indices, oldest first so that an index is reused as late as possible. */
    private static final class Keys {
        private final RandomGenerator random;
        private final int firstIndex;
        private final int max;
        private volatile AtomicReferenceArray<Region> slots = new AtomicReferenceArray<>(16);
        private byte[] lastKeyBytes = new byte[16];
        private int[] free = new int[16];
        private int freeHead;
        private int freeCount;
        private int touched;
        private int used;

        Keys(RandomGenerator random, int firstIndex, int max) {
            this.random = random;
            this.firstIndex = firstIndex;
            this.max = max;
        }

        int take(String verb) {
            if (used == max) {
                throw new VerbsException(Errno.ENOMEM, verb, "all " + max + " keys of the device are in use");
            }
            int slot;
            int keyByte;
            // Slots that were never used first, then the index that was released longest ago, with any key byte except its last.
            if (freeCount > 64 || touched == max) {
                slot = free[freeHead];
                freeHead = (freeHead + 1) % free.length;
                freeCount--;
                keyByte = lastKeyBytes[slot] + 1 + random.nextInt(255) & 0xff;
            } else {
                slot = touched++;
                if (slot == slots.length()) {
                    grow();
                }
                keyByte = random.nextInt(256);
            }
            used++;
            return slot + firstIndex << 8 | keyByte;
        }

        void put(int key, Region region) {
            slots.setRelease((key >>> 8) - firstIndex, region);
        }

        /**
         * Frees an index.
         *
         * @param key     any key with this index
         * @param lastKey last valid key with this index
         */
        void release(int key, int lastKey) {
            int slot = (key >>> 8) - firstIndex;
            slots.setRelease(slot, null);
            lastKeyBytes[slot] = (byte) lastKey;
            if (freeCount == free.length) {
                int[] larger = new int[2 * free.length];
                for (int i = 0; i < freeCount; i++) {
                    larger[i] = free[(freeHead + i) % free.length];
                }
                free = larger;
                freeHead = 0;
            }
            free[(freeHead + freeCount++) % free.length] = slot;
            used--;
        }

        /** Returns the region or window with the index of a key, ignoring the key byte; or null. */
        Region at(int key) {
            AtomicReferenceArray<Region> now = slots;
            int slot = (key >>> 8) - firstIndex;
            return slot < 0 || slot >= now.length() ? null : now.getAcquire(slot);
        }

        Region lookup(int key) {
            Region region = at(key);
            return region != null && region.key() == key ? region : null;
        }

        private void grow() {
            AtomicReferenceArray<Region> larger = new AtomicReferenceArray<>(2 * slots.length());
            for (int i = 0; i < slots.length(); i++) {
                larger.setPlain(i, slots.getPlain(i));
            }
            slots = larger;
            lastKeyBytes = Arrays.copyOf(lastKeyBytes, larger.length());
        }
    }
}
