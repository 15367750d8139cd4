// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import org.softrdma.daemon.trap.ClientProcess;

/** Answers which process a queue pair belongs to, so that no program connects that of another one. Any thread. */
@FunctionalInterface
public interface QueuePairOwners {
    /**
     * Returns whether a process has created a queue pair.
     *
     * @param device name of the device, for example {@code rxe0}
     * @param qpNum  number of the queue pair, u24; unique on its device
     */
    boolean owns(ClientProcess process, String device, int qpNum);
}
