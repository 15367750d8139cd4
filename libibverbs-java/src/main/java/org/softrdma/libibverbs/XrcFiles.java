// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeFunction.INT;
import static org.softrdma.libibverbs.NativeFunction.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.HashMap;
import java.util.Map;

/**
 * Files that name XRC domains: the kernel knows a domain by the inode of a file. The files are in memory, so that names are those of this
 * process. Source: memfd_create(2), ibv_open_xrcd(3).
 */
final class XrcFiles {
    private static final SymbolLookup C = Linker.nativeLinker().defaultLookup();
    private static final NativeFunction MEMFD_CREATE = NativeFunction.of(C, "memfd_create", INT, LONG, INT);
    private static final NativeFunction CLOSE = NativeFunction.of(C, "close", INT, INT);
    private static final int MFD_CLOEXEC = 1;

    /** Files in use, by name. */
    private static final Map<String, XrcFile> OPEN = new HashMap<>();

    private static final class XrcFile {
        final int fd;
        int users;

        XrcFile(int fd) {
            this.fd = fd;
        }
    }

    private XrcFiles() {
    }

    /**
     * Opens the file of a name; {@link #release} must follow.
     *
     * @return its descriptor, the same for all users
     */
    static synchronized int acquire(String name) {
        XrcFile file = OPEN.computeIfAbsent(name, _ -> new XrcFile(create()));
        file.users++;
        return file.fd;
    }

    static synchronized void release(String name) {
        XrcFile file = OPEN.get(name);
        if (--file.users == 0) {
            OPEN.remove(name);
            CLOSE.call(file.fd);
        }
    }

    /** Creates a file without a name. Returns its descriptor. */
    static int create() {
        try (Arena arena = Arena.ofConfined()) {
            long fd = MEMFD_CREATE.call(arena.allocateFrom("xrcd").address(), MFD_CLOEXEC);
            if (fd < 0) {
                throw Libibverbs.failure(NativeFunction.errno(), "open_xrcd", "memfd_create");
            }
            return (int) fd;
        }
    }
}
