// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

/** How far a page has read a {@link World}. */
public final class Cursor {
    int arrows;
    int changes;
    int log;
    int completions;
}
