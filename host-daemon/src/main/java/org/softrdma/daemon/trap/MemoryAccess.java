// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.linux.process.ProcessMemory;

/** How the memory of programs is opened: by this process, or by one that may do it. */
public interface MemoryAccess {
    /**
     * Opens the memory of a process.
     *
     * @throws org.softrdma.verbs.VerbsException EACCES: it may not be opened; ENOENT: there is no such process
     */
    ProcessMemory open(int pid);
}
