// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AllocMwCommand;
import org.softrdma.abi.uverbs.AllocMwResponse;
import org.softrdma.abi.uverbs.HandleCommand;
import org.softrdma.abi.uverbs.RegMrCommand;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;

/** Methods and commands of memory regions and windows. */
final class MrMethods {
    /** Bytes of an element of advice: u64 address, u32 length, u32 lkey, as in work requests. */
    static final int ELEMENT_BYTES = RxeElement.BYTES;

    private static final long PAGE_MASK = 4096 - 1;
    /** Length of an implicit region: all of the program's memory. */
    private static final long ALL_MEMORY = -1L;
    private static final int WRITABLE =
        AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC | AccessFlags.MW_BIND;
    /** Advice of {@code enum ib_uverbs_advise_mr_advice}: prefetch, prefetch for writing, prefetch without faults. */
    private static final int LAST_ADVICE = 2;
    private static final int PREFETCH_WRITE = 1;
    private static final int PREFETCH_NO_FAULT = 2;
    /** Wait until it is done: {@code IB_UVERBS_ADVISE_MR_FLAG_FLUSH}. */
    private static final int ADVISE_FLUSH = 1;

    private MrMethods() {
    }

    static void register(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        long start = RegMrCommand.start(in, 0);
        long length = RegMrCommand.length(in, 0);
        long hcaVa = RegMrCommand.hcaVa(in, 0);
        int access = RegMrCommand.accessFlags(in, 0);
        HeldPd pd = file.legacyObject(RegMrCommand.pdHandle(in, 0), HeldPd.class);
        if ((start & PAGE_MASK) != (hcaVa & PAGE_MASK)) {
            throw Refusals.invalid("start and address for work requests differ within their pages");
        }
        if ((access & AccessFlags.FLUSH_PERSISTENT) != 0) {
            throw Refusals.invalid("the device does not persist the memory of programs");
        }
        ProcessMemory memory = call.whole().memory();
        checkMapped(memory, start, length, access);
        file.handles().requireRoom();
        long iova = (access & AccessFlags.ZERO_BASED) != 0 ? 0 : hcaVa;
        MemoryRegion region = pd.pd().register(new ProcessSpace(memory, file.door()::round), start, length, iova, access);
        HeldMr made = new HeldMr(region, file.objects());
        file.admit(made, () -> {
            file.driver().mrRegistered(call.whole(), made);
            MemorySegment room = call.room();
            RegMrResponse.mrHandle(room, 0, made.handle());
            RegMrResponse.lkey(room, 0, region.lkey());
            RegMrResponse.rkey(room, 0, region.rkey());
            call.reply(room, RegMrResponse.BYTES);
        });
    }

    /** A region on demand may have holes; others are pinned by the kernel, which takes at least one page. */
    private static void checkMapped(ProcessMemory memory, long start, long length, int access) {
        if ((access & AccessFlags.ON_DEMAND) != 0) {
            if (length == ALL_MEMORY && start != 0) {
                throw Refusals.invalid("an implicit region starts at 0");
            }
            return;
        }
        if (length == 0 && (start & PAGE_MASK) == 0 || Long.compareUnsigned(start + length, start) < 0) {
            throw Refusals.invalid(Long.toUnsignedString(length) + " bytes from 0x" + Long.toHexString(start));
        }
        if (!memory.isMapped(start, length, (access & WRITABLE) != 0)) {
            throw Refusals.fault(start);
        }
    }

    static void destroy(UverbsFile file, UverbsCall call) {
        file.destroy(file.object(call.number(UverbsAttribute.DESTROY_MR_HANDLE), HeldMr.class));
    }

    static void destroy(UverbsFile file, LegacyCall call) {
        file.destroy(file.object(Integer.toUnsignedLong(HandleCommand.handle(call.input(), 0)), HeldMr.class));
    }

    static void query(UverbsFile file, UverbsCall call) {
        MemoryRegion region = file.object(call.number(UverbsAttribute.QUERY_MR_HANDLE), HeldMr.class).region();
        call.reply(UverbsAttribute.QUERY_MR_RESP_LKEY, region.lkey());
        call.reply(UverbsAttribute.QUERY_MR_RESP_RKEY, region.rkey());
        call.reply(UverbsAttribute.QUERY_MR_RESP_LENGTH, region.length());
        call.reply(UverbsAttribute.QUERY_MR_RESP_IOVA, region.address());
    }

    /** Memory is reached when it is used, so that there is nothing to prefetch; what could not be prefetched is refused. */
    static void advise(UverbsFile file, UverbsCall call) {
        HeldPd pd = file.object(call.number(UverbsAttribute.ADVISE_MR_PD_HANDLE), HeldPd.class);
        long advice = call.value(UverbsAttribute.ADVISE_MR_ADVICE);
        int bytes = call.length(UverbsAttribute.ADVISE_MR_SGE_LIST);
        if (advice < 0 || advice > LAST_ADVICE) {
            throw Refusals.unsupported("advice " + advice);
        }
        if ((call.value(UverbsAttribute.ADVISE_MR_FLAGS) & ~ADVISE_FLUSH) != 0 || bytes % ELEMENT_BYTES != 0) {
            throw Refusals.invalid("flags, or elements of " + bytes + " bytes");
        }
        MemorySegment elements = call.input(UverbsAttribute.ADVISE_MR_SGE_LIST);
        int count = Math.min(bytes, UverbsCall.MAX_INPUT) / ELEMENT_BYTES;
        for (int i = 0; i < count; i++) {
            advise(file, call, pd, elements, (long) i * ELEMENT_BYTES, advice);
        }
    }

    private static void advise(UverbsFile file, UverbsCall call, HeldPd pd, MemorySegment elements, long at, long advice) {
        long address = RxeElement.addr(elements, at);
        long length = Integer.toUnsignedLong(RxeElement.length(elements, at));
        MemoryRegion region = file.objects().region(RxeElement.lkey(elements, at));
        if (region == null || region.pd() != pd.pd() || (region.access() & AccessFlags.ON_DEMAND) == 0) {
            throw Refusals.invalid("lkey 0x" + Integer.toHexString(RxeElement.lkey(elements, at)) + " is no region on demand here");
        }
        if (advice == PREFETCH_WRITE && (region.access() & AccessFlags.LOCAL_WRITE) == 0) {
            throw Refusals.invalid("the region cannot be written");
        }
        if (advice != PREFETCH_NO_FAULT && !call.memory().isMapped(address, length, advice == PREFETCH_WRITE)) {
            throw Refusals.fault(address);
        }
    }

    static void allocateWindow(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        HeldPd pd = file.legacyObject(AllocMwCommand.pdHandle(in, 0), HeldPd.class);
        MemoryWindow.Type type = type(AllocMwCommand.mwType(in, 0));
        file.handles().requireRoom();
        HeldMw made = new HeldMw(pd.pd().allocateMw(type), file.objects());
        file.admit(made, () -> {
            MemorySegment room = call.room();
            AllocMwResponse.mwHandle(room, 0, made.handle());
            AllocMwResponse.rkey(room, 0, made.window().rkey());
            call.reply(room, AllocMwResponse.BYTES);
        });
    }

    private static MemoryWindow.Type type(int value) {
        for (MemoryWindow.Type each : MemoryWindow.Type.values()) {
            if (each.value() == value) {
                return each;
            }
        }
        throw Refusals.invalid("type " + value + " of a memory window");
    }

    static void destroyWindow(UverbsFile file, UverbsCall call) {
        file.destroy(file.object(call.number(UverbsAttribute.DESTROY_MW_HANDLE), HeldMw.class));
    }

    static void destroyWindow(UverbsFile file, LegacyCall call) {
        file.destroy(file.object(Integer.toUnsignedLong(HandleCommand.handle(call.input(), 0)), HeldMw.class));
    }
}
