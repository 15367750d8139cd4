// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.DeviceAttributes;

/** Limits and capabilities of a device; 0 for what iWARP does not have. */
final class SiwLimits {
    static final int MAX_QP = 102_400;
    static final int MAX_QP_WR = 1 << 15;
    static final int MAX_SGE = 32;
    static final int MAX_INLINE = 512;
    static final int MAX_CQE = 1 << 20;
    static final int MAX_CQ = 102_400;
    static final int MAX_MR = (1 << 19) - 1;
    static final int MAX_MW = (1 << 19) - 1;
    /**
     * Maximum private data of the application in a start-up frame. The wire has room for 508 bytes behind the enhanced header; Linux
     * accepts 256 including the header, and its siw crashes on a reply with more.
     */
    static final int MAX_PRIVATE_DATA = 252;
    static final int MAX_SRQ = 102_400;
    static final int MAX_SRQ_WR = 1 << 15;
    /** Lengths and offsets are u32 on the wire. */
    static final long MAX_MSG_SIZE = 0xFFFF_FFFFL;
    /** SRQ_RESIZE, MEM_WINDOW, MEM_WINDOW_TYPE_2B. */
    private static final int DEVICE_CAP_FLAGS = 1 << 13 | 1 << 17 | 1 << 24;
    /** Vendor of kernel siw. */
    private static final int VENDOR_ID = 0x626d74;
    private static final int VENDOR_PART_ID = 1;

    private SiwLimits() {
    }

    static DeviceAttributes attributes(long guid, MpaOptions mpa) {
        return new DeviceAttributes("0.0.0", guid, guid, -1L, 0xfffff000L, VENDOR_ID, VENDOR_PART_ID, 0,
            MAX_QP, MAX_QP_WR, DEVICE_CAP_FLAGS, MAX_SGE, MAX_SGE, MAX_INLINE, MAX_CQ, MAX_CQE, MAX_MR, 1 << 20,
            mpa.ird(), MAX_QP * mpa.ird(), mpa.ord(), 1, MAX_MW, 0, 0, 0, 0, MAX_SRQ, MAX_SRQ_WR, MAX_SGE, 1, 0, 1,
            Runtime.getRuntime().availableProcessors());
    }
}
