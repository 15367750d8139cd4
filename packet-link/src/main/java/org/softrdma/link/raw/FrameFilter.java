// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.roce.PortUnreachable;

/**
 * A classic BPF program that the kernel runs on each frame of an interface, so that a socket receives RoCE frames only. Frames to other
 * hosts, outgoing frames, and frames of a VLAN other than the interface's own are dropped.
 *
 * <p>Source: Linux, networking/filter.rst.
 */
final class FrameFilter {
    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int LOAD_BYTE = 0x30;
    private static final int LOAD_HALF_INDEXED = 0x48;
    /** Loads the index register with four times the low half of a byte, which is an IPv4 header's length. */
    private static final int INDEX_HEADER_LENGTH = 0xb1;
    private static final int AND = 0x54;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int JUMP_BITS = 0x45;
    private static final int RETURN = 0x06;

    /** Offsets of the kernel's metadata of a frame. */
    private static final int PACKET_TYPE = 0xfffff000 + 4;
    private static final int VLAN_TAG = 0xfffff000 + 44;
    private static final int VLAN_TAG_PRESENT = 0xfffff000 + 48;
    /** Packet types up to this one are to this host, broadcast and multicast; higher ones are to other hosts or outgoing. */
    private static final int PACKET_MULTICAST = 2;
    private static final int VLAN_NUMBER = 0xfff;

    private static final int IPV4_AT = Ethernet.LENGTH;
    private static final int IPV4_FRAGMENT_OFFSET = 0x1fff;
    private static final int IPV6_AT = Ethernet.LENGTH;
    private static final int IPV6_NEXT_HEADER = 6;
    private static final int IPV6_LENGTH = 40;
    private static final int UDP_DEST_PORT = 2;

    private static final int INSTRUCTION_BYTES = 8;
    private static final int NEXT = 0;
    /** Jump targets: the two last instructions. */
    private static final int DROP = -1;
    private static final int TAKE = -2;
    private static final int WHOLE_FRAME = -1;

    private final List<Instruction> program = new ArrayList<>();

    /**
     * One instruction.
     *
     * @param yes instructions to skip if the condition holds, or {@link #DROP} or {@link #TAKE}
     * @param no  the same if it does not hold
     */
    private record Instruction(int code, int yes, int no, int operand) {
    }

    private FrameFilter() {
    }

    /** Builds a filter that drops everything, for a socket that only holds its port. */
    static MemorySegment nothing(Arena arena) {
        FrameFilter filter = new FrameFilter();
        return filter.assemble(arena);
    }

    /**
     * Builds a filter for RoCE frames and, with RoCE v2, for ICMP port unreachable.
     *
     * @param port  of RoCE v2
     * @param excludedSenders frames from these addresses are dropped: the loopback interface delivers each frame to its sender, too
     */
    static MemorySegment roce(Arena arena, boolean v1, boolean v2, int port, List<Gid> excludedSenders) {
        FrameFilter filter = new FrameFilter();
        filter.load(LOAD_WORD, PACKET_TYPE);
        filter.jump(JUMP_GREATER, PACKET_MULTICAST, DROP, NEXT);
        filter.load(LOAD_WORD, VLAN_TAG_PRESENT);
        filter.jump(JUMP_EQUAL, 0, 3, NEXT);
        filter.load(LOAD_WORD, VLAN_TAG);
        filter.load(AND, VLAN_NUMBER);
        filter.jump(JUMP_EQUAL, 0, NEXT, DROP);
        for (Gid sender : excludedSenders) {
            filter.dropFrom(sender);
        }
        filter.load(LOAD_HALF, Ethernet.TYPE_OFFSET);
        filter.jump(JUMP_EQUAL, Ethernet.TYPE_ROCE_V1, v1 ? TAKE : DROP, v2 ? NEXT : DROP);
        if (v2) {
            filter.jump(JUMP_EQUAL, Ethernet.TYPE_IPV4, NEXT, 10);
            filter.load(LOAD_BYTE, IPV4_AT + Ipv4.PROTOCOL_OFFSET);
            filter.jump(JUMP_EQUAL, Ipv4.PROTOCOL_UDP, 3, NEXT);
            filter.jump(JUMP_EQUAL, PortUnreachable.PROTOCOL_ICMP, NEXT, DROP);
            filter.load(LOAD_HALF, IPV4_AT + Ipv4.LENGTH);
            filter.jump(JUMP_EQUAL, PortUnreachable.IPV4_TYPE_AND_CODE, TAKE, DROP);
            filter.load(LOAD_HALF, IPV4_AT + Ipv4.FRAGMENT_OFFSET);
            filter.jump(JUMP_BITS, IPV4_FRAGMENT_OFFSET, DROP, NEXT);
            filter.load(INDEX_HEADER_LENGTH, IPV4_AT);
            filter.load(LOAD_HALF_INDEXED, IPV4_AT + UDP_DEST_PORT);
            filter.jump(JUMP_EQUAL, port, TAKE, DROP);
            filter.jump(JUMP_EQUAL, Ethernet.TYPE_IPV6, NEXT, DROP);
            filter.load(LOAD_BYTE, IPV6_AT + IPV6_NEXT_HEADER);
            filter.jump(JUMP_EQUAL, Ipv4.PROTOCOL_UDP, 3, NEXT);
            filter.jump(JUMP_EQUAL, PortUnreachable.PROTOCOL_ICMPV6, NEXT, DROP);
            filter.load(LOAD_HALF, IPV6_AT + IPV6_LENGTH);
            filter.jump(JUMP_EQUAL, PortUnreachable.IPV6_TYPE_AND_CODE, TAKE, DROP);
            filter.load(LOAD_HALF, IPV6_AT + IPV6_LENGTH + UDP_DEST_PORT);
            filter.jump(JUMP_EQUAL, port, TAKE, DROP);
        }
        return filter.assemble(arena);
    }

    private void dropFrom(Gid sender) {
        load(LOAD_HALF, Ethernet.TYPE_OFFSET);
        if (sender.isIpv4Mapped()) {
            jump(JUMP_EQUAL, Ethernet.TYPE_IPV4, NEXT, 2);
            load(LOAD_WORD, IPV4_AT + Ipv4.SOURCE_OFFSET);
            jump(JUMP_EQUAL, sender.ipv4(), DROP, NEXT);
            load(LOAD_HALF, Ethernet.TYPE_OFFSET);
        }
        // A global route header has the layout of an IPv6 header.
        jump(JUMP_EQUAL, sender.isIpv4Mapped() ? Ethernet.TYPE_ROCE_V1 : Ethernet.TYPE_IPV6, 1, NEXT);
        jump(JUMP_EQUAL, Ethernet.TYPE_ROCE_V1, NEXT, 8);
        int[] words = {(int) (sender.high() >>> 32), (int) sender.high(), (int) (sender.low() >>> 32), (int) sender.low()};
        for (int i = 0; i < words.length; i++) {
            boolean last = i == words.length - 1;
            load(LOAD_WORD, IPV6_AT + Ipv6.SOURCE_OFFSET + i * Integer.BYTES);
            jump(JUMP_EQUAL, words[i], last ? DROP : NEXT, 2 * (words.length - 1 - i));
        }
    }

    private void load(int code, int operand) {
        program.add(new Instruction(code, NEXT, NEXT, operand));
    }

    private void jump(int code, int operand, int yes, int no) {
        program.add(new Instruction(code, yes, no, operand));
    }

    /** Builds a struct sock_fprog and the instructions it points to. */
    private MemorySegment assemble(Arena arena) {
        int drop = program.size();
        int take = drop + 1;
        program.add(new Instruction(RETURN, NEXT, NEXT, 0));
        program.add(new Instruction(RETURN, NEXT, NEXT, WHOLE_FRAME));
        MemorySegment instructions = arena.allocate((long) program.size() * INSTRUCTION_BYTES, 8);
        for (int i = 0; i < program.size(); i++) {
            Instruction each = program.get(i);
            long at = (long) i * INSTRUCTION_BYTES;
            instructions.set(JAVA_SHORT, at, (short) each.code);
            instructions.set(JAVA_BYTE, at + 2, (byte) distance(each.yes, i, drop, take));
            instructions.set(JAVA_BYTE, at + 3, (byte) distance(each.no, i, drop, take));
            instructions.set(JAVA_INT, at + 4, each.operand);
        }
        MemorySegment reference = arena.allocate(16, 8);
        reference.set(JAVA_SHORT, 0, (short) program.size());
        reference.set(ADDRESS, 8, instructions);
        return reference;
    }

    private static int distance(int jump, int from, int drop, int take) {
        return switch (jump) {
            case DROP -> drop - from - 1;
            case TAKE -> take - from - 1;
            default -> jump;
        };
    }
}
