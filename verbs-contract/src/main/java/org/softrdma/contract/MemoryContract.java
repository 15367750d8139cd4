// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;

/** Registration of memory: addresses, changes while memory is registered, and memory that is freed or unmapped. */
public abstract class MemoryContract extends ContractTest {
    private static final int WRITE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;
    private static final int READ_AND_WRITE = WRITE | AccessFlags.REMOTE_READ;
    private static final int PAGE = 4096;

    @TempDir
    Path directory;

    private static MemorySegment memory(int bytes, int fill) {
        return Arena.ofAuto().allocate(bytes, 64).fill((byte) fill);
    }

    /** Memory for an address of the application's choice: adapters want one that has the same offset in its page as the memory. */
    private static MemorySegment page() {
        return Arena.ofAuto().allocate(PAGE, PAGE);
    }

    private static MemorySegment pageEnd(int bytes) {
        return page().asSlice(PAGE - bytes);
    }

    private static int at(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset);
    }

    /** A writes a few bytes on the first connection. */
    private WcStatus write(long address, int rkey, int... bytes) {
        return write(a.qp, address, rkey, bytes);
    }

    private WcStatus write(QueuePair by, long address, int rkey, int... bytes) {
        byte[] data = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            data[i] = (byte) bytes[i];
        }
        int before = a.sends().size();
        by.postSend(wr.write(address, rkey).inlineData(MemorySegment.ofArray(data)).signaled());
        return outcome(by, before);
    }

    private MemoryRegion register(MemorySegment memory, int access) {
        return b.register(b.pd, memory, access);
    }

    // ---- registering ----

    @Test
    void shouldTellWhatWasRegistered() {
        open();
        MemorySegment memory = memory(100, 0);
        MemoryRegion region = register(memory, READ_AND_WRITE);
        assertEquals(List.of(memory.address(), 100L, READ_AND_WRITE, memory, b.pd),
            List.of(region.address(), region.length(), region.access(), region.memory(), region.pd()));
        assertNotEquals(0, region.lkey());
        assertNotEquals(0, region.rkey());
    }

    @Test
    void shouldGrantThePeerNothingWithoutRemoteRights() {
        connect();
        MemoryRegion region = register(memory(100, 0), AccessFlags.LOCAL_WRITE);
        assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address(), region.rkey(), 1));
        assertEquals(0, at(region.memory(), 0));
    }

    @Test
    void shouldRegisterTheSameMemoryMoreThanOnce() {
        open();
        MemorySegment memory = memory(64, 0);
        MemoryRegion first = register(memory, READ_AND_WRITE);
        MemoryRegion second = register(memory.asSlice(8, 8), READ_AND_WRITE);
        assertNotEquals(first.lkey(), second.lkey());
        first.close();
        fabric().connect(a.qp, 0, b.qp, 1, setup);
        assertEquals(WcStatus.SUCCESS, write(second.address(), second.rkey(), 3));
        assertEquals(3, at(memory, 8));
    }

    @Test
    void shouldRefuseMemoryThatCannotBeRegistered() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(MemorySegment.ofArray(new byte[8]), 0), "heap");
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(8);
            refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, 0), "confined");
        }
        MemorySegment memory = memory(64, 0);
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory.asReadOnly(), AccessFlags.LOCAL_WRITE), "read-only");
        refusedByDevice(Errno.EINVAL, "reg_mr", () -> pd.register(memory, -63, 0), "2^64");
        MemoryRegion last = pd.register(pageEnd(64), -64, 0);
        assertEquals(-64, last.address(), "just inside");
        last.close();
        pd.register(memory.asReadOnly(), AccessFlags.REMOTE_READ).close();
    }

    /** Remote write access requires local write access: IBA vol 1 §10.6.3.1. */
    @Test
    void shouldRefuseRemoteWritesToWhatIsNotLocallyWritable() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        MemorySegment memory = memory(64, 0);
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, AccessFlags.REMOTE_WRITE), "LOCAL_WRITE", "0x2");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, AccessFlags.REMOTE_ATOMIC), "LOCAL_WRITE", "0x8");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE), "LOCAL_WRITE");
    }

    @Test
    void shouldRefuseUnknownRightsAndIgnoreUnknownOptionalOnes() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        MemorySegment memory = memory(64, 0);
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, 1 << 15), "0x8000");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, 1 << 30), "0x40000000");
        for (int bit = 20; bit < 30; bit++) {
            pd.register(memory, AccessFlags.LOCAL_WRITE | 1 << bit).close();
        }
    }

    @Test
    void shouldServeOnDemandPagingOrRefuseIt() {
        connect();
        MemorySegment memory = memory(64, 0);
        try {
            MemoryRegion region = register(memory, WRITE | AccessFlags.ON_DEMAND);
            assertEquals(WcStatus.SUCCESS, write(region.address(), region.rkey(), 1));
            assertEquals(1, at(memory, 0));
        } catch (VerbsException unknown) {
            refusedByDevice(Errno.EINVAL, "reg_mr", () -> register(memory, WRITE | AccessFlags.ON_DEMAND), "0x40");
        }
    }

    @Test
    void shouldNotGiveAKeyOutAgainAtOnce() {
        connect();
        MemorySegment memory = memory(64, 1);
        MemoryRegion old = register(memory, WRITE);
        int rkey = old.rkey();
        old.close();
        for (int i = 0; i < 20; i++) {
            assertNotEquals(rkey, register(memory, WRITE).rkey());
        }
        assertEquals(WcStatus.REM_ACCESS_ERR, write(memory.address(), rkey, 9));
        assertEquals(1, at(memory, 0));
    }

    // ---- addresses ----

    @Test
    void shouldReachARegionByItsIovaUpToTheLastByte() {
        connect();
        MemorySegment memory = page();
        MemoryRegion region = keep(b.pd.register(memory, 0x1_0000_0000_0000L, WRITE));
        assertEquals(0x1_0000_0000_0000L, region.address());
        assertEquals(WcStatus.SUCCESS, write(region.address() + PAGE - 2, region.rkey(), 1, 2));
        assertEquals(2, at(memory, PAGE - 1));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address() + PAGE - 1, region.rkey(), 1, 2));
    }

    @Test
    void shouldReachAZeroBasedRegionFromZero() {
        connect();
        MemorySegment memory = page();
        MemoryRegion region = register(memory, WRITE | AccessFlags.ZERO_BASED);
        assertEquals(0, region.address());
        assertEquals(WcStatus.SUCCESS, write(0, region.rkey(), 5));
        assertEquals(5, at(memory, 0));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(memory.address(), region.rkey(), 5), "its real address means nothing");
    }

    @Test
    void shouldReachTheLastByteOfTheAddressSpace() {
        connect();
        MemorySegment memory = pageEnd(64);
        MemoryRegion region = keep(b.pd.register(memory, -64, WRITE));
        assertEquals(WcStatus.SUCCESS, write(-2, region.rkey(), 8, 9));
        assertEquals(9, at(memory, 63));
        assertEquals(WcStatus.SUCCESS, write(0, region.rkey()), "no bytes, no check");
        assertEquals(WcStatus.REM_ACCESS_ERR, write(-1, region.rkey(), 8, 9), "wraps to address 0");
    }

    /** The optional right to reorder asks for nothing that could be seen here: the data is the same. */
    @Test
    void shouldCarryTrafficIntoRelaxedOrderingRegions() {
        connect();
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = register(memory, WRITE | AccessFlags.RELAXED_ORDERING);
        assertEquals(WcStatus.SUCCESS, write(region.address(), region.rkey(), 1, 2, 3));
        assertEquals(3, at(memory, 2));
    }

    // ---- other terms ----

    @Test
    @Needs(Capability.REREGISTRATION)
    void shouldMoveToOtherMemoryUnderTheSameKeys() {
        connect();
        MemorySegment old = memory(64, 1);
        MemorySegment other = memory(128, 1);
        MemoryRegion region = register(old, WRITE);
        List<Integer> keys = List.of(region.lkey(), region.rkey());
        region.reregister(new Reregistration().memory(other));
        assertEquals(keys, List.of(region.lkey(), region.rkey()));
        assertEquals(List.of(other.address(), 128L, WRITE, other),
            List.of(region.address(), region.length(), region.access(), region.memory()));
        assertEquals(WcStatus.SUCCESS, write(other.address() + 100, region.rkey(), 42));
        assertEquals(42, at(other, 100));
        region.reregister(new Reregistration().memory(old, 0x7000));
        assertEquals(WcStatus.SUCCESS, write(0x7000, region.rkey(), 43));
        assertEquals(43, at(old, 0));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(other.address() + 100, region.rkey(), 44), "not there any more");
        assertEquals(42, at(other, 100));
    }

    @Test
    @Needs(Capability.REREGISTRATION)
    void shouldMoveToAnotherProtectionDomain() {
        connect();
        ProtectionDomain other = keep(b.context.allocatePd());
        Connection toOther = connectMore(a.pd, other);
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = register(memory, WRITE);
        region.reregister(new Reregistration().pd(other));
        assertEquals(other, region.pd());
        assertEquals(WcStatus.SUCCESS, write(toOther.ofA(), region.address(), region.rkey(), 3));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(a.qp, region.address(), region.rkey(), 4));
        assertEquals(3, at(memory, 0));
        refused(Errno.EBUSY, "dealloc_pd", other::close, "memory regions=1");
        b.qp.close();
        b.pd.close();
    }

    @Test
    @Needs(Capability.REREGISTRATION)
    void shouldChangeRights() {
        connect();
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = register(memory, AccessFlags.LOCAL_WRITE);
        assertEquals(0, region.rkey());
        region.reregister(new Reregistration().access(WRITE));
        assertNotEquals(0, region.rkey());
        int rkey = region.rkey();
        assertEquals(WcStatus.SUCCESS, write(region.address(), rkey, 1));
        region.reregister(new Reregistration().access(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ));
        assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address(), rkey, 2));
        assertEquals(1, at(memory, 0));
    }

    @Test
    @Needs(Capability.REREGISTRATION)
    void shouldChangeEverythingAtOnce() {
        connect();
        ProtectionDomain other = keep(b.context.allocatePd());
        Connection toOther = connectMore(a.pd, other);
        MemorySegment memory = memory(32, 0);
        MemoryRegion region = register(memory(64, 0), 0);
        region.reregister(new Reregistration().pd(other).access(WRITE | AccessFlags.ZERO_BASED).memory(memory));
        assertEquals(WcStatus.SUCCESS, write(toOther.ofA(), 31, region.rkey(), 9));
        assertEquals(9, at(memory, 31));
    }

    @Test
    @Needs(Capability.REREGISTRATION)
    void shouldLeaveTheRegionAsItWasWhenReregistrationIsRefused() {
        connect();
        MemorySegment memory = memory(64, 0);
        MemoryRegion region = register(memory, WRITE);
        ProtectionDomain closed = b.context.allocatePd();
        closed.close();
        String verb = "rereg_mr";
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration()), "nothing to change");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().pd(a.pd)), "another context");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().pd(closed)), "closed");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().access(AccessFlags.REMOTE_WRITE)), "LOCAL_WRITE");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().access(WRITE | AccessFlags.ZERO_BASED)), "ZERO_BASED");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().access(1 << 15)), "0x8000");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().memory(MemorySegment.ofArray(new byte[8]))), "heap");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().memory(memory.asReadOnly())), "read-only");
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().memory(memory, -8)), "2^64");
        assertEquals(WcStatus.SUCCESS, write(region.address() + 1, region.rkey(), 77));
        assertEquals(77, at(memory, 1));
        region.close();
        refused(Errno.EINVAL, verb, () -> region.reregister(new Reregistration().access(0)), "closed");
    }

    @Test
    @Needs({Capability.REREGISTRATION, Capability.WINDOWS})
    void shouldNotReregisterUnderBoundWindows() {
        connect();
        MemoryRegion region = register(memory(64, 0), READ_AND_WRITE | AccessFlags.MW_BIND);
        MemoryWindow window = b.window(MemoryWindow.Type.TYPE_1);
        b.qp.bind(window, 1, region, region.address(), 8, AccessFlags.REMOTE_READ, SendFlags.SIGNALED);
        await(() -> !b.sends().isEmpty());
        refused(Errno.EBUSY, "rereg_mr", () -> region.reregister(new Reregistration().access(0)), "windows");
        refused(Errno.EBUSY, "dereg_mr", region::close, hex(region.lkey()));
        window.close();
        region.reregister(new Reregistration().access(0));
    }

    // ---- going away ----

    @Test
    void shouldRefuseTheKeyOfAClosedRegion() {
        connect();
        MemorySegment memory = memory(64, 1);
        MemoryRegion region = register(memory, WRITE);
        assertEquals(WcStatus.SUCCESS, write(region.address(), region.rkey(), 5));
        int rkey = region.rkey();
        region.close();
        assertEquals(WcStatus.REM_ACCESS_ERR, write(memory.address(), rkey, 6));
        assertEquals(5, at(memory, 0));
    }

    /** Memory freed while it is registered: the request is refused, and the device and its other queue pairs go on. */
    @Test
    void shouldRefuseAccessToFreedMemoryAndGoOn() {
        Assumptions.assumeTrue(fabric().guardsFreedMemory(), "unsupported: freed memory");
        open();
        Connection other = connectMore(a.pd, b.pd);
        MemoryRegion good = register(memory(64, 0), WRITE);
        for (boolean read : new boolean[] {false, true}) {
            Connection by = connectMore(a.pd, b.pd);
            Arena arena = Arena.ofShared();
            MemoryRegion region = register(arena.allocate(64, 64), READ_AND_WRITE);
            MemoryRegion local = a.memory(64, AccessFlags.LOCAL_WRITE);
            arena.close();
            int before = a.sends().size();
            by.ofA().postSend((read ? wr.read(region.address(), region.rkey()) : wr.write(region.address(), region.rkey()))
                .element(local, 0, 8).signaled());
            assertEquals(WcStatus.REM_ACCESS_ERR, outcome(by.ofA(), before));
        }
        assertEquals(WcStatus.SUCCESS, write(other.ofA(), good.address(), good.rkey(), 1));
    }

    @Test
    void shouldFailSendsFromFreedMemory() {
        Assumptions.assumeTrue(fabric().guardsFreedMemory(), "unsupported: freed memory");
        connect();
        Arena arena = Arena.ofShared();
        MemoryRegion local = a.register(a.pd, arena.allocate(64), 0);
        arena.close();
        a.qp.postSend(wr.send().element(local, 0, 8).signaled());
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), a.sendStatuses());
    }

    @Test
    @Needs(Capability.ACKNOWLEDGEMENTS)
    void shouldFailReceivesIntoFreedMemory() {
        Assumptions.assumeTrue(fabric().guardsFreedMemory(), "unsupported: freed memory");
        connect();
        Arena arena = Arena.ofShared();
        MemoryRegion region = register(arena.allocate(64), AccessFlags.LOCAL_WRITE);
        b.qp.postReceive(recv.begin(5).element(region, 0, 64));
        arena.close();
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        await(() -> !a.sends().isEmpty() && !b.receives().isEmpty());
        assertEquals(List.of(WcStatus.REM_OP_ERR), a.sendStatuses());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), b.receiveStatuses());
    }

    // ---- files ----

    private FileChannel file(int bytes) throws IOException {
        Path file = directory.resolve("memory");
        Files.write(file, new byte[bytes]);
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Test
    void shouldWriteIntoAMappedFile() throws IOException {
        connect();
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(8192)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 4096, 4096);
            try (MemoryRegion segment = b.pd.register(mapped.asSlice(0, 4096), WRITE);
                 MemoryRegion legacy = b.pd.register(MemorySegment.ofBuffer(buffer), WRITE)) {
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
        connect();
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(64)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 64, arena);
            refused(Errno.EINVAL, "reg_mr", () -> b.pd.register(mapped, AccessFlags.LOCAL_WRITE), "read-only");
            try (MemoryRegion region = b.pd.register(mapped, AccessFlags.REMOTE_READ)) {
                MemoryRegion into = a.register(a.pd, memory(64, 9), AccessFlags.LOCAL_WRITE);
                a.qp.postSend(wr.read(region.address(), region.rkey()).element(into, 0, 64).signaled());
                await(() -> !a.sends().isEmpty());
                assertEquals(List.of(WcStatus.SUCCESS), a.sendStatuses());
                assertEquals(0, at(into.memory(), 63));
                assertEquals(WcStatus.REM_ACCESS_ERR, write(region.address(), region.rkey(), 1));
            }
        }
    }
}
