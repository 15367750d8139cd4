// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.netlink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Requests as libibverbs 44 sends them, seen with strace; the layouts of answers are those of linux/netlink.h, little-endian. */
class NldevMessagesTest {
    /** Length 36, type 0x140f, NLM_F_REQUEST, sequence, port; DEV_INDEX 1; CHARDEV_TYPE "uverbs". */
    private static final byte[] GET_CHARDEV = bytes("24000000 0f14 0100 01020304 0a0b0c0d 0800 0100 01000000 0b00 4500 757665726273 00 00");
    /** Length 16, type 0x1401, NLM_F_REQUEST and NLM_F_DUMP. */
    private static final byte[] DUMP = bytes("10000000 0114 0103 01020304 0a0b0c0d");

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    @Test
    void shouldReadRequests() {
        NldevRequest request = NldevRequest.of(GET_CHARDEV);
        assertEquals(Nldev.GET_CHARDEV, request.type());
        assertFalse(request.isDump());
        assertEquals(1, request.number(Nldev.DEV_INDEX, -1));
        assertEquals("uverbs", request.text(Nldev.CHARDEV_TYPE));
        assertEquals(-1, request.number(Nldev.PORT_INDEX, -1));
        assertEquals("", request.text(Nldev.DEV_NAME));
        NldevRequest dump = NldevRequest.of(DUMP);
        assertEquals(Nldev.GET, dump.type());
        assertTrue(dump.isDump());
    }

    @Test
    void shouldRefuseTruncatedRequests() {
        for (int length = 0; length < GET_CHARDEV.length; length++) {
            assertNull(NldevRequest.of(Arrays.copyOf(GET_CHARDEV, length)));
        }
    }

    @Test
    void shouldNotReadBeyondAttributesWithFalseLengths() {
        for (int length = 0; length < 0x10000; length++) {
            byte[] wrong = GET_CHARDEV.clone();
            wrong[16] = (byte) length;
            wrong[17] = (byte) (length >> 8);
            NldevRequest request = NldevRequest.of(wrong);
            int index = request.number(Nldev.DEV_INDEX, -1);
            assertTrue(length >= 8 && length <= 20 ? index == 1 : index == -1, "length " + length);
            assertTrue(request.text(Nldev.CHARDEV_TYPE).length() <= 6);
        }
    }

    @Test
    void shouldAnswerInOneMessage() {
        byte[] answer = new NldevReply(NldevRequest.of(GET_CHARDEV)).begin().text(Nldev.CHARDEV_NAME, "uverbs1")
            .u64(Nldev.CHARDEV_ABI, 1).u32(Nldev.UVERBS_DRIVER_ID, 18).end().bytes();
        assertArrayEquals(bytes("30000000 0f14 0000 01020304 0a0b0c0d "
            + "0c00 4600 75766572627331 00 0c00 4700 0100000000000000 0800 4900 12000000"),
            answer);
    }

    /** As iproute2's rdma wants it, which waits for it; Linux 6.1's netlink_ack repeats the header only (NLM_F_CAPPED). */
    @Test
    void shouldAcknowledgeWhereThatIsWanted() {
        byte[] wanted = GET_CHARDEV.clone();
        wanted[6] |= 4;
        byte[] answer = new NldevReply(NldevRequest.of(wanted)).begin().u32(Nldev.UVERBS_DRIVER_ID, 18).end().acknowledge().bytes();
        assertArrayEquals(bytes("18000000 0f14 0000 01020304 0a0b0c0d 0800 4900 12000000"
            + "24000000 0200 0001 01020304 0a0b0c0d 00000000 24000000 0f14 0500 01020304 0a0b0c0d"), answer);
    }

    @Test
    void shouldAcknowledgeNothingElse() {
        assertEquals(16, new NldevReply(NldevRequest.of(GET_CHARDEV)).begin().end().acknowledge().bytes().length);
        byte[] dump = DUMP.clone();
        dump[6] |= 4;
        assertEquals(20, new NldevReply(NldevRequest.of(dump)).done().acknowledge().bytes().length);
        byte[] wanted = GET_CHARDEV.clone();
        wanted[6] |= 4;
        assertEquals(36, new NldevReply(NldevRequest.of(wanted)).error(22).acknowledge().bytes().length);
    }

    @Test
    void shouldEndADumpWithDone() {
        byte[] answer = new NldevReply(NldevRequest.of(DUMP)).begin().u8(Nldev.DEV_NODE_TYPE, 4).end().done().bytes();
        assertArrayEquals(bytes("18000000 0114 0200 01020304 0a0b0c0d 0500 0e00 04 000000"
            + "14000000 0300 0200 01020304 0a0b0c0d 00000000"), answer);
    }

    @Test
    void shouldRepeatTheHeaderInAnError() {
        byte[] answer = new NldevReply(NldevRequest.of(DUMP)).begin().u32(Nldev.DEV_INDEX, 1).error(22).bytes();
        assertArrayEquals(bytes("24000000 0200 0000 01020304 0a0b0c0d eaffffff 10000000 0114 0103 01020304 0a0b0c0d"), answer);
    }
}
