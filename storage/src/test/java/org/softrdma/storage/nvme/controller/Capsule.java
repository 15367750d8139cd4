// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Command capsules of a host, by the numbers of the specifications. */
final class Capsule {
    static final String SUBSYSTEM = "nqn.2026-11.org.softrdma:test";
    static final String HOST = "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555";
    static final int KEY = 0xcafe0001;

    private final ByteBuffer bytes = ByteBuffer.allocate(64 + 8192).order(ByteOrder.LITTLE_ENDIAN);
    private int length = 64;

    static Capsule of(int opcode, int id, int namespace) {
        Capsule capsule = new Capsule();
        capsule.bytes.put(0, (byte) opcode).put(1, (byte) 0x40).putShort(2, (short) id).putInt(4, namespace);
        return capsule;
    }

    static Capsule fabrics(int type, int id) {
        return of(0x7f, id, type);
    }

    /** A Connect whose data are at address 0. */
    static Capsule connect(int id, int queue, int lastEntry) {
        return fabrics(1, id).u16(42, queue).u16(44, lastEntry).u32(48, 5000).keyed(0, 1024);
    }

    static Capsule setProperty(int id, int offset, int value) {
        return fabrics(0, id).u32(44, offset).u32(48, value);
    }

    static Capsule getProperty(int id, int size, int offset) {
        Capsule capsule = fabrics(4, id).u32(44, offset);
        capsule.bytes.put(40, (byte) size);
        return capsule;
    }

    /** Data of a Connect. */
    static byte[] connectData(int controller, String subsystem, String host) {
        ByteBuffer data = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        data.putLong(0, 0x1111).putShort(16, (short) controller);
        data.put(256, subsystem.getBytes(StandardCharsets.UTF_8)).put(512, host.getBytes(StandardCharsets.UTF_8));
        return data.array();
    }

    Capsule flags(int flags) {
        bytes.put(1, (byte) flags);
        return this;
    }

    Capsule keyed(long address, int bytes) {
        return keyed(address, bytes, 0x40);
    }

    Capsule keyed(long address, int bytes, int type) {
        this.bytes.putLong(24, address).putInt(32, bytes).putInt(35, KEY).put(39, (byte) type);
        return this;
    }

    /** Puts data behind the command. */
    Capsule inCapsule(byte[] data) {
        bytes.putLong(24, 0).putInt(32, data.length).putInt(36, 0).put(39, (byte) 1).put(64, data);
        length = 64 + data.length;
        return this;
    }

    Capsule u16(int at, int value) {
        bytes.putShort(at, (short) value);
        return this;
    }

    Capsule u32(int at, int value) {
        bytes.putInt(at, value);
        return this;
    }

    Capsule u64(int at, long value) {
        bytes.putLong(at, value);
        return this;
    }

    /** Blocks of a read or write. */
    Capsule range(long start, int blocks) {
        bytes.putLong(40, start).putInt(48, blocks - 1);
        return this;
    }

    byte[] toBytes() {
        byte[] all = new byte[length];
        bytes.get(0, all);
        return all;
    }

    static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }
}
