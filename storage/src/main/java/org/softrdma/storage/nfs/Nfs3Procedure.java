// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

/** Procedures, in the order of their numbers. Source: RFC 1813, section 3.3. */
enum Nfs3Procedure {
    NULL(0, false),
    GETATTR(0, false),
    SETATTR(2, true),
    LOOKUP(1, false),
    ACCESS(1, false),
    READLINK(1, false),
    READ(1, false),
    WRITE(2, false),
    CREATE(2, true),
    MKDIR(2, true),
    SYMLINK(2, true),
    MKNOD(2, true),
    REMOVE(2, true),
    RMDIR(2, true),
    RENAME(4, true),
    LINK(3, true),
    READDIR(1, false),
    READDIRPLUS(1, false),
    FSSTAT(1, false),
    FSINFO(1, false),
    PATHCONF(1, false),
    COMMIT(2, false);

    /** Optional attributes in the result of a failed call; each is absent, a word of 0. */
    final int failureWords;
    final boolean nonIdempotent;

    Nfs3Procedure(int failureWords, boolean nonIdempotent) {
        this.failureWords = failureWords;
        this.nonIdempotent = nonIdempotent;
    }
}
