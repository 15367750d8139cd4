// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.Listings;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.xdr.XdrWriter;

/** READDIR. Cookies are good for ever, so that their verifier is always 0. Source: RFC 8881, section 18.23. */
final class DirectoryOperations implements Operations {
    /** Verifier, "follows", end of the directory. */
    private static final int FRAME_BYTES = 16;
    /** Bytes of an entry with all attributes, at most. */
    private static final int MAX_ENTRY = 2048;

    private final Export export;
    private final FileAttributesCodec codec;

    DirectoryOperations(Export export, FileAttributesCodec codec) {
        this.export = export;
        this.codec = codec;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception {
        FileHandle directory = call.current();
        long cookie = call.arguments.u64();
        call.arguments.u64();
        call.arguments.u32();
        int maxBytes = call.arguments.u32();
        AttributeSet wanted = AttributeSet.read(call.arguments);
        if (cookie > 0 && cookie < Listings.FIRST_COOKIE) {
            throw new Nfs4Exception(Nfs4Status.BAD_COOKIE);
        }
        int room = Math.min(maxBytes < 0 ? Integer.MAX_VALUE : maxBytes, call.results.remaining()) - FRAME_BYTES;
        export.reading(() -> {
            list(export.locateDirectory(directory), cookie, room, wanted, call.results);
            return null;
        });
        return Nfs4Status.OK;
    }

    private void list(Located directory, long cookie, int bytes, AttributeSet wanted, XdrWriter results) throws IOException, NfsException {
        List<Listings.Entry> entries = export.listings().after(directory, cookie);
        results.u64(0);
        int room = bytes;
        boolean any = false;
        boolean end = true;
        for (Listings.Entry each : entries) {
            Located file;
            try {
                file = export.lookup(directory, each.name());
            } catch (IOException | NfsException gone) {
                // Removed in the meantime, or on another file system.
                continue;
            }
            byte[] entry = entry(each, file, wanted);
            room -= entry.length;
            if (room < 0) {
                end = false;
                break;
            }
            results.room(0, entry.length).put(entry);
            results.position(results.position() + entry.length);
            any = true;
        }
        if (!any && !end) {
            throw new NfsException(NfsStatus.TOOSMALL);
        }
        results.bool(false).bool(end);
    }

    private byte[] entry(Listings.Entry entry, Located file, AttributeSet wanted) throws IOException, NfsException {
        XdrWriter writer = new XdrWriter(ByteBuffer.allocate(MAX_ENTRY));
        writer.bool(true).u64(entry.cookie()).opaque(entry.name().getBytes(StandardCharsets.UTF_8));
        codec.write(wanted, file.attributes(), writer);
        return writer.copy(0);
    }
}
