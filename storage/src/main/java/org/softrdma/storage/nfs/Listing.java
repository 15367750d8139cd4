// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.Listings;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.xdr.XdrWriter;

/** A page of a directory's entries. Cookies are good for ever, so that their verifier is always 0. See {@link Listings}. */
final class Listing {
    private static final long DOT = 1;
    private static final long DOT_DOT = 2;

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
            int nameBytes = 0;
            boolean end = true;
            boolean any = false;
            List<Listings.Entry> names = export.listings().after(located, after);
            for (Iterator<Listings.Entry> entries = Stream.concat(dots().stream(), names.stream()).iterator(); entries.hasNext();) {
                Listings.Entry each = entries.next();
                Located file;
                try {
                    file = export.lookup(located, each.name());
                } catch (IOException | NfsException gone) {
                    // Removed in the meantime, or on another file system.
                    continue;
                }
                byte[] name = each.name().getBytes(StandardCharsets.UTF_8);
                int plain = ENTRY_BYTES + (name.length + 3 & ~3);
                room -= plain + (plus ? PLUS_BYTES : 0);
                nameBytes += plain;
                if (room < 0 || any && nameBytes > maxNameBytes) {
                    end = false;
                    break;
                }
                any = true;
                results.bool(true).u64(file.handle().inode()).opaque(name).u64(each.cookie());
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

    /** "." and "..", which have cookies of their own, as far as the client does not have them. */
    private List<Listings.Entry> dots() {
        return Stream.of(new Listings.Entry(DOT, "."), new Listings.Entry(DOT_DOT, "..")).filter(each -> each.cookie() > after).toList();
    }
}
