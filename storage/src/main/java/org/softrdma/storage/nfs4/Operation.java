// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

/** Operations. Their numbers: RFC 8881, section 16.2.1. */
enum Operation {
    ACCESS(3, Theme.ATTRIBUTES),
    CLOSE(4, Theme.OPEN, true),
    COMMIT(5, Theme.DATA),
    CREATE(6, Theme.NAMES, true),
    GETATTR(9, Theme.ATTRIBUTES),
    GETFH(10, Theme.CURRENT_FILE),
    LINK(11, Theme.NAMES, true),
    LOCK(12, Theme.LOCKS, true),
    LOCKT(13, Theme.LOCKS),
    LOCKU(14, Theme.LOCKS, true),
    LOOKUP(15, Theme.CURRENT_FILE),
    LOOKUPP(16, Theme.CURRENT_FILE),
    NVERIFY(17, Theme.ATTRIBUTES),
    OPEN(18, Theme.OPEN, true),
    OPEN_DOWNGRADE(21, Theme.OPEN, true),
    PUTFH(22, Theme.CURRENT_FILE),
    PUTPUBFH(23, Theme.CURRENT_FILE),
    PUTROOTFH(24, Theme.CURRENT_FILE),
    READ(25, Theme.DATA),
    READDIR(26, Theme.DIRECTORY),
    READLINK(27, Theme.NAMES),
    REMOVE(28, Theme.NAMES, true),
    RENAME(29, Theme.NAMES, true),
    RESTOREFH(31, Theme.CURRENT_FILE),
    SAVEFH(32, Theme.CURRENT_FILE),
    SECINFO(33, Theme.CURRENT_FILE),
    SETATTR(34, Theme.ATTRIBUTES, true),
    VERIFY(37, Theme.ATTRIBUTES),
    WRITE(38, Theme.DATA, true),
    BIND_CONN_TO_SESSION(41, Theme.SESSION),
    EXCHANGE_ID(42, Theme.SESSION),
    CREATE_SESSION(43, Theme.SESSION),
    DESTROY_SESSION(44, Theme.SESSION),
    FREE_STATEID(45, Theme.LOCKS, true),
    SECINFO_NO_NAME(52, Theme.CURRENT_FILE),
    SEQUENCE(53, Theme.SESSION),
    TEST_STATEID(55, Theme.LOCKS),
    DESTROY_CLIENTID(57, Theme.SESSION),
    RECLAIM_COMPLETE(58, Theme.SESSION);

    /** Operations that version 4.1 has at most; beyond, numbers have no meaning. */
    static final int FIRST = 3;
    static final int LAST = 58;

    private static final Operation[] BY_NUMBER = new Operation[LAST + 1];

    static {
        for (Operation each : values()) {
            BY_NUMBER[each.number] = each;
        }
    }

    final int number;
    final Theme theme;
    /** Whether it changes something, so that the room for its result must be known before. */
    final boolean changes;

    /** Classes of operations. */
    enum Theme {
        SESSION, CURRENT_FILE, ATTRIBUTES, DATA, DIRECTORY, NAMES, OPEN, LOCKS
    }

    Operation(int number, Theme theme) {
        this(number, theme, false);
    }

    Operation(int number, Theme theme, boolean changes) {
        this.number = number;
        this.theme = theme;
        this.changes = changes;
    }

    /** @return null if it is not supported */
    static Operation of(int number) {
        return number < 0 || number > LAST ? null : BY_NUMBER[number];
    }

    static boolean isKnown(int number) {
        return number >= FIRST && number <= LAST;
    }

    /** Whether it may begin a call outside of a session, which then has no other operation. RFC 8881, section 2.10.2.1. */
    boolean isSessionless() {
        return this == EXCHANGE_ID || this == CREATE_SESSION || this == DESTROY_SESSION || this == BIND_CONN_TO_SESSION
            || this == DESTROY_CLIENTID;
    }
}
