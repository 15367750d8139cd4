// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;

/**
 * Steps of a hostile program in its rings, read from bytes of a fuzzer: each begins with a byte that selects it. The program has two
 * connected pairs of queue pairs, one of them with a shared receive queue, on rxe another one for datagrams, and two completion queues.
 */
final class HostileRings {
    private static final long STEP_NS = 20_000;
    private static final long LONG_NS = 50_000_000;
    private static final int RAW_BYTES = 32;
    /** Writes of one burst: with more of them the simulation would see a clock that stands. */
    private static final int RACING_WRITES = 3000;
    /** Offsets of the sizes and indices in a ring of librxe. */
    private static final int[] HEADER = {0, 4, 128, 256};
    /** Offsets in a send record of librxe: opcode, flags, immediate, fields of the operations, length, elements. */
    private static final int[] RXE_SEND = {12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 184, 196, 208, 212, 216, 220, 224,
        232, 236};
    private static final int[] RXE_RECEIVE = {0, 16, 28, 40, 44, 48, 52, 56, 64, 68};
    /** Offsets in records of libsiw: flags with elements and opcode, key, address, elements. */
    private static final int[] SIW_SEND = {8, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 52};
    private static final int[] SIW_RECEIVE = {8, 8, 16, 20, 24, 28, 32, 40, 44, 108};

    private final RingScene scene;
    private final PlayedProgram program;
    private final RingLibrary library;
    private final PlayedProgram.Qp[] pairs = new PlayedProgram.Qp[4];
    private final int[] palette;
    private long nextId;

    HostileRings(RingScene scene) {
        this.scene = scene;
        program = scene.hostile;
        library = scene.library;
        program.createSrq(library == RingLibrary.RXE ? PlayedProgram.ELEMENTS : 1, 2);
        pairUp(0, false);
        pairUp(2, true);
        MemoryWindow one = null;
        MemoryWindow two = null;
        if (library == RingLibrary.RXE) {
            scene.readyForDatagrams(program.qp(QpType.UD, program.cq(), false));
            one = program.pd.allocateMw(MemoryWindow.Type.TYPE_1);
            two = program.pd.allocateMw(MemoryWindow.Type.TYPE_2);
            program.objects.add(one);
            program.objects.add(two);
        }
        palette = palette(one, two);
    }

    /** Numbers that lie at limits or name something: sizes, lengths, operations, keys of this program's and the victims' memory. */
    private int[] palette(MemoryWindow one, MemoryWindow two) {
        MemoryRegion own = program.objects.region;
        MemoryRegion senders = scene.sender.objects.region;
        MemoryRegion receivers = scene.receiver.objects.region;
        return new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 14, 15, 16, 31, 32, 33, 64, 80, 81, 127, 128, 255, 256, 4096,
            PlayedProgram.MEMORY_BYTES - 1, PlayedProgram.MEMORY_BYTES, PlayedProgram.MEMORY_BYTES + 1, 1 << 30, 0x7fffffff, 0x80000000,
            -1, -2, -8, 0x00010001, 0x03010001, 0x03060001, 0x00060005, 0x05010005, 0x03010003, RingScene.QKEY,
            own.lkey(), own.lkey(), own.rkey(), senders.lkey(), senders.rkey(), receivers.lkey(), receivers.rkey(), own.lkey() ^ 1,
            one == null ? 9 : one.rkey(), one == null ? 10 : one.rkey() + 1, two == null ? 12 : two.rkey(),
            two == null ? 17 : two.rkey() + 1, program.qps.getFirst().soft.qpNum(), program.qps.getLast().soft.qpNum(),
            scene.receiver.qps.getFirst().soft.qpNum()};
    }

    private void pairUp(int first, boolean shared) {
        PlayedProgram.Cq cq = program.cq();
        pairs[first] = program.qp(QpType.RC, cq, false);
        pairs[first + 1] = program.qp(QpType.RC, cq, shared);
        scene.connect(pairs[first], pairs[first + 1]);
    }

    /** Carries out all steps. */
    void attack(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            step(in.get() & 15, in);
        }
        scene.ringHostile();
        scene.runFor(LONG_NS);
    }

    private void step(int kind, ByteBuffer in) {
        switch (kind) {
            case 0 -> scribble(in);
            case 1, 2 -> pokeHeader(in);
            case 3, 4, 5, 6 -> send(in);
            case 7, 8 -> receive(in);
            case 9 -> poke(any(program.file, in), in);
            case 10 -> takeAll();
            case 11 -> repair(next(in) % 2 * 2);
            case 12 -> modify(qp(in), next(in));
            case 13 -> scene.runFor(LONG_NS);
            default -> {
                scene.ringHostile();
                scene.runFor(STEP_NS);
            }
        }
    }

    private static int next(ByteBuffer in) {
        return in.hasRemaining() ? in.get() & 0xff : 0;
    }

    private static int word(ByteBuffer in) {
        return next(in) << 24 | next(in) << 16 | next(in) << 8 | next(in);
    }

    /** Returns a number: one byte selects from the palette, or says that the number follows. */
    private int number(ByteBuffer in) {
        int which = next(in);
        return which < 192 ? palette[which % palette.length] : word(in);
    }

    private PlayedProgram.Qp qp(ByteBuffer in) {
        return program.qps.get(next(in) % program.qps.size());
    }

    private List<MemorySegment> rings() {
        List<MemorySegment> all = new ArrayList<>();
        for (PlayedProgram.Qp each : program.qps) {
            all.add(each.sends.memory());
            if (each.receives != null) {
                all.add(each.receives.memory());
            }
        }
        program.cqs.forEach(each -> all.add(each.ring.extent().memory()));
        all.add(program.srq.extent.memory());
        return all;
    }

    private MemorySegment ring(ByteBuffer in) {
        List<MemorySegment> all = rings();
        return all.get(next(in) % all.size());
    }

    /** Any bytes anywhere in a ring. */
    private void scribble(ByteBuffer in) {
        MemorySegment ring = ring(in);
        long at = (next(in) << 8 | next(in)) % ring.byteSize();
        for (int left = next(in) % RAW_BYTES; left >= 0 && at < ring.byteSize(); left--) {
            ring.set(ValueLayout.JAVA_BYTE, at++, (byte) next(in));
        }
    }

    /** Sizes and indices; libsiw has them in the flags of its slots. */
    private void pokeHeader(ByteBuffer in) {
        MemorySegment ring = ring(in);
        int which = next(in);
        if (library == RingLibrary.RXE) {
            ring.set(ValueLayout.JAVA_INT_UNALIGNED, HEADER[which % HEADER.length], number(in));
        } else {
            poke(any(ring, in), in);
        }
    }

    private static MemorySegment any(MemorySegment memory, ByteBuffer in) {
        long words = Math.min(memory.byteSize(), 1 << 16) / Integer.BYTES;
        return memory.asSlice((next(in) << 8 | next(in)) % words * Integer.BYTES, Integer.BYTES);
    }

    private void poke(MemorySegment place, ByteBuffer in) {
        place.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number(in));
    }

    /** Returns an element in the program's own region, or with the local key of a victim's. */
    private RingLibrary.Element element(int whose, int address, int length) {
        PlayedProgram owner = switch (whose) {
            case 1 -> scene.sender;
            case 2 -> scene.receiver;
            default -> program;
        };
        return new RingLibrary.Element(address, length, owner.objects.region.lkey());
    }

    /** A request that is correct but for some fields, or for the keys of its memory. */
    private void send(ByteBuffer in) {
        PlayedProgram.Qp qp = qp(in);
        int form = next(in);
        library.send(qp.sends.memory(), qp.sent, new RingLibrary.Send((form & 1) == 0, nextId++,
            element(form >>> 4 & 7, next(in) * 16, 1 + next(in) * 16), next(in) * 16,
            form >>> 4 == 7 ? scene.receiver.objects.region.rkey() : program.objects.region.rkey()));
        if (library == RingLibrary.SIW) {
            library.publishSend(qp.sends.memory(), qp.sent);
        }
        mutate(qp.sends.memory(), library.sendSlot(qp.sent), library == RingLibrary.RXE ? RXE_SEND : SIW_SEND, form >>> 1 & 3, in);
        if (library == RingLibrary.RXE) {
            library.publishSend(qp.sends.memory(), qp.sent);
        }
        qp.sent++;
        if ((form & 8) == 0) {
            scene.ringHostile();
            scene.runFor(STEP_NS);
        }
    }

    private void mutate(MemorySegment ring, long slot, int[] fields, int count, ByteBuffer in) {
        for (int i = 0; i < count; i++) {
            ring.set(ValueLayout.JAVA_INT_UNALIGNED, slot + fields[next(in) % fields.length], number(in));
        }
    }

    private void receive(ByteBuffer in) {
        PlayedProgram.Qp qp = qp(in);
        int form = next(in);
        MemorySegment ring = qp.receives == null ? program.srq.extent.memory() : qp.receives.memory();
        int sequence = qp.receives == null ? program.srq.posted++ : qp.received++;
        library.receive(ring, sequence, nextId++, element(form >>> 4 & 7, next(in) * 16, next(in) * 32));
        library.publishReceive(ring, sequence);
        mutate(ring, library.receiveSlot(sequence), library == RingLibrary.RXE ? RXE_RECEIVE : SIW_RECEIVE, form & 3, in);
    }

    private void takeAll() {
        for (PlayedProgram.Cq each : program.cqs) {
            for (int i = 0; i < RingLibrary.CQE && each.poll() != null; i++) {
                nextId++;
            }
        }
    }

    /** Replaces a pair of queue pairs and its completion queue. */
    private void repair(int first) {
        PlayedProgram.Cq old = pairs[first].cq;
        pairs[first].destroy();
        pairs[first + 1].destroy();
        old.destroy();
        pairUp(first, first == 2);
    }

    private static void modify(PlayedProgram.Qp qp, int to) {
        QpState state = (to & 1) == 0 ? QpState.ERR : QpState.RESET;
        if (qp.soft.state() == QpState.RESET) {
            return;
        }
        qp.soft.modify(new QpAttributes().state(state));
        qp.posting.onModified(state);
    }

    /** Changes the rings from another thread while the device works. */
    void race(long seed) {
        for (int i = 0; i < 4; i++) {
            byte[] some = new byte[64];
            new SplittableRandom(seed + i).nextBytes(some);
            attack(some);
            List<MemorySegment> rings = rings();
            Thread writer = Thread.ofPlatform().start(() -> scribbleAtRandom(rings, new SplittableRandom(~seed)));
            while (writer.isAlive()) {
                scene.ringHostile();
                scene.runFor(STEP_NS);
            }
            takeAll();
            repair(i % 2 * 2);
        }
    }

    private void scribbleAtRandom(List<MemorySegment> rings, SplittableRandom random) {
        int[] fields = library == RingLibrary.RXE ? RXE_SEND : SIW_SEND;
        for (int i = 0; i < RACING_WRITES; i++) {
            MemorySegment ring = rings.get(random.nextInt(rings.size()));
            long at = library == RingLibrary.RXE && random.nextInt(3) == 0 ? HEADER[random.nextInt(HEADER.length)]
                : library.sendSlot(random.nextInt(RingLibrary.SLOTS)) + fields[random.nextInt(fields.length)];
            if (at + Integer.BYTES <= ring.byteSize()) {
                ring.set(ValueLayout.JAVA_INT_UNALIGNED, at, palette[random.nextInt(palette.length)]);
            }
        }
    }
}
