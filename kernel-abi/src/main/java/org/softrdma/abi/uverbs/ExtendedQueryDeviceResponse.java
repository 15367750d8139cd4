// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Answer to the extended QUERY_DEVICE.
 *
 * <p>Source: {@code struct ib_uverbs_ex_query_device_resp}.
 */
public final class ExtendedQueryDeviceResponse {
    /** Size in bytes. */
    public static final int BYTES = 304;
    /** {@link QueryDeviceResponse}: the answer to the plain command. */
    public static final int BASE_OFFSET = 0;
    /** u32. */
    public static final int COMP_MASK_OFFSET = 176;
    /** u32. */
    public static final int RESPONSE_LENGTH_OFFSET = 180;
    /** u64. */
    public static final int ODP_GENERAL_CAPS_OFFSET = 184;
    /** u32. */
    public static final int RC_ODP_CAPS_OFFSET = 192;
    /** u32. */
    public static final int UC_ODP_CAPS_OFFSET = 196;
    /** u32. */
    public static final int UD_ODP_CAPS_OFFSET = 200;
    /** u64. */
    public static final int TIMESTAMP_MASK_OFFSET = 208;
    /** u64. */
    public static final int HCA_CORE_CLOCK_OFFSET = 216;
    /** u64. */
    public static final int DEVICE_CAP_FLAGS_EX_OFFSET = 224;
    /** u32. */
    public static final int RSS_SUPPORTED_QPTS_OFFSET = 232;
    /** u32. */
    public static final int MAX_RWQ_INDIRECTION_TABLES_OFFSET = 236;
    /** u32. */
    public static final int MAX_RWQ_INDIRECTION_TABLE_SIZE_OFFSET = 240;
    /** u32. */
    public static final int MAX_WQ_TYPE_RQ_OFFSET = 248;
    /** u32. */
    public static final int RAW_PACKET_CAPS_OFFSET = 252;
    /** u32. */
    public static final int MAX_RNDV_HDR_SIZE_OFFSET = 256;
    /** u32. */
    public static final int MAX_NUM_TAGS_OFFSET = 260;
    /** u32. */
    public static final int TM_FLAGS_OFFSET = 264;
    /** u32. */
    public static final int MAX_OPS_OFFSET = 268;
    /** u32. */
    public static final int TM_MAX_SGE_OFFSET = 272;
    /** u16. */
    public static final int MAX_CQ_MODERATION_COUNT_OFFSET = 280;
    /** u16. */
    public static final int MAX_CQ_MODERATION_PERIOD_OFFSET = 282;
    /** u64. */
    public static final int MAX_DM_SIZE_OFFSET = 288;
    /** u32. */
    public static final int XRC_ODP_CAPS_OFFSET = 296;

    private ExtendedQueryDeviceResponse() {
    }

    /** Zero. */
    public static int compMask(MemorySegment m, long at) {
        return m.get(U32, at + COMP_MASK_OFFSET);
    }

    public static void compMask(MemorySegment m, long at, int value) {
        m.set(U32, at + COMP_MASK_OFFSET, value);
    }

    /** Bytes of the answer that the kernel has filled. */
    public static int responseLength(MemorySegment m, long at) {
        return m.get(U32, at + RESPONSE_LENGTH_OFFSET);
    }

    public static void responseLength(MemorySegment m, long at, int value) {
        m.set(U32, at + RESPONSE_LENGTH_OFFSET, value);
    }

    /** On-demand paging: 1 explicit, 2 implicit. */
    public static long odpGeneralCaps(MemorySegment m, long at) {
        return m.get(U64, at + ODP_GENERAL_CAPS_OFFSET);
    }

    public static void odpGeneralCaps(MemorySegment m, long at, long value) {
        m.set(U64, at + ODP_GENERAL_CAPS_OFFSET, value);
    }

    /** Operations of RC that may touch on-demand memory: 1 send, 2 receive, 4 write, 8 read, 16 atomic, 32 SRQ receive. */
    public static int rcOdpCaps(MemorySegment m, long at) {
        return m.get(U32, at + RC_ODP_CAPS_OFFSET);
    }

    public static void rcOdpCaps(MemorySegment m, long at, int value) {
        m.set(U32, at + RC_ODP_CAPS_OFFSET, value);
    }

    /** The same bits for UC. */
    public static int ucOdpCaps(MemorySegment m, long at) {
        return m.get(U32, at + UC_ODP_CAPS_OFFSET);
    }

    public static void ucOdpCaps(MemorySegment m, long at, int value) {
        m.set(U32, at + UC_ODP_CAPS_OFFSET, value);
    }

    /** The same bits for UD. */
    public static int udOdpCaps(MemorySegment m, long at) {
        return m.get(U32, at + UD_ODP_CAPS_OFFSET);
    }

    public static void udOdpCaps(MemorySegment m, long at, int value) {
        m.set(U32, at + UD_ODP_CAPS_OFFSET, value);
    }

    /** Valid bits of completion timestamps; 0 without. */
    public static long timestampMask(MemorySegment m, long at) {
        return m.get(U64, at + TIMESTAMP_MASK_OFFSET);
    }

    public static void timestampMask(MemorySegment m, long at, long value) {
        m.set(U64, at + TIMESTAMP_MASK_OFFSET, value);
    }

    /** Clock of completion timestamps in kHz; 0 without. */
    public static long hcaCoreClock(MemorySegment m, long at) {
        return m.get(U64, at + HCA_CORE_CLOCK_OFFSET);
    }

    public static void hcaCoreClock(MemorySegment m, long at, long value) {
        m.set(U64, at + HCA_CORE_CLOCK_OFFSET, value);
    }

    /** Capability bits, 64 of them; the low 31 as in the plain answer. */
    public static long deviceCapFlagsEx(MemorySegment m, long at) {
        return m.get(U64, at + DEVICE_CAP_FLAGS_EX_OFFSET);
    }

    public static void deviceCapFlagsEx(MemorySegment m, long at, long value) {
        m.set(U64, at + DEVICE_CAP_FLAGS_EX_OFFSET, value);
    }

    /** Types of queue pairs with receive side scaling; 0. */
    public static int rssSupportedQpts(MemorySegment m, long at) {
        return m.get(U32, at + RSS_SUPPORTED_QPTS_OFFSET);
    }

    public static void rssSupportedQpts(MemorySegment m, long at, int value) {
        m.set(U32, at + RSS_SUPPORTED_QPTS_OFFSET, value);
    }

    /** Indirection tables; 0. */
    public static int maxRwqIndirectionTables(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RWQ_INDIRECTION_TABLES_OFFSET);
    }

    public static void maxRwqIndirectionTables(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RWQ_INDIRECTION_TABLES_OFFSET, value);
    }

    /** Entries of an indirection table; 0. */
    public static int maxRwqIndirectionTableSize(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RWQ_INDIRECTION_TABLE_SIZE_OFFSET);
    }

    public static void maxRwqIndirectionTableSize(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RWQ_INDIRECTION_TABLE_SIZE_OFFSET, value);
    }

    /** Work queues of their own; 0. */
    public static int maxWqTypeRq(MemorySegment m, long at) {
        return m.get(U32, at + MAX_WQ_TYPE_RQ_OFFSET);
    }

    public static void maxWqTypeRq(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_WQ_TYPE_RQ_OFFSET, value);
    }

    /** Capabilities of raw packet queue pairs; 0. */
    public static int rawPacketCaps(MemorySegment m, long at) {
        return m.get(U32, at + RAW_PACKET_CAPS_OFFSET);
    }

    public static void rawPacketCaps(MemorySegment m, long at, int value) {
        m.set(U32, at + RAW_PACKET_CAPS_OFFSET, value);
    }

    /** Tag matching: bytes of a rendezvous header; 0. */
    public static int maxRndvHdrSize(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RNDV_HDR_SIZE_OFFSET);
    }

    public static void maxRndvHdrSize(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RNDV_HDR_SIZE_OFFSET, value);
    }

    /** Tag matching: entries; 0. */
    public static int maxNumTags(MemorySegment m, long at) {
        return m.get(U32, at + MAX_NUM_TAGS_OFFSET);
    }

    public static void maxNumTags(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_NUM_TAGS_OFFSET, value);
    }

    /** Tag matching: flags; 0. */
    public static int tmFlags(MemorySegment m, long at) {
        return m.get(U32, at + TM_FLAGS_OFFSET);
    }

    public static void tmFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + TM_FLAGS_OFFSET, value);
    }

    /** Tag matching: operations outstanding; 0. */
    public static int maxOps(MemorySegment m, long at) {
        return m.get(U32, at + MAX_OPS_OFFSET);
    }

    public static void maxOps(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_OPS_OFFSET, value);
    }

    /** Tag matching: scatter-gather elements; 0. */
    public static int tmMaxSge(MemorySegment m, long at) {
        return m.get(U32, at + TM_MAX_SGE_OFFSET);
    }

    public static void tmMaxSge(MemorySegment m, long at, int value) {
        m.set(U32, at + TM_MAX_SGE_OFFSET, value);
    }

    /** Completions of one event with moderation; 0 without. */
    public static int maxCqModerationCount(MemorySegment m, long at) {
        return m.get(U16, at + MAX_CQ_MODERATION_COUNT_OFFSET) & 0xFFFF;
    }

    public static void maxCqModerationCount(MemorySegment m, long at, int value) {
        m.set(U16, at + MAX_CQ_MODERATION_COUNT_OFFSET, (short) value);
    }

    /** Microseconds of one event with moderation; 0 without. */
    public static int maxCqModerationPeriod(MemorySegment m, long at) {
        return m.get(U16, at + MAX_CQ_MODERATION_PERIOD_OFFSET) & 0xFFFF;
    }

    public static void maxCqModerationPeriod(MemorySegment m, long at, int value) {
        m.set(U16, at + MAX_CQ_MODERATION_PERIOD_OFFSET, (short) value);
    }

    /** Device memory in bytes; 0. */
    public static long maxDmSize(MemorySegment m, long at) {
        return m.get(U64, at + MAX_DM_SIZE_OFFSET);
    }

    public static void maxDmSize(MemorySegment m, long at, long value) {
        m.set(U64, at + MAX_DM_SIZE_OFFSET, value);
    }

    /** The on-demand bits for XRC. */
    public static int xrcOdpCaps(MemorySegment m, long at) {
        return m.get(U32, at + XRC_ODP_CAPS_OFFSET);
    }

    public static void xrcOdpCaps(MemorySegment m, long at, int value) {
        m.set(U32, at + XRC_ODP_CAPS_OFFSET, value);
    }
}
