// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

/** Kinds of devices on a {@link Fabric}. */
public enum DeviceKind {
    /** RoCE v2: packets of InfiniBand's transport over UDP. */
    ROCE_V2,
    /** RoCE v1: the same over Ethernet without IP; on simulated fabrics only. */
    ROCE_V1,
    /** iWARP: RDMA over TCP. Its queue pairs are connected by address only. */
    IWARP
}
