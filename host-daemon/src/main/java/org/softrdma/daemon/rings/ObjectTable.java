// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;

/** Objects of a program that its work requests name by number. Called by the device's owner; null means that there is none. */
public interface ObjectTable {
    /**
     * Finds an address handle.
     *
     * @param number as the driver's answer to its creation gave it
     */
    AddressHandle addressHandle(int number);

    /**
     * Finds a memory window.
     *
     * @param rkey any key of the window; the low byte does not count
     */
    MemoryWindow window(int rkey);

    /** Finds a memory region by its exact key. */
    MemoryRegion region(int lkey);
}
