// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A device as it can be seen from outside, like what Linux shows of one in {@code /sys/class/infiniband}.
 *
 * @param port its one port
 * @param gids the used entries of the port's table, by index
 */
public record DeviceDescription(DeviceAttributes device, PortAttributes port, List<GidEntry> gids) {
    public DeviceDescription {
        gids = List.copyOf(gids);
    }
}
