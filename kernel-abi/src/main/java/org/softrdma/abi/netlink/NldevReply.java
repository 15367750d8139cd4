// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Messages that answer a request, one after the other in one datagram. */
public final class NldevReply {
    private static final int CAPACITY = 16384;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int MULTI = 2;
    private static final int CAPPED = 0x100;
    private static final int ATTRIBUTE_HEADER_BYTES = 4;
    private static final int ALIGNMENT = 4;

    private final NldevRequest request;
    private final ByteBuffer out = ByteBuffer.allocate(CAPACITY).order(ByteOrder.nativeOrder());
    private int message;
    private boolean refused;

    /** Creates an empty reply. */
    public NldevReply(NldevRequest request) {
        this.request = request;
    }

    /** Begins a message about one object, of the request's type. */
    public NldevReply begin() {
        return begin(request.type(), request.isDump() ? MULTI : 0);
    }

    private NldevReply begin(int type, int flags) {
        message = out.position();
        out.putInt(0).putShort((short) type).putShort((short) flags).putInt(request.sequence()).putInt(request.port());
        return this;
    }

    /** Ends the message. */
    public NldevReply end() {
        out.putInt(message, out.position() - message);
        return this;
    }

    /** Adds an attribute of one byte. */
    public NldevReply u8(int attribute, int value) {
        header(attribute, 1).put((byte) value);
        return pad();
    }

    /** Adds an attribute of 4 bytes. */
    public NldevReply u32(int attribute, int value) {
        header(attribute, Integer.BYTES).putInt(value);
        return this;
    }

    /** Adds an attribute of 8 bytes. */
    public NldevReply u64(int attribute, long value) {
        header(attribute, Long.BYTES).putLong(value);
        return this;
    }

    /** Adds a text. */
    public NldevReply text(int attribute, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        header(attribute, bytes.length + 1).put(bytes).put((byte) 0);
        return pad();
    }

    private ByteBuffer header(int attribute, int bytes) {
        return out.putShort((short) (ATTRIBUTE_HEADER_BYTES + bytes)).putShort((short) attribute);
    }

    private NldevReply pad() {
        while (out.position() % ALIGNMENT != 0) {
            out.put((byte) 0);
        }
        return this;
    }

    /** Ends a reply about all objects. */
    public NldevReply done() {
        begin(NLMSG_DONE, MULTI);
        out.putInt(0);
        return end();
    }

    /** Answers with an error instead: struct nlmsgerr with the request's header. */
    public NldevReply error(int errno) {
        out.clear();
        refused = true;
        begin(NLMSG_ERROR, 0);
        out.putInt(-errno).put(request.header());
        return end();
    }

    /** Adds what ends the reply to a request about one object that wants that (NLM_F_ACK), unless it is an error: an error of 0. */
    public NldevReply acknowledge() {
        if (refused || request.isDump() || !request.isAcknowledged()) {
            return this;
        }
        begin(NLMSG_ERROR, CAPPED);
        out.putInt(0).put(request.header());
        return end();
    }

    /** The datagram. */
    public byte[] bytes() {
        return Arrays.copyOf(out.array(), out.position());
    }
}
