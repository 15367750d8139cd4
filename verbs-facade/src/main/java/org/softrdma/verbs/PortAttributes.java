// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * State and limits of a port ({@code struct ibv_port_attr}).
 *
 * @param state        whether packets can be sent and received
 * @param maxMtu       of the device
 * @param activeMtu    of the interface now
 * @param gidTblLen    entries of the GID table
 * @param portCapFlags {@code enum ibv_port_cap_flags}
 * @param maxMsgSize   bytes
 * @param badPkeyCntr  packets with a wrong P_Key
 * @param qkeyViolCntr datagrams with a wrong Q_Key
 * @param pkeyTblLen   entries of the P_Key table
 * @param lid          local identifier; 0 on Ethernet
 * @param smLid        local identifier of the subnet manager; 0 on Ethernet
 * @param lmc          low bits of the LID that paths may choose
 * @param maxVlNum     number of virtual lanes, coded
 * @param smSl         service level of the subnet manager
 * @param subnetTimeout exponent of 4.096 µs
 * @param initTypeReply reply of the subnet manager to the port's initialization
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
