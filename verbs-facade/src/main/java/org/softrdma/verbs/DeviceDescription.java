// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * Properties of a device that are visible without opening it, like those that Linux shows in {@code /sys/class/infiniband}.
 *
 * @param port the device's only port
 * @param gids the used entries of the port's table, by index
 */
public record DeviceDescription(DeviceAttributes device, PortAttributes port, List<GidEntry> gids) {
    public DeviceDescription {
        gids = List.copyOf(gids);
    }
}
