// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.io.IOException;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.FileType;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;

/**
 * Operations that set the current file or give its handle. A handle of a file that is gone is refused by the operations that need the file,
 * so that CLOSE works. Source: RFC 8881, sections 18.8, 18.13, 18.14, 18.19 to 18.21, 18.27 to 18.29, 18.45.
 */
final class CurrentFileOperations implements Operations {
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int OF_PARENT = 1;
    /** Longest handle of version 4. */
    private static final int MAX_HANDLE = 128;

    private final Export export;

    CurrentFileOperations(Export export) {
        this.export = export;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception {
        switch (operation) {
            case PUTROOTFH, PUTPUBFH -> call.setCurrent(export.rootHandle());
            case PUTFH -> call.setCurrent(FileHandle.parse(call.arguments.opaque(MAX_HANDLE)));
            case GETFH -> call.results.opaque(call.current().toBytes());
            case SAVEFH -> call.save();
            case RESTOREFH -> call.restore();
            case LOOKUP -> call.setCurrent(lookup(call.current(), call.name()));
            case LOOKUPP -> call.setCurrent(parent(call.current()));
            case SECINFO -> {
                lookup(call.current(), call.name());
                security(call);
            }
            case SECINFO_NO_NAME -> {
                if (call.arguments.u32() == OF_PARENT) {
                    parent(call.current());
                }
                call.current();
                security(call);
            }
            default -> throw new IllegalStateException(operation.name());
        }
        return Nfs4Status.OK;
    }

    private FileHandle lookup(FileHandle directory, String name) throws NfsException, Nfs4Exception {
        Located parent = export.reading(() -> export.locate(directory));
        if (parent.attributes().type() == FileType.SYMBOLIC_LINK) {
            throw new Nfs4Exception(Nfs4Status.SYMLINK);
        }
        return child(directory, name);
    }

    private FileHandle child(FileHandle directory, String name) throws NfsException {
        return export.reading(() -> lookupIn(directory, name));
    }

    private FileHandle lookupIn(FileHandle directory, String name) throws NfsException, IOException {
        return export.lookup(export.locateDirectory(directory), name).handle();
    }

    private FileHandle parent(FileHandle directory) throws NfsException {
        if (directory.equals(export.rootHandle())) {
            throw new NfsException(NfsStatus.NOENT);
        }
        return child(directory, "..");
    }

    /** Writes the flavors of credentials, which are not looked at. The current file is none afterwards: RFC 8881, section 2.6.3.1.1.8. */
    private static void security(Call call) {
        call.results.u32(2).u32(AUTH_SYS).u32(AUTH_NONE);
        call.setCurrent(null);
    }
}
