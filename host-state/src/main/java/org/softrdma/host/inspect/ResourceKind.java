// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.Locale;

/** Kinds of objects in {@code rdma resource}, in the order of its summary. */
public enum ResourceKind {
    PD, CQ, QP, CM_ID, MR, CTX, SRQ;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The command's word for the kind. */
    public String text() {
        return text;
    }

    /** Finds a kind by its word; null if there is none. */
    static ResourceKind of(String text) {
        for (ResourceKind each : values()) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        return null;
    }
}
