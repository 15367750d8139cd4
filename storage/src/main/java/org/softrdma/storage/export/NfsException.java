// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** A procedure that fails as the protocol describes it. */
public final class NfsException extends Exception {
    private static final long serialVersionUID = 1L;

    private final NfsStatus status;

    public NfsException(NfsStatus status) {
        super(status.name(), null, false, false);
        this.status = status;
    }

    public NfsStatus status() {
        return status;
    }

    /**
     * The status for a failure of the file system. The texts of such failures depend on the language and are not read.
     *
     * @param root for the space that is left
     */
    static NfsException of(IOException failure, Path root) {
        NfsStatus status = switch (failure) {
            case NoSuchFileException none -> NfsStatus.NOENT;
            case FileAlreadyExistsException exists -> NfsStatus.EXIST;
            case DirectoryNotEmptyException full -> NfsStatus.NOTEMPTY;
            case NotDirectoryException file -> NfsStatus.NOTDIR;
            case AccessDeniedException denied -> NfsStatus.ACCES;
            default -> isFull(root) ? NfsStatus.NOSPC : NfsStatus.IO;
        };
        return new NfsException(status);
    }

    /** The status for a name or a path that this system cannot represent. */
    static NfsException of(InvalidPathException unusable) {
        return new NfsException(NfsStatus.INVAL);
    }

    private static boolean isFull(Path root) {
        try {
            FileStore store = Files.getFileStore(root);
            return store.getUsableSpace() < store.getBlockSize();
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
