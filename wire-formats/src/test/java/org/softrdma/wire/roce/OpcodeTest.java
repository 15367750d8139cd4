// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The opcode table against IBA vol 1 table 38 as transcribed by hand, not against itself. */
class OpcodeTest {
    /** Opcode and the headers after the BTH; P is payload. */
    private static final String RC = """
        00 P | 01 P | 02 P | 03 ImmDt P | 04 P | 05 ImmDt P
        06 RETH P | 07 P | 08 P | 09 ImmDt P | 0A RETH P | 0B RETH ImmDt P
        0C RETH | 0D AETH P | 0E P | 0F AETH P | 10 AETH P | 11 AETH | 12 AETH AtomicAckETH | 13 AtomicETH | 14 AtomicETH
        16 IETH P | 17 IETH P | 1C FETH RETH | 1D RETH P
        """;
    private static final String UC = """
        20 P | 21 P | 22 P | 23 ImmDt P | 24 P | 25 ImmDt P
        26 RETH P | 27 P | 28 P | 29 ImmDt P | 2A RETH P | 2B RETH ImmDt P
        """;
    private static final String UD = "64 DETH P | 65 DETH ImmDt P | 81 CNP";
    private static final String RD = """
        40 RDETH DETH P | 41 RDETH DETH P | 42 RDETH DETH P | 43 RDETH DETH ImmDt P | 44 RDETH DETH P | 45 RDETH DETH ImmDt P
        46 RDETH DETH RETH P | 47 RDETH DETH P | 48 RDETH DETH P | 49 RDETH DETH ImmDt P | 4A RDETH DETH RETH P
        4B RDETH DETH RETH ImmDt P | 4C RDETH DETH RETH | 4D RDETH AETH P | 4E RDETH P | 4F RDETH AETH P | 50 RDETH AETH P
        51 RDETH AETH | 52 RDETH AETH AtomicAckETH | 53 RDETH DETH AtomicETH | 54 RDETH DETH AtomicETH | 55 RDETH DETH
        """;
    private static final String XRC = """
        A0 XRCETH P | A1 XRCETH P | A2 XRCETH P | A3 XRCETH ImmDt P | A4 XRCETH P | A5 XRCETH ImmDt P
        A6 XRCETH RETH P | A7 XRCETH P | A8 XRCETH P | A9 XRCETH ImmDt P | AA XRCETH RETH P | AB XRCETH RETH ImmDt P
        AC XRCETH RETH | AD AETH P | AE P | AF AETH P | B0 AETH P | B1 AETH | B2 AETH AtomicAckETH | B3 XRCETH AtomicETH
        B4 XRCETH AtomicETH | B6 XRCETH IETH P | B7 XRCETH IETH P
        """;

    private static final Map<String, Integer> LENGTHS = Map.of("RDETH", 4, "XRCETH", 4, "DETH", 8, "FETH", 4, "RETH", 16, "AtomicETH", 28,
        "AETH", 4, "AtomicAckETH", 8, "ImmDt", 4, "IETH", 4);

    private static Map<Integer, List<String>> table() {
        Map<Integer, List<String>> table = new LinkedHashMap<>();
        for (String transport : List.of(RC, UC, UD, RD, XRC)) {
            for (String row : transport.strip().split("[|\\n]")) {
                List<String> words = List.of(row.strip().split(" +"));
                table.put(Integer.parseInt(words.get(0), 16), words.subList(1, words.size()));
            }
        }
        return table;
    }

    private static int offset(int op, String header) {
        return switch (header) {
            case "RDETH" -> Opcode.rdethOffset(op);
            case "XRCETH" -> Opcode.xrcethOffset(op);
            case "DETH" -> Opcode.dethOffset(op);
            case "FETH" -> Opcode.fethOffset(op);
            case "RETH" -> Opcode.rethOffset(op);
            case "AtomicETH" -> Opcode.atomicEthOffset(op);
            case "AETH" -> Opcode.aethOffset(op);
            case "AtomicAckETH" -> Opcode.atomicAckEthOffset(op);
            case "ImmDt" -> Opcode.immediateOffset(op);
            case "IETH" -> Opcode.iethOffset(op);
            default -> throw new AssertionError(header);
        };
    }

    private static int flag(String header) {
        return switch (header) {
            case "RDETH" -> Opcode.RDETH;
            case "XRCETH" -> Opcode.XRCETH;
            case "DETH" -> Opcode.DETH;
            case "FETH" -> Opcode.FETH;
            case "RETH" -> Opcode.RETH;
            case "AtomicETH" -> Opcode.ATOMIC_ETH;
            case "AETH" -> Opcode.AETH;
            case "AtomicAckETH" -> Opcode.ATOMIC_ACK_ETH;
            case "ImmDt" -> Opcode.IMMEDIATE;
            case "IETH" -> Opcode.INVALIDATE;
            default -> throw new AssertionError(header);
        };
    }

    @Test
    void shouldKnowExactlyTheSpecifiedOpcodes() {
        Map<Integer, List<String>> table = table();
        assertEquals(25 + 12 + 3 + 22 + 23, table.size(), "transcription");
        for (int op = 0; op < 256; op++) {
            assertEquals(table.containsKey(op), Opcode.isKnown(op), Integer.toHexString(op));
            if (!table.containsKey(op)) {
                assertEquals(Opcode.TRANSPORT_UNKNOWN, Opcode.transport(op));
                assertEquals(0, Opcode.flags(op));
                assertEquals(12, Opcode.headerLength(op));
                assertEquals(String.format("opcode 0x%02x", op), Opcode.name(op));
            } else {
                assertEquals(op & 0xE0, Opcode.transport(op));
            }
        }
    }

    @Test
    void shouldPlaceHeadersInSpecifiedOrder() {
        table().forEach((op, headers) -> {
            int at = 12;
            Map<String, Integer> expected = new HashMap<>();
            for (String header : headers) {
                if (LENGTHS.containsKey(header)) {
                    expected.put(header, at);
                    at += LENGTHS.get(header);
                }
            }
            for (String header : LENGTHS.keySet()) {
                assertEquals(expected.getOrDefault(header, -1), offset(op, header), header + " in " + Opcode.name(op));
                assertEquals(expected.containsKey(header), Opcode.has(op, flag(header)), header + " in " + Opcode.name(op));
            }
            assertEquals(headers.contains("P"), Opcode.has(op, Opcode.PAYLOAD), Opcode.name(op));
            assertEquals(headers.contains("CNP") ? 28 : at, Opcode.headerLength(op), Opcode.name(op));
        });
    }

    @Test
    void shouldTellMessageBoundariesByName() {
        for (int op = 0; op < 256; op++) {
            String name = Opcode.name(op);
            if (Opcode.isKnown(op)) {
                boolean multi = name.contains(" First") || name.contains(" Middle") || name.contains(" Last");
                assertEquals(name.contains(" First") || !multi, Opcode.has(op, Opcode.START), name);
                assertEquals(name.contains(" Middle"), Opcode.has(op, Opcode.MIDDLE), name);
                assertEquals(name.contains(" Last") || !multi, Opcode.has(op, Opcode.END), name);
                assertEquals(name.contains(" SEND "), Opcode.has(op, Opcode.SEND), name);
                assertEquals(name.contains(" RDMA WRITE "), Opcode.has(op, Opcode.WRITE), name);
                assertEquals(name.contains("READ Request"), Opcode.has(op, Opcode.READ_REQUEST), name);
                assertEquals(name.contains("READ Response"), Opcode.has(op, Opcode.READ_RESPONSE), name);
                assertEquals(name.contains("CmpSwap") || name.contains("FetchAdd"), Opcode.has(op, Opcode.ATOMIC_REQUEST), name);
                assertEquals(name.contains("ATOMIC Ack"), Opcode.has(op, Opcode.ATOMIC_ACK), name);
                assertEquals(name.endsWith(" Acknowledge") && !name.contains("ATOMIC"), Opcode.has(op, Opcode.ACK), name);
                boolean response = name.contains("Response") || name.contains("Acknowledge");
                assertEquals(response, Opcode.has(op, Opcode.RESPONSE), name);
                assertEquals(!response && op != 0x81, Opcode.has(op, Opcode.REQUEST), name);
            }
        }
        assertTrue(Opcode.has(0x1C, Opcode.FLUSH) && Opcode.has(0x1D, Opcode.ATOMIC_WRITE));
        assertFalse(Opcode.has(0x1D, Opcode.WRITE));
    }

    @Test
    void shouldRequireAllFlagsInHasAndOneInHasAny() {
        assertTrue(Opcode.has(0x06, Opcode.START | Opcode.RETH));
        assertFalse(Opcode.has(0x06, Opcode.START | Opcode.IMMEDIATE));
        assertTrue(Opcode.hasAny(0x06, Opcode.START | Opcode.IMMEDIATE));
        assertFalse(Opcode.hasAny(0x06, Opcode.MIDDLE | Opcode.IMMEDIATE));
    }

    @Test
    void shouldNameOpcodes() {
        assertEquals("RC SEND First", Opcode.name(0x00));
        assertEquals("RC RDMA WRITE Only with Immediate", Opcode.name(0x0B));
        assertEquals("RC RDMA READ Response Middle", Opcode.name(0x0E));
        assertEquals("RC Acknowledge", Opcode.name(0x11));
        assertEquals("UC SEND Only", Opcode.name(0x24));
        assertEquals("UD SEND Only", Opcode.name(0x64));
        assertEquals("CNP", Opcode.name(0x81));
        assertEquals("XRC SEND Last with Invalidate", Opcode.name(0xB6));
    }

    @Test
    void shouldHaveOneConstantPerOpcodeNamedLikeIt() throws IllegalAccessException {
        Map<Integer, String> constants = new HashMap<>();
        for (Field field : Opcode.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().matches("(RC|UC|RD|UD|XRC)_.*|CNP")) {
                assertEquals(null, constants.put(field.getInt(null), field.getName()), field.getName());
            }
        }
        assertEquals(table().keySet(), constants.keySet());
        constants.forEach((op, constant) -> assertEquals(
            Opcode.name(op).toUpperCase().replace("CMPSWAP", "COMPARE_SWAP").replace("FETCHADD", "FETCH_ADD").replace(' ', '_'), constant));
    }
}
