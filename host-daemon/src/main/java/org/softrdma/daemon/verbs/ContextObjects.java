// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.daemon.rings.ObjectTable;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.VerbsException;

/** The objects of a context that its work requests name by number. Looked up by the device's owner; changed with the owner's lock held. */
final class ContextObjects implements ObjectTable {
    /** Address handles of one context at most: the number in librxe's answer must not be 0, and the driver's table has 15 bits. */
    private static final int MAX_ADDRESS_HANDLES = 32_767;
    private static final int KEY_BYTE_BITS = 8;

    private final ReentrantLock owner;
    private final Int2ObjectHashMap<AddressHandle> addressHandles = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<MemoryRegion> regions = new Int2ObjectHashMap<>();
    /** By the index bits of their keys, which stay when a window is bound. */
    private final Int2ObjectHashMap<MemoryWindow> windows = new Int2ObjectHashMap<>();
    private int lastNumber;

    ContextObjects(ReentrantLock owner) {
        this.owner = owner;
    }

    @Override
    public AddressHandle addressHandle(int number) {
        return addressHandles.get(number);
    }

    @Override
    public MemoryWindow window(int rkey) {
        return windows.get(rkey >>> KEY_BYTE_BITS);
    }

    @Override
    public MemoryRegion region(int lkey) {
        return regions.get(lkey);
    }

    /**
     * Adds an address handle.
     *
     * @return its number, 1 to 32767
     * @throws VerbsException ENOMEM
     */
    int add(AddressHandle handle) {
        owner.lock();
        try {
            if (addressHandles.size() == MAX_ADDRESS_HANDLES) {
                throw new VerbsException(Errno.ENOMEM, "create_ah", "a context has " + MAX_ADDRESS_HANDLES + " address handles at most");
            }
            do {
                lastNumber = lastNumber % MAX_ADDRESS_HANDLES + 1;
            } while (addressHandles.containsKey(lastNumber));
            addressHandles.put(lastNumber, handle);
            return lastNumber;
        } finally {
            owner.unlock();
        }
    }

    void removeAddressHandle(int number) {
        owner.lock();
        try {
            addressHandles.remove(number);
        } finally {
            owner.unlock();
        }
    }

    void add(MemoryRegion region) {
        owner.lock();
        try {
            regions.put(region.lkey(), region);
        } finally {
            owner.unlock();
        }
    }

    void removeRegion(int lkey) {
        owner.lock();
        try {
            regions.remove(lkey);
        } finally {
            owner.unlock();
        }
    }

    void add(MemoryWindow window) {
        owner.lock();
        try {
            windows.put(window.rkey() >>> KEY_BYTE_BITS, window);
        } finally {
            owner.unlock();
        }
    }

    void remove(MemoryWindow window) {
        owner.lock();
        try {
            windows.remove(window.rkey() >>> KEY_BYTE_BITS);
        } finally {
            owner.unlock();
        }
    }
}
