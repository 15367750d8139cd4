// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Messages of Linux 6.1's NFS client and nfsd, captured on rxe. */
public final class Golden {
    /** NULL of NFS version 3. */
    public static final String NULL_CALL = "1dcf4d18 00000001 00000080 00000000 00000000 00000000 00000000 "
        + "1dcf4d18 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000";
    /** Its reply. */
    public static final String NULL_REPLY = "1dcf4d18 00000001 00000040 00000000 00000000 00000000 00000000 "
        + "1dcf4d18 00000001 00000000 00000000 00000000 00000000";
    /** READ of a file of six bytes, version 3: one write chunk of 4096 bytes. */
    public static final String READ_CALL = "27cf4d18 00000001 00000080 00000000 00000000 00000001 00000001 00000cf1 00001000 27cf4d18 "
        + "c579b000 00000000 00000000 27cf4d18 00000000 00000002 000186a3 00000003 00000006 00000001 0000001c 00000000 00000006 286e6f6e "
        + "65290000 00000000 00000000 00000000 00000000 00000000 00000014 01000101 00000000 6c63ff8b 03000000 00000000 00000000 "
        + "00000000 00001000";
    /** Header of its reply. */
    public static final String READ_REPLY_HEADER = "27cf4d18 00000001 00000040 00000000 00000000 00000001 00000001 00000cf1 00000006 "
        + "27cf4d18 c579b000 00000000 00000000";
    /** Header of a WRITE of 262144 bytes, version 3: a read chunk of two segments at position 0x70. */
    public static final String WRITE_CALL_HEADER = "31cf4d18 00000001 00000080 00000000 00000001 00000070 00000b2a 00020000 31cf4d18 "
        + "c9f4a000 00000001 00000070 00000a15 00020000 31cf4d18 c9f6a000 00000000 00000000 00000000";
    /** EXCHANGE_ID, version 4.2: header and beginning of the message, with a reply chunk of 4240 bytes. */
    public static final String EXCHANGE_ID_CALL = "57b5a988 00000001 00000080 00000000 00000000 00000000 00000001 00000001 00003b97 "
        + "00001090 57b5a988 c93b6000 57b5a988 00000000 00000002 000186a3 00000004 00000001";
    /** Its reply, 100 bytes in the reply chunk. */
    public static final String EXCHANGE_ID_REPLY = "57b5a988 00000001 00000040 00000001 00000000 00000000 00000001 00000001 00003b97 "
        + "00000064 57b5a988 c93b6000";
    /** Reply to READDIRPLUS, version 3, in a reply chunk of three segments. */
    public static final String READDIRPLUS_REPLY = "39cf4d18 00000001 00000040 00000001 00000000 00000000 00000001 00000003 00000677 "
        + "0000007c 39cf4d18 c99cc800 0000052b 0000c14c 39cf4d18 ca158000 00000388 00000000 39cf4d18 c99cc87c";
    /** Answer of nfsd to version 2. */
    public static final String VERSION_ERROR = "11000003 00000002 00000040 00000004 00000001 00000001 00000001";
    /** Answer of nfsd to chunks that it cannot use. */
    public static final String CHUNK_ERROR = "11000004 00000001 00000040 00000004 00000002";
    /** Private data of Linux's client. */
    public static final String CLIENT_DATA = "f6ab0e18 01010303";
    /** Private data of nfsd. */
    public static final String SERVER_DATA = "f6ab0e18 01000303";

    private Golden() {
    }

    public static byte[] bytes(String words) {
        return HexFormat.of().parseHex(words.replace(" ", ""));
    }

    public static ByteBuffer buffer(String words) {
        return ByteBuffer.wrap(bytes(words));
    }

    /** @return the first bytes of a buffer as words */
    public static String words(ByteBuffer b, int bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes; i += 4) {
            text.append(i == 0 ? "" : " ").append(HexFormat.of().toHexDigits(b.getInt(i)));
        }
        return text.toString();
    }
}
