// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileAttributes;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.FileType;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.xdr.XdrWriter;

/** Procedures that change nothing, without those that list directories. Results follow the status, which is written already. */
final class Queries {
    /** Results of READ between the attributes and the data: count, end, length of the data. */
    private static final int READ_WORDS = 12;
    private static final int OPTIONAL_ATTRIBUTES = 88;

    private static final int PREFERRED_DIRECTORY_BYTES = 65536;
    private static final int PREFERRED_MULTIPLE = 4096;
    /** Links, symbolic links, the same for all files, times can be set: FSF3_*, RFC 1813, section 3.3.19. */
    private static final int PROPERTIES = 0x01 | 0x02 | 0x08 | 0x10;
    private static final int MAX_LINKS = 32000;

    private final Export export;

    Queries(Export export) {
        this.export = export;
    }

    void getAttributes(FileHandle file, XdrWriter results) throws NfsException {
        Nfs3Types.attributes(results, export.reading(() -> export.locate(file)).attributes());
    }

    void lookup(FileHandle directory, String name, XdrWriter results) throws NfsException {
        export.reading(() -> {
            Located parent = export.locateDirectory(directory);
            Located file = export.lookup(parent, name);
            results.opaque(file.handle().toBytes());
            Nfs3Types.optional(results, file.attributes());
            Nfs3Types.optional(results, parent.attributes());
            return null;
        });
    }

    /** All clients may do what the user may who runs the server. */
    void access(FileHandle file, int wanted, XdrWriter results) throws NfsException {
        Located located = export.reading(() -> export.locate(file));
        Nfs3Types.optional(results, located.attributes());
        results.u32(wanted & export.access(located));
    }

    void readLink(FileHandle file, XdrWriter results, ResultItems items) throws NfsException {
        export.reading(() -> {
            Located link = export.locate(file);
            if (link.attributes().type() != FileType.SYMBOLIC_LINK) {
                throw new NfsException(NfsStatus.INVAL);
            }
            byte[] target = Files.readSymbolicLink(link.path()).toString().getBytes(StandardCharsets.UTF_8);
            Nfs3Types.optional(results, link.attributes());
            if (items.nextBytes() >= target.length) {
                items.next().put(target);
                items.done(target.length);
                results.u32(target.length);
            } else {
                results.opaque(target);
            }
            return null;
        });
    }

    void read(FileHandle file, long offset, int wanted, XdrWriter results, ResultItems items) throws NfsException {
        int count = wanted < 0 ? Nfs3Program.MAX_DATA : Math.min(wanted, Nfs3Program.MAX_DATA);
        boolean inChunk = items.nextBytes() > 0;
        ByteBuffer data;
        if (inChunk) {
            data = items.next();
            data.limit(data.position() + Math.min(count, items.nextBytes()));
            data = data.slice();
        } else {
            int room = (results.remaining() - OPTIONAL_ATTRIBUTES - READ_WORDS) & ~3;
            data = results.room(OPTIONAL_ATTRIBUTES + READ_WORDS, Math.min(count, Math.max(room, 0)));
        }
        FileAttributes attributes = export.read(file, offset, data);
        int length = data.position();
        Nfs3Types.optional(results, attributes);
        results.u32(length).bool(offset + length >= attributes.size()).u32(length);
        if (inChunk) {
            items.done(length);
        } else {
            results.position(results.position() + length);
            results.pad(length);
        }
    }

    void fileSystemStatus(FileHandle file, XdrWriter results) throws NfsException {
        export.reading(() -> {
            Nfs3Types.optional(results, export.locate(file).attributes());
            space(export.store(), results);
            return null;
        });
    }

    private static void space(FileStore store, XdrWriter results) throws IOException {
        results.u64(store.getTotalSpace()).u64(store.getUnallocatedSpace()).u64(store.getUsableSpace());
        // The numbers of files are not known to Java.
        results.u64(0).u64(0).u64(0);
        results.u32(0);
    }

    void fileSystemInformation(FileHandle file, XdrWriter results) throws NfsException {
        Nfs3Types.optional(results, export.reading(() -> export.locate(file)).attributes());
        results.u32(Nfs3Program.MAX_DATA).u32(Nfs3Program.MAX_DATA).u32(PREFERRED_MULTIPLE);
        results.u32(Nfs3Program.MAX_DATA).u32(Nfs3Program.MAX_DATA).u32(PREFERRED_MULTIPLE);
        results.u32(PREFERRED_DIRECTORY_BYTES).u64(Long.MAX_VALUE);
        // Times are exact to the nanosecond.
        results.u32(0).u32(1).u32(PROPERTIES);
    }

    void pathConfiguration(FileHandle file, XdrWriter results) throws NfsException {
        Nfs3Types.optional(results, export.reading(() -> export.locate(file)).attributes());
        results.u32(MAX_LINKS).u32(Export.MAX_NAME);
        // Longer names are errors, owners cannot be changed, upper and lower case differ and are kept.
        results.bool(true).bool(true).bool(false).bool(true);
    }
}
