// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** DREQ: asks for the end of a connection. Source: IBA vol 1 §12.6.10. */
public final class CmDreq {
    /** The receiver's queue pair, u24. */
    public static final Field REMOTE_QPN = MadField.bytes(8, 3);

    private CmDreq() {
    }
}
