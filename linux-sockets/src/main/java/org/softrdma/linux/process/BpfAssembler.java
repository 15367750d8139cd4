// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Assembler of classic BPF programs with forward jumps to labels. Source: the kernel's {@code Documentation/networking/filter.rst}, and
 * {@code struct sock_filter} in {@code linux/filter.h}: u16 code, u8 steps if true, u8 steps if false, u32 operand.
 */
final class BpfAssembler {
    /** Loads the 32-bit word at the operand. */
    static final int LOAD = 0x20;
    static final int JUMP_EQUAL = 0x15;
    /** Unsigned comparison. */
    static final int JUMP_AT_LEAST = 0x35;
    /** Jumps if a bit of the operand is set. */
    static final int JUMP_ANY_BIT = 0x45;
    static final int RETURN = 0x06;
    static final int INSTRUCTION_BYTES = 8;

    private static final int MAX_STEPS = 255;

    /** A place in the program, which jumps refer to before it is known. */
    static final class Label {
        private int position = -1;
    }

    private record Instruction(int code, Label yes, Label no, int operand) {
    }

    private final List<Instruction> program = new ArrayList<>();

    BpfAssembler load(int offset) {
        return add(LOAD, null, null, offset);
    }

    /**
     * Compares and jumps.
     *
     * @param yes taken if equal; null for the next instruction
     * @param no  taken if not; null for the next instruction
     */
    BpfAssembler ifEqual(int value, Label yes, Label no) {
        return add(JUMP_EQUAL, yes, no, value);
    }

    /** Jumps if the loaded word is at least {@code value}, unsigned; labels as in {@link #ifEqual}. */
    BpfAssembler ifAtLeast(int value, Label yes, Label no) {
        return add(JUMP_AT_LEAST, yes, no, value);
    }

    /** Jumps if one of {@code bits} is set in the loaded word; labels as in {@link #ifEqual}. */
    BpfAssembler ifAnyBit(int bits, Label yes, Label no) {
        return add(JUMP_ANY_BIT, yes, no, bits);
    }

    BpfAssembler give(int verdict) {
        return add(RETURN, null, null, verdict);
    }

    /** Defines a label as the next instruction. */
    BpfAssembler at(Label label) {
        if (label.position >= 0) {
            throw new IllegalStateException("the label has a place already");
        }
        label.position = program.size();
        return this;
    }

    private BpfAssembler add(int code, Label yes, Label no, int operand) {
        program.add(new Instruction(code, yes, no, operand));
        return this;
    }

    int length() {
        return program.size();
    }

    /** Writes the program as an array of struct sock_filter. */
    MemorySegment assemble(Arena arena) {
        MemorySegment code = arena.allocate((long) program.size() * INSTRUCTION_BYTES, INSTRUCTION_BYTES);
        for (int i = 0; i < program.size(); i++) {
            Instruction each = program.get(i);
            long at = (long) i * INSTRUCTION_BYTES;
            code.set(ValueLayout.JAVA_SHORT, at, (short) each.code);
            code.set(ValueLayout.JAVA_BYTE, at + 2, (byte) steps(i, each.yes));
            code.set(ValueLayout.JAVA_BYTE, at + 3, (byte) steps(i, each.no));
            code.set(ValueLayout.JAVA_INT, at + 4, each.operand);
        }
        return code;
    }

    private static int steps(int from, Label to) {
        if (to == null) {
            return 0;
        }
        int steps = to.position - from - 1;
        if (steps < 0 || steps > MAX_STEPS) {
            throw new IllegalStateException("a jump from " + from + " to " + to.position + " is not 0 to " + MAX_STEPS + " steps forward");
        }
        return steps;
    }
}
