// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Control message of ibsim's protocol, in the byte order of the host. The answer has the request's type, or {@link #ERROR}.
 *
 * <pre>
 *  0 | magic (4) = deadbeef | client number (4) | type (4) | bytes of data used (4) |
 * 16 | data (64) |
 * </pre>
 *
 * Source: ibsim 0.10, observed.
 */
final class SimControl {
    /** Bytes. */
    static final int LENGTH = 80;
    /** Offset of the data. */
    static final int DATA_OFFSET = 16;
    /** Bytes of data. */
    static final int DATA_LENGTH = 64;

    /** Type of an answer: the request was refused. */
    static final int ERROR = 0;
    /** Type: begins a session at a node. */
    static final int CONNECT = 1;
    /** Type: ends the session. */
    static final int DISCONNECT = 2;
    /** Type: LID (2) and state (1) of the port. */
    static final int GET_PORT = 3;
    /** Type: vendor (4), device (4) and hardware version (4), pad (4), firmware version (8). */
    static final int GET_VENDOR = 4;
    /** Type: GID of the port. */
    static final int GET_GID = 5;
    /** Type: GUID of the node. */
    static final int GET_GUID = 6;
    /** Type: NodeInfo. */
    static final int GET_NODE_INFO = 7;
    /** Type: PortInfo of the port whose number is the first byte. */
    static final int GET_PORT_INFO = 8;
    /** Type: says with 4 bytes whether a subnet manager runs. */
    static final int SET_MANAGER = 9;
    /** Type: the first 32 P_Keys. */
    static final int GET_PKEYS = 10;

    private static final int MAGIC = 0xDEADBEEF;
    private static final int CLIENT_OFFSET = 4;
    private static final int TYPE_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;
    private static final int SESSION_OFFSET = DATA_OFFSET;
    private static final int MANAGER_OFFSET = DATA_OFFSET + 8;
    private static final int NAME_OFFSET = DATA_OFFSET + 12;
    private static final int NAME_LENGTH = 32;

    private SimControl() {
    }

    /** A buffer for one message. */
    static ByteBuffer allocate() {
        return ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.nativeOrder());
    }

    static boolean isValid(ByteBuffer b, int length) {
        return length == LENGTH && b.getInt(0) == MAGIC;
    }

    /** Begins a request: all 80 bytes, without data. */
    static void begin(ByteBuffer b, int client, int type) {
        b.putInt(0, MAGIC);
        b.putInt(CLIENT_OFFSET, client);
        b.putInt(TYPE_OFFSET, type);
        b.putInt(LENGTH_OFFSET, DATA_LENGTH);
        for (int i = 0; i < DATA_LENGTH; i++) {
            b.put(DATA_OFFSET + i, (byte) 0);
        }
    }

    /** Number that the server gave the client. */
    static int client(ByteBuffer b) {
        return b.getInt(CLIENT_OFFSET);
    }

    static int type(ByteBuffer b) {
        return b.getInt(TYPE_OFFSET);
    }

    static void setType(ByteBuffer b, int type) {
        b.putInt(TYPE_OFFSET, type);
    }

    /** In {@link #CONNECT}: which socket the client receives at, in the answer its number. */
    static int session(ByteBuffer b) {
        return b.getInt(SESSION_OFFSET);
    }

    static void setSession(ByteBuffer b, int session) {
        b.putInt(SESSION_OFFSET, session);
    }

    /** In {@link #CONNECT}: whether a subnet manager runs; in {@link #SET_MANAGER}, the only word. */
    static boolean isManager(ByteBuffer b) {
        return b.getInt(type(b) == CONNECT ? MANAGER_OFFSET : DATA_OFFSET) != 0;
    }

    /** In {@link #CONNECT}. */
    static void setConnectingManager(ByteBuffer b, boolean running) {
        b.putInt(MANAGER_OFFSET, running ? 1 : 0);
    }

    /** In {@link #SET_MANAGER}. */
    static void setManager(ByteBuffer b, boolean running) {
        b.putInt(DATA_OFFSET, running ? 1 : 0);
    }

    /** In {@link #CONNECT}: id or description of the node; empty for the first one. */
    static String nodeName(ByteBuffer b) {
        byte[] name = new byte[NAME_LENGTH];
        b.get(NAME_OFFSET, name);
        int length = 0;
        while (length < NAME_LENGTH && name[length] != 0) {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    /** Writes as much of a name as there is room for. */
    static void setNodeName(ByteBuffer b, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < NAME_LENGTH; i++) {
            b.put(NAME_OFFSET + i, i < bytes.length && i < NAME_LENGTH - 1 ? bytes[i] : 0);
        }
    }
}
