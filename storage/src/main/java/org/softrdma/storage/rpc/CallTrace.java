// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * One call as a line of text, put together while it is executed; it counts the bytes of the result's items on the way. Names of files come
 * from clients: they are cut, and characters that control a terminal are replaced. One thread.
 */
public final class CallTrace implements ResultItems {
    private static final int LONGEST_NAME = 64;
    private static final int ACCEPT_STATUS = 20;
    private static final String[] ACCEPTED = {"SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR"};

    private final StringBuilder text = new StringBuilder();
    private ResultItems memory;
    private long itemBytes;
    private String outcome;

    CallTrace(ResultItems memory) {
        this.memory = memory;
    }

    // ---- what programs report ----

    /** Appends a word, such as the name of a procedure. */
    public CallTrace word(String word) {
        text.append(' ').append(word);
        return this;
    }

    /** Appends an argument, unsigned. */
    public CallTrace number(String name, long value) {
        text.append(' ').append(name).append(' ').append(Long.toUnsignedString(value));
        return this;
    }

    /** Appends a name that a client has sent. */
    public CallTrace name(String name) {
        text.append(' ').append('"');
        for (int i = 0; i < Math.min(name.length(), LONGEST_NAME); i++) {
            char each = name.charAt(i);
            text.append(Character.isISOControl(each) || each == '"' ? '?' : each);
        }
        text.append(name.length() > LONGEST_NAME ? "…" : "").append('"');
        return this;
    }

    /** Sets the status of the result. */
    public void outcome(String status) {
        outcome = status;
    }

    // ---- items ----

    @Override
    public int nextBytes() {
        return memory.nextBytes();
    }

    @Override
    public ByteBuffer next() {
        return memory.next();
    }

    @Override
    public void done(int bytes) {
        itemBytes += bytes;
        memory.done(bytes);
    }

    @Override
    public ResultItems withoutMemory() {
        memory = NONE;
        return this;
    }

    @Override
    public CallTrace trace() {
        return this;
    }

    // ---- the line ----

    /**
     * The line of a call.
     *
     * @param xid     of the call
     * @param callBytes of the call, with what came by chunk
     * @param reply   the buffer of the reply
     * @param start   where the reply begins
     * @param bytes   of the reply; {@link RpcPrograms#NO_REPLY} for none
     */
    String line(InetAddress client, int xid, int callBytes, ByteBuffer reply, int start, int bytes) {
        String status = status(reply, start, bytes);
        if (outcome != null && status.equals(ACCEPTED[0])) {
            status = outcome;
        }
        return client.getHostAddress() + " xid " + String.format("%08x", xid) + text + ": " + status + "; call of " + callBytes
            + " bytes, " + (bytes == RpcPrograms.NO_REPLY ? "no reply" : "reply of " + bytes) + (itemBytes > 0 ? " and " + itemBytes
            + " by chunk" : "");
    }

    /** Status of the call itself, RFC 5531, section 9. */
    private static String status(ByteBuffer reply, int start, int bytes) {
        if (bytes < ACCEPT_STATUS + Integer.BYTES) {
            return bytes == RpcPrograms.NO_REPLY ? "failed" : "denied";
        }
        int status = reply.getInt(start + ACCEPT_STATUS);
        return status >= 0 && status < ACCEPTED.length ? ACCEPTED[status] : "status " + status;
    }
}
