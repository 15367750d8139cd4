// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.List;
import java.util.Map;

/** The devices that programs see, and what sysfs says about them. Called by the supervisor's threads. */
public interface DeviceSource {
    /** Returns the devices below {@code /dev/infiniband}. The same device is the same object in every list. */
    List<DeviceNode> nodes();

    /** Returns the texts of the files in sysfs, by path below {@code /sys}; a path that ends with a slash is an empty directory. */
    Map<String, String> sysfs();
}
