// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

/**
 * One entry of a port's GID table.
 *
 * @param index place in the table
 * @param high first 8 bytes in network order
 * @param low last 8 bytes in network order
 * @param type {@link #IB_OR_ROCE_V1} or {@link #ROCE_V2}
 * @param netdev name of the network interface, or null if the GID belongs to none
 */
public record SysfsGid(int index, long high, long low, String type, String netdev) {
    /** Type of InfiniBand's, RoCE v1's and iWARP's GIDs. */
    public static final String IB_OR_ROCE_V1 = "IB/RoCE v1";
    /** Type of RoCE v2's GIDs. */
    public static final String ROCE_V2 = "RoCE v2";
}
