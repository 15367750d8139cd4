// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.util.Locale;

/**
 * Outcomes of commands. All errors have the bit "do not retry" but those of the medium.
 *
 * <p>Source: NVMe 1.3 §4.6.1; NVMe over Fabrics 1.1 §2.2.1.
 */
public enum NvmeStatus {
    SUCCESS(0x000),
    INVALID_OPCODE(0x001),
    INVALID_FIELD(0x002),
    INTERNAL_ERROR(0x006),
    INVALID_NAMESPACE(0x00b),
    COMMAND_SEQUENCE_ERROR(0x00c),
    DATA_LENGTH_INVALID(0x00f),
    DESCRIPTOR_TYPE_INVALID(0x011),
    OFFSET_INVALID(0x016),
    NAMESPACE_WRITE_PROTECTED(0x020),
    LBA_OUT_OF_RANGE(0x080),
    EVENT_REQUEST_LIMIT_EXCEEDED(0x105),
    INVALID_LOG_PAGE(0x109),
    CONNECT_INCOMPATIBLE_FORMAT(0x180),
    CONTROLLER_BUSY(0x181),
    CONNECT_INVALID_PARAMETERS(0x182),
    WRITE_FAULT(0x280),
    UNRECOVERED_READ_ERROR(0x281);

    private static final int DO_NOT_RETRY = 1 << 15;
    private static final int FIRST_MEDIA_ERROR = 0x280;

    private final int code;

    NvmeStatus(int code) {
        this.code = code;
    }

    /** Type and code, as Linux prints them: type in bits 8..10. */
    public int code() {
        return code;
    }

    /** The status field of a {@link Response}, u16. */
    int field() {
        boolean mayPass = code == 0 || code >= FIRST_MEDIA_ERROR || this == CONTROLLER_BUSY;
        return code << 1 | (mayPass ? 0 : DO_NOT_RETRY);
    }

    /** The name of its counter. */
    public String counter() {
        return name().toLowerCase(Locale.ROOT);
    }
}
