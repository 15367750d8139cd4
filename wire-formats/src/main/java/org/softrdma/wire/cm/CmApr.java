// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** APR: the answer to a LAP. Source: IBA vol 1 §12.8.2. */
public final class CmApr {
    /** {@link #STATUS}: the path is loaded. */
    public static final int ACCEPTED = 0;
    /** {@link #STATUS}: the communication id is unknown. */
    public static final int INVALID_COMM_ID = 1;
    /** {@link #STATUS}: alternate paths are not supported. */
    public static final int UNSUPPORTED = 2;
    /** {@link #STATUS}: the path is refused. */
    public static final int REJECTED = 3;
    /** {@link #STATUS}: the queue pair is not that of the communication id. */
    public static final int INVALID_QPN = 6;
    /** Most bytes of additional information. */
    public static final int MAX_INFO_LENGTH = 72;

    /** Bytes of additional information, u8; more than {@link #MAX_INFO_LENGTH} cannot be. */
    public static final Field INFO_LENGTH = MadField.bytes(8, 1);
    /** u8. */
    public static final Field STATUS = MadField.bytes(9, 1);

    private CmApr() {
    }
}
