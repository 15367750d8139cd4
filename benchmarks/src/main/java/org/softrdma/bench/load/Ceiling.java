// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;

/**
 * The most that a design like ours could reach in Java: RDMA WRITE packets with BTH and a real ICRC at both ends, copied out of and into
 * 1 MiB of memory, with the kernel's segmentation and merging, and acknowledgements for free (a counter in a shared file). No queue
 * pairs, no keys, no retransmission. {@code train=1} shows what the offloads are worth.
 *
 * <p>A yardstick must not be short because somebody disturbed it or a window was unlucky: each window is measured twice for the full time,
 * in turns, and the best of all counts.
 */
final class Ceiling {
    private static final int MEMORY_BYTES = 1 << 20;
    private static final int HEADROOM = 128;
    private static final int MAX_TRAIN_BYTES = 65_000;
    private static final int MAX_TRAIN_PACKETS = 64;
    private static final int STAGING_BYTES = 1 << 17;
    private static final int RECEIVE_BUFFER_BYTES = 8 << 20;
    private static final String WINDOWS = "262144,1048576";
    private static final int ROUNDS = 2;
    private static final int PORT = 4791;
    private static final int PKEY = 0xffff;
    private static final int QPN = 0x12;
    private static final long STALLED_NS = 2_000_000_000L;
    private static final VarHandle COUNTER = ValueLayout.JAVA_LONG.varHandle();

    private final Settings settings;
    private final int mtu;
    private final int packetBytes;
    private final int train;
    private final Icrc icrc = new Icrc();
    private final MemorySegment memory = Arena.global().allocate(MEMORY_BYTES, 4096).fill((byte) 7);
    private final MemorySegment staging = Arena.global().allocate(HEADROOM + STAGING_BYTES, 64);
    private final ByteBuffer stagingBuffer = staging.asByteBuffer();
    private long sent;

    Ceiling(Settings settings) {
        this.settings = settings;
        mtu = settings.number("mtu", 1024);
        packetBytes = Bth.LENGTH + mtu + Icrc.LENGTH;
        train = Math.min(settings.number("train", MAX_TRAIN_PACKETS), MAX_TRAIN_BYTES / packetBytes);
    }

    private static MemorySegment share(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, 64, Arena.global());
        }
    }

    private int icrcOf(ByteBuffer buffer, int at) {
        int end = at + packetBytes - Icrc.LENGTH;
        return icrc.ofIpv4Payload(buffer, at, end, 0x7f000001, 0x7f000001, PORT, PORT);
    }

    void client(Control control) throws IOException {
        try (OffloadSocket socket = new OffloadSocket(RECEIVE_BUFFER_BYTES)) {
            socket.towards(control.in.readInt());
            int peerBufferBytes = control.in.readInt();
            MemorySegment acknowledged = share(Path.of(control.in.readUTF()));
            if (train > 1) {
                socket.segment(packetBytes);
            }
            measure(socket, acknowledged, peerBufferBytes);
        }
        control.send(0);
    }

    private void measure(OffloadSocket socket, MemorySegment acknowledged, int peerBufferBytes) {
        int[] windows = settings.numbers("windows", WINDOWS);
        double best = 0;
        double coresAtBest = 0;
        long warmNs = settings.seconds("firstWarm", 2);
        for (int i = 0; i < ROUNDS * windows.length; i++) {
            long window = Math.max(train, Math.min(windows[i % windows.length], peerBufferBytes / 4) / packetBytes);
            push(socket, acknowledged, window, warmNs);
            warmNs = settings.seconds("warm", 0.3);
            long startNs = System.nanoTime();
            long startCpuNs = Report.cpuNs();
            long startCount = (long) COUNTER.getAcquire(acknowledged, 0L);
            push(socket, acknowledged, window, settings.seconds("seconds", 1));
            double seconds = (System.nanoTime() - startNs) / 1e9;
            double rate = ((long) COUNTER.getAcquire(acknowledged, 0L) - startCount) / seconds;
            if (rate > best) {
                best = rate;
                coresAtBest = (Report.cpuNs() - startCpuNs) / 1e9 / seconds;
            }
        }
        Report.value("GBps." + MEMORY_BYTES, best * mtu / 1e9);
        Report.value("kpps", best / 1e3);
        Report.value("cores." + MEMORY_BYTES, coresAtBest);
    }

    /** Sends for so long, with so many packets on the way. */
    private void push(OffloadSocket socket, MemorySegment acknowledged, long window, long forNs) {
        MemorySegment packets = staging.asSlice(HEADROOM);
        long startNs = System.nanoTime();
        do {
            awaitRoom(acknowledged, sent + train - window);
            for (int i = 0; i < train; i++) {
                fill(i, sent + i);
            }
            while (!socket.send(packets, (long) train * packetBytes)) {
                Thread.onSpinWait();
            }
            sent += train;
        } while (System.nanoTime() - startNs < forNs);
    }

    private static void awaitRoom(MemorySegment acknowledged, long needed) {
        long untilNs = 0;
        for (int spins = 1; (long) COUNTER.getAcquire(acknowledged, 0L) < needed; spins++) {
            Thread.onSpinWait();
            if ((spins & 0xfff) == 0) {
                Thread.yield();
                long nowNs = System.nanoTime();
                untilNs = untilNs == 0 ? nowNs + STALLED_NS : untilNs;
                if (nowNs - untilNs > 0) {
                    throw new IllegalStateException("packets were lost: the yardstick does not repeat them");
                }
            }
        }
    }

    private void fill(int index, long number) {
        int at = HEADROOM + index * packetBytes;
        Bth.put(stagingBuffer, at, Opcode.RC_RDMA_WRITE_MIDDLE, false, 0, PKEY, QPN, false, (int) number & 0xffffff);
        MemorySegment.copy(memory, number * mtu % MEMORY_BYTES, staging, at + Bth.LENGTH, mtu);
        Icrc.put(stagingBuffer, at + packetBytes - Icrc.LENGTH, icrcOf(stagingBuffer, at));
    }

    void server(Control control) throws IOException {
        Path file = Files.createTempFile("softrdma-bench", ".ack");
        try (OffloadSocket socket = new OffloadSocket(RECEIVE_BUFFER_BYTES)) {
            Files.write(file, new byte[64]);
            MemorySegment acknowledged = share(file);
            if (train > 1) {
                socket.merge();
            }
            control.out.writeInt(socket.port());
            control.out.writeInt(socket.receiveBufferBytes());
            control.out.writeUTF(file.toString());
            control.out.flush();
            Thread receiver = Thread.ofPlatform().daemon().start(() -> receive(socket, acknowledged));
            control.in.readInt();
            receiver.interrupt();
            receiver.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Files.delete(file);
        }
    }

    private void receive(OffloadSocket socket, MemorySegment acknowledged) {
        MemorySegment packets = staging.asSlice(HEADROOM);
        long taken = 0;
        while (!Thread.interrupted()) {
            long bytes = socket.receive(packets);
            if (bytes <= 0) {
                Thread.onSpinWait();
                continue;
            }
            for (int at = HEADROOM; at + packetBytes <= HEADROOM + bytes; at += packetBytes) {
                int claimed = Icrc.get(stagingBuffer, at + packetBytes - Icrc.LENGTH);
                if (icrcOf(stagingBuffer, at) != claimed || Bth.opcode(stagingBuffer, at) != Opcode.RC_RDMA_WRITE_MIDDLE
                    || Bth.psn(stagingBuffer, at) != ((int) taken & 0xffffff)) {
                    throw new IllegalStateException("a wrong packet");
                }
                MemorySegment.copy(staging, at + Bth.LENGTH, memory, taken * mtu % MEMORY_BYTES, mtu);
                taken++;
            }
            COUNTER.setRelease(acknowledged, 0L, taken);
        }
    }
}
