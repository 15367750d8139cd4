// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.nfs.Nfs3Program;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcPrograms;

/** Messages of Linux 6.1's client and nfsd, captured on rxe, without their transport headers. Handles are nfsd's, and replaced by ours. */
class GoldenCallTest {
    private static final String NULL_CALL = "1dcf4d18 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000";
    private static final String NULL_REPLY = "1dcf4d18 00000001 00000000 00000000 00000000 00000000";
    private static final String READ_CALL_START = "27cf4d18 00000000 00000002 000186a3 00000003 00000006 00000001 0000001c 00000000 "
        + "00000006 286e6f6e 65290000 00000000 00000000 00000000 00000000 00000000";
    private static final String READ_CALL_HANDLE = "00000014 01000101 00000000 6c63ff8b 03000000 00000000";
    private static final String READ_CALL_END = "00000000 00000000 00001000";
    /** Up to the attributes, which follow. */
    private static final String READ_REPLY_START = "27cf4d18 00000001 00000000 00000000 00000000 00000000 00000000 00000001";
    private static final String READ_REPLY_END = "00000006 00000001 00000006";
    private static final int ATTRIBUTES = 84;

    @TempDir
    Path directory;

    private final CallCounters counters = new CallCounters();
    private Export export;
    private RpcPrograms programs;

    /** A write chunk of 4096 bytes. */
    private static final class Chunk implements ResultItems {
        private final ByteBuffer memory = ByteBuffer.allocate(4096);
        private int written = -1;

        @Override
        public int nextBytes() {
            return written < 0 ? memory.capacity() : 0;
        }

        @Override
        public ByteBuffer next() {
            return memory.duplicate();
        }

        @Override
        public void done(int bytes) {
            written = bytes;
        }
    }

    @BeforeEach
    void serve() throws Exception {
        export = new Export(directory, false);
        programs = new RpcPrograms(List.of(new Nfs3Program(export, Clock.systemUTC(), 1)), counters);
    }

    private static byte[] hex(String... words) {
        return HexFormat.of().parseHex(String.join("", words).replace(" ", ""));
    }

    private byte[] reply(byte[] call, ResultItems items) {
        byte[] reply = new byte[1000];
        Arrays.fill(reply, (byte) 0xa5);
        int length = programs.serve(InetAddress.getLoopbackAddress(), ByteBuffer.wrap(call), ByteBuffer.wrap(reply), items);
        return Arrays.copyOf(reply, Math.max(length, 0));
    }

    private byte[] readCall() throws Exception {
        Files.writeString(directory.resolve("f"), "golden");
        byte[] handle = export.lookup(export.locate(export.rootHandle()), "f").handle().toBytes();
        return hex(READ_CALL_START, HexFormat.of().formatHex(ByteBuffer.allocate(4).putInt(handle.length).array()),
            HexFormat.of().formatHex(handle), READ_CALL_END);
    }

    @Test
    void shouldAnswerNullAsNfsdDoes() {
        assertArrayEquals(hex(NULL_REPLY), reply(hex(NULL_CALL), ResultItems.NONE));
    }

    @Test
    void shouldAnswerReadAsNfsdDoes() throws Exception {
        Chunk chunk = new Chunk();
        byte[] reply = reply(readCall(), chunk);
        byte[] start = hex(READ_REPLY_START);
        byte[] end = hex(READ_REPLY_END);
        assertEquals(start.length + ATTRIBUTES + end.length, reply.length);
        assertArrayEquals(start, Arrays.copyOf(reply, start.length));
        assertArrayEquals(end, Arrays.copyOfRange(reply, start.length + ATTRIBUTES, reply.length));
        assertEquals(6, chunk.written);
        assertEquals("golden", new String(chunk.memory.array(), 0, 6, StandardCharsets.UTF_8));
    }

    @Test
    void shouldRefuseTheHandleOfAnotherServer() {
        byte[] reply = reply(hex(READ_CALL_START, READ_CALL_HANDLE, READ_CALL_END), ResultItems.NONE);
        assertArrayEquals(hex("27cf4d18 00000001 00000000 00000000 00000000 00000000 00002711 00000000"), reply);
    }

    /** Lengths are those of the captured call, whose handle is 8 bytes shorter, and of the captured reply. */
    @Test
    void shouldReportCallsInLines() throws Exception {
        List<String> lines = new ArrayList<>();
        programs = new RpcPrograms(List.of(new Nfs3Program(export, Clock.systemUTC(), 1)), counters, lines::add);
        reply(readCall(), new Chunk());
        long inode = (Long) Files.getAttribute(directory.resolve("f"), "unix:ino");
        assertEquals(List.of("127.0.0.1 xid 27cf4d18 program 100003 version 3 procedure 6 READ inode " + inode
            + " offset 0 count 4096: OK; call of 112 bytes, reply of 128 and 6 by chunk"), lines);
        reply(hex(READ_CALL_START, READ_CALL_HANDLE, READ_CALL_END), ResultItems.NONE);
        assertEquals("127.0.0.1 xid 27cf4d18 program 100003 version 3 procedure 6 READ: BADHANDLE; call of 104 bytes, reply of 32",
            lines.get(1));
        reply(Arrays.copyOf(readCall(), 100), ResultItems.NONE);
        assertTrue(lines.get(2).contains(" READ inode " + inode + ": GARBAGE_ARGS; call of 100 bytes"), lines.get(2));
        byte[] make = hex("00000007 00000000 00000002 000186a3 00000003 00000009 00000000 00000000 00000000 00000000 0000001c",
            HexFormat.of().formatHex(export.rootHandle().toBytes()), "00000003 641b6500", "00000000".repeat(6));
        reply(make, ResultItems.NONE);
        assertTrue(lines.get(3).contains(" MKDIR inode " + export.rootHandle().inode() + " \"d?e\": OK;"), lines.get(3));
        reply(make, ResultItems.NONE);
        assertTrue(lines.get(4).contains(": sent again, answered as the first time;"), lines.get(4));
    }

    @Test
    void shouldRefuseACallThatIsTruncatedAnywhere() throws Exception {
        byte[] call = readCall();
        for (int length = 0; length < call.length; length++) {
            byte[] reply = reply(Arrays.copyOf(call, length), ResultItems.NONE);
            if (length < 8) {
                assertEquals(0, reply.length);
            } else {
                assertArrayEquals(hex("27cf4d18 00000001 00000000 00000000 00000000 00000004"), reply, "of " + length + " bytes");
            }
        }
        assertEquals(8, counters.snapshot().get("no_calls"));
    }

    @Test
    void shouldReportAReplyWithoutRoom() throws Exception {
        byte[] call = readCall();
        for (int room = 0; room < 24 + 4 + 88 + 12; room++) {
            ByteBuffer reply = ByteBuffer.allocate(room);
            assertThrows(BufferOverflowException.class,
                () -> programs.serve(InetAddress.getLoopbackAddress(), ByteBuffer.wrap(call), reply, ResultItems.NONE));
        }
        assertEquals(24 + 4 + 88 + 12, programs.serve(InetAddress.getLoopbackAddress(), ByteBuffer.wrap(call),
            ByteBuffer.allocate(24 + 4 + 88 + 12), ResultItems.NONE));
    }
}
