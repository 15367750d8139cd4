// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.reason;

import java.util.Locale;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WrOpcode;

/**
 * Values that the sentences of the catalogue contain, with the text of each. In a sentence, and as a field of a recording, a value is named
 * by its constant in lower case: {@code {region_bytes}}.
 */
public enum ReasonValue {
    /** Key of local memory. */
    LKEY(ReasonValue::hex32, ReasonValue::parseNumber),
    /** Key of remote memory. */
    RKEY(ReasonValue::hex32, ReasonValue::parseNumber),
    /** First address of an access. */
    ADDRESS(ReasonValue::hex64, ReasonValue::parseNumber),
    /** Length of an access or message. */
    BYTES(Long::toString, ReasonValue::parseNumber),
    /** First address of a region or window. */
    REGION(ReasonValue::hex64, ReasonValue::parseNumber),
    /** Length of a region or window. */
    REGION_BYTES(Long::toUnsignedString, ReasonValue::parseNumber),
    /** Rights that were granted. */
    ACCESS(ReasonValue::accessFlags, ReasonValue::parseAccessFlags),
    /** Rights that were needed. */
    WANTED(ReasonValue::accessFlags, ReasonValue::parseAccessFlags),
    /** Operation of a work request, a {@link WrOpcode} value. */
    OPERATION(ReasonValue::operation, ReasonValue::parseOperation),
    /** Opcode of a packet or segment. */
    OPCODE(ReasonValue::hex32, ReasonValue::parseNumber),
    /** State of a queue pair. */
    STATE(ReasonValue::state, ReasonValue::parseState),
    /** Number of the queue pair, 24 bits. */
    QPN(ReasonValue::hex32, ReasonValue::parseNumber),
    /** Number of the peer's queue pair, 24 bits. */
    PEER_QPN(ReasonValue::hex32, ReasonValue::parseNumber),
    /** Number of a shared receive queue, 24 bits. */
    SRQN(Long::toString, ReasonValue::parseNumber),
    /** PSN of a packet, 24 bits. */
    PSN(Long::toString, ReasonValue::parseNumber),
    /** PSN that was expected, 24 bits. */
    EXPECTED_PSN(Long::toString, ReasonValue::parseNumber),
    /** Q_Key of a datagram. */
    QKEY(ReasonValue::hex32, ReasonValue::parseNumber),
    /** Q_Key of the queue pair. */
    OWN_QKEY(ReasonValue::hex32, ReasonValue::parseNumber),
    /** P_Key of a packet, u16. */
    PKEY(ReasonValue::hex32, ReasonValue::parseNumber),
    /** Syndrome of a NAK, u8. */
    SYNDROME(ReasonValue::hex32, ReasonValue::parseNumber),
    /** Times that something was sent. */
    TRANSMISSIONS(Long::toString, ReasonValue::parseNumber),
    /** Bound that was exceeded. */
    LIMIT(Long::toString, ReasonValue::parseNumber),
    /** Payload bytes of a full packet. */
    PATH_MTU(Long::toString, ReasonValue::parseNumber),
    /** Payload bytes of a packet that the interface carries. */
    INTERFACE_MTU(Long::toString, ReasonValue::parseNumber),
    /** A duration in ns. */
    TIME(ReasonValue::time, ReasonValue::parseNumber),
    /** Code of a Terminate: layer, type, code. */
    TERMINATE(ReasonValue::hex32, ReasonValue::parseNumber);

    private final LongFunction<String> format;
    private final ToLongFunction<String> parse;

    ReasonValue(LongFunction<String> format, ToLongFunction<String> parse) {
        this.format = format;
        this.parse = parse;
    }

    /** {@return the word that stands for the value in sentences and recordings} */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Formats a value for people.
     *
     * @param value as a failure has it
     * @return its text
     */
    public String format(long value) {
        return format.apply(value);
    }

    /**
     * Reads the text of a value.
     *
     * @param text as {@link #format} gives it
     * @return the value
     * @throws IllegalArgumentException if it is none; the text of a {@link #TIME} is the number of ns
     */
    public long parse(String text) {
        return parse.applyAsLong(text);
    }

    /** {@return whether the value is a quantity, which recordings write as a number} */
    public boolean isNumber() {
        return switch (this) {
            case BYTES, REGION_BYTES, SRQN, PSN, EXPECTED_PSN, TRANSMISSIONS, LIMIT, PATH_MTU, INTERFACE_MTU, TIME -> true;
            default -> false;
        };
    }

    private static String hex32(long value) {
        return "0x" + Integer.toHexString((int) value);
    }

    private static String hex64(long value) {
        return "0x" + Long.toHexString(value);
    }

    private static String accessFlags(long value) {
        return AccessFlags.names((int) value);
    }

    private static String operation(long value) {
        WrOpcode opcode = WrOpcode.of((int) value);
        return opcode == null ? "operation " + value : opcode.toString();
    }

    private static String state(long value) {
        QpState state = QpState.of((int) value);
        return state == null ? "state " + value : state.toString();
    }

    private static String time(long ns) {
        if (ns < 1_000_000) {
            return String.format(Locale.ROOT, "%.1f us", ns / 1e3);
        }
        return ns < 1_000_000_000 ? String.format(Locale.ROOT, "%.1f ms", ns / 1e6) : String.format(Locale.ROOT, "%.2f s", ns / 1e9);
    }

    private static long parseNumber(String text) {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text, 2, text.length(), 16) : Long.parseUnsignedLong(text);
    }

    private static long parseAccessFlags(String text) {
        long flags = 0;
        for (String name : text.split("\\|")) {
            flags |= Character.isDigit(name.charAt(0)) ? parseNumber(name) : accessFlag(name);
        }
        return flags;
    }

    private static long accessFlag(String name) {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            if (AccessFlags.names(1 << bit).equals(name)) {
                return 1L << bit;
            }
        }
        throw new IllegalArgumentException("'" + name + "' is no access flag");
    }

    private static long parseOperation(String text) {
        return WrOpcode.valueOf(text).value();
    }

    private static long parseState(String text) {
        return QpState.valueOf(text).value();
    }
}
