// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.host.inspect.Owner;
import org.softrdma.linux.process.ProcessMemory;

/** A process whose system calls are trapped: one address space, from its first trapped call until it ends or executes another program. */
public interface ClientProcess {
    /** Returns its process ID, as this process sees it. */
    int pid();

    /** Returns the name of the program, as in {@code /proc/PID/comm}. */
    String command();

    /** Returns both, as reports name the owner of an object. */
    default Owner owner() {
        return new Owner(pid(), command());
    }

    /** Returns its memory, which is closed when the process has ended and all its files were {@linkplain DeviceFile#closed closed}. */
    ProcessMemory memory();

    /**
     * Ends a file before programs close it, because there will be nothing more to read from it: {@link DeviceFile#closed} is called, and
     * what programs keep of the file is no longer ours. No effect on a file that has ended.
     */
    void end(DeviceFile file);
}
