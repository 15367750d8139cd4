// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.device.verbs.SoftQueuePair;

/** A queue pair of a program, for the connection manager. */
public interface ProgramQueuePair {
    /** Returns the device's queue pair. */
    SoftQueuePair qp();

    /** Takes note that the connection manager has changed its state. Any thread; takes the owner's lock. */
    void noteModified();
}
