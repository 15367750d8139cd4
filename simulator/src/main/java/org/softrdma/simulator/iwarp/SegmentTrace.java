// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** One line for each segment sent. */
final class SegmentTrace {
    private static final List<String> NAMES = List.of("RDMA_WRITE", "READ_REQUEST", "READ_RESPONSE", "SEND", "SEND_INV", "SEND_SE",
        "SEND_SE_INV", "TERMINATE", "IMMEDIATE", "IMMEDIATE_SE", "ATOMIC_REQUEST", "ATOMIC_RESPONSE");

    private final Consumer<String> lines;
    private final LongSupplier clock;

    SegmentTrace(Consumer<String> lines, LongSupplier clock) {
        this.lines = lines;
        this.clock = clock;
    }

    /** Returns a handler that writes a line, and then calls another one. */
    FpduCutter.Handler before(FpduCutter.Handler next, String direction) {
        return new FpduCutter.Handler() {
            @Override
            public void onUlpdu(byte[] ulpdu, long endsAt) {
                lines.accept(String.format(Locale.ROOT, "%,15d ns  %s  %s", clock.getAsLong(), direction, describe(ulpdu)));
                next.onUlpdu(ulpdu, endsAt);
            }

            @Override
            public void onBadFrame(String what) {
                lines.accept(String.format(Locale.ROOT, "%,15d ns  %s  %s", clock.getAsLong(), direction, what));
                next.onBadFrame(what);
            }
        };
    }

    private static String describe(byte[] ulpdu) {
        if (ulpdu.length < 14) {
            return ulpdu.length + " bytes";
        }
        ByteBuffer b = ByteBuffer.wrap(ulpdu);
        int opcode = ulpdu[1] & 0xf;
        String name = opcode < NAMES.size() ? NAMES.get(opcode) : "opcode " + opcode;
        String last = (ulpdu[0] & 0x40) != 0 ? " last" : "";
        if (ulpdu[0] < 0) {
            return String.format(Locale.ROOT, "%-15s stag 0x%08x to 0x%x, %d bytes%s", name, b.getInt(2), b.getLong(6), ulpdu.length - 14,
                last);
        }
        if (ulpdu.length < 18) {
            return name + ", " + ulpdu.length + " bytes";
        }
        String code = opcode == 7 && ulpdu.length > 19 ? String.format(" code 0x%04x", b.getShort(18)) : "";
        return String.format(Locale.ROOT, "%-15s queue %d msn %d mo %d, %d bytes%s%s", name, b.getInt(6), b.getInt(10), b.getInt(14),
            ulpdu.length - 18, last, code);
    }
}
