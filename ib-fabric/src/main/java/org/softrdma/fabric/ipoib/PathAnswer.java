// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;

/**
 * Result of a query for a path.
 *
 * @param path   PathRecord at offset 0; null if there is none
 * @param status MAD status with which subnet administration refused the query; 0 if it did not answer
 */
public record PathAnswer(ByteBuffer path, int status) {
    /** No answer. */
    public static final PathAnswer NONE = new PathAnswer(null, 0);
}
