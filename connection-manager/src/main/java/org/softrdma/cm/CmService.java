// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.cm.PortSpace;

/**
 * A service that can be listened for.
 *
 * @param port 1..65535
 */
public record CmService(PortSpace space, int port) {
    /** Returns the service ID of InfiniBand: space in bits 31..16, port in 15..0. Source: IBA annex A11.4.2 */
    public long serviceId() {
        return (long) space.value() << 16 | port;
    }

    /** Returns the service with that service ID, or null if the ID is not that of an IP port. */
    public static CmService of(long serviceId) {
        PortSpace space = serviceId >>> 32 != 0 ? null : PortSpace.of((int) (serviceId >>> 16));
        return space == null ? null : new CmService(space, (int) serviceId & 0xffff);
    }
}
