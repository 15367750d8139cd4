// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.inspect;

import java.util.Locale;

/** The kinds of objects that {@code rdma resource} knows, in the order in which it counts them. */
public enum ResourceKind {
    PD, CQ, QP, CM_ID, MR, CTX, SRQ;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The command's word for it. */
    public String text() {
        return text;
    }

    /** The kind with that word, or null. */
    static ResourceKind of(String text) {
        for (ResourceKind each : values()) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        return null;
    }
}
