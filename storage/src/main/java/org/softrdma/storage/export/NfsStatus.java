// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

/** Outcomes of procedures. Source: RFC 1813, section 2.6. */
public enum NfsStatus {
    OK(0),
    PERM(1),
    NOENT(2),
    IO(5),
    ACCES(13),
    EXIST(17),
    XDEV(18),
    NOTDIR(20),
    ISDIR(21),
    INVAL(22),
    FBIG(27),
    NOSPC(28),
    ROFS(30),
    NAMETOOLONG(63),
    NOTEMPTY(66),
    STALE(70),
    BADHANDLE(10001),
    NOT_SYNC(10002),
    NOTSUPP(10004),
    TOOSMALL(10005);

    private final int code;

    NfsStatus(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
