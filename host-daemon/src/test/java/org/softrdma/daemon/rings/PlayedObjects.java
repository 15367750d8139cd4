// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.util.HashMap;
import java.util.Map;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;

/** Objects that the requests of a program can name: its one region, and the address handles and windows that a test gives it. */
final class PlayedObjects implements ObjectTable {
    final MemoryRegion region;
    private final Map<Integer, AddressHandle> handles = new HashMap<>();
    private final Map<Integer, MemoryWindow> windows = new HashMap<>();

    PlayedObjects(MemoryRegion region) {
        this.region = region;
    }

    void add(int handle, AddressHandle address) {
        handles.put(handle, address);
    }

    void add(MemoryWindow window) {
        windows.put(window.rkey() >>> 8, window);
    }

    @Override
    public AddressHandle addressHandle(int handle) {
        return handles.get(handle);
    }

    @Override
    public MemoryWindow window(int rkey) {
        return windows.get(rkey >>> 8);
    }

    @Override
    public MemoryRegion region(int lkey) {
        return lkey == region.lkey() ? region : null;
    }

    void close() {
        windows.values().forEach(MemoryWindow::close);
        handles.values().forEach(AddressHandle::close);
        region.close();
    }
}
