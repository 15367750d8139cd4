// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An interpreter of classic BPF programs as seccomp runs them, written from the kernel's description: an accumulator, loads of 32-bit
 * words from the data of a system call, comparisons with a constant, and return. Other instructions are errors.
 */
final class BpfMachine {
    private static final int DATA_BYTES = 64;

    private final byte[] program;

    BpfMachine(SeccompFilter filter) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment code = filter.assemble(arena);
            program = code.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Runs the program on struct seccomp_data: int nr, u32 arch, u64 instruction pointer, u64 args[6]. */
    int run(int number, int arch, long... arguments) {
        ByteBuffer data = ByteBuffer.allocate(DATA_BYTES).order(ByteOrder.nativeOrder());
        data.putInt(number).putInt(arch).putLong(0x7fff_1234_5678L);
        for (long each : arguments) {
            data.putLong(each);
        }
        ByteBuffer code = ByteBuffer.wrap(program).order(ByteOrder.nativeOrder());
        int accumulator = 0;
        int at = 0;
        while (true) {
            int operation = code.getShort(at * 8) & 0xFFFF;
            int yes = code.get(at * 8 + 2) & 0xFF;
            int no = code.get(at * 8 + 3) & 0xFF;
            int operand = code.getInt(at * 8 + 4);
            at++;
            switch (operation) {
                case 0x20 -> accumulator = data.getInt(operand);
                case 0x15 -> at += accumulator == operand ? yes : no;
                case 0x35 -> at += Integer.compareUnsigned(accumulator, operand) >= 0 ? yes : no;
                case 0x45 -> at += (accumulator & operand) != 0 ? yes : no;
                case 0x06 -> {
                    return operand;
                }
                default -> throw new IllegalStateException("instruction " + Integer.toHexString(operation));
            }
        }
    }
}
