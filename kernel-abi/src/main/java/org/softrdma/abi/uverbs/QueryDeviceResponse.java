// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.BE64;
import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Limits and identity of a device, the answer to QUERY_DEVICE.
 *
 * <p>Source: {@code struct ib_uverbs_query_device_resp}.
 */
public final class QueryDeviceResponse {
    /** Size in bytes. */
    public static final int BYTES = 176;
    /** u64. */
    public static final int FW_VER_OFFSET = 0;
    /** be64. */
    public static final int NODE_GUID_OFFSET = 8;
    /** be64. */
    public static final int SYS_IMAGE_GUID_OFFSET = 16;
    /** u64. */
    public static final int MAX_MR_SIZE_OFFSET = 24;
    /** u64. */
    public static final int PAGE_SIZE_CAP_OFFSET = 32;
    /** u32. */
    public static final int VENDOR_ID_OFFSET = 40;
    /** u32. */
    public static final int VENDOR_PART_ID_OFFSET = 44;
    /** u32. */
    public static final int HW_VER_OFFSET = 48;
    /** u32. */
    public static final int MAX_QP_OFFSET = 52;
    /** u32. */
    public static final int MAX_QP_WR_OFFSET = 56;
    /** u32. */
    public static final int DEVICE_CAP_FLAGS_OFFSET = 60;
    /** u32. */
    public static final int MAX_SGE_OFFSET = 64;
    /** u32. */
    public static final int MAX_SGE_RD_OFFSET = 68;
    /** u32. */
    public static final int MAX_CQ_OFFSET = 72;
    /** u32. */
    public static final int MAX_CQE_OFFSET = 76;
    /** u32. */
    public static final int MAX_MR_OFFSET = 80;
    /** u32. */
    public static final int MAX_PD_OFFSET = 84;
    /** u32. */
    public static final int MAX_QP_RD_ATOM_OFFSET = 88;
    /** u32. */
    public static final int MAX_EE_RD_ATOM_OFFSET = 92;
    /** u32. */
    public static final int MAX_RES_RD_ATOM_OFFSET = 96;
    /** u32. */
    public static final int MAX_QP_INIT_RD_ATOM_OFFSET = 100;
    /** u32. */
    public static final int MAX_EE_INIT_RD_ATOM_OFFSET = 104;
    /** u32. */
    public static final int ATOMIC_CAP_OFFSET = 108;
    /** u32. */
    public static final int MAX_EE_OFFSET = 112;
    /** u32. */
    public static final int MAX_RDD_OFFSET = 116;
    /** u32. */
    public static final int MAX_MW_OFFSET = 120;
    /** u32. */
    public static final int MAX_RAW_IPV6_QP_OFFSET = 124;
    /** u32. */
    public static final int MAX_RAW_ETHY_QP_OFFSET = 128;
    /** u32. */
    public static final int MAX_MCAST_GRP_OFFSET = 132;
    /** u32. */
    public static final int MAX_MCAST_QP_ATTACH_OFFSET = 136;
    /** u32. */
    public static final int MAX_TOTAL_MCAST_QP_ATTACH_OFFSET = 140;
    /** u32. */
    public static final int MAX_AH_OFFSET = 144;
    /** u32. */
    public static final int MAX_FMR_OFFSET = 148;
    /** u32. */
    public static final int MAX_MAP_PER_FMR_OFFSET = 152;
    /** u32. */
    public static final int MAX_SRQ_OFFSET = 156;
    /** u32. */
    public static final int MAX_SRQ_WR_OFFSET = 160;
    /** u32. */
    public static final int MAX_SRQ_SGE_OFFSET = 164;
    /** u16. */
    public static final int MAX_PKEYS_OFFSET = 168;
    /** u8. */
    public static final int LOCAL_CA_ACK_DELAY_OFFSET = 170;
    /** u8. */
    public static final int PHYS_PORT_CNT_OFFSET = 171;

    private QueryDeviceResponse() {
    }

    /** Firmware version; 0 for rxe and siw. */
    public static long fwVer(MemorySegment m, long at) {
        return m.get(U64, at + FW_VER_OFFSET);
    }

    public static void fwVer(MemorySegment m, long at, long value) {
        m.set(U64, at + FW_VER_OFFSET, value);
    }

    /** GUID of the node; bytes in network order. */
    public static long nodeGuid(MemorySegment m, long at) {
        return m.get(BE64, at + NODE_GUID_OFFSET);
    }

    public static void nodeGuid(MemorySegment m, long at, long value) {
        m.set(BE64, at + NODE_GUID_OFFSET, value);
    }

    /** GUID of the system; bytes in network order. */
    public static long sysImageGuid(MemorySegment m, long at) {
        return m.get(BE64, at + SYS_IMAGE_GUID_OFFSET);
    }

    public static void sysImageGuid(MemorySegment m, long at, long value) {
        m.set(BE64, at + SYS_IMAGE_GUID_OFFSET, value);
    }

    /** Largest memory region in bytes, unsigned. */
    public static long maxMrSize(MemorySegment m, long at) {
        return m.get(U64, at + MAX_MR_SIZE_OFFSET);
    }

    public static void maxMrSize(MemorySegment m, long at, long value) {
        m.set(U64, at + MAX_MR_SIZE_OFFSET, value);
    }

    /** Bit set of page sizes. */
    public static long pageSizeCap(MemorySegment m, long at) {
        return m.get(U64, at + PAGE_SIZE_CAP_OFFSET);
    }

    public static void pageSizeCap(MemorySegment m, long at, long value) {
        m.set(U64, at + PAGE_SIZE_CAP_OFFSET, value);
    }

    /** IEEE number of the vendor, 24 bits; 0xffffff for rxe. */
    public static int vendorId(MemorySegment m, long at) {
        return m.get(U32, at + VENDOR_ID_OFFSET);
    }

    public static void vendorId(MemorySegment m, long at, int value) {
        m.set(U32, at + VENDOR_ID_OFFSET, value);
    }

    /** Vendor's part number. */
    public static int vendorPartId(MemorySegment m, long at) {
        return m.get(U32, at + VENDOR_PART_ID_OFFSET);
    }

    public static void vendorPartId(MemorySegment m, long at, int value) {
        m.set(U32, at + VENDOR_PART_ID_OFFSET, value);
    }

    /** Hardware version. */
    public static int hwVer(MemorySegment m, long at) {
        return m.get(U32, at + HW_VER_OFFSET);
    }

    public static void hwVer(MemorySegment m, long at, int value) {
        m.set(U32, at + HW_VER_OFFSET, value);
    }

    /** Queue pairs. */
    public static int maxQp(MemorySegment m, long at) {
        return m.get(U32, at + MAX_QP_OFFSET);
    }

    public static void maxQp(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_QP_OFFSET, value);
    }

    /** Work requests of one queue. */
    public static int maxQpWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_QP_WR_OFFSET);
    }

    public static void maxQpWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_QP_WR_OFFSET, value);
    }

    /** Bits of {@code enum ibv_device_cap_flags}. */
    public static int deviceCapFlags(MemorySegment m, long at) {
        return m.get(U32, at + DEVICE_CAP_FLAGS_OFFSET);
    }

    public static void deviceCapFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + DEVICE_CAP_FLAGS_OFFSET, value);
    }

    /** Scatter-gather elements of one work request. */
    public static int maxSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SGE_OFFSET);
    }

    public static void maxSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SGE_OFFSET, value);
    }

    /** Scatter-gather elements of one RDMA READ. */
    public static int maxSgeRd(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SGE_RD_OFFSET);
    }

    public static void maxSgeRd(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SGE_RD_OFFSET, value);
    }

    /** Completion queues. */
    public static int maxCq(MemorySegment m, long at) {
        return m.get(U32, at + MAX_CQ_OFFSET);
    }

    public static void maxCq(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_CQ_OFFSET, value);
    }

    /** Entries of one completion queue. */
    public static int maxCqe(MemorySegment m, long at) {
        return m.get(U32, at + MAX_CQE_OFFSET);
    }

    public static void maxCqe(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_CQE_OFFSET, value);
    }

    /** Memory regions. */
    public static int maxMr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_MR_OFFSET);
    }

    public static void maxMr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_MR_OFFSET, value);
    }

    /** Protection domains. */
    public static int maxPd(MemorySegment m, long at) {
        return m.get(U32, at + MAX_PD_OFFSET);
    }

    public static void maxPd(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_PD_OFFSET, value);
    }

    /** READs and atomics outstanding as responder of one queue pair. */
    public static int maxQpRdAtom(MemorySegment m, long at) {
        return m.get(U32, at + MAX_QP_RD_ATOM_OFFSET);
    }

    public static void maxQpRdAtom(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_QP_RD_ATOM_OFFSET, value);
    }

    /** The same for an end-to-end context; 0. */
    public static int maxEeRdAtom(MemorySegment m, long at) {
        return m.get(U32, at + MAX_EE_RD_ATOM_OFFSET);
    }

    public static void maxEeRdAtom(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_EE_RD_ATOM_OFFSET, value);
    }

    /** READs and atomics outstanding as responder, of all queue pairs. */
    public static int maxResRdAtom(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RES_RD_ATOM_OFFSET);
    }

    public static void maxResRdAtom(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RES_RD_ATOM_OFFSET, value);
    }

    /** READs and atomics outstanding as initiator of one queue pair. */
    public static int maxQpInitRdAtom(MemorySegment m, long at) {
        return m.get(U32, at + MAX_QP_INIT_RD_ATOM_OFFSET);
    }

    public static void maxQpInitRdAtom(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_QP_INIT_RD_ATOM_OFFSET, value);
    }

    /** The same for an end-to-end context; 0. */
    public static int maxEeInitRdAtom(MemorySegment m, long at) {
        return m.get(U32, at + MAX_EE_INIT_RD_ATOM_OFFSET);
    }

    public static void maxEeInitRdAtom(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_EE_INIT_RD_ATOM_OFFSET, value);
    }

    /** {@code enum ibv_atomic_cap}: 0 none, 1 among the device's own operations, 2 with the processor's too. */
    public static int atomicCap(MemorySegment m, long at) {
        return m.get(U32, at + ATOMIC_CAP_OFFSET);
    }

    public static void atomicCap(MemorySegment m, long at, int value) {
        m.set(U32, at + ATOMIC_CAP_OFFSET, value);
    }

    /** End-to-end contexts; 0. */
    public static int maxEe(MemorySegment m, long at) {
        return m.get(U32, at + MAX_EE_OFFSET);
    }

    public static void maxEe(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_EE_OFFSET, value);
    }

    /** Reliable datagram domains; 0. */
    public static int maxRdd(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RDD_OFFSET);
    }

    public static void maxRdd(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RDD_OFFSET, value);
    }

    /** Memory windows. */
    public static int maxMw(MemorySegment m, long at) {
        return m.get(U32, at + MAX_MW_OFFSET);
    }

    public static void maxMw(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_MW_OFFSET, value);
    }

    /** Raw IPv6 queue pairs; 0. */
    public static int maxRawIpv6Qp(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RAW_IPV6_QP_OFFSET);
    }

    public static void maxRawIpv6Qp(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RAW_IPV6_QP_OFFSET, value);
    }

    /** Raw Ethertype queue pairs; 0. */
    public static int maxRawEthyQp(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RAW_ETHY_QP_OFFSET);
    }

    public static void maxRawEthyQp(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RAW_ETHY_QP_OFFSET, value);
    }

    /** Multicast groups. */
    public static int maxMcastGrp(MemorySegment m, long at) {
        return m.get(U32, at + MAX_MCAST_GRP_OFFSET);
    }

    public static void maxMcastGrp(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_MCAST_GRP_OFFSET, value);
    }

    /** Queue pairs in one multicast group. */
    public static int maxMcastQpAttach(MemorySegment m, long at) {
        return m.get(U32, at + MAX_MCAST_QP_ATTACH_OFFSET);
    }

    public static void maxMcastQpAttach(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_MCAST_QP_ATTACH_OFFSET, value);
    }

    /** Queue pairs in all multicast groups. */
    public static int maxTotalMcastQpAttach(MemorySegment m, long at) {
        return m.get(U32, at + MAX_TOTAL_MCAST_QP_ATTACH_OFFSET);
    }

    public static void maxTotalMcastQpAttach(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_TOTAL_MCAST_QP_ATTACH_OFFSET, value);
    }

    /** Address handles. */
    public static int maxAh(MemorySegment m, long at) {
        return m.get(U32, at + MAX_AH_OFFSET);
    }

    public static void maxAh(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_AH_OFFSET, value);
    }

    /** Fast memory regions; 0. */
    public static int maxFmr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_FMR_OFFSET);
    }

    public static void maxFmr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_FMR_OFFSET, value);
    }

    /** Mappings of a fast memory region; 0. */
    public static int maxMapPerFmr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_MAP_PER_FMR_OFFSET);
    }

    public static void maxMapPerFmr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_MAP_PER_FMR_OFFSET, value);
    }

    /** Shared receive queues. */
    public static int maxSrq(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SRQ_OFFSET);
    }

    public static void maxSrq(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SRQ_OFFSET, value);
    }

    /** Receives in one shared receive queue. */
    public static int maxSrqWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SRQ_WR_OFFSET);
    }

    public static void maxSrqWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SRQ_WR_OFFSET, value);
    }

    /** Scatter-gather elements of a receive in a shared receive queue. */
    public static int maxSrqSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SRQ_SGE_OFFSET);
    }

    public static void maxSrqSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SRQ_SGE_OFFSET, value);
    }

    /** Partitions. */
    public static int maxPkeys(MemorySegment m, long at) {
        return m.get(U16, at + MAX_PKEYS_OFFSET) & 0xFFFF;
    }

    public static void maxPkeys(MemorySegment m, long at, int value) {
        m.set(U16, at + MAX_PKEYS_OFFSET, (short) value);
    }

    /** Time to answer, as 4.096 µs times a power of two. */
    public static int localCaAckDelay(MemorySegment m, long at) {
        return m.get(U8, at + LOCAL_CA_ACK_DELAY_OFFSET) & 0xFF;
    }

    public static void localCaAckDelay(MemorySegment m, long at, int value) {
        m.set(U8, at + LOCAL_CA_ACK_DELAY_OFFSET, (byte) value);
    }

    /** Ports. */
    public static int physPortCnt(MemorySegment m, long at) {
        return m.get(U8, at + PHYS_PORT_CNT_OFFSET) & 0xFF;
    }

    public static void physPortCnt(MemorySegment m, long at, int value) {
        m.set(U8, at + PHYS_PORT_CNT_OFFSET, (byte) value);
    }
}
