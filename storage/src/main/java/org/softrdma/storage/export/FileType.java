// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

/** Types of files. Source: RFC 1813, section 2.5.5; their codes in a mode: POSIX, as Linux has them. */
public enum FileType {
    REGULAR(1, 0100000),
    DIRECTORY(2, 0040000),
    BLOCK_DEVICE(3, 0060000),
    CHARACTER_DEVICE(4, 0020000),
    SYMBOLIC_LINK(5, 0120000),
    SOCKET(6, 0140000),
    PIPE(7, 0010000);

    private static final int TYPE_BITS = 0170000;

    private final int code;
    private final int mode;

    FileType(int code, int mode) {
        this.code = code;
        this.mode = mode;
    }

    /** The protocol's number. */
    public int code() {
        return code;
    }

    static FileType ofMode(int mode) {
        for (FileType each : values()) {
            if (each.mode == (mode & TYPE_BITS)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no type of file: mode 0" + Integer.toOctalString(mode));
    }
}
