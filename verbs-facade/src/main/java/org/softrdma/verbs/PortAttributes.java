// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * State and limits of a port ({@code struct ibv_port_attr}).
 *
 * @param maxMsgSize   bytes
 * @param activeWidth  1, 2 (4X), 4 (8X), 8 (12X), 16 (2X)
 * @param activeSpeed  1 SDR 2.5, 2 DDR 5, 4 QDR 10, 8 FDR10, 16 FDR 14, 32 EDR 25, 64 HDR 50, 128 NDR 100 Gb/s a lane
 * @param physState    2 polling, 3 disabled, 5 link up
 * @param linkLayer    1 InfiniBand, 2 Ethernet
 */
public record PortAttributes(
    PortState state, Mtu maxMtu, Mtu activeMtu, int gidTblLen, int portCapFlags, long maxMsgSize, int badPkeyCntr, int qkeyViolCntr,
    int pkeyTblLen, int lid, int smLid, int lmc, int maxVlNum, int smSl, int subnetTimeout, int initTypeReply, int activeWidth,
    int activeSpeed, int physState, int linkLayer) {
}
