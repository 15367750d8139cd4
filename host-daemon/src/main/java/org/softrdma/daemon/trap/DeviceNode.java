// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.abi.sysfs.DeviceNumber;

/** A character device that programs see below {@code /dev/infiniband}. */
public interface DeviceNode {
    /** Returns its name in that directory: {@code uverbs0}, {@code rdma_cm}. */
    String name();

    /** Returns the device's number. */
    DeviceNumber number();

    /**
     * Opens the device for a process.
     *
     * @throws org.softrdma.verbs.VerbsException the errno that the program's open fails with
     */
    DeviceFile open(ClientProcess process);
}
