// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;

/**
 * A UD message to send.
 *
 * @param lid     destination LID, unicast or multicast, u16
 * @param group   MGID of a multicast packet, which has a GRH; null for a unicast packet, which has none
 * @param qpn     destination queue pair, 24 bits
 * @param qkey    Q_Key, u32
 * @param sl      service level, 4 bits
 * @param payload header of IP over InfiniBand and what follows it, from offset 0 to its capacity
 */
public record Datagram(int lid, Gid group, int qpn, int qkey, int sl, ByteBuffer payload) {
}
