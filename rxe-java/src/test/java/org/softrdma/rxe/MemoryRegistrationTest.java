// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;

/** What memory can be registered, what changes while it is, and what happens when it goes away. B owns the memory, A accesses it. */
class MemoryRegistrationTest {
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

    /** Another connection of the two devices, the remote end in protection domain {@code pd}. @return our end */
    private QueuePair connectTo(ProtectionDomain pd) {
        QueuePair ours = pair.a.newQp(pair.a.pd);
        QueuePair theirs = pair.b.newQp(pd);
        SimulatedPair.connect(ours, pair.b.gid, theirs.qpNum(), setup, ALL & AccessFlags.REMOTE_ANY, 5, 6);
        SimulatedPair.connect(theirs, pair.a.gid, ours.qpNum(), setup, ALL & AccessFlags.REMOTE_ANY, 6, 5);
        return ours;
    }

    private static void refused(Errno errno, String verb, Executable call, String... values) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        for (String value : values) {
            assertTrue(refused.getMessage().contains(value), "\"" + value + "\" in: " + refused.getMessage());
        }
    }

    private static int at(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset);
    }

    // ---- addresses ----

    @Test
    void shouldReachARegionByItsIovaUpToTheLastByte() {
        MemorySegment memory = memory(64, 0);
        try (MemoryRegion region = pair.b.pd.register(memory, 0x1_0000_0000_0000L, ALL)) {
            assertEquals(WcStatus.SUCCESS, write(region.address() + 62, region.rkey(), 1, 2));
            assertEquals(2, at(memory, 63));
            assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address() + 63, region.rkey(), 1, 2));
        }
    }

    @Test
    void shouldReachAZeroBasedRegionFromZero() {
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = pair.b.pd.register(memory, ALL | AccessFlags.ZERO_BASED);
        assertEquals(0, region.address());
        assertEquals(WcStatus.SUCCESS, write(0, region.rkey(), 5));
        assertEquals(5, at(memory, 0));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(memory.address(), region.rkey(), 5), "its real address means nothing");
    }

    @Test
    void shouldReachTheLastByteOfTheAddressSpace() {
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = pair.b.pd.register(memory, -64, ALL);
        assertEquals(WcStatus.SUCCESS, write(-2, region.rkey(), 8, 9));
        assertEquals(9, at(memory, 63));
        assertEquals(WcStatus.SUCCESS, write(0, region.rkey()), "no bytes, no check");
        assertEquals(WcStatus.REM_ACCESS_ERR, write(-1, region.rkey(), 8, 9), "wraps to address 0");
    }

    // ---- other terms ----

    @Test
    void shouldMoveToOtherMemoryUnderTheSameKeys() {
        MemorySegment old = memory(64, 1);
        MemorySegment other = memory(128, 1);
        MemoryRegion region = pair.b.pd.register(old, ALL);
        List<Integer> keys = List.of(region.lkey(), region.rkey());
        region.reregister(new Reregistration().memory(other));
        assertEquals(keys, List.of(region.lkey(), region.rkey()));
        assertEquals(List.of(other.address(), 128L, ALL, other), List.of(region.address(), region.length(), region.access(),
            region.memory()));
        assertEquals(WcStatus.SUCCESS, write(other.address() + 100, region.rkey(), 42));
        assertEquals(42, at(other, 100));
        region.reregister(new Reregistration().memory(old, 0x7000));
        assertEquals(WcStatus.SUCCESS, write(0x7000, region.rkey(), 43));
        assertEquals(43, at(old, 0));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(other.address() + 100, region.rkey(), 44), "not there any more");
        assertEquals(42, at(other, 100));
    }

    @Test
    void shouldMoveToAnotherProtectionDomain() {
        ProtectionDomain other = pair.b.context.allocatePd();
        QueuePair toOther = connectTo(other);
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = pair.b.pd.register(memory, ALL);
        region.reregister(new Reregistration().pd(other));
        assertEquals(other, region.pd());
        assertEquals(WcStatus.SUCCESS, write(toOther, region.address(), region.rkey(), 3));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(pair.a.qp, region.address(), region.rkey(), 4));
        assertEquals(3, at(memory, 0));
        refused(Errno.EBUSY, "dealloc_pd", other::close, "memory regions=1");
        pair.b.qp.close();
        pair.b.pd.close();
        region.close();
    }

    @Test
    void shouldChangeRights() {
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = pair.b.pd.register(memory, AccessFlags.LOCAL_WRITE);
        assertEquals(0, region.rkey());
        region.reregister(new Reregistration().access(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE));
        assertEquals(region.lkey(), region.rkey());
        int rkey = region.rkey();
        assertEquals(WcStatus.SUCCESS, write(region.address(), rkey, 1));
        region.reregister(new Reregistration().access(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address(), rkey, 2));
        assertEquals(1, at(memory, 0));
    }

    @Test
    void shouldChangeEverythingAtOnce() {
        ProtectionDomain other = pair.b.context.allocatePd();
        QueuePair toOther = connectTo(other);
        MemorySegment memory = memory(32, 0);
        MemoryRegion region = pair.b.pd.register(memory(64, 0), 0);
        region.reregister(new Reregistration().pd(other).access(ALL | AccessFlags.ZERO_BASED).memory(memory));
        assertEquals(WcStatus.SUCCESS, write(toOther, 31, region.rkey(), 9));
        assertEquals(9, at(memory, 31));
    }

    @Test
    void shouldLeaveTheRegionAsItWasWhenRefused() {
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = pair.b.pd.register(memory, ALL);
        ProtectionDomain closed = pair.b.context.allocatePd();
        closed.close();
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration()), "nothing to change");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().pd(pair.a.pd)), "another context");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().pd(closed)), "closed");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().access(AccessFlags.REMOTE_WRITE)), "LOCAL_WRITE");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().access(ALL | AccessFlags.ZERO_BASED)),
            "ZERO_BASED");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().memory(MemorySegment.ofArray(new byte[8]))), "heap");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().memory(memory.asReadOnly())), "read-only");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().memory(memory, -8)), "2^64");
        assertEquals(WcStatus.SUCCESS, write(region.address() + 1, region.rkey(), 77));
        assertEquals(77, at(memory, 1));
        MemoryWindow window = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_1);
        pair.b.qp.bind(window, 1, region, region.address(), 8, AccessFlags.REMOTE_READ, 0);
        pair.settle();
        refused(Errno.EBUSY, "rereg_mr", () -> region.reregister(new Reregistration().access(ALL)), "windows");
        window.close();
        region.reregister(new Reregistration().access(0));
        region.close();
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().access(0)), "closed");
    }

    // ---- going away ----

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
        peer.expectSyndrome(OUR_PSN + 1, 0x62);
        assertArrayEquals(before, region.memory().toArray(ValueLayout.JAVA_BYTE));
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
        assertEquals(0, peer.side.counter("memory_gone"), "deregistered in time, so nothing was tried");
    }

    /** Memory freed while it is registered: the request is refused, counted and told of; the device and its other queue pairs go on. */
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

    @Test
    void shouldFailReceivesIntoFreedMemory() {
        Arena arena = Arena.ofShared();
        MemoryRegion region = pair.b.pd.register(arena.allocate(64), ALL);
        pair.b.qp.postReceive(new ReceiveRequest().begin(5).element(region, 0, 64));
        arena.close();
        pair.a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        assertEquals(List.of(WcStatus.REM_OP_ERR), pair.a.sendStatuses());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), pair.b.receiveStatuses());
        assertEquals(1, pair.b.counter("memory_gone"));
    }

    // ---- files ----

    private FileChannel file(int bytes) throws IOException {
        Path file = directory.resolve("memory");
        Files.write(file, new byte[bytes]);
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Test
    void shouldWriteIntoAMappedFile() throws IOException {
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(8192)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 4096, 4096);
            try (MemoryRegion segment = pair.b.pd.register(mapped.asSlice(0, 4096), ALL);
                 MemoryRegion legacy = pair.b.pd.register(MemorySegment.ofBuffer(buffer), ALL)) {
                assertEquals(WcStatus.SUCCESS, write(segment.address() + 1, segment.rkey(), 1, 2, 3));
                assertEquals(WcStatus.SUCCESS, write(legacy.address() + 4093, legacy.rkey(), 4, 5, 6));
                mapped.force();
                buffer.force();
            }
        }
        byte[] content = Files.readAllBytes(directory.resolve("memory"));
        assertArrayEquals(new byte[] {0, 1, 2, 3, 0}, Arrays.copyOf(content, 5));
        assertArrayEquals(new byte[] {0, 4, 5, 6}, Arrays.copyOfRange(content, 8188, 8192));
    }

    @Test
    void shouldReadButNotWriteAReadOnlyMapping() throws IOException {
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(64)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 64, arena);
            refused(Errno.EINVAL, "reg_mr", () -> pair.b.pd.register(mapped, AccessFlags.LOCAL_WRITE), "read-only");
            MemoryRegion region = pair.b.pd.register(mapped, AccessFlags.REMOTE_READ);
            MemoryRegion into = pair.a.pd.register(memory(64, 9), AccessFlags.LOCAL_WRITE);
            pair.a.qp.postSend(wr.read(region.address(), region.rkey()).element(into, 0, 64).signaled());
            pair.runUntil(() -> !pair.a.sends().isEmpty());
            assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
            assertEquals(0, at(into.memory(), 63));
            assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address(), region.rkey(), 1));
            region.close();
        }
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
