// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.uverbs.IoctlAttribute;
import org.softrdma.abi.uverbs.IoctlHeader;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.rxe.Rxe;

/** Arguments of the ioctl that no library makes: none may cause a failure of ours, which is answered with EIO, or leave objects behind. */
final class UverbsFuzzTest {
    private static final int ROUNDS = 40;
    private static final int CALLS = 400;
    private static final int EIO = -5;
    /** Greatest number of a Linux error. */
    private static final int MAX_ERRNO = 4095;
    private static final int[] LENGTHS = {0, 1, 2, 3, 4, 5, 8, 9, 12, 16, 20, 24, 32, 40, 48, 56, 64, 112, 120, 128, 176, 304, 65_535};
    /** More than any of {@link #LENGTHS}. */
    private static final int SPARE = 1 << 16;
    /** Numbers of the calls are smaller than any address. */
    private static final long LOWEST_POINTER = 1L << 32;
    /** Memory behind a room, longer than any answer. */
    private static final MemorySegment UNTOUCHED = MemorySegment.ofArray(new byte[2048]).fill((byte) 0x5a);
    private static final int[] COMMANDS = {1, 3, 4, 5, 8, 9, 13, 14, 16, 17, 19, 23, 25, 26, 28, 30, 31, 33, 34, 1 << 31 | 1, 1 << 31 | 26};

    private final long seed = Long.getLong("softrdma.fuzz.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Map<Integer, Integer> answers = new HashMap<>();

    @Test
    void shouldAnswerAnything() {
        System.out.println("seed " + seed);
        UverbsDevice device = new UverbsDevice(Rxe.device("uverbs-fuzz", "lo"), 0);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                FakeProgram program = FakeProgram.withContext(device);
                try {
                    attack(program);
                } finally {
                    program.close();
                }
                assertEquals(0, program.file.objectCount(), "seed " + seed);
                assertEquals(0, program.file.context().memory().regionCount(), "seed " + seed);
            }
        } finally {
            device.close();
        }
        assertTrue(answers.getOrDefault(0, 0) > ROUNDS, "some must succeed: " + answers);
    }

    /** Every pointer of every call, with every length up to the right one: what is behind the room stays as it is. */
    @Test
    void shouldWriteNoMoreThanThereIsRoomFor() {
        UverbsDevice device = new UverbsDevice(Rxe.device("uverbs-room", "lo"), 0);
        int written = 0;
        try {
            int calls = 1;
            for (int call = 0; call < calls; call++) {
                FakeProgram program = FakeProgram.withContext(device);
                try {
                    program.spare = SPARE;
                    List<MemorySegment> valid = corpus(program);
                    calls = valid.size();
                    written += shorten(program, valid.get(call));
                } finally {
                    program.close();
                }
            }
        } finally {
            device.close();
        }
        assertTrue(written > ROUNDS, "only " + written + " answers were written into what room there was");
    }

    private void attack(FakeProgram program) {
        program.spare = SPARE;
        List<MemorySegment> valid = corpus(program);
        MemorySegment room = program.room(1 << 17);
        for (int i = 0; i < CALLS; i++) {
            MemorySegment bundle = program.room(4096);
            if (random.nextInt(4) == 0) {
                invent(bundle, room);
            } else {
                bundle.copyFrom(valid.get(random.nextInt(valid.size())));
                for (int n = random.nextInt(3); n >= 0; n--) {
                    mutate(bundle, room);
                }
            }
            scribble(room);
            int answer = program.ioctl(0, 0).runAt(bundle.address());
            answers.merge(answer, 1, Integer::sum);
            assertTrue(answer <= 0 && answer >= -MAX_ERRNO && answer != EIO, answer + ", seed " + seed);
        }
    }

    /** Runs a call again and again, each time with one of its pointers to a room that is shorter; returns how many answers were written. */
    private static int shorten(FakeProgram program, MemorySegment valid) {
        int written = 0;
        for (int n = 0; n < IoctlHeader.numAttrs(valid, 0); n++) {
            long at = IoctlHeader.BYTES + (long) n * IoctlAttribute.BYTES;
            int length = IoctlAttribute.len(valid, at);
            if (IoctlAttribute.data(valid, at) < LOWEST_POINTER) {
                continue;
            }
            MemorySegment room = MemorySegment.ofAddress(IoctlAttribute.data(valid, at)).reinterpret(length + SPARE);
            for (int shorter = 0; shorter <= length; shorter++) {
                MemorySegment bundle = program.room(4096).copyFrom(valid);
                IoctlAttribute.len(bundle, at, shorter);
                MemorySegment before = MemorySegment.ofArray(room.asSlice(0, shorter).toArray(ValueLayout.JAVA_BYTE));
                MemorySegment behind = room.asSlice(shorter, UNTOUCHED.byteSize()).copyFrom(UNTOUCHED);
                int answer = program.ioctl(0, 0).runAt(bundle.address());
                assertEquals(-1, behind.mismatch(UNTOUCHED), "a byte behind room for " + shorter + ", attribute "
                    + IoctlAttribute.attrId(valid, at) + ", answer " + answer);
                written += before.mismatch(room.asSlice(0, shorter)) >= 0 ? 1 : 0;
            }
        }
        return written;
    }

    /** Calls that succeed, with handles of existing objects. */
    private static List<MemorySegment> corpus(FakeProgram program) {
        FakeObjects objects = new FakeObjects(program);
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(8, 1, objects.channel());
        FakeObjects.Srq srq = objects.srq(pd, 4, 0, 2);
        objects.mr(pd, program.room(4096), FakeObjects.LOCAL_WRITE);
        FakeObjects.Qp qp = objects.qp(pd, cq, null, FakeObjects.RC, 3);
        qp.init();
        List<MemorySegment> all = new ArrayList<>();
        all.add(objects.createCq(8, 1, -1, 0, program.room(4), program.room(16)).bundle());
        all.add(objects.createQp(pd, cq, srq, FakeObjects.RC, FakeObjects.caps(program, 4, 4, 1, 0), 9, objects.answers()).bundle());
        all.add(objects.createSrq(pd, 4, 1, 0, 1, program.room(24)).bundle());
        all.add(program.ioctl(UverbsObject.QP, UverbsMethod.QP_DESTROY).number(UverbsAttribute.DESTROY_QP_HANDLE, qp.handle)
            .outputs(UverbsAttribute.DESTROY_QP_RESP, 4).bundle());
        all.add(program.ioctl(UverbsObject.CQ, UverbsMethod.CQ_DESTROY).number(UverbsAttribute.DESTROY_CQ_HANDLE, cq.handle)
            .outputs(UverbsAttribute.DESTROY_CQ_RESP, 8).bundle());
        all.add(program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_PORT).value(UverbsAttribute.QUERY_PORT_PORT_NUM, 1, 1)
            .outputs(UverbsAttribute.QUERY_PORT_RESP, 48).bundle());
        all.add(program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_GID_TABLE)
            .value(UverbsAttribute.QUERY_GID_TABLE_ENTRY_SIZE, 32, 8).outputs(UverbsAttribute.QUERY_GID_TABLE_RESP_ENTRIES, 1024)
            .outputs(UverbsAttribute.QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8).bundle());
        all.add(program.ioctl(UverbsObject.MR, UverbsMethod.ADVISE_MR).number(UverbsAttribute.ADVISE_MR_PD_HANDLE, pd)
            .value(UverbsAttribute.ADVISE_MR_ADVICE, 0, 8).value(UverbsAttribute.ADVISE_MR_FLAGS, 1, 4)
            .input(UverbsAttribute.ADVISE_MR_SGE_LIST, program.room(32)).bundle());
        for (int command : COMMANDS) {
            all.add(program.legacy(command, program.room(128), program.room(304)).bundle());
        }
        all.add(program.legacy(UverbsCommand.CREATE_COMP_CHANNEL, program.room(8), program.room(4)).bundle());
        return all;
    }

    private void mutate(MemorySegment bundle, MemorySegment room) {
        int attributes = IoctlHeader.numAttrs(bundle, 0);
        switch (random.nextInt(12)) {
            case 0 -> IoctlHeader.length(bundle, 0, random.nextInt(5000));
            case 1 -> IoctlHeader.objectId(bundle, 0, random.nextInt(18));
            case 2 -> IoctlHeader.methodId(bundle, 0, random.nextInt(8));
            case 3 -> IoctlHeader.numAttrs(bundle, 0, random.nextInt(300));
            default -> {
                if (attributes > 0 && attributes < 250) {
                    mutateAttribute(bundle, IoctlHeader.BYTES + (long) random.nextInt(attributes) * IoctlAttribute.BYTES, room);
                }
            }
        }
    }

    private void mutateAttribute(MemorySegment bundle, long at, MemorySegment room) {
        switch (random.nextInt(5)) {
            case 0 -> IoctlAttribute.attrId(bundle, at,
                random.nextBoolean() ? random.nextInt(16) : UverbsAttribute.UHW_IN + random.nextInt(3));
            case 1 -> IoctlAttribute.len(bundle, at, LENGTHS[random.nextInt(LENGTHS.length)]);
            case 2 -> IoctlAttribute.flags(bundle, at, random.nextInt(4));
            case 3 -> IoctlAttribute.elementId(bundle, at, random.nextInt(3));
            default -> IoctlAttribute.data(bundle, at, data(room));
        }
    }

    private void invent(MemorySegment bundle, MemorySegment room) {
        int attributes = random.nextInt(16);
        IoctlHeader.length(bundle, 0, IoctlHeader.BYTES + attributes * IoctlAttribute.BYTES);
        IoctlHeader.objectId(bundle, 0, random.nextInt(17));
        IoctlHeader.methodId(bundle, 0, random.nextInt(7));
        IoctlHeader.numAttrs(bundle, 0, attributes);
        IoctlHeader.driverId(bundle, 0, 14);
        for (int i = 0; i < attributes; i++) {
            long at = IoctlHeader.BYTES + (long) i * IoctlAttribute.BYTES;
            IoctlAttribute.attrId(bundle, at, random.nextInt(8) == 0 ? UverbsAttribute.UHW_OUT : i);
            IoctlAttribute.len(bundle, at, LENGTHS[random.nextInt(LENGTHS.length)]);
            IoctlAttribute.flags(bundle, at, random.nextInt(2));
            IoctlAttribute.data(bundle, at, data(room));
        }
    }

    /** Handles, sizes, and pointers: none of them into memory of this process that is not the program's. */
    private long data(MemorySegment room) {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextInt(12);
            case 1 -> 1L << random.nextInt(16);
            case 2 -> -1L - random.nextInt(3);
            case 3 -> Long.MIN_VALUE + random.nextInt(64);
            case 4 -> 0x10;
            case 5 -> COMMANDS[random.nextInt(COMMANDS.length)];
            default -> room.address() + random.nextInt(1 << 16);
        };
    }

    /** Fills what pointers lead to with small and large numbers. */
    private void scribble(MemorySegment room) {
        for (int i = 0; i < 64; i++) {
            long value = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(16);
            room.set(ValueLayout.JAVA_LONG, (long) random.nextInt(1 << 13) * 8, value);
        }
    }
}
