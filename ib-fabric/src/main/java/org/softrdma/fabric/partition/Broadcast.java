// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

import org.softrdma.wire.ib.IbRate;

/**
 * Properties of the broadcast group of IP over InfiniBand in a partition. Source: RFC 4391 §5, opensm(8).
 *
 * @param mtu          code of the MTU
 * @param rate         code of the rate
 * @param serviceLevel SL, 4 bits
 * @param scope        scope of the MGID, 4 bits
 * @param qkey         Q_Key
 * @param trafficClass TClass, u8
 * @param flowLabel    FlowLabel, 20 bits
 */
public record Broadcast(int mtu, int rate, int serviceLevel, int scope, int qkey, int trafficClass, int flowLabel) {
    /** As of opensm: 2048 bytes, 10 Gbit/s, link-local. */
    public static final Broadcast DEFAULT = new Broadcast(4, IbRate.GBPS_10, 0, 2, 0x0B1B, 0, 0);
}
