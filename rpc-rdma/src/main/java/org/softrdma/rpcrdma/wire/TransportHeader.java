// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * Fixed part of the header in front of every RPC message: four words, big-endian. {@link #MSG} and {@link #NOMSG} continue with
 * {@link ChunkLists}, {@link #ERROR} with the kind of error.
 *
 * <pre>
 *  0 | XID: that of the RPC message |
 *  4 | version: 1 |
 *  8 | credits: requested by a call, granted by a reply |
 * 12 | procedure |
 * </pre>
 *
 * Source: RFC 8166 §4.2.
 */
public final class TransportHeader {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** Bytes of the header of a message without chunks: three empty lists follow. */
    public static final int PLAIN_LENGTH = LENGTH + 3 * Integer.BYTES;
    /** The only version. */
    public static final int VERSION = 1;

    /** u32. */
    public static final int XID_OFFSET = 0;
    /** u32. */
    public static final int VERSION_OFFSET = 4;
    /** u32. */
    public static final int CREDITS_OFFSET = 8;
    /** u32. */
    public static final int PROCEDURE_OFFSET = 12;
    /** u32 of an {@link #ERROR}. */
    public static final int ERROR_OFFSET = 16;
    /** u32 of an {@link #ERR_VERS}: the lowest version supported. */
    public static final int LOWEST_OFFSET = 20;
    /** u32 of an {@link #ERR_VERS}: the highest version supported. */
    public static final int HIGHEST_OFFSET = 24;

    /** Procedure: the RPC message, or what is left of it without its chunks, follows the chunk lists. */
    public static final int MSG = 0;
    /** Procedure: the RPC message is in a chunk. */
    public static final int NOMSG = 1;
    /** Procedure of earlier drafts: padded message. Refused. */
    public static final int MSGP = 2;
    /** Procedure of earlier drafts: end of a reply read by the client. Ignored. */
    public static final int DONE = 3;
    /** Procedure: a call could not be executed because of its header. */
    public static final int ERROR = 4;

    /** Error: another version. */
    public static final int ERR_VERS = 1;
    /** Error: chunks or lists that cannot be used. */
    public static final int ERR_CHUNK = 2;
    /** Bytes of an {@link #ERR_VERS}. */
    public static final int VERSION_ERROR_LENGTH = 28;
    /** Bytes of an {@link #ERR_CHUNK}. */
    public static final int CHUNK_ERROR_LENGTH = 20;

    private TransportHeader() {
    }

    /** Transaction identifier, u32. */
    public static int xid(ByteBuffer b, int at) {
        return b.getInt(at + XID_OFFSET);
    }

    /** Version, u32. */
    public static int version(ByteBuffer b, int at) {
        return b.getInt(at + VERSION_OFFSET);
    }

    /** Credits, u32. */
    public static int credits(ByteBuffer b, int at) {
        return b.getInt(at + CREDITS_OFFSET);
    }

    /** Procedure, u32. */
    public static int procedure(ByteBuffer b, int at) {
        return b.getInt(at + PROCEDURE_OFFSET);
    }

    /** Kind of an {@link #ERROR}, u32. */
    public static int error(ByteBuffer b, int at) {
        return b.getInt(at + ERROR_OFFSET);
    }

    /** Writes the fixed part. */
    public static void put(ByteBuffer b, int at, int xid, int credits, int procedure) {
        put(b, at, xid, VERSION, credits, procedure);
    }

    private static void put(ByteBuffer b, int at, int xid, int version, int credits, int procedure) {
        b.putInt(at + XID_OFFSET, xid);
        b.putInt(at + VERSION_OFFSET, version);
        b.putInt(at + CREDITS_OFFSET, credits);
        b.putInt(at + PROCEDURE_OFFSET, procedure);
    }

    /** Writes the header of a message without chunks, {@link #PLAIN_LENGTH} bytes. */
    public static void putPlain(ByteBuffer b, int at, int xid, int credits) {
        put(b, at, xid, credits, MSG);
        b.putInt(at + LENGTH, 0);
        b.putInt(at + LENGTH + 4, 0);
        b.putInt(at + LENGTH + 8, 0);
    }

    /**
     * Writes an {@link #ERR_VERS}, {@link #VERSION_ERROR_LENGTH} bytes.
     *
     * @param version that of the call, which the kernel's server repeats
     */
    public static void putVersionError(ByteBuffer b, int at, int xid, int version, int credits) {
        put(b, at, xid, version, credits, ERROR);
        b.putInt(at + ERROR_OFFSET, ERR_VERS);
        b.putInt(at + LOWEST_OFFSET, VERSION);
        b.putInt(at + HIGHEST_OFFSET, VERSION);
    }

    /** Writes an {@link #ERR_CHUNK}, {@link #CHUNK_ERROR_LENGTH} bytes. */
    public static void putChunkError(ByteBuffer b, int at, int xid, int credits) {
        put(b, at, xid, credits, ERROR);
        b.putInt(at + ERROR_OFFSET, ERR_CHUNK);
    }
}
