// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Capsules and private data of Linux 6.1's host, captured in the kernel lab; tshark decodes them as this test expects. */
class GoldenCapsuleTest {
    private static ByteBuffer hex(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex)).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldReadPrivateData() {
        byte[] admin = Arrays.copyOf(HexFormat.of().parseHex("0000000020001f00"), 32);
        assertNull(QueueRequest.check(admin));
        assertEquals(new QueueRequest(0, 32, 32, 0), QueueRequest.parse(admin));
        // On RoCE the private data are followed by zeros.
        byte[] io = Arrays.copyOf(HexFormat.of().parseHex("0000010080007f00"), 56);
        assertNull(QueueRequest.check(io));
        assertEquals(new QueueRequest(1, 128, 128, 0), QueueRequest.parse(io));
    }

    @Test
    void shouldWritePrivateData() {
        assertArrayEquals(Arrays.copyOf(new byte[] {0, 0, 32}, 32), QueueRequest.accept(32));
        assertArrayEquals(new byte[] {0, 0, 3, 0}, QueueRequest.Refusal.INVALID_QUEUE.toBytes());
        assertArrayEquals(new byte[] {0, 0, 9, 0}, QueueRequest.Refusal.INVALID_CONTROLLER.toBytes());
    }

    @Test
    void shouldReadAConnect() {
        ByteBuffer b = hex("7f400000010000000000000000000000000000000000000000888c088088ffff000400280300004f"
            + "000000001f00000088130000000000000000000000000000");
        assertEquals(Opcode.FABRICS, Command.opcode(b));
        assertEquals(Opcode.CONNECT, FabricsCommand.type(b));
        assertTrue(Command.hasValidFlags(b));
        assertEquals(0, Command.id(b));
        assertEquals(0, FabricsCommand.recordFormat(b));
        assertEquals(0, FabricsCommand.queue(b));
        assertEquals(31, FabricsCommand.lastEntry(b));
        assertFalse(FabricsCommand.isWithoutFlowControl(b));
        assertEquals(5000, FabricsCommand.keepAliveMs(b));
        assertEquals(DataDescriptor.KEYED_INVALIDATE, DataDescriptor.type(b, Command.DESCRIPTOR_OFFSET));
        assertEquals(0xffff8880088c8800L, DataDescriptor.address(b, Command.DESCRIPTOR_OFFSET));
        assertEquals(1024, DataDescriptor.keyedLength(b, Command.DESCRIPTOR_OFFSET));
        assertEquals(0x328, DataDescriptor.key(b, Command.DESCRIPTOR_OFFSET));
    }

    @Test
    void shouldReadAConnectOfAnIoQueue() {
        ByteBuffer b = hex("7f400000010000000000000000000000000000000000000000000000000000000004000000000001"
            + "000001007f00000000000000000000000000000000000000");
        assertEquals(1, FabricsCommand.queue(b));
        assertEquals(127, FabricsCommand.lastEntry(b));
        assertEquals(DataDescriptor.IN_CAPSULE, DataDescriptor.type(b, Command.DESCRIPTOR_OFFSET));
        assertEquals(1024, DataDescriptor.inCapsuleLength(b, Command.DESCRIPTOR_OFFSET));
    }

    @Test
    void shouldReadDataOfAConnect() {
        ByteBuffer b = ByteBuffer.allocate(ConnectData.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        b.put(0, HexFormat.of().parseHex("2625b8d1e3a54a4ead330059e5a0a0640100"));
        b.put(256, HexFormat.of().parseHex("6e716e2e323032362d31312e6f72672e736f667472646d613a6469736b"));
        b.put(512, HexFormat.of().parseHex("6e716e2e323031342d30382e6f72672e6e766d657870726573733a757569643a"
            + "31313131313131312d323232322d333333332d343434342d353535353535353535353535"));
        assertEquals(UUID.fromString("2625b8d1-e3a5-4a4e-ad33-0059e5a0a064"), ConnectData.hostId(b));
        assertEquals(1, ConnectData.controller(b));
        assertEquals("nqn.2026-11.org.softrdma:disk", ConnectData.subsystem(b));
        assertEquals("nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555", ConnectData.host(b));
    }

    @Test
    void shouldReadProperties() {
        ByteBuffer get = hex("7f400100040000000000000000000000000000000000000000000000000000000000000000000040"
            + "010000000000000000000000000000000000000000000000");
        assertEquals(Opcode.PROPERTY_GET, FabricsCommand.type(get));
        assertEquals(8, FabricsCommand.propertyBytes(get));
        assertEquals(ControllerProperty.CAPABILITIES, FabricsCommand.propertyOffset(get));
        ByteBuffer set = hex("7f400010000000000000000000000000000000000000000000000000000000000000000000000040"
            + "000000001400000000004600000000000000000000000000");
        assertEquals(0x1000, Command.id(set));
        assertEquals(Opcode.PROPERTY_SET, FabricsCommand.type(set));
        assertEquals(4, FabricsCommand.propertyBytes(set));
        assertEquals(ControllerProperty.CONFIGURATION, FabricsCommand.propertyOffset(set));
        assertEquals(0x460000, FabricsCommand.propertyValue(set));
        assertTrue(ControllerProperty.isSupported(0x460001, false));
    }

    @Test
    void shouldReadIoCommands() {
        ByteBuffer write = hex("0140595001000000000000000000000000000000000000000090bc078088ffff0000041ba300004f"
            + "0000000000000000ff010000000000000000000000000000");
        assertEquals(Opcode.WRITE, Command.opcode(write));
        assertEquals(0x5059, Command.id(write));
        assertEquals(1, Command.namespace(write));
        assertEquals(0, Command.startBlock(write));
        assertEquals(512, Command.blocks(write));
        assertEquals(262144, DataDescriptor.keyedLength(write, Command.DESCRIPTOR_OFFSET));
        assertEquals(0xa31b, DataDescriptor.key(write, Command.DESCRIPTOR_OFFSET));
        assertFalse(Command.isForced(write));
        ByteBuffer forced = hex("01407550010000000000000000000000000000000000000000000000000000000004000029000001"
            + "020000000000000001000040000000000000000000000000");
        assertEquals(2, Command.startBlock(forced));
        assertEquals(2, Command.blocks(forced));
        assertTrue(Command.isForced(forced));
        assertEquals(DataDescriptor.IN_CAPSULE, DataDescriptor.type(forced, Command.DESCRIPTOR_OFFSET));
        ByteBuffer zeroes = hex("0840720001000000000000000000000000000000000000000000000000000000000000000000004"
            + "080ff0100000000007f000000000000000000000000000000");
        assertEquals(Opcode.WRITE_ZEROES, Command.opcode(zeroes));
        assertEquals(0x1ff80, Command.startBlock(zeroes));
        assertEquals(128, Command.blocks(zeroes));
    }

    @Test
    void shouldWriteAResponse() {
        byte[] bytes = new byte[Response.LENGTH];
        Arrays.fill(bytes, (byte) 0xa5);
        Response.put(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0x0807060504030201L, 0x1211, 0x2221, NvmeStatus.INVALID_FIELD);
        assertEquals("01020304050607081112000021220480", HexFormat.of().formatHex(bytes));
    }
}
