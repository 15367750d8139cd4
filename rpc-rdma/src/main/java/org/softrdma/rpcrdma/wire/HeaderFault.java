// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import java.util.Locale;

/** Reasons for which a transport header or its chunks are refused; each is counted under its name. */
public enum HeaderFault {
    /** The message ends before its header does. */
    TRUNCATED,
    /** Version other than {@link TransportHeader#VERSION}. */
    VERSION,
    /** Procedure other than MSG, NOMSG, DONE and ERROR. */
    PROCEDURE,
    /** A list continues with a word other than 0 and 1. */
    LIST_MARK,
    /** More segments than {@link ChunkLists#MAX_SEGMENTS}, or more chunks than {@link ChunkLists#MAX_CHUNKS}. */
    TOO_MANY_SEGMENTS,
    /** A write or reply chunk without a segment. */
    EMPTY_CHUNK,
    /** Position of a read chunk that is not a multiple of four. */
    ODD_POSITION,
    /** Positions of read segments that decrease. */
    POSITION_ORDER,
    /** Position inside or before the chunk in front of it, or beyond the end of the message. */
    POSITION_RANGE,
    /** NOMSG without a read chunk at position 0, or MSG with one. */
    POSITION_ZERO,
    /** The call is longer than this end takes. */
    CALL_TOO_LONG,
    /** The RPC message is shorter than its first two words, has another XID than the header, or is no call. */
    XID_MISMATCH,
    /** The reply fits neither inline nor into the reply chunk. */
    REPLY_TOO_LONG,
    /** The chunks of a reply are not those of its call. */
    REPLY_CHUNKS,
    /** The server answered with ERR_CHUNK: it could not use the chunks, or the reply did not fit. */
    REFUSED;

    /** {@return the name of its counter} */
    public String counter() {
        return name().toLowerCase(Locale.ROOT);
    }
}
