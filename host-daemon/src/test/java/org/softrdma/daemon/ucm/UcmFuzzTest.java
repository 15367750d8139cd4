// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.verbs.QpType;

/**
 * A program that writes mutated commands beside one that behaves: every command is answered with its length or an errno that rdma_ucm
 * has, nothing fails unexpectedly (EIO), and the other program is not disturbed.
 */
@Timeout(120)
class UcmFuzzTest {
    private static final int ROUNDS = 20_000;
    private static final int PORT = 7475;
    private static final List<Integer> ERRORS = List.of(-2, -11, -12, -14, -19, -22, -28, -38, -95, -98, -99, -101, -113);
    /** Addresses of the program's memory in commands: responses and values of options. */
    private static final int TARGETS = 64;

    @TempDir
    private Path state;
    private CmPrograms programs;
    private CmProgram hostile;
    private CmProgram victim;
    private int channel;
    private int other;
    private int victims;

    @BeforeEach
    void begin() {
        programs = new CmPrograms("rxe", state);
        hostile = programs.program("hostile");
        victim = programs.program("victim");
        channel = hostile.open();
        other = hostile.open();
        victims = victim.open();
    }

    @AfterEach
    void end() {
        programs.close();
        assertEquals(0, programs.device.identifierCount());
        assertEquals(0, programs.device.memberships().size());
    }

    private MemorySegment seed(Random random, MemorySegment memory, CmQueuePair qp) {
        int id = random.nextInt(24);
        int[] spaces = {UcmCreateId.PS_TCP, UcmCreateId.PS_UDP, UcmCreateId.PS_IB, UcmCreateId.PS_IPOIB};
        MemorySegment response = memory.asSlice(random.nextInt(TARGETS) * 512L, 512);
        return switch (random.nextInt(12)) {
            case 0, 1 -> {
                MemorySegment create = hostile.command(UcmCommand.CREATE_ID, UcmCreateId.BYTES, 4);
                UcmCreateId.uid(CmProgram.body(create), 0, random.nextInt(3));
                UcmCreateId.response(CmProgram.body(create), 0, response.address());
                UcmCreateId.ps(CmProgram.body(create), 0, spaces[random.nextInt(spaces.length)]);
                UcmCreateId.qpType(CmProgram.body(create), 0, 2);
                yield create;
            }
            case 2 -> hostile.connectCommand(id, qp.number(), "hello", 1, 1);
            case 3 -> hostile.eventCommand(response);
            case 4 -> hostile.attributesCommand(id, random.nextInt(4), response);
            case 5 -> hostile.queryCommand(UcmCommand.QUERY, id, random.nextInt(3), 512, response);
            default -> randomBody(random, response, id);
        };
    }

    /** Any command with an identifier, a response and an address where its layout has them. */
    private MemorySegment randomBody(Random random, MemorySegment response, int id) {
        int[] bytes = {24, 16, 40, 64, 8, 16, 288, 8, 296, 264, 4, 16, 8, 0, 24, 8, 48, 16, 16, 16, 136, 272, 152};
        int[] ids = {-1, 8, 36, 56, 0, 8, 272, 0, 280, 0, 0, 8, -1, -1, 8, 0, 44, 8, 8, 8, 0, 0, 16};
        int[] addresses = {-1, -1, 8, 28, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 16, -1, -1, -1, 8, 144, 24};
        int[] sizes = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 10, 20};
        int number = random.nextInt(bytes.length);
        MemorySegment command = hostile.command(number, bytes[number], 512);
        MemorySegment body = CmProgram.body(command);
        if (ids[number] != 0 && bytes[number] >= 8 && number != UcmCommand.CONNECT && number != UcmCommand.ACCEPT) {
            body.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, response.address());
        }
        if (addresses[number] >= 0) {
            String ip = new String[] {"127.0.0.1", "::1", "0.0.0.0", "239.1.1.1", "192.0.2.7"}[random.nextInt(5)];
            int size = CmProgram.putAddress(body, addresses[number],
                new InetSocketAddress(InetAddress.ofLiteral(ip), random.nextInt(3) * PORT));
            if (sizes[number] >= 0) {
                body.set(ValueLayout.JAVA_SHORT_UNALIGNED, sizes[number], (short) size);
            }
        }
        if (ids[number] >= 0) {
            body.set(ValueLayout.JAVA_INT_UNALIGNED, ids[number], id);
        }
        if (number == UcmCommand.MIGRATE_ID) {
            body.set(ValueLayout.JAVA_INT_UNALIGNED, 12, random.nextBoolean() ? channel : other);
        }
        return command;
    }

    private static void mutate(Random random, MemorySegment command) {
        for (int i = random.nextInt(4); i > 0; i--) {
            long at = random.nextInt((int) command.byteSize());
            byte value = switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> -1;
                case 2 -> (byte) (command.get(ValueLayout.JAVA_BYTE, at) ^ 1 << random.nextInt(8));
                default -> (byte) random.nextInt();
            };
            command.set(ValueLayout.JAVA_BYTE, at, value);
        }
    }

    @Test
    void shouldSurviveMutatedCommands() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        CmQueuePair qp = programs.keep(new CmQueuePair(programs, hostile, QpType.RC));
        MemorySegment memory = hostile.allocate(TARGETS * 512L);
        int listener = victim.listener(victims, UcmCreateId.PS_TCP, PORT + 1);
        List<Long> strange = new ArrayList<>();
        int succeeded = 0;
        for (int i = 0; i < ROUNDS; i++) {
            MemorySegment command = seed(random, memory, qp);
            mutate(random, command);
            keepInside(command, memory);
            long result = hostile.write(random.nextInt(8) == 0 ? other : channel, command);
            if (result > 0) {
                succeeded++;
            } else if (!ERRORS.contains((int) result)) {
                strange.add(result);
            }
        }
        assertEquals(List.of(), strange, "seed " + seed);
        assertTrue(succeeded > ROUNDS / 50, "only " + succeeded + " commands succeeded, seed " + seed);

        int id = victim.resolved(victims, UcmCreateId.PS_TCP, PORT + 1);
        CmQueuePair own = programs.keep(new CmQueuePair(programs, victim, QpType.RC));
        assertTrue(victim.connect(victims, id, own.number(), "still here") > 0);
        MemorySegment request = victim.event(victims);
        assertEquals("still here", CmProgram.privateData(request));
        assertEquals(4, UcmEvent.event(request, 0));
        assertEquals(1, victim.destroy(victims, listener), "seed " + seed);
    }

    /** Replaces an address where the answer would overwrite memory of this process that is not the played program's. */
    private static void keepInside(MemorySegment command, MemorySegment memory) {
        int at = switch (UcmCommand.cmd(command, 0)) {
            case UcmCommand.CREATE_ID -> UcmCommand.BYTES + UcmCreateId.RESPONSE_OFFSET;
            case UcmCommand.CONNECT, UcmCommand.ACCEPT -> -1;
            default -> UcmCommand.BYTES;
        };
        if (at < 0 || command.byteSize() < at + Long.BYTES) {
            return;
        }
        long pointer = command.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        boolean isNowhere = pointer >= 0 && pointer < 4096;
        if (!isNowhere && (pointer < memory.address() || pointer > memory.address() + (TARGETS - 1) * 512L)) {
            command.set(ValueLayout.JAVA_LONG_UNALIGNED, at, memory.address());
        }
    }
}
