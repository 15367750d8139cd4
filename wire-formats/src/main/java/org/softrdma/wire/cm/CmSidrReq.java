// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** SIDR_REQ: asks which queue pair a service of datagrams has. Source: IBA vol 1 §12.11.1. */
public final class CmSidrReq {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 216;

    /** Number the asking side gave the question, u32; in the answer too. */
    public static final Field REQUEST_ID = MadField.bytes(0, 4);
    /** u16. */
    public static final Field PKEY = MadField.bytes(4, 2);
    /** u64: {@link ServiceId}. */
    public static final Field SERVICE_ID = MadField.bytes(8, 8);

    private CmSidrReq() {
    }
}
