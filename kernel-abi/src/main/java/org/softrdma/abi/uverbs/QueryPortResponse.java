// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * State of a port, the answer to the method QUERY_PORT.
 *
 * <p>Source: {@code struct ib_uverbs_query_port_resp_ex}.
 */
public final class QueryPortResponse {
    /** Size in bytes. */
    public static final int BYTES = 48;
    /** u32. */
    public static final int PORT_CAP_FLAGS_OFFSET = 0;
    /** u32. */
    public static final int MAX_MSG_SZ_OFFSET = 4;
    /** u32. */
    public static final int BAD_PKEY_CNTR_OFFSET = 8;
    /** u32. */
    public static final int QKEY_VIOL_CNTR_OFFSET = 12;
    /** u32. */
    public static final int GID_TBL_LEN_OFFSET = 16;
    /** u16. */
    public static final int PKEY_TBL_LEN_OFFSET = 20;
    /** u16. */
    public static final int LID_OFFSET = 22;
    /** u16. */
    public static final int SM_LID_OFFSET = 24;
    /** u8. */
    public static final int STATE_OFFSET = 26;
    /** u8. */
    public static final int MAX_MTU_OFFSET = 27;
    /** u8. */
    public static final int ACTIVE_MTU_OFFSET = 28;
    /** u8. */
    public static final int LMC_OFFSET = 29;
    /** u8. */
    public static final int MAX_VL_NUM_OFFSET = 30;
    /** u8. */
    public static final int SM_SL_OFFSET = 31;
    /** u8. */
    public static final int SUBNET_TIMEOUT_OFFSET = 32;
    /** u8. */
    public static final int INIT_TYPE_REPLY_OFFSET = 33;
    /** u8. */
    public static final int ACTIVE_WIDTH_OFFSET = 34;
    /** u8. */
    public static final int ACTIVE_SPEED_OFFSET = 35;
    /** u8. */
    public static final int PHYS_STATE_OFFSET = 36;
    /** u8. */
    public static final int LINK_LAYER_OFFSET = 37;
    /** u8. */
    public static final int FLAGS_OFFSET = 38;
    /** u16. */
    public static final int PORT_CAP_FLAGS2_OFFSET = 40;

    private QueryPortResponse() {
    }

    /** Bits of {@code enum ib_uverbs_query_port_cap_flags}. */
    public static int portCapFlags(MemorySegment m, long at) {
        return m.get(U32, at + PORT_CAP_FLAGS_OFFSET);
    }

    public static void portCapFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + PORT_CAP_FLAGS_OFFSET, value);
    }

    /** Longest message in bytes, unsigned. */
    public static int maxMsgSz(MemorySegment m, long at) {
        return m.get(U32, at + MAX_MSG_SZ_OFFSET);
    }

    public static void maxMsgSz(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_MSG_SZ_OFFSET, value);
    }

    /** Packets with a partition key that is not in the table. */
    public static int badPkeyCntr(MemorySegment m, long at) {
        return m.get(U32, at + BAD_PKEY_CNTR_OFFSET);
    }

    public static void badPkeyCntr(MemorySegment m, long at, int value) {
        m.set(U32, at + BAD_PKEY_CNTR_OFFSET, value);
    }

    /** Packets with a wrong queue key. */
    public static int qkeyViolCntr(MemorySegment m, long at) {
        return m.get(U32, at + QKEY_VIOL_CNTR_OFFSET);
    }

    public static void qkeyViolCntr(MemorySegment m, long at, int value) {
        m.set(U32, at + QKEY_VIOL_CNTR_OFFSET, value);
    }

    /** Entries of the GID table, used and empty; programs query each of them. */
    public static int gidTblLen(MemorySegment m, long at) {
        return m.get(U32, at + GID_TBL_LEN_OFFSET);
    }

    public static void gidTblLen(MemorySegment m, long at, int value) {
        m.set(U32, at + GID_TBL_LEN_OFFSET, value);
    }

    /** Entries of the partition table. */
    public static int pkeyTblLen(MemorySegment m, long at) {
        return m.get(U16, at + PKEY_TBL_LEN_OFFSET) & 0xFFFF;
    }

    public static void pkeyTblLen(MemorySegment m, long at, int value) {
        m.set(U16, at + PKEY_TBL_LEN_OFFSET, (short) value);
    }

    /** Local identifier; 0 on Ethernet. */
    public static int lid(MemorySegment m, long at) {
        return m.get(U16, at + LID_OFFSET) & 0xFFFF;
    }

    public static void lid(MemorySegment m, long at, int value) {
        m.set(U16, at + LID_OFFSET, (short) value);
    }

    /** Local identifier of the subnet manager; 0 on Ethernet. */
    public static int smLid(MemorySegment m, long at) {
        return m.get(U16, at + SM_LID_OFFSET) & 0xFFFF;
    }

    public static void smLid(MemorySegment m, long at, int value) {
        m.set(U16, at + SM_LID_OFFSET, (short) value);
    }

    /** {@code enum ibv_port_state}: 1 down, 4 active. */
    public static int state(MemorySegment m, long at) {
        return m.get(U8, at + STATE_OFFSET) & 0xFF;
    }

    public static void state(MemorySegment m, long at, int value) {
        m.set(U8, at + STATE_OFFSET, (byte) value);
    }

    /** {@code enum ibv_mtu}: 1 is 256 bytes, 5 is 4096. */
    public static int maxMtu(MemorySegment m, long at) {
        return m.get(U8, at + MAX_MTU_OFFSET) & 0xFF;
    }

    public static void maxMtu(MemorySegment m, long at, int value) {
        m.set(U8, at + MAX_MTU_OFFSET, (byte) value);
    }

    /** As max_mtu: the largest that the network interface carries. */
    public static int activeMtu(MemorySegment m, long at) {
        return m.get(U8, at + ACTIVE_MTU_OFFSET) & 0xFF;
    }

    public static void activeMtu(MemorySegment m, long at, int value) {
        m.set(U8, at + ACTIVE_MTU_OFFSET, (byte) value);
    }

    /** Low bits of the LID that name a path; 0 on Ethernet. */
    public static int lmc(MemorySegment m, long at) {
        return m.get(U8, at + LMC_OFFSET) & 0xFF;
    }

    public static void lmc(MemorySegment m, long at, int value) {
        m.set(U8, at + LMC_OFFSET, (byte) value);
    }

    /** Virtual lanes, coded. */
    public static int maxVlNum(MemorySegment m, long at) {
        return m.get(U8, at + MAX_VL_NUM_OFFSET) & 0xFF;
    }

    public static void maxVlNum(MemorySegment m, long at, int value) {
        m.set(U8, at + MAX_VL_NUM_OFFSET, (byte) value);
    }

    /** Service level of the subnet manager. */
    public static int smSl(MemorySegment m, long at) {
        return m.get(U8, at + SM_SL_OFFSET) & 0xFF;
    }

    public static void smSl(MemorySegment m, long at, int value) {
        m.set(U8, at + SM_SL_OFFSET, (byte) value);
    }

    /** Propagation delay of the subnet, coded. */
    public static int subnetTimeout(MemorySegment m, long at) {
        return m.get(U8, at + SUBNET_TIMEOUT_OFFSET) & 0xFF;
    }

    public static void subnetTimeout(MemorySegment m, long at, int value) {
        m.set(U8, at + SUBNET_TIMEOUT_OFFSET, (byte) value);
    }

    /** Initialisation done by the subnet manager; 0. */
    public static int initTypeReply(MemorySegment m, long at) {
        return m.get(U8, at + INIT_TYPE_REPLY_OFFSET) & 0xFF;
    }

    public static void initTypeReply(MemorySegment m, long at, int value) {
        m.set(U8, at + INIT_TYPE_REPLY_OFFSET, (byte) value);
    }

    /** Lanes, coded: 1 is 1X, 2 is 4X. */
    public static int activeWidth(MemorySegment m, long at) {
        return m.get(U8, at + ACTIVE_WIDTH_OFFSET) & 0xFF;
    }

    public static void activeWidth(MemorySegment m, long at, int value) {
        m.set(U8, at + ACTIVE_WIDTH_OFFSET, (byte) value);
    }

    /** Speed of a lane, coded: 1 is 2.5 Gb/s. */
    public static int activeSpeed(MemorySegment m, long at) {
        return m.get(U8, at + ACTIVE_SPEED_OFFSET) & 0xFF;
    }

    public static void activeSpeed(MemorySegment m, long at, int value) {
        m.set(U8, at + ACTIVE_SPEED_OFFSET, (byte) value);
    }

    /** Physical state: 3 disabled, 5 link up. */
    public static int physState(MemorySegment m, long at) {
        return m.get(U8, at + PHYS_STATE_OFFSET) & 0xFF;
    }

    public static void physState(MemorySegment m, long at, int value) {
        m.set(U8, at + PHYS_STATE_OFFSET, (byte) value);
    }

    /** 1 InfiniBand, 2 Ethernet. */
    public static int linkLayer(MemorySegment m, long at) {
        return m.get(U8, at + LINK_LAYER_OFFSET) & 0xFF;
    }

    public static void linkLayer(MemorySegment m, long at, int value) {
        m.set(U8, at + LINK_LAYER_OFFSET, (byte) value);
    }

    /** Bit {@link UverbsValue#PORT_GRH_REQUIRED}. */
    public static int flags(MemorySegment m, long at) {
        return m.get(U8, at + FLAGS_OFFSET) & 0xFF;
    }

    public static void flags(MemorySegment m, long at, int value) {
        m.set(U8, at + FLAGS_OFFSET, (byte) value);
    }

    /** Further capability bits; 0 on Ethernet. */
    public static int portCapFlags2(MemorySegment m, long at) {
        return m.get(U16, at + PORT_CAP_FLAGS2_OFFSET) & 0xFFFF;
    }

    public static void portCapFlags2(MemorySegment m, long at, int value) {
        m.set(U16, at + PORT_CAP_FLAGS2_OFFSET, (short) value);
    }
}
