// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/** Outcomes that version 4 has besides those of {@link org.softrdma.storage.export.NfsStatus}. Source: RFC 8881, section 15.1. */
public enum Nfs4Status {
    OK(0),
    NOENT(2),
    INVAL(22),
    BAD_COOKIE(10003),
    NOTSUPP(10004),
    BADTYPE(10007),
    DELAY(10008),
    SAME(10009),
    DENIED(10010),
    LOCKED(10012),
    GRACE(10013),
    SHARE_DENIED(10015),
    NOFILEHANDLE(10020),
    MINOR_VERS_MISMATCH(10021),
    STALE_CLIENTID(10022),
    OLD_STATEID(10024),
    BAD_STATEID(10025),
    NOT_SAME(10027),
    SYMLINK(10029),
    ATTRNOTSUPP(10032),
    NO_GRACE(10033),
    RECLAIM_CONFLICT(10035),
    BADXDR(10036),
    LOCKS_HELD(10037),
    OPENMODE(10038),
    BADOWNER(10039),
    BADNAME(10041),
    OP_ILLEGAL(10044),
    BADSESSION(10052),
    BADSLOT(10053),
    COMPLETE_ALREADY(10054),
    SEQ_MISORDERED(10063),
    SEQUENCE_POS(10064),
    REP_TOO_BIG(10066),
    REP_TOO_BIG_TO_CACHE(10067),
    RETRY_UNCACHED_REP(10068),
    TOO_MANY_OPS(10070),
    OP_NOT_IN_SESSION(10071),
    CLIENTID_BUSY(10074),
    NOT_ONLY_OP(10081),
    WRONG_TYPE(10083);

    private final int code;

    Nfs4Status(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
