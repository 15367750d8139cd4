// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * Properties of a device that are visible without opening it, like those that Linux shows in {@code /sys/class/infiniband}.
 *
 * @param device identity and limits
 * @param port the device's only port
 * @param gids the used entries of the port's table, by index
 */
public record DeviceDescription(DeviceAttributes device, PortAttributes port, List<GidEntry> gids) {
    /** Copies the list. */
    public DeviceDescription {
        gids = List.copyOf(gids);
    }
}
