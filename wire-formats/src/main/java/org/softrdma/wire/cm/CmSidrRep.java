// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** SIDR_REP: says which queue pair a service of datagrams has, or why none. Source: IBA vol 1 §12.11.2. */
public final class CmSidrRep {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 136;
    /** Most bytes of additional information. */
    public static final int MAX_INFO_LENGTH = 72;

    /** {@link #STATUS}: queue pair and Q_Key are valid. */
    public static final int VALID = 0;
    /** {@link #STATUS}: nobody listens for the service id. */
    public static final int UNSUPPORTED_SERVICE_ID = 1;
    /** {@link #STATUS}: the application says no. */
    public static final int REJECTED = 2;
    /** {@link #STATUS}: no queue pair can be had. */
    public static final int NO_QP = 3;
    /** {@link #STATUS}: another port is to be asked. */
    public static final int REDIRECT = 4;
    /** {@link #STATUS}: ClassVersion. */
    public static final int UNSUPPORTED_VERSION = 5;

    /** As in the question, u32. */
    public static final Field REQUEST_ID = MadField.bytes(0, 4);
    /** u8. */
    public static final Field STATUS = MadField.bytes(4, 1);
    /** Bytes of additional information, u8; more than {@link #MAX_INFO_LENGTH} cannot be. */
    public static final Field INFO_LENGTH = MadField.bytes(5, 1);
    /** u24. */
    public static final Field QPN = MadField.bytes(8, 3);
    /** u64: {@link ServiceId}. */
    public static final Field SERVICE_ID = MadField.bytes(12, 8);
    /** u32. */
    public static final Field QKEY = MadField.bytes(20, 4);

    private CmSidrRep() {
    }
}
