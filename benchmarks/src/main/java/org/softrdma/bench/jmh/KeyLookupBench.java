// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.AccessFlags;

/** Finding the region of a key and checking range and rights, among few regions and among 100,000, in random order. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeyLookupBench {
    private static final int PD = 1;
    private static final int BYTES = 64;

    @Param({"1", "100000"})
    int regions;

    private final SplittableRandom random = new SplittableRandom(1);
    private MemoryTable table;
    private int[] keys;
    private int next;

    @Setup
    public void register() {
        table = new MemoryTable(random, 1 << 18, 16);
        MemorySegment memory = Arena.ofAuto().allocate((long) regions * BYTES, BYTES);
        keys = new int[1 << 17];
        int[] made = new int[regions];
        for (int i = 0; i < regions; i++) {
            MemorySegment own = memory.asSlice((long) i * BYTES, BYTES);
            made[i] = table.register(own, 0, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY, PD).key();
        }
        for (int i = 0; i < keys.length; i++) {
            keys[i] = made[random.nextInt(regions)];
        }
    }

    @Benchmark
    public boolean lookupAndCheck() {
        next = next + 1 & keys.length - 1;
        Region region = table.lookup(keys[next]);
        return region != null && region.covers(8, 32) && region.grants(PD, 0, AccessFlags.REMOTE_WRITE);
    }
}
