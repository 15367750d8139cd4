// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** Identity of an open file or pipe: the same through every copy of its descriptor, in every process. Reused; one thread. */
public final class FileIdentity {
    private static final int STATX_INO = 0x100;
    private static final int INODE = 32;
    private static final int DEVICE_MAJOR = 136;
    private static final int DEVICE_MINOR = 140;

    private long device;
    private long inode;

    /**
     * Reads the identity of a file.
     *
     * @return 0, or minus errno: the identity is unchanged then
     */
    int read(MemorySegment path) {
        MemorySegment status = CLibrary.current().text;
        int result = Descriptors.statx(Descriptors.AT_FDCWD, path, 0, STATX_INO, status);
        if (result == 0) {
            device = (long) status.get(JAVA_INT, DEVICE_MAJOR) << Integer.SIZE | status.get(JAVA_INT, DEVICE_MINOR);
            inode = status.get(JAVA_LONG, INODE);
        }
        return result;
    }

    /** Reads the identity of one of this process's descriptors. */
    static FileIdentity ofOwn(int fd) {
        FileIdentity identity = new FileIdentity();
        CLibrary.check(identity.read(CLibrary.current().path.own(fd)), "statx", "descriptor " + fd);
        return identity;
    }

    /** Major and minor number of the device, in the upper and lower half. */
    public long device() {
        return device;
    }

    public long inode() {
        return inode;
    }

    /** Whether two identities are of the same file. */
    public boolean isSame(FileIdentity other) {
        return device == other.device && inode == other.inode;
    }
}
