// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.nio.file.attribute.FileTime;

/**
 * Attributes to be set; null for those that remain as they are.
 *
 * @param size     bytes
 * @param accessed time of the last access
 * @param modified time of the last modification
 */
public record NewAttributes(Integer mode, Integer uid, Integer gid, Long size, FileTime accessed, FileTime modified) {
    public static final NewAttributes NONE = new NewAttributes(null, null, null, null, null, null);

    NewAttributes onlySize() {
        return new NewAttributes(null, null, null, size, null, null);
    }
}
