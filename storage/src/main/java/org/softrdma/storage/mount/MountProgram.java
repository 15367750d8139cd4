// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.mount;

import java.nio.charset.StandardCharsets;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcProgram;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/**
 * MOUNT version 3: gives clients the handle of the exported directory, by its path or as {@code /}. It keeps no list of who has mounted it.
 * Source: RFC 1813, appendix I.
 */
public final class MountProgram implements RpcProgram {
    private static final int PROGRAM = 100005;
    private static final int VERSION = 3;
    private static final int PROCEDURES = 6;
    private static final int MAX_PATH = 1024;

    private static final int MNT = 1;
    private static final int DUMP = 2;
    private static final int UMNT = 3;
    private static final int EXPORT = 5;

    private static final int OK = 0;
    private static final int NO_ENTRY = 2;
    private static final int AUTH_SYS = 1;

    private final Export export;

    public MountProgram(Export export) {
        this.export = export;
    }

    @Override
    public int number() {
        return PROGRAM;
    }

    @Override
    public int version() {
        return VERSION;
    }

    @Override
    public int procedures() {
        return PROCEDURES;
    }

    @Override
    public boolean isNonIdempotent(int procedure) {
        return false;
    }

    @Override
    public void execute(int procedure, XdrReader arguments, XdrWriter results, ResultItems items) {
        switch (procedure) {
            case MNT -> mount(path(arguments), results);
            case UMNT -> path(arguments);
            case DUMP -> results.bool(false);
            // One export, for all clients.
            case EXPORT -> results.bool(true).opaque(export.root().toString().getBytes(StandardCharsets.UTF_8)).bool(false).bool(false);
            default -> {
                // NULL and UMNTALL have no results.
            }
        }
    }

    private static String path(XdrReader arguments) {
        return StandardCharsets.UTF_8.decode(arguments.opaque(MAX_PATH)).toString();
    }

    private void mount(String path, XdrWriter results) {
        if (path.equals("/") || path.equals(export.root().toString())) {
            results.u32(OK).opaque(export.rootHandle().toBytes()).u32(1).u32(AUTH_SYS);
        } else {
            results.u32(NO_ENTRY);
        }
    }
}
