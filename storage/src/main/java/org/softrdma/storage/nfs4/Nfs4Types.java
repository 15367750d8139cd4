// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.time.DateTimeException;
import java.time.Instant;
import java.nio.file.attribute.FileTime;
import org.softrdma.storage.export.Change;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileAttributes;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** Types that several operations have. Source: RFC 8881, section 3. */
final class Nfs4Types {
    /** Longest owner of opens, locks and clients, bytes. */
    static final int MAX_OWNER = 1024;
    /** Longest name that is read; longer than any that is permitted, which has an error of its own. */
    private static final int MAX_NAME_ARGUMENT = 4096;
    private static final int SECOND_NS = 1_000_000_000;

    private Nfs4Types() {
    }

    static String name(XdrReader arguments) throws NfsException, Nfs4Exception {
        String name = Export.text(arguments.opaque(MAX_NAME_ARGUMENT));
        if (name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw new Nfs4Exception(Nfs4Status.BADNAME);
        }
        return name;
    }

    static byte[] owner(XdrReader arguments) {
        var bytes = arguments.opaque(MAX_OWNER);
        byte[] owner = new byte[bytes.remaining()];
        bytes.get(owner);
        return owner;
    }

    /** @throws Nfs4Exception INVAL: it is not a time */
    static FileTime time(XdrReader arguments) throws Nfs4Exception {
        long seconds = arguments.u64();
        int nanoseconds = arguments.u32();
        try {
            if (nanoseconds >= 0 && nanoseconds < SECOND_NS) {
                return FileTime.from(Instant.ofEpochSecond(seconds, nanoseconds));
            }
        } catch (DateTimeException tooFar) {
            // As other values that are no times.
        }
        throw new Nfs4Exception(Nfs4Status.INVAL);
    }

    static void time(XdrWriter results, FileTime time) {
        Instant instant = time.toInstant();
        results.u64(instant.getEpochSecond()).u32(instant.getNano());
    }

    /** The attribute that differs after each change of a file. */
    static long change(FileAttributes file) {
        Instant changed = file.changed().toInstant();
        return changed.getEpochSecond() * SECOND_NS + changed.getNano();
    }

    /** Writes change_info4: nothing else has changed the directory in between. */
    static void change(XdrWriter results, Change directory) {
        results.bool(true).u64(change(directory.before())).u64(change(directory.after()));
    }
}
