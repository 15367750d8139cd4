// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Memory that is deregistered or freed while it is in use, on the wire and in the counters. B owns the memory, A accesses it. */
class MemoryGoneTest {
    private static final int ALL = SimulatedPair.ALL_REMOTE;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final SimulatedPair pair = new SimulatedPair(11, setup);
    @TempDir
    private Path directory;

    private static MemorySegment memory(int bytes, int fill) {
        return Arena.ofAuto().allocate(bytes, 64).fill((byte) fill);
    }

    private WcStatus write(long address, int rkey, int... bytes) {
        return write(pair.a.qp, address, rkey, bytes);
    }

    private WcStatus write(QueuePair by, long address, int rkey, int... bytes) {
        byte[] data = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            data[i] = (byte) bytes[i];
        }
        int before = pair.a.sends().size();
        by.postSend(wr.write(address, rkey).inlineData(MemorySegment.ofArray(data)).signaled());
        pair.runUntil(() -> pair.a.sends().size() > before);
        return pair.a.sends().getLast().status();
    }

    /**
     * Another connection of the two devices, the remote end in protection domain {@code pd}.
     *
     * @return our end
     */
    private QueuePair connectTo(ProtectionDomain pd) {
        QueuePair ours = pair.a.newQp(pair.a.pd);
        QueuePair theirs = pair.b.newQp(pd);
        SimulatedPair.connect(ours, pair.b.gid, theirs.qpNum(), setup, ALL & AccessFlags.REMOTE_ANY, 5, 6);
        SimulatedPair.connect(theirs, pair.a.gid, ours.qpNum(), setup, ALL & AccessFlags.REMOTE_ANY, 6, 5);
        return ours;
    }

    /** The region is deregistered between two packets of a WRITE: the second one is refused and touches nothing. */
    @Test
    void shouldNotTouchMemoryAfterDeregistrationInMidMessage() {
        RawPeer peer = new RawPeer(setup);
        MemoryRegion region = peer.side.memory(4096, ALL);
        peer.send(RawPacket.of(RawPacket.WRITE_FIRST, OUR_PSN).reth(region.address(), region.rkey(), 2048).payload(1024));
        peer.runFor(MS);
        byte[] before = region.memory().toArray(ValueLayout.JAVA_BYTE);
        assertEquals(List.of(), peer.side.events());
        region.close();
        peer.send(RawPacket.of(RawPacket.WRITE_LAST, OUR_PSN + 1).payload(1024).ackRequest());
        peer.expectSyndrome(OUR_PSN + 1, RawPacket.NAK_ACCESS);
        assertArrayEquals(before, region.memory().toArray(ValueLayout.JAVA_BYTE));
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
        assertEquals(0, peer.side.counter("memory_gone"), "deregistered in time, so nothing was tried");
    }

    /** Memory freed while it is registered: the request is refused, counted and reported; the device and its other queue pairs continue. */
    @Test
    void shouldRefuseAccessToFreedMemoryAndGoOn() {
        QueuePair other = connectTo(pair.b.pd);
        MemoryRegion good = pair.b.pd.register(memory(64, 0), ALL);
        for (String operation : List.of("write", "read", "add", "swap")) {
            QueuePair by = connectTo(pair.b.pd);
            Arena arena = Arena.ofShared();
            MemoryRegion region = pair.b.pd.register(arena.allocate(64, 64), ALL);
            MemoryRegion local = pair.a.memory(64, ALL);
            arena.close();
            long gone = pair.b.counter("memory_gone");
            int before = pair.a.sends().size();
            switch (operation) {
                case "write" -> wr.write(region.address(), region.rkey());
                case "read" -> wr.read(region.address(), region.rkey());
                case "add" -> wr.fetchAndAdd(region.address(), region.rkey(), 1);
                default -> wr.compareAndSwap(region.address(), region.rkey(), 0, 1);
            }
            by.postSend(wr.element(local, 0, 8).signaled());
            pair.runUntil(() -> pair.a.sends().size() > before);
            assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.sends().getLast().status(), operation);
            assertEquals(gone + 1, pair.b.counter("memory_gone"), operation);
            assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), pair.b.events(), operation);
            region.close();
        }
        assertEquals(WcStatus.SUCCESS, write(other, good.address(), good.rkey(), 1));
    }

    // ---- files ----

    private FileChannel file(int bytes) throws IOException {
        Path file = directory.resolve("memory");
        Files.write(file, new byte[bytes]);
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** The file shrinks under its mapping, which would kill a C program: here the access is refused. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSurviveAFileThatIsCutOff() throws IOException {
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(1 << 16)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16, arena);
            MemoryRegion region = pair.b.pd.register(mapped, ALL);
            QueuePair other = connectTo(pair.b.pd);
            channel.truncate(4096);
            assertEquals(WcStatus.SUCCESS, write(region.address(), region.rkey(), 1));
            byte[] large = new byte[5000];
            pair.a.qp.postSend(wr.write(region.address() + 8192, region.rkey()).element(pair.a.memory(large), 0, 5000).signaled());
            pair.runUntil(() -> pair.a.sends().size() == 2);
            assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.sends().get(1).status());
            assertTrue(pair.b.counter("memory_gone") > 0);
            assertEquals(QpState.ERR, pair.b.qp.state());
            assertEquals(WcStatus.SUCCESS, write(other, region.address() + 100, region.rkey(), 1), "what is left still is memory");
            region.close();
        }
    }
}
