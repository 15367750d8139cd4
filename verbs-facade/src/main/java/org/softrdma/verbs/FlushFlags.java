// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Placement and selectivity of a FLUSH ({@code enum ibv_placement_type}, {@code enum ibv_selectivity_level}). */
public final class FlushFlags {
    /** Placement: all earlier data is visible to every reader of the responder's memory. */
    public static final int GLOBAL = 1;
    /** Placement: all earlier data survives power loss. */
    public static final int PERSISTENT = 1 << 1;
    /** Selectivity: the bytes of the request's address and length. */
    public static final int RANGE = 0;
    /** Selectivity: all of the memory region, or window, that the key names. */
    public static final int REGION = 1;

    private FlushFlags() {
    }
}
