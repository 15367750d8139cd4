// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.xdr.XdrWriter;

/**
 * A page of a directory's entries. Entries are in the order of a hash of their names, which is their cookie as well: a listing goes on
 * where it was, whatever was created or removed in the meantime, and also after a restart.
 */
final class Listing {
    private static final long DOT = 1;
    private static final long DOT_DOT = 2;
    private static final long FIRST_COOKIE = 3;

    /** Words of an entry beside its name: "follows", fileid, length of the name, cookie. */
    private static final int ENTRY_BYTES = 4 + 8 + 4 + 8;
    /** Optional attributes and handle of READDIRPLUS. */
    private static final int PLUS_BYTES = 88 + 8 + FileHandle.BYTES;
    /** "Follows" and end of the directory. */
    private static final int TAIL_BYTES = 8;
    /** Attributes of the directory and the verifier of cookies, before the entries. */
    private static final int HEAD_BYTES = 88 + 8;

    private final Export export;
    private final FileHandle directory;
    private final long after;

    private record Entry(long cookie, String name) {
    }

    /** @param after cookie of the last entry that the client has; 0 for the first page */
    Listing(Export export, FileHandle directory, long after) {
        this.export = export;
        this.directory = directory;
        this.after = after;
    }

    /** @param maxBytes of the results */
    void write(int maxBytes, XdrWriter results) throws NfsException {
        write(maxBytes, Integer.MAX_VALUE, false, results);
    }

    /**
     * @param nameBytes bytes of entries without attributes and handles, at most
     * @param maxBytes  of the results
     */
    void writeWithAttributes(int nameBytes, int maxBytes, XdrWriter results) throws NfsException {
        write(maxBytes, nameBytes < 0 ? Integer.MAX_VALUE : nameBytes, true, results);
    }

    private void write(int maxBytes, int maxNameBytes, boolean plus, XdrWriter results) throws NfsException {
        export.reading(() -> {
            Located located = export.locateDirectory(directory);
            int room = Math.min(maxBytes < 0 ? Integer.MAX_VALUE : maxBytes, results.remaining()) - HEAD_BYTES - TAIL_BYTES;
            Nfs3Types.optional(results, located.attributes());
            results.u64(0);
            int names = 0;
            boolean end = true;
            boolean any = false;
            for (Entry each : entries(located.path())) {
                Located file;
                try {
                    file = export.lookup(located, each.name);
                } catch (IOException | NfsException gone) {
                    // Removed in the meantime, or on another file system.
                    continue;
                }
                byte[] name = each.name.getBytes(StandardCharsets.UTF_8);
                int plain = ENTRY_BYTES + (name.length + 3 & ~3);
                room -= plain + (plus ? PLUS_BYTES : 0);
                names += plain;
                if (room < 0 || any && names > maxNameBytes) {
                    end = false;
                    break;
                }
                any = true;
                results.bool(true).u64(file.handle().inode()).opaque(name).u64(each.cookie);
                if (plus) {
                    Nfs3Types.optional(results, file.attributes());
                    results.bool(true).opaque(file.handle().toBytes());
                }
            }
            if (!any && !end) {
                // RFC 1813: NFS3ERR_TOOSMALL, for a page that has no room for one entry.
                throw new NfsException(NfsStatus.TOOSMALL);
            }
            results.bool(false).bool(end);
            return null;
        });
    }

    /** Entries behind {@link #after}, in order. */
    private List<Entry> entries(Path path) throws IOException {
        List<Entry> entries = new ArrayList<>();
        add(entries, DOT, ".");
        add(entries, DOT_DOT, "..");
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
            for (Path each : stream) {
                String name = each.getFileName().toString();
                add(entries, cookie(name), name);
            }
        } catch (DirectoryIteratorException unreadable) {
            throw unreadable.getCause();
        }
        entries.sort(Comparator.comparingLong(Entry::cookie).thenComparing(Entry::name));
        return entries;
    }

    private void add(List<Entry> entries, long cookie, String name) {
        if (cookie > after) {
            entries.add(new Entry(cookie, name));
        }
    }

    /** 63 bits of FNV-1a, mixed once more: two names of one directory have the same cookie once in 10^9 directories of 10^5 names. */
    private static long cookie(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each & 0xff) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L;
        return Math.max(FIRST_COOKIE, hash >>> 1);
    }
}
