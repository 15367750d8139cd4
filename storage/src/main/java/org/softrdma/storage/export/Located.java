// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.nio.file.Path;

/** A file, where it is at present, and its attributes there. */
public record Located(Path path, FileAttributes attributes) {
    public FileHandle handle() {
        return attributes.handle();
    }
}
