// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/**
 * Attributes of a file at one time, those of a symbolic link itself.
 *
 * @param mode permissions, with set-user-ID, set-group-ID and sticky bit
 * @param rdev device number of a device file, as Linux encodes it
 */
public record FileAttributes(FileHandle handle, FileType type, int mode, int links, int uid, int gid, long size, long rdev,
                             FileTime accessed, FileTime modified, FileTime changed) {
    private static final int MODE_BITS = 07777;
    /** Not all of them: for the names of owner and group, the system's databases of users would be read each time. */
    private static final String WANTED =
        "unix:mode,dev,ino,nlink,uid,gid,size,rdev,lastAccessTime,lastModifiedTime,ctime,creationTime";

    /** @param recordsBirth whether the file system records when inodes were born */
    static FileAttributes read(Path path, boolean recordsBirth) throws IOException {
        Map<String, Object> all = Files.readAttributes(path, WANTED, LinkOption.NOFOLLOW_LINKS);
        int mode = (Integer) all.get("mode");
        long bornNs = recordsBirth ? nanoseconds((FileTime) all.get("creationTime")) : 0;
        FileHandle handle = new FileHandle((Long) all.get("dev"), (Long) all.get("ino"), bornNs);
        return new FileAttributes(handle, FileType.ofMode(mode), mode & MODE_BITS, (Integer) all.get("nlink"), (Integer) all.get("uid"),
            (Integer) all.get("gid"), (Long) all.get("size"), (Long) all.get("rdev"), (FileTime) all.get("lastAccessTime"),
            (FileTime) all.get("lastModifiedTime"), (FileTime) all.get("ctime"));
    }

    private static long nanoseconds(FileTime time) {
        Instant instant = time.toInstant();
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    /** Major number of a device file. */
    public int deviceMajor() {
        return (int) (rdev >>> 8 & 0xfff);
    }

    /** Minor number of a device file. */
    public int deviceMinor() {
        return (int) (rdev & 0xff | rdev >>> 12 & 0xfff00);
    }

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }
}
