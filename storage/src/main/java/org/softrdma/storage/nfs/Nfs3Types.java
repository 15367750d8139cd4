// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import org.softrdma.storage.export.Change;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileAttributes;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NewAttributes;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** Types that several procedures have. Source: RFC 1813, section 2.6. */
final class Nfs3Types {
    /** Longest name that is read; longer than any that is permitted, which has an error of its own. */
    private static final int MAX_NAME_ARGUMENT = 4096;
    private static final int BLOCK = 4096;

    private static final int SET_TO_SERVER_TIME = 1;
    private static final int SET_TO_CLIENT_TIME = 2;

    private Nfs3Types() {
    }

    static FileHandle handle(XdrReader arguments) throws NfsException {
        return FileHandle.parse(arguments.opaque(FileHandle.MAX_BYTES));
    }

    static String name(XdrReader arguments) throws NfsException {
        return Export.text(arguments.opaque(MAX_NAME_ARGUMENT));
    }

    static FileTime time(XdrReader arguments) {
        return FileTime.from(Instant.ofEpochSecond(Integer.toUnsignedLong(arguments.u32()), Integer.toUnsignedLong(arguments.u32())));
    }

    static NewAttributes newAttributes(XdrReader arguments, Clock clock) {
        Integer mode = arguments.bool() ? arguments.u32() : null;
        Integer uid = arguments.bool() ? arguments.u32() : null;
        Integer gid = arguments.bool() ? arguments.u32() : null;
        Long size = arguments.bool() ? arguments.u64() : null;
        FileTime accessed = newTime(arguments, clock);
        FileTime modified = newTime(arguments, clock);
        return new NewAttributes(mode, uid, gid, size, accessed, modified);
    }

    private static FileTime newTime(XdrReader arguments, Clock clock) {
        return switch (arguments.u32()) {
            case 0 -> null;
            case SET_TO_SERVER_TIME -> FileTime.from(clock.instant());
            case SET_TO_CLIENT_TIME -> time(arguments);
            default -> throw XdrException.unknown("how to set a time");
        };
    }

    static void time(XdrWriter results, FileTime time) {
        Instant instant = time.toInstant();
        results.u32((int) instant.getEpochSecond()).u32(instant.getNano());
    }

    /** Writes fattr3, 84 bytes. */
    static void attributes(XdrWriter results, FileAttributes file) {
        results.u32(file.type().code()).u32(file.mode()).u32(file.links()).u32(file.uid()).u32(file.gid()).u64(file.size());
        results.u64((file.size() + BLOCK - 1) / BLOCK * BLOCK);
        results.u32(file.deviceMajor()).u32(file.deviceMinor());
        results.u64(file.handle().device()).u64(file.handle().inode());
        time(results, file.accessed());
        time(results, file.modified());
        time(results, file.changed());
    }

    /** Writes post_op_attr with attributes. */
    static void optional(XdrWriter results, FileAttributes file) {
        attributes(results.bool(true), file);
    }

    /** Writes wcc_data. */
    static void change(XdrWriter results, Change change) {
        results.bool(true).u64(change.before().size());
        time(results, change.before().modified());
        time(results, change.before().changed());
        optional(results, change.after());
    }
}
