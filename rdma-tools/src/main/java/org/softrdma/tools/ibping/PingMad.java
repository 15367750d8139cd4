// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.softrdma.verbs.MadAgent;

/**
 * The datagrams of ibping: a Get of OpenIB's vendor class without data, and its GetResp with the name of the host. Big-endian; bytes
 * without a name are 0:
 *
 * <pre>
 *  0 | BaseVersion (1) = 1 | MgmtClass (1) = 0x32 | ClassVersion (1) = 1 | Method (1) |
 *  8 | TransactionID (8)                                                              |
 * 36 | reserved (1)        | OUI (3)                                                  |
 * 40 | the host's name and a NUL (216)                                                |
 * </pre>
 *
 * Source: IBA vol 1 §13.4, §16.5; infiniband-diags 44.
 */
final class PingMad {
    /** Management class. */
    static final int CLASS = 0x32;
    /** OUI of OpenIB. */
    static final int OUI = 0x001405;

    private static final int HEAD = 0x01320100;
    private static final int GET = 0x01;
    private static final int GET_RESPONSE = 0x81;
    private static final int METHOD_AT = 3;
    private static final int TRANSACTION_ID_AT = 8;
    private static final int OUI_AT = 36;
    private static final int NAME_AT = 40;
    private static final int NAME_BYTES = MadAgent.MAD_BYTES - NAME_AT;

    private PingMad() {
    }

    /**
     * Makes a request.
     *
     * @param oui u24
     */
    static byte[] request(long transactionId, int oui) {
        return ByteBuffer.allocate(MadAgent.MAD_BYTES).putInt(0, HEAD | GET).putLong(TRANSACTION_ID_AT, transactionId).putInt(OUI_AT, oui)
            .array();
    }

    static boolean isRequest(byte[] mad, int oui) {
        return is(mad, GET, oui);
    }

    /**
     * Makes the answer to a request: a copy of it with the name of this host.
     *
     * @param hostName truncated if too long
     */
    static byte[] answer(byte[] request, String hostName) {
        byte[] answer = request.clone();
        answer[METHOD_AT] = (byte) GET_RESPONSE;
        byte[] name = Arrays.copyOf(hostName.getBytes(StandardCharsets.UTF_8), NAME_BYTES - 1);
        System.arraycopy(Arrays.copyOf(name, NAME_BYTES), 0, answer, NAME_AT, NAME_BYTES);
        return answer;
    }

    static boolean isAnswer(byte[] mad, long transactionId, int oui) {
        return is(mad, GET_RESPONSE, oui) && ByteBuffer.wrap(mad).getLong(TRANSACTION_ID_AT) == transactionId;
    }

    private static boolean is(byte[] mad, int method, int oui) {
        ByteBuffer buffer = ByteBuffer.wrap(mad);
        return buffer.getInt(0) == (HEAD | method) && (buffer.getInt(OUI_AT) & 0xffffff) == oui;
    }

    /** @return the name in an answer, up to its first 0, with a dot for each control character */
    static String hostName(byte[] answer) {
        int end = NAME_AT;
        while (end < answer.length && answer[end] != 0) {
            end++;
        }
        return new String(answer, NAME_AT, end - NAME_AT, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", ".");
    }
}
