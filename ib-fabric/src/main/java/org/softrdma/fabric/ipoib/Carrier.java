// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;

/** Sends to interfaces whose address and path are known. */
interface Carrier {
    /**
     * Sends a message.
     *
     * @param path    PathRecord, from offset 0
     * @param payload header of IP over InfiniBand and what follows it, from offset 0 to its capacity
     */
    void carry(LinkAddress to, ByteBuffer path, ByteBuffer payload, long nowNs);
}
