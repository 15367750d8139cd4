// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** REJ: a message is refused, or a connection is given up while it is made. Source: IBA vol 1 §12.6.7. */
public final class CmRej {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 148;
    /** Most bytes of additional information. */
    public static final int MAX_INFO_LENGTH = 72;
    /** Offset of the additional information in the MAD. */
    public static final int INFO_OFFSET = Mad.HEADER_LENGTH + 12;

    /** Message that is rejected, 2 bits: {@link CmMessage#ANSWERS_REQ} and its neighbours. */
    public static final Field MESSAGE = MadField.bits(8, 0xC0);
    /** Bytes of additional information, 7 bits; more than {@link #MAX_INFO_LENGTH} cannot be. */
    public static final Field INFO_LENGTH = MadField.bits(9, 0xFE);
    /** Why, u16: {@link CmRejectReason}. */
    public static final Field REASON = MadField.bytes(10, 2);
    /** The first 8 bytes of additional information, where those are a GUID. */
    public static final Field INFO_GUID = MadField.bytes(12, 8);
    /** The second 8 bytes of additional information; with the first they are a GID. */
    public static final Field INFO_GID_LOW = MadField.bytes(20, 8);

    private CmRej() {
    }
}
