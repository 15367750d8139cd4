// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** How far a FLUSH reaches ({@code enum ibv_placement_type}, {@code enum ibv_selectivity_level}). */
public final class FlushFlags {
    /** Placement: everything before it is visible to whoever looks at the responder's memory. */
    public static final int GLOBAL = 1;
    /** Placement: everything before it survives power loss. */
    public static final int PERSISTENT = 1 << 1;
    /** Selectivity: the bytes named. */
    public static final int RANGE = 0;
    /** Selectivity: all of the memory region, or window, that the key names. */
    public static final int REGION = 1;

    private FlushFlags() {
    }
}
