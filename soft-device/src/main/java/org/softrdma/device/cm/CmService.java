// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import org.softrdma.verbs.cm.PortSpace;

/**
 * What a listener listens for.
 *
 * @param port 1..65535
 */
public record CmService(PortSpace space, int port) {
    /** The number on InfiniBand's wire. Source: IBA annex A11.4.2: space in bits 31..16, port in 15..0 */
    public long serviceId() {
        return (long) space.value() << 16 | port;
    }

    /** The service with that number, or null if it is none of an IP port. */
    public static CmService of(long serviceId) {
        PortSpace space = serviceId >>> 32 != 0 ? null : PortSpace.of((int) (serviceId >>> 16));
        return space == null ? null : new CmService(space, (int) serviceId & 0xffff);
    }
}
