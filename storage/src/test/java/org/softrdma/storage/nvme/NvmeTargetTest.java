// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.storage.nvme.host.NvmeException;
import org.softrdma.storage.nvme.host.NvmeHost;
import org.softrdma.storage.nvme.store.FileStore;
import org.softrdma.storage.nvme.store.MemoryStore;
import org.softrdma.storage.nvme.wire.QueueRequest;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Host and target in this process, on devices on the loopback interface. */
@Timeout(60)
class NvmeTargetTest {
    private static final String NAME = "nqn.2026-11.org.softrdma:test";
    private static final int BYTES = 1 << 20;

    @TempDir
    Path directory;

    private byte[] content;
    private NvmeTarget target;

    @BeforeAll
    static void configure() throws IOException {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        LinkStore store = LinkStore.open();
        if (store.links().isEmpty()) {
            store.add("rxe0", "rxe", lo);
            store.add("siw0", "siw", lo);
        }
    }

    @BeforeEach
    void start() throws IOException {
        content = new byte[BYTES];
        new Random(1).nextBytes(content);
        Path disk = Files.write(directory.resolve("disk"), content);
        target = NvmeTarget.start(new FileStore(disk, false), NvmeOptions.of(NAME,
            List.of(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))));
    }

    @AfterEach
    void end() {
        target.close();
    }

    private InetSocketAddress address() {
        return target.addresses().getFirst();
    }

    @Test
    void shouldLetAHostReadTheDisk() throws NvmeException {
        try (NvmeHost host = NvmeHost.connect(address(), NAME)) {
            assertEquals("softrdma nvmet", host.model());
            assertEquals(BYTES, host.bytes());
            assertEquals(512, host.blockBytes());
            ByteBuffer all = ByteBuffer.allocate(BYTES);
            while (all.hasRemaining()) {
                all.put(host.read(all.position(), all.remaining()));
            }
            assertEquals(-1, all.flip().mismatch(ByteBuffer.wrap(content)));
            NvmeException refused = assertThrows(NvmeException.class, () -> host.read(BYTES, 512));
            assertEquals(0x80, refused.status(), "LBA out of range");
            assertEquals(1, target.controllers());
        }
        assertTrue(target.counters().get("data_writes") > 0);
    }

    @Test
    void shouldRefuseAnotherSubsystem() {
        NvmeException refused = assertThrows(NvmeException.class, () -> NvmeHost.connect(address(), NAME + "2"));
        assertEquals(0x182, refused.status(), "connect invalid parameters");
        assertEquals(1, target.counters().get("status_connect_invalid_parameters"));
    }

    @Test
    void shouldRefuseConnectionsByName() {
        refused("invalid_queue", new QueueRequest(9, 128, 128, 0).toBytes());
        refused("invalid_submission_queue_size", new QueueRequest(0, 33, 33, 0).toBytes());
        refused("invalid_submission_queue_size", new QueueRequest(1, 129, 129, 0).toBytes());
        refused("invalid_receive_queue_size", new QueueRequest(0, 0, 32, 0).toBytes());
        refused("invalid_controller", new QueueRequest(1, 128, 128, 77).toBytes());
        byte[] otherFormat = new QueueRequest(0, 32, 32, 0).toBytes();
        otherFormat[0] = 1;
        refused("invalid_format", otherFormat);
        assertEquals(2, target.counters().get("refused_invalid_submission_queue_size"));
    }

    private void refused(String reason, byte[] privateData) {
        try (CmId id = ConnectionManager.get().createId(null, null, PortSpace.TCP)) {
            id.resolveAddress(null, address(), 2000);
            id.resolveRoute(2000);
            id.createQp(null, QpInitAttributes.rc(null, QpCapabilities.ofDepth(4)));
            VerbsException rejected = assertThrows(VerbsException.class,
                () -> id.connect(ConnectionParameters.DEFAULT.withPrivateData(privateData)));
            assertEquals(Errno.ECONNREFUSED, rejected.errno());
            assertTrue(target.counters().containsKey("refused_" + reason), () -> reason + ": " + target.counters());
        }
    }

    @Test
    void shouldRefuseStoresThatAreNoNamespaces() {
        NvmeOptions options = NvmeOptions.of(NAME, List.of()).withBlockBytes(4096);
        assertThrows(IllegalArgumentException.class, () -> NvmeTarget.start(List.of(), options));
        MemoryStore block = new MemoryStore(4096);
        assertThrows(IllegalArgumentException.class, () -> NvmeTarget.start(List.of(block, new MemoryStore(4095)), options));
        assertThrows(IllegalArgumentException.class, () -> NvmeTarget.start(Collections.nCopies(65, block), options));
    }

    @Test
    void shouldNotServeAFileTwice() {
        assertThrows(IOException.class, () -> new FileStore(directory.resolve("disk"), false).close());
    }

    @Test
    void shouldRefuseNamesAndSizes() {
        List<InetSocketAddress> at = List.of();
        assertEquals(223, NvmeOptions.of("nqn." + "n".repeat(219), at).name().length());
        assertThrows(IllegalArgumentException.class, () -> NvmeOptions.of("nqn." + "n".repeat(220), at));
        assertThrows(IllegalArgumentException.class, () -> NvmeOptions.of("disk", at));
        assertThrows(IllegalArgumentException.class, () -> NvmeOptions.of(NAME, at).withBlockBytes(1024));
        assertThrows(IllegalArgumentException.class, () -> NvmeOptions.of(NAME, at).withIoQueues(65));
        assertThrows(IllegalArgumentException.class, () -> NvmeOptions.of(NAME, at).withEntries(1));
        assertFalse(target.addresses().isEmpty());
    }
}
