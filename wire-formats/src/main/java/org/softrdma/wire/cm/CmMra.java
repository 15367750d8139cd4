// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** MRA: a message was received, its answer will take longer than promised. Source: IBA vol 1 §12.6.6. */
public final class CmMra {
    /** Message that was received, 2 bits: {@link CmMessage#ANSWERS_REQ} and its neighbours. */
    public static final Field MESSAGE = MadField.bits(8, 0xC0);
    /** How much longer: 4.096 µs · 2^value, 5 bits. */
    public static final Field SERVICE_TIMEOUT = MadField.bits(9, 0xF8);

    private CmMra() {
    }
}
