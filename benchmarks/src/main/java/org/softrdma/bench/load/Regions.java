// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QueuePair;

/**
 * 100,000 memory regions at both ends: what registering and deregistering costs, and whether 64 B WRITEs that hop among them are slower
 * than those that stay in one. The hopping ones also miss the processor's caches, as an application's would.
 */
final class Regions {
    private static final int BYTES = 1024;
    private static final int STEP = 7919;

    private final Settings settings;
    private final int count;

    Regions(Settings settings) {
        this.settings = settings;
        count = settings.number("count", 100_000);
    }

    private MemoryRegion[] register(End end, MemorySegment memory) {
        MemoryRegion[] made = new MemoryRegion[count];
        for (int i = 0; i < count; i++) {
            made[i] = end.pd.register(memory.asSlice((long) i * BYTES, BYTES), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
        }
        return made;
    }

    private MemorySegment memory() {
        return Arena.ofShared().allocate((long) count * BYTES, 4096).fill((byte) 1);
    }

    private static long heapUsed() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    void client(Control control) throws IOException {
        End end = new End(settings, 4096, 512, 16, false);
        QueuePair[] qp = end.queuePairs(1, 256, 1);
        end.connect(qp, control);
        MemorySegment memory = memory();
        for (MemoryRegion each : register(end, memory)) {
            each.close();
        }
        long heapBefore = heapUsed();
        long startNs = System.nanoTime();
        MemoryRegion[] own = register(end, memory);
        Report.value("register_ns", (double) (System.nanoTime() - startNs) / count);
        Report.value("heap", (double) (heapUsed() - heapBefore) / count);

        long[] addresses = new long[count];
        int[] rkeys = new int[count];
        for (int i = 0; i < count; i++) {
            addresses[i] = control.in.readLong();
            rkeys[i] = control.in.readInt();
        }
        SmallWrites writes = new SmallWrites(end, qp[0]);
        SmallWrites.Target one = (request, number) ->
            request.write(addresses[0], rkeys[0]).element(own[0], 0, SmallWrites.SIZE);
        SmallWrites.Target many = (request, number) -> {
            int index = (int) (number * STEP % count);
            request.write(addresses[index], rkeys[index]).element(own[index], 0, SmallWrites.SIZE);
        };
        writes.run(settings.seconds("firstWarm", 2), one);
        writes.run(settings.seconds("warm", 0.5), many);
        double alone = writes.run(settings.seconds("seconds", 2), one);
        double hopping = writes.run(settings.seconds("seconds", 2), many);
        Report.value("kmsgps.one", alone);
        Report.value("kmsgps.many", hopping);
        Report.value("many_ratio", hopping / alone);
        startNs = System.nanoTime();
        for (MemoryRegion each : own) {
            each.close();
        }
        Report.value("deregister_ns", (double) (System.nanoTime() - startNs) / count);
        control.send(0);
    }

    void server(Control control) throws IOException {
        End end = new End(settings, 4096, 512, 16, false);
        QueuePair[] qp = end.queuePairs(1, 1, 1);
        end.connect(qp, control);
        MemoryRegion[] own = register(end, memory());
        for (MemoryRegion each : own) {
            control.out.writeLong(each.address());
            control.out.writeInt(each.rkey());
        }
        control.out.flush();
        control.in.readInt();
    }
}
