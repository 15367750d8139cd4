// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.storage.nvme.controller.Capsule.connect;
import static org.softrdma.storage.nvme.controller.Capsule.connectData;
import static org.softrdma.storage.nvme.controller.Capsule.getProperty;
import static org.softrdma.storage.nvme.controller.Capsule.of;
import static org.softrdma.storage.nvme.controller.Capsule.setProperty;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.storage.nvme.controller.ScriptedQueue.Answer;
import org.softrdma.storage.nvme.store.MemoryStore;

/** Scripts of a host and the machines of its queues. Numbers are those of the specifications. */
class QueueMachineTest {
    private static final int DO_NOT_RETRY = 0x8000;
    private static final int INVALID_OPCODE = 0x01 << 1 | DO_NOT_RETRY;
    private static final int INVALID_FIELD = 0x02 << 1 | DO_NOT_RETRY;
    private static final int INVALID_NAMESPACE = 0x0b << 1 | DO_NOT_RETRY;
    private static final int SEQUENCE_ERROR = 0x0c << 1 | DO_NOT_RETRY;
    private static final int LENGTH_INVALID = 0x0f << 1 | DO_NOT_RETRY;
    private static final int TYPE_INVALID = 0x11 << 1 | DO_NOT_RETRY;
    private static final int OFFSET_INVALID = 0x16 << 1 | DO_NOT_RETRY;
    private static final int OUT_OF_RANGE = 0x80 << 1 | DO_NOT_RETRY;
    private static final int EVENT_LIMIT = 0x105 << 1 | DO_NOT_RETRY;
    private static final int INVALID_PARAMETERS = 0x182 << 1 | DO_NOT_RETRY;
    private static final int CONTROLLER_BUSY = 0x181 << 1;
    private static final int READY = 1;
    private static final int ENABLE = 0x460001;
    private static final long SECOND = 1_000_000_000L;
    private static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    private final MemoryStore store = new MemoryStore(1 << 20);
    private final MemoryStore second = new MemoryStore(1 << 16);
    private final NvmeCounters counters = new NvmeCounters();
    private final SubsystemSettings settings = new SubsystemSettings(Capsule.SUBSYSTEM, 2, 2, 16, 4096, 8192, 2);
    private Subsystem subsystem = new Subsystem(settings, List.of(store, second), 9, counters);
    private ScriptedQueue admin;
    private ScriptedQueue io;

    private ScriptedQueue connected(int queue, int controller) {
        ScriptedQueue made = new ScriptedQueue(subsystem, queue, 16);
        System.arraycopy(connectData(controller, Capsule.SUBSYSTEM, Capsule.HOST), 0, made.memory, 0, 1024);
        Answer answer = made.call(connect(1, queue, 15));
        assertEquals(0, answer.status());
        return made;
    }

    private void enable() {
        admin = connected(0, 0xffff);
        assertEquals(0, admin.call(setProperty(2, 0x14, ENABLE)).status());
        assertEquals(READY, admin.call(getProperty(3, 0, 0x1c)).result());
    }

    private void ready() {
        enable();
        io = connected(1, 1);
        io.log.clear();
    }

    private static byte[] pattern(int bytes) {
        byte[] pattern = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            pattern[i] = (byte) (i * 7 + i / 256);
        }
        return pattern;
    }

    // ---- set-up ----

    @Test
    void shouldAssignControllersToHosts() {
        enable();
        assertEquals(1, subsystem.size());
        ScriptedQueue other = new ScriptedQueue(subsystem, 0, 32);
        System.arraycopy(connectData(0xffff, Capsule.SUBSYSTEM, Capsule.HOST), 0, other.memory, 0, 1024);
        assertEquals(new Answer(2, 1, 7, 0, Capsule.KEY), other.call(connect(7, 0, 31).keyed(0, 1024, 0x4f)));
        ScriptedQueue third = new ScriptedQueue(subsystem, 0, 32);
        System.arraycopy(connectData(0xffff, Capsule.SUBSYSTEM, Capsule.HOST), 0, third.memory, 0, 1024);
        assertEquals(CONTROLLER_BUSY, third.call(connect(1, 0, 31)).status());
        other.machine.onEnd();
        assertEquals(3, third.call(connect(2, 0, 31)).result());
    }

    @Test
    void shouldReportCapabilities() {
        admin = connected(0, 0xffff);
        // 16 entries, contiguous, 7.5 s, NVM command set.
        assertEquals(0x20_0f01_000fL, admin.call(getProperty(2, 1, 0)).result());
        assertEquals(0x10300, admin.call(getProperty(3, 0, 8)).result());
        assertEquals(0, admin.call(getProperty(4, 0, 0x1c)).result());
        assertEquals(INVALID_FIELD, admin.call(getProperty(5, 0, 0)).status(), "four bytes of eight");
        assertEquals(INVALID_FIELD, admin.call(getProperty(5, 1, 8)).status(), "eight bytes of four");
        assertEquals(INVALID_FIELD, admin.call(getProperty(5, 2, 8)).status());
        assertEquals(INVALID_FIELD, admin.call(getProperty(5, 0, 0x20)).status());
        assertEquals(INVALID_FIELD, admin.call(setProperty(5, 0x1c, 0)).status());
    }

    @Test
    void shouldRefuseWrongConnects() {
        enable();
        ScriptedQueue queue = new ScriptedQueue(subsystem, 1, 16);
        System.arraycopy(connectData(1, Capsule.SUBSYSTEM, Capsule.HOST), 0, queue.memory, 0, 1024);
        assertEquals(0x180 << 1 | DO_NOT_RETRY, queue.call(connect(1, 1, 15).u16(40, 1)).status());
        assertEquals(new Answer(42, 0, 1, INVALID_PARAMETERS, 0), queue.call(connect(1, 2, 15)), "another queue than the connection's");
        assertEquals(new Answer(44, 0, 1, INVALID_PARAMETERS, 0), queue.call(connect(1, 1, 0)));
        assertEquals(new Answer(44, 0, 1, INVALID_PARAMETERS, 0), queue.call(connect(1, 1, 16)), "more than the connection has");
        assertEquals(LENGTH_INVALID, queue.call(connect(1, 1, 15).keyed(0, 1023)).status());
        assertEquals(SEQUENCE_ERROR, queue.call(of(2, 1, 1).range(0, 1).keyed(0, 512)).status(), "a read before Connect");

        refused(queue, connectData(2, Capsule.SUBSYSTEM, Capsule.HOST), 16);
        refused(queue, connectData(0xffff, Capsule.SUBSYSTEM, Capsule.HOST), 16);
        refused(queue, connectData(1, Capsule.SUBSYSTEM + "2", Capsule.HOST), 256);
        refused(queue, connectData(1, "n".repeat(256), Capsule.HOST), 256);
        refused(queue, connectData(1, "", Capsule.HOST), 256);
        refused(queue, connectData(1, Capsule.SUBSYSTEM, Capsule.HOST + "2"), 512);
        refused(queue, connectData(1, Capsule.SUBSYSTEM, "n".repeat(224)), 512);
        byte[] otherHost = connectData(1, Capsule.SUBSYSTEM, Capsule.HOST);
        otherHost[3] = 1;
        refused(queue, otherHost, 0);
        assertEquals(1, subsystem.size());
    }

    private static void refused(ScriptedQueue queue, byte[] data, int offset) {
        System.arraycopy(data, 0, queue.memory, 0, 1024);
        assertEquals(new Answer(1 << 16 | offset, 0, 1, INVALID_PARAMETERS, 0), queue.call(connect(1, 1, 15)));
    }

    @Test
    void shouldConnectEachQueueOnce() {
        ready();
        assertEquals(SEQUENCE_ERROR, io.call(connect(2, 1, 15)).status(), "connected already");
        assertEquals(SEQUENCE_ERROR, admin.call(connect(2, 0, 15)).status());
        ScriptedQueue again = new ScriptedQueue(subsystem, 1, 16);
        System.arraycopy(connectData(1, Capsule.SUBSYSTEM, Capsule.HOST), 0, again.memory, 0, 1024);
        assertEquals(SEQUENCE_ERROR, again.call(connect(1, 1, 15)).status(), "another connection has the queue");
        io.machine.onEnd();
        assertEquals(0, again.call(connect(2, 1, 15)).status());
    }

    @Test
    void shouldConnectOnceWhenTwoConnectsAreSentAtOnce() {
        ScriptedQueue queue = new ScriptedQueue(subsystem, 0, 16);
        System.arraycopy(connectData(0xffff, Capsule.SUBSYSTEM, Capsule.HOST), 0, queue.memory, 0, 1024);
        queue.readsComplete = false;
        queue.deliver(connect(1, 0, 15).toBytes());
        queue.deliver(connect(2, 0, 15).toBytes());
        queue.completeRead();
        queue.completeRead();
        assertEquals(0, queue.answers.remove().status());
        assertEquals(SEQUENCE_ERROR, queue.answers.remove().status());
        assertEquals(1, subsystem.size());
    }

    @Test
    void shouldRefuseIoQueuesOfADisabledController() {
        admin = connected(0, 0xffff);
        ScriptedQueue queue = new ScriptedQueue(subsystem, 1, 16);
        System.arraycopy(connectData(1, Capsule.SUBSYSTEM, Capsule.HOST), 0, queue.memory, 0, 1024);
        assertEquals(SEQUENCE_ERROR, queue.call(connect(1, 1, 15)).status());
        assertEquals(SEQUENCE_ERROR, admin.call(of(6, 2, 0).u32(40, 1).keyed(0, 4096)).status(), "identify before it is enabled");
    }

    @Test
    void shouldRefuseQueuesBeyondThoseGranted() {
        enable();
        assertEquals(0, admin.call(of(9, 4, 0).u32(40, 7)).result(), "one queue was requested and granted");
        ScriptedQueue second = new ScriptedQueue(subsystem, 2, 16);
        System.arraycopy(connectData(1, Capsule.SUBSYSTEM, Capsule.HOST), 0, second.memory, 0, 1024);
        assertEquals(new Answer(42, 0, 1, INVALID_PARAMETERS, 0), second.call(connect(1, 2, 15)));
        assertEquals(0x10001, admin.call(of(9, 5, 0).u32(40, 7).u32(44, 0x00ff00ff)).result());
        assertEquals(0x10001, admin.call(of(10, 5, 0).u32(40, 7)).result());
        assertEquals(INVALID_FIELD, admin.call(of(9, 5, 0).u32(40, 7).u32(44, 0xffff)).status());
        assertEquals(0, second.call(connect(1, 2, 15)).status());
    }

    @Test
    void shouldFailOnAnUnsupportedConfiguration() {
        admin = connected(0, 0xffff);
        admin.call(setProperty(2, 0x14, 0x470001));
        assertEquals(2, admin.call(getProperty(3, 0, 0x1c)).result(), "entries of 128 bytes");
        assertEquals(1, counters.get(NvmeCounter.FATAL_CONFIGURATIONS));
        admin.call(setProperty(2, 0x14, 0));
        admin.call(setProperty(2, 0x14, ENABLE));
        assertEquals(READY, admin.call(getProperty(3, 0, 0x1c)).result());
    }

    @Test
    void shouldShutDown() {
        enable();
        admin.call(setProperty(2, 0x14, ENABLE | 1 << 14));
        assertEquals(READY | 2 << 2, admin.call(getProperty(3, 0, 0x1c)).result());
    }

    @Test
    void shouldEndIoQueuesOnAReset() {
        ready();
        admin.deliver(of(12, 4, 0).toBytes());
        int receives = admin.receives();
        admin.call(setProperty(2, 0x14, 0x460000));
        assertTrue(io.ended);
        assertFalse(admin.ended);
        assertEquals(receives + 1, admin.receives(), "the event request was dropped");
        assertEquals(0, admin.call(getProperty(3, 0, 0x1c)).result());
    }

    @Test
    void shouldEndAllQueuesWithTheAdminQueue() {
        ready();
        admin.machine.onEnd();
        assertTrue(io.ended);
        assertEquals(0, subsystem.size());
        io.machine.onEnd();
    }

    // ---- keep-alive ----

    @Test
    void shouldEndASilentController() {
        ready();
        subsystem.expire(10 * SECOND);
        assertFalse(admin.ended, "twice the timeout of 5 s");
        io.nowNs = 4 * SECOND;
        io.call(of(0, 9, 1));
        subsystem.expire(14 * SECOND);
        assertFalse(admin.ended);
        subsystem.expire(14 * SECOND + 1);
        assertTrue(admin.ended);
        assertTrue(io.ended);
        assertEquals(1, counters.get(NvmeCounter.KEEP_ALIVE_TIMEOUTS));
        subsystem.expire(20 * SECOND);
        assertEquals(1, counters.get(NvmeCounter.KEEP_ALIVE_TIMEOUTS));
    }

    @Test
    void shouldKeepAControllerWithoutATimeout() {
        ready();
        admin.call(of(9, 4, 0).u32(40, 0x0f).u32(44, 0));
        subsystem.expire(1000 * SECOND);
        assertFalse(admin.ended);
    }

    // ---- discovery ----

    private void discover() {
        admin = new ScriptedQueue(subsystem, 0, 16);
        System.arraycopy(connectData(0xffff, DISCOVERY, Capsule.HOST), 0, admin.memory, 0, 1024);
        assertEquals(new Answer(1, 1, 1, 0, 0), admin.call(connect(1, 0, 15)));
        assertEquals(0, admin.call(setProperty(2, 0x14, 1)).status(), "without sizes of entries");
        assertEquals(READY, admin.call(getProperty(3, 0, 0x1c)).result());
    }

    /** Offsets of NVMe over Fabrics 1.1, figures 34, 35 and 44. */
    @Test
    void shouldListTheAddressesOfTheSubsystem() {
        discover();
        Arrays.fill(admin.memory, 0, 4096, (byte) 0x5a);
        assertEquals(0, admin.call(of(2, 4, 0).u32(40, 0x3ff0070).keyed(0, 4096)).status());
        ByteBuffer log = ByteBuffer.wrap(admin.memory).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(0, log.getLong(0), "generation");
        assertEquals(2, log.getLong(8), "entries");
        assertEquals(0, log.getShort(16), "record format");
        checkEntry(1024, 1, 1, "4420", "192.0.2.1");
        checkEntry(2048, 2, 2, "4421", "2001:db8::1");
        assertArrayEquals(new byte[1024], Arrays.copyOfRange(admin.memory, 3072, 4096), "beyond the end");
        // Linux's nvme reads the header, then the entries by an offset.
        assertEquals(0, admin.call(of(2, 4, 0).u32(40, 0x1ff0070).u32(48, 1024).keyed(4096, 2048)).status());
        assertArrayEquals(Arrays.copyOfRange(admin.memory, 1024, 3072), Arrays.copyOfRange(admin.memory, 4096, 6144));
        assertEquals(INVALID_FIELD, admin.call(of(2, 4, 0).u32(40, 0xff0070).u32(48, 3076).keyed(0, 1024)).status());
    }

    private void checkEntry(int at, int family, int port, String service, String address) {
        ByteBuffer entry = ByteBuffer.wrap(admin.memory, at, 1024).slice().order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(1, entry.get(0), "RDMA");
        assertEquals(family, entry.get(1));
        assertEquals(2, entry.get(2), "an NVM subsystem");
        assertEquals(4, entry.get(3), "the submission queue head may be ignored");
        assertEquals(port, entry.getShort(4));
        assertEquals(-1, entry.getShort(6), "any controller");
        assertEquals(32, entry.getShort(8), "entries of the admin queue");
        assertEquals(service + " ".repeat(32 - service.length()), text(at + 32, 32));
        assertEquals(Capsule.SUBSYSTEM + "\0".repeat(256 - Capsule.SUBSYSTEM.length()), text(at + 256, 256));
        assertEquals(address + " ".repeat(256 - address.length()), text(at + 512, 256));
        assertEquals(0x00010101, entry.getInt(768), "reliable connected, any provider, RDMA CM");
    }

    private String text(int at, int length) {
        return new String(admin.memory, at, length, StandardCharsets.US_ASCII);
    }

    @Test
    void shouldIdentifyTheDiscoveryController() {
        discover();
        assertEquals(0, admin.call(of(6, 4, 0).u32(40, 1).keyed(0, 4096)).status());
        ByteBuffer data = ByteBuffer.wrap(admin.memory).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(1, data.getShort(78), "controller");
        assertEquals(2, data.get(111), "a discovery controller");
        assertEquals(0, data.getInt(516), "namespaces");
        assertEquals(4, data.get(261), "log pages with an offset");
        assertEquals(DISCOVERY + "\0", text(768, DISCOVERY.length() + 1));
    }

    @Test
    void shouldRefuseAllElseOfADiscoveryController() {
        discover();
        assertEquals(INVALID_FIELD, admin.call(of(6, 4, 1).keyed(0, 4096)).status(), "identify namespace");
        assertEquals(INVALID_FIELD, admin.call(of(6, 4, 0).u32(40, 2).keyed(0, 4096)).status());
        assertEquals(0x109 << 1 | DO_NOT_RETRY, admin.call(of(2, 4, 0).u32(40, 0x7f0002).keyed(0, 512)).status(), "health");
        assertEquals(INVALID_FIELD, admin.call(of(9, 4, 0).u32(40, 7)).status(), "number of queues");
        assertEquals(0, admin.call(of(9, 4, 0).u32(40, 0xf).u32(44, 120_000)).status(), "keep-alive timeout");
        assertEquals(120_000, admin.call(of(10, 4, 0).u32(40, 0xf)).result());
        assertEquals(0, admin.call(of(0x18, 4, 0)).status());
        assertEquals(INVALID_OPCODE, admin.call(of(8, 4, 0)).status(), "abort");
        ScriptedQueue queue = new ScriptedQueue(subsystem, 1, 16);
        System.arraycopy(connectData(1, DISCOVERY, Capsule.HOST), 0, queue.memory, 0, 1024);
        assertEquals(new Answer(42, 0, 1, INVALID_PARAMETERS, 0), queue.call(connect(1, 1, 15)), "it has no I/O queue");
        refused(queue, connectData(1, Capsule.SUBSYSTEM, Capsule.HOST), 16);
    }

    @Test
    void shouldNotListAddressesOfOtherControllers() {
        enable();
        assertEquals(0x109 << 1 | DO_NOT_RETRY, admin.call(of(2, 4, 0).u32(40, 0xff0070).keyed(0, 1024)).status());
        assertEquals(0, admin.call(of(6, 4, 0).u32(40, 1).keyed(0, 4096)).status());
        assertEquals(1, admin.memory[111], "a controller for I/O");
    }

    // ---- admin commands ----

    @Test
    void shouldIdentifyTheController() {
        enable();
        assertEquals(new Answer(0, 4, 4, 0, Capsule.KEY), admin.call(of(6, 4, 0).u32(40, 1).keyed(8192, 4096, 0x4f)));
        ByteBuffer data = ByteBuffer.wrap(admin.memory, 8192, 4096).slice().order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(1, data.get(77), "8 KiB: two pages");
        assertEquals(1, data.getShort(78), "controller");
        assertEquals(10, data.getShort(320), "keep-alive in seconds");
        assertEquals(0x66, data.get(512));
        assertEquals(0x44, data.get(513));
        assertEquals(2, data.getInt(516), "namespaces");
        assertEquals(0x100005, data.getInt(536), "keyed descriptors and offsets");
        assertEquals((64 + 4096) / 16, data.getInt(1792));
        assertEquals(1, data.getInt(1796));
        byte[] name = Arrays.copyOfRange(admin.memory, 8192 + 768, 8192 + 768 + Capsule.SUBSYSTEM.length() + 1);
        assertEquals(Capsule.SUBSYSTEM + "\0", new String(name));
    }

    @Test
    void shouldIdentifyTheNamespace() {
        enable();
        assertEquals(0, admin.call(of(6, 4, 1).keyed(0, 4096)).status());
        ByteBuffer data = ByteBuffer.wrap(admin.memory).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(2048, data.getLong(0));
        assertEquals(9, data.get(130));
        assertEquals(0, data.get(26), "format 0");
        assertEquals(0, admin.call(of(6, 4, 0).u32(40, 2).keyed(0, 4096)).status());
        assertEquals(1 | 2L << 32, data.getLong(0), "the list of namespaces");
        assertEquals(0, data.getInt(8), "its end");
        assertEquals(0, admin.call(of(6, 4, 1).u32(40, 2).keyed(0, 4096)).status());
        assertEquals(2, data.getLong(0), "behind the first");
        assertEquals(0, admin.call(of(6, 4, 2).u32(40, 2).keyed(0, 4096)).status());
        assertEquals(0, data.getLong(0), "none behind the last");
        assertEquals(0, admin.call(of(6, 4, 2).keyed(0, 4096)).status());
        assertEquals(128, data.getLong(0), "size of the second");
        assertEquals(0, admin.call(of(6, 4, 1).u32(40, 3).keyed(0, 4096)).status());
        assertEquals(0x1003, data.getInt(0), "a UUID of 16 bytes");
        assertEquals(0, data.getInt(20), "end of the list");
        byte[] first = Arrays.copyOfRange(admin.memory, 4, 20);
        assertEquals(0, admin.call(of(6, 4, 2).u32(40, 3).keyed(0, 4096)).status());
        assertFalse(Arrays.equals(first, Arrays.copyOfRange(admin.memory, 4, 20)), "another UUID");
        assertEquals(INVALID_NAMESPACE, admin.call(of(6, 4, 0).keyed(0, 4096)).status());
        assertEquals(INVALID_NAMESPACE, admin.call(of(6, 4, 3).keyed(0, 4096)).status());
        assertEquals(INVALID_NAMESPACE, admin.call(of(6, 4, 3).u32(40, 3).keyed(0, 4096)).status());
        assertEquals(INVALID_NAMESPACE, admin.call(of(6, 4, 0xffffffff).u32(40, 2).keyed(0, 4096)).status());
        assertEquals(INVALID_FIELD, admin.call(of(6, 4, 0).u32(40, 6).keyed(0, 4096)).status());
    }

    @Test
    void shouldServeLogPages() {
        enable();
        assertEquals(0, admin.call(of(2, 4, 0).u32(40, 0x3ff0005).keyed(0, 4096)).status());
        ByteBuffer data = ByteBuffer.wrap(admin.memory).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(1, data.getInt(6 * 4), "identify is supported");
        assertEquals(3, data.getInt(1024 + 4), "write changes blocks");
        assertEquals(0, data.getInt(1024 + 5 * 4), "compare is not supported");
        // The second half of the health page, twice as long as it is.
        Arrays.fill(admin.memory, 0, 512, (byte) 0x5a);
        assertEquals(0, admin.call(of(2, 4, 0).u32(40, 0x7f0002).u32(48, 256).keyed(0, 512)).status());
        assertArrayEquals(new byte[512], Arrays.copyOf(admin.memory, 512));
        assertEquals(0x109 << 1 | DO_NOT_RETRY, admin.call(of(2, 4, 0).u32(40, 0x7f0070).keyed(0, 512)).status());
        assertEquals(INVALID_FIELD, admin.call(of(2, 4, 0).u32(40, 0x7f0002).u32(48, 516).keyed(0, 512)).status());
        assertEquals(INVALID_FIELD, admin.call(of(2, 4, 0).u32(40, 0xffff0002).u32(44, 0xffff).keyed(0, 512)).status(), "16 GiB");
    }

    @Test
    void shouldHoldFourEventRequests() {
        enable();
        for (int i = 0; i < 4; i++) {
            admin.deliver(of(12, 10 + i, 0).toBytes());
        }
        assertTrue(admin.answers.isEmpty());
        assertEquals(EVENT_LIMIT, admin.call(of(12, 14, 0)).status());
    }

    @Test
    void shouldRefuseUnknownCommands() {
        ready();
        assertEquals(INVALID_OPCODE, admin.call(of(0x81, 4, 0)).status());
        assertEquals(INVALID_OPCODE, admin.call(of(0x7f, 4, 8)).status());
        assertEquals(INVALID_OPCODE, io.call(of(5, 4, 1).range(0, 1)).status());
        assertEquals(INVALID_OPCODE, io.call(getProperty(4, 0, 8)).status(), "a property on an I/O queue");
        assertEquals(INVALID_FIELD, io.call(of(2, 4, 1).range(0, 1).keyed(0, 512).flags(0)).status(), "PRP");
        assertEquals(INVALID_FIELD, io.call(of(2, 4, 1).range(0, 1).keyed(0, 512).flags(0x41)).status(), "fused");
        assertEquals(1, admin.call(of(8, 4, 0)).result(), "nothing to abort");
        assertEquals(INVALID_FIELD, admin.call(of(10, 4, 0).u32(40, 0x55)).status());
        assertEquals(INVALID_FIELD, admin.call(of(9, 4, 0).u32(40, 0x55)).status());
    }

    // ---- I/O ----

    @Test
    void shouldWriteAndRead() {
        ready();
        byte[] data = pattern(8192);
        System.arraycopy(data, 0, io.memory, 65536, data.length);
        assertEquals(new Answer(0, 2, 2, 0, 0), io.call(of(1, 2, 1).range(100, 16).keyed(65536, 8192)));
        assertEquals(new Answer(0, 3, 3, 0, Capsule.KEY), io.call(of(2, 3, 1).range(100, 16).keyed(131072, 8192, 0x4f)));
        assertArrayEquals(data, Arrays.copyOfRange(io.memory, 131072, 131072 + 8192));
        assertEquals(List.of("read 8192 at 65536 key cafe0001", "send 2", "write 8192 at 131072 key cafe0001", "send 3"), io.log);
        assertEquals(0, io.call(of(0, 4, 1)).status(), "flush");
        assertEquals(0, io.call(of(0, 4, 0xffffffff)).status(), "flush of all namespaces");
        assertEquals(0, io.call(of(8, 5, 1).range(101, 1)).status(), "write zeroes");
        io.call(of(2, 6, 1).range(100, 3).keyed(0, 1536));
        byte[] expected = Arrays.copyOf(data, 1536);
        Arrays.fill(expected, 512, 1024, (byte) 0);
        assertArrayEquals(expected, Arrays.copyOf(io.memory, 1536));
    }

    @Test
    void shouldWriteDataInTheCapsule() {
        ready();
        byte[] data = pattern(4096);
        assertEquals(0, io.call(of(1, 2, 1).range(0, 8).inCapsule(data)).status());
        io.call(of(2, 3, 1).range(0, 8).keyed(0, 4096));
        assertArrayEquals(data, Arrays.copyOf(io.memory, 4096));
        assertEquals(1, counters.get(NvmeCounter.IN_CAPSULE_WRITES));
        // Its second half, by an offset.
        assertEquals(0, io.call(of(1, 4, 1).range(20, 4).inCapsule(data).u64(24, 2048).u32(32, 2048)).status());
        io.call(of(2, 3, 1).range(20, 4).keyed(0, 2048));
        assertArrayEquals(Arrays.copyOfRange(data, 2048, 4096), Arrays.copyOf(io.memory, 2048));
    }

    @Test
    void shouldKeepNamespacesApart() {
        ready();
        byte[] data = pattern(1024);
        assertEquals(0, io.call(of(1, 2, 2).range(5, 2).inCapsule(data)).status());
        ByteBuffer stored = ByteBuffer.allocate(1024);
        second.read(5 * 512, stored);
        assertArrayEquals(data, stored.array());
        store.read(5 * 512, stored.clear());
        assertArrayEquals(new byte[1024], stored.array(), "the first is untouched");
        assertEquals(0, io.call(of(8, 2, 2).range(6, 1)).status());
        second.read(5 * 512, stored.clear());
        assertArrayEquals(Arrays.copyOf(Arrays.copyOf(data, 512), 1024), stored.array());
        assertEquals(0, io.call(of(0, 2, 2)).status(), "flush");
        assertEquals(0, io.call(of(0, 2, 0xffffffff)).status(), "flush of both");
        assertEquals(INVALID_NAMESPACE, io.call(of(0, 2, 3)).status());
    }

    @Test
    void shouldRefuseWrongDescriptors() {
        ready();
        byte[] data = pattern(4096);
        assertEquals(OFFSET_INVALID, io.call(of(1, 2, 1).range(0, 4).inCapsule(data).u64(24, 2049).u32(32, 2048)).status());
        assertEquals(OFFSET_INVALID, io.call(of(1, 2, 1).range(0, 4).inCapsule(data).u64(24, -1).u32(32, 2048)).status());
        assertEquals(OFFSET_INVALID, io.call(of(1, 2, 1).range(0, 4).inCapsule(data).u64(24, Long.MAX_VALUE).u32(32, 2048)).status());
        assertEquals(LENGTH_INVALID, io.call(of(1, 2, 1).range(0, 4).inCapsule(data)).status());
        assertEquals(TYPE_INVALID, io.call(of(2, 2, 1).range(0, 8).inCapsule(data)).status(), "a read into the capsule");
        assertEquals(TYPE_INVALID, io.call(of(2, 2, 1).range(0, 1).keyed(0, 512, 0x30)).status(), "a last segment");
        assertEquals(TYPE_INVALID, io.call(of(2, 2, 1).range(0, 1).keyed(0, 512, 0x00)).status(), "an address without a key");
        assertEquals(LENGTH_INVALID, io.call(of(2, 2, 1).range(0, 2).keyed(0, 512, 0x40)).status());
        assertEquals(new Answer(0, 10, 2, LENGTH_INVALID, Capsule.KEY), io.call(of(2, 2, 1).range(0, 2).keyed(0, 512, 0x4f)),
            "errors invalidate too");
        assertEquals(INVALID_FIELD, io.call(of(2, 2, 1).range(0, 17).keyed(0, 8704)).status(), "beyond the largest transfer");
        assertTrue(io.log.stream().allMatch(each -> each.startsWith("send")));
    }

    @Test
    void shouldRefuseBlocksBeyondTheEnd() {
        ready();
        assertEquals(0, io.call(of(2, 2, 1).range(2047, 1).keyed(0, 512)).status());
        assertEquals(OUT_OF_RANGE, io.call(of(2, 2, 1).range(2047, 2).keyed(0, 1024)).status());
        assertEquals(OUT_OF_RANGE, io.call(of(2, 2, 1).range(-1, 1).keyed(0, 512)).status());
        assertEquals(OUT_OF_RANGE, io.call(of(2, 2, 1).range(1L << 55, 1).keyed(0, 512)).status());
        assertEquals(OUT_OF_RANGE, io.call(of(8, 2, 1).range(0, 2049)).status());
        assertEquals(0, io.call(of(2, 2, 2).range(127, 1).keyed(0, 512)).status(), "the second namespace");
        assertEquals(OUT_OF_RANGE, io.call(of(2, 2, 2).range(128, 1).keyed(0, 512)).status());
        assertEquals(INVALID_NAMESPACE, io.call(of(2, 2, 0).range(0, 1).keyed(0, 512)).status());
        assertEquals(INVALID_NAMESPACE, io.call(of(2, 2, 3).range(0, 1).keyed(0, 512)).status());
        assertEquals(INVALID_NAMESPACE, io.call(of(2, 2, 0xffffffff).range(0, 1).keyed(0, 512)).status());
    }

    @Test
    void shouldEndAQueueOnAShortCapsule() {
        ready();
        io.deliver(new byte[63]);
        assertTrue(io.ended);
        assertTrue(io.answers.isEmpty());
        assertEquals(1, counters.get(NvmeCounter.SHORT_CAPSULES));
    }

    // ---- trace ----

    @Test
    void shouldReportCommandsInLines() {
        List<String> lines = new ArrayList<>();
        subsystem = new Subsystem(settings, List.of(store, second), 9, counters, lines::add);
        ready();
        assertEquals(List.of("controller 1 queue 0 id 1 CONNECT: SUCCESS, 1024 bytes from the host",
            "controller 1 queue 0 id 2 PROPERTY_SET 0x14 to 0x460001: SUCCESS", "controller 1 queue 0 id 3 PROPERTY_GET 0x1c: SUCCESS",
            "controller 1 queue 1 id 1 CONNECT: SUCCESS, 1024 bytes from the host"), lines);
        lines.clear();
        io.call(of(1, 7, 2).range(5, 2).inCapsule(pattern(1024)));
        io.call(of(2, 8, 1).range(0, 8).keyed(0, 4096, 0x4f));
        io.call(of(2, 9, 2).range(128, 1).keyed(0, 512));
        admin.call(of(6, 10, 2).u32(40, 3).keyed(0, 4096));
        assertEquals(List.of(
            "controller 1 queue 1 id 7 WRITE namespace 2 block 5 blocks 2: SUCCESS, 1024 bytes from the host in the capsule",
            "controller 1 queue 1 id 8 READ namespace 1 block 0 blocks 8: SUCCESS, 4096 bytes to the host, key invalidated",
            "controller 1 queue 1 id 9 READ namespace 2 block 128 blocks 1: LBA_OUT_OF_RANGE (0x80)",
            "controller 1 queue 0 id 10 IDENTIFY 0x3 namespace 2: SUCCESS, 4096 bytes to the host"), lines);
    }

    // ---- bounds ----

    @Test
    void shouldMakeCommandsWaitForABuffer() {
        ready();
        io.readsComplete = false;
        for (int i = 0; i < 3; i++) {
            io.deliver(of(1, 10 + i, 1).range(i, 1).keyed(512L * i, 512).toBytes());
        }
        assertEquals(List.of("read 512 at 0 key cafe0001", "read 512 at 512 key cafe0001"), io.log, "two buffers");
        io.completeRead();
        assertEquals("read 512 at 1024 key cafe0001", io.log.getLast());
        io.completeRead();
        io.completeRead();
        assertEquals(List.of(10, 11, 12), io.answers.stream().map(Answer::id).toList());
    }

    @Test
    void shouldKeepABufferUntilItsWriteIsAcknowledged() {
        ready();
        io.sendsComplete = false;
        for (int i = 0; i < 3; i++) {
            io.deliver(of(2, 10 + i, 1).range(i, 1).keyed(512L * i, 512).toBytes());
        }
        assertEquals(2, io.answers.size());
        io.completeSend();
        assertEquals(3, io.answers.size());
    }

    @Test
    void shouldBoundResponsesUnderWay() {
        ready();
        io.sendsComplete = false;
        for (int i = 0; i < 20; i++) {
            if (io.receives() > 0) {
                io.deliver(of(0, i, 1).toBytes());
            }
        }
        assertEquals(16, io.answers.size());
        assertEquals(12, io.receives(), "four commands wait for a response");
        for (int i = 0; i < 4; i++) {
            io.completeSend();
        }
        assertEquals(20, io.answers.size());
        assertEquals(16, io.receives());
        List<Integer> heads = io.answers.stream().map(Answer::head).toList();
        assertEquals(List.of(2, 3, 4), heads.subList(0, 3));
        assertEquals(List.of(15, 0, 1), heads.subList(13, 16), "the head wraps at the size of the queue");
    }

    @Test
    void shouldIgnoreTheHeadIfTheHostDoes() {
        ScriptedQueue queue = new ScriptedQueue(subsystem, 0, 16);
        System.arraycopy(connectData(0xffff, Capsule.SUBSYSTEM, Capsule.HOST), 0, queue.memory, 0, 1024);
        assertEquals(new Answer(1, 0xffff, 1, 0, 0), queue.call(connect(1, 0, 15).u16(46, 4)));
    }
}
