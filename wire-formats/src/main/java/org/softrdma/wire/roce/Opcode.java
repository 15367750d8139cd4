// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

/**
 * The opcode table: what each BTH opcode is, which headers follow the BTH, and where.
 *
 * <pre>
 *  bits 7:5 transport: RC 000, UC 001, RD 010, UD 011, CNP 100, XRC 101, manufacturer 11x
 *  bits 4:0 operation, the same code for every transport that has it
 *
 *  order of headers: BTH, RDETH | XRCETH, DETH, FETH, RETH | AtomicETH, AETH, AtomicAckETH, ImmDt | IETH, payload
 * </pre>
 *
 * Opcode arguments are 0..255. Source: IBA vol 1 §9.2.1 table 38, annex A14 (XRC), annex A17 (CNP), release 1.6 (FLUSH, ATOMIC WRITE).
 */
public final class Opcode {
    /** Payload, exactly the path MTU. */
    public static final int RC_SEND_FIRST = 0x00;
    /** Payload, exactly the path MTU. */
    public static final int RC_SEND_MIDDLE = 0x01;
    /** Payload, 1..path MTU. */
    public static final int RC_SEND_LAST = 0x02;
    /** ImmDt, payload. */
    public static final int RC_SEND_LAST_WITH_IMMEDIATE = 0x03;
    /** Payload, 0..path MTU. */
    public static final int RC_SEND_ONLY = 0x04;
    /** ImmDt, payload. */
    public static final int RC_SEND_ONLY_WITH_IMMEDIATE = 0x05;
    /** RETH (of the whole message), payload. */
    public static final int RC_RDMA_WRITE_FIRST = 0x06;
    /** Payload. */
    public static final int RC_RDMA_WRITE_MIDDLE = 0x07;
    /** Payload. */
    public static final int RC_RDMA_WRITE_LAST = 0x08;
    /** ImmDt, payload; consumes a receive. */
    public static final int RC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x09;
    /** RETH, payload. */
    public static final int RC_RDMA_WRITE_ONLY = 0x0A;
    /** RETH, ImmDt, payload; consumes a receive. */
    public static final int RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x0B;
    /** RETH, no payload. */
    public static final int RC_RDMA_READ_REQUEST = 0x0C;
    /** AETH, payload. */
    public static final int RC_RDMA_READ_RESPONSE_FIRST = 0x0D;
    /** Payload, no AETH. */
    public static final int RC_RDMA_READ_RESPONSE_MIDDLE = 0x0E;
    /** AETH, payload. */
    public static final int RC_RDMA_READ_RESPONSE_LAST = 0x0F;
    /** AETH, payload; also answers FLUSH and ATOMIC WRITE, with 0 bytes. */
    public static final int RC_RDMA_READ_RESPONSE_ONLY = 0x10;
    /** AETH: every ACK, NAK and RNR NAK. */
    public static final int RC_ACKNOWLEDGE = 0x11;
    /** AETH, AtomicAckETH. */
    public static final int RC_ATOMIC_ACKNOWLEDGE = 0x12;
    /** AtomicETH. */
    public static final int RC_COMPARE_SWAP = 0x13;
    /** AtomicETH. */
    public static final int RC_FETCH_ADD = 0x14;
    /** IETH, payload. */
    public static final int RC_SEND_LAST_WITH_INVALIDATE = 0x16;
    /** IETH, payload. */
    public static final int RC_SEND_ONLY_WITH_INVALIDATE = 0x17;
    /** FETH, RETH, no payload (IBA 1.6; rxe from Linux 6.4). */
    public static final int RC_FLUSH = 0x1C;
    /** RETH, payload of exactly 8 bytes (IBA 1.6; rxe from Linux 6.4). */
    public static final int RC_ATOMIC_WRITE = 0x1D;
    /** Payload, exactly the path MTU. */
    public static final int UC_SEND_FIRST = 0x20;
    /** Payload, exactly the path MTU. */
    public static final int UC_SEND_MIDDLE = 0x21;
    /** Payload, 1..path MTU. */
    public static final int UC_SEND_LAST = 0x22;
    /** ImmDt, payload. */
    public static final int UC_SEND_LAST_WITH_IMMEDIATE = 0x23;
    /** Payload, 0..path MTU. */
    public static final int UC_SEND_ONLY = 0x24;
    /** ImmDt, payload. */
    public static final int UC_SEND_ONLY_WITH_IMMEDIATE = 0x25;
    /** RETH (of the whole message), payload. */
    public static final int UC_RDMA_WRITE_FIRST = 0x26;
    /** Payload. */
    public static final int UC_RDMA_WRITE_MIDDLE = 0x27;
    /** Payload. */
    public static final int UC_RDMA_WRITE_LAST = 0x28;
    /** ImmDt, payload; consumes a receive. */
    public static final int UC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x29;
    /** RETH, payload. */
    public static final int UC_RDMA_WRITE_ONLY = 0x2A;
    /** RETH, ImmDt, payload; consumes a receive. */
    public static final int UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x2B;
    /** RDETH, DETH, then as RC. */
    public static final int RD_SEND_FIRST = 0x40;
    /** RDETH, DETH, then as RC. */
    public static final int RD_SEND_MIDDLE = 0x41;
    /** RDETH, DETH, then as RC. */
    public static final int RD_SEND_LAST = 0x42;
    /** RDETH, DETH, then as RC. */
    public static final int RD_SEND_LAST_WITH_IMMEDIATE = 0x43;
    /** RDETH, DETH, then as RC. */
    public static final int RD_SEND_ONLY = 0x44;
    /** RDETH, DETH, then as RC. */
    public static final int RD_SEND_ONLY_WITH_IMMEDIATE = 0x45;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_WRITE_FIRST = 0x46;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_WRITE_MIDDLE = 0x47;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_WRITE_LAST = 0x48;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x49;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_WRITE_ONLY = 0x4A;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x4B;
    /** RDETH, DETH, then as RC. */
    public static final int RD_RDMA_READ_REQUEST = 0x4C;
    /** RDETH, then as RC. */
    public static final int RD_RDMA_READ_RESPONSE_FIRST = 0x4D;
    /** RDETH, then as RC. */
    public static final int RD_RDMA_READ_RESPONSE_MIDDLE = 0x4E;
    /** RDETH, then as RC. */
    public static final int RD_RDMA_READ_RESPONSE_LAST = 0x4F;
    /** RDETH, then as RC. */
    public static final int RD_RDMA_READ_RESPONSE_ONLY = 0x50;
    /** RDETH, then as RC. */
    public static final int RD_ACKNOWLEDGE = 0x51;
    /** RDETH, then as RC. */
    public static final int RD_ATOMIC_ACKNOWLEDGE = 0x52;
    /** RDETH, DETH, then as RC. */
    public static final int RD_COMPARE_SWAP = 0x53;
    /** RDETH, DETH, then as RC. */
    public static final int RD_FETCH_ADD = 0x54;
    /** RDETH, DETH. */
    public static final int RD_RESYNC = 0x55;
    /** DETH, payload. */
    public static final int UD_SEND_ONLY = 0x64;
    /** DETH, ImmDt, payload. */
    public static final int UD_SEND_ONLY_WITH_IMMEDIATE = 0x65;
    /** Congestion notification: 16 reserved bytes, see {@link Cnp}. */
    public static final int CNP = 0x81;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_FIRST = 0xA0;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_MIDDLE = 0xA1;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_LAST = 0xA2;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_LAST_WITH_IMMEDIATE = 0xA3;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_ONLY = 0xA4;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_ONLY_WITH_IMMEDIATE = 0xA5;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_WRITE_FIRST = 0xA6;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_WRITE_MIDDLE = 0xA7;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_WRITE_LAST = 0xA8;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0xA9;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_WRITE_ONLY = 0xAA;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0xAB;
    /** XRCETH, then as RC. */
    public static final int XRC_RDMA_READ_REQUEST = 0xAC;
    /** As RC, no XRCETH. */
    public static final int XRC_RDMA_READ_RESPONSE_FIRST = 0xAD;
    /** As RC, no XRCETH. */
    public static final int XRC_RDMA_READ_RESPONSE_MIDDLE = 0xAE;
    /** As RC, no XRCETH. */
    public static final int XRC_RDMA_READ_RESPONSE_LAST = 0xAF;
    /** As RC, no XRCETH. */
    public static final int XRC_RDMA_READ_RESPONSE_ONLY = 0xB0;
    /** As RC, no XRCETH. */
    public static final int XRC_ACKNOWLEDGE = 0xB1;
    /** As RC, no XRCETH. */
    public static final int XRC_ATOMIC_ACKNOWLEDGE = 0xB2;
    /** XRCETH, then as RC. */
    public static final int XRC_COMPARE_SWAP = 0xB3;
    /** XRCETH, then as RC. */
    public static final int XRC_FETCH_ADD = 0xB4;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_LAST_WITH_INVALIDATE = 0xB6;
    /** XRCETH, then as RC. */
    public static final int XRC_SEND_ONLY_WITH_INVALIDATE = 0xB7;

    /** Opcode is in no table; {@link #transport}'s answer. */
    public static final int TRANSPORT_UNKNOWN = -1;
    /** Reliable connection. */
    public static final int TRANSPORT_RC = 0x00;
    /** Unreliable connection. */
    public static final int TRANSPORT_UC = 0x20;
    /** Reliable datagram. */
    public static final int TRANSPORT_RD = 0x40;
    /** Unreliable datagram. */
    public static final int TRANSPORT_UD = 0x60;
    /** Congestion notification. */
    public static final int TRANSPORT_CNP = 0x80;
    /** Extended reliable connection. */
    public static final int TRANSPORT_XRC = 0xA0;

    /** Goes from requester to responder. A CNP is neither request nor response. */
    public static final int REQUEST = 1;
    /** Goes from responder to requester: read responses and all acknowledgements. */
    public static final int RESPONSE = 1 << 1;
    /** Part of a SEND message. */
    public static final int SEND = 1 << 2;
    /** Part of an RDMA WRITE message; ATOMIC WRITE is not one. */
    public static final int WRITE = 1 << 3;
    /** RDMA READ request. */
    public static final int READ_REQUEST = 1 << 4;
    /** Part of an RDMA READ response. */
    public static final int READ_RESPONSE = 1 << 5;
    /** CmpSwap or FetchAdd; ATOMIC WRITE is not one. */
    public static final int ATOMIC_REQUEST = 1 << 6;
    /** Answer to CmpSwap or FetchAdd. */
    public static final int ATOMIC_ACK = 1 << 7;
    /** Plain acknowledge packet: ACK, NAK, RNR NAK. */
    public static final int ACK = 1 << 8;
    /** FLUSH request. */
    public static final int FLUSH = 1 << 9;
    /** ATOMIC WRITE request. */
    public static final int ATOMIC_WRITE = 1 << 10;
    /** First packet of its message: First, Only, and every operation that always takes one packet. */
    public static final int START = 1 << 11;
    /** Neither first nor last packet of its message. */
    public static final int MIDDLE = 1 << 12;
    /** Last packet of its message: Last, Only, and every operation that always takes one packet. */
    public static final int END = 1 << 13;
    /** May carry payload, so pad too. */
    public static final int PAYLOAD = 1 << 14;
    /** Has a {@link Reth}. */
    public static final int RETH = 1 << 15;
    /** Has an {@link Aeth}. */
    public static final int AETH = 1 << 16;
    /** Has an {@link AtomicEth}. */
    public static final int ATOMIC_ETH = 1 << 17;
    /** Has an {@link AtomicAckEth}. */
    public static final int ATOMIC_ACK_ETH = 1 << 18;
    /** Has a {@link Deth}. */
    public static final int DETH = 1 << 19;
    /** Has an {@link Xrceth}. */
    public static final int XRCETH = 1 << 20;
    /** Has an {@link Rdeth}. */
    public static final int RDETH = 1 << 21;
    /** Has a {@link Feth}. */
    public static final int FETH = 1 << 22;
    /** Has an {@link ImmDt}. */
    public static final int IMMEDIATE = 1 << 23;
    /** Has an {@link Ieth}. */
    public static final int INVALIDATE = 1 << 24;
    /** Has the reserved bytes of a {@link Cnp}. */
    public static final int CNP_RESERVED = 1 << 25;

    private static final int COUNT = 256;
    private static final int ONLY = START | END;

    /** Operation (bits 4:0), its flags, its name; transports take rows from here. */
    private static final Row[] OPERATIONS = {
        new Row(0x00, REQUEST | SEND | START | PAYLOAD, "SEND First"),
        new Row(0x01, REQUEST | SEND | MIDDLE | PAYLOAD, "SEND Middle"),
        new Row(0x02, REQUEST | SEND | END | PAYLOAD, "SEND Last"),
        new Row(0x03, REQUEST | SEND | END | PAYLOAD | IMMEDIATE, "SEND Last with Immediate"),
        new Row(0x04, REQUEST | SEND | ONLY | PAYLOAD, "SEND Only"),
        new Row(0x05, REQUEST | SEND | ONLY | PAYLOAD | IMMEDIATE, "SEND Only with Immediate"),
        new Row(0x06, REQUEST | WRITE | START | PAYLOAD | RETH, "RDMA WRITE First"),
        new Row(0x07, REQUEST | WRITE | MIDDLE | PAYLOAD, "RDMA WRITE Middle"),
        new Row(0x08, REQUEST | WRITE | END | PAYLOAD, "RDMA WRITE Last"),
        new Row(0x09, REQUEST | WRITE | END | PAYLOAD | IMMEDIATE, "RDMA WRITE Last with Immediate"),
        new Row(0x0A, REQUEST | WRITE | ONLY | PAYLOAD | RETH, "RDMA WRITE Only"),
        new Row(0x0B, REQUEST | WRITE | ONLY | PAYLOAD | RETH | IMMEDIATE, "RDMA WRITE Only with Immediate"),
        new Row(0x0C, REQUEST | READ_REQUEST | ONLY | RETH, "RDMA READ Request"),
        new Row(0x0D, RESPONSE | READ_RESPONSE | START | PAYLOAD | AETH, "RDMA READ Response First"),
        new Row(0x0E, RESPONSE | READ_RESPONSE | MIDDLE | PAYLOAD, "RDMA READ Response Middle"),
        new Row(0x0F, RESPONSE | READ_RESPONSE | END | PAYLOAD | AETH, "RDMA READ Response Last"),
        new Row(0x10, RESPONSE | READ_RESPONSE | ONLY | PAYLOAD | AETH, "RDMA READ Response Only"),
        new Row(0x11, RESPONSE | ACK | ONLY | AETH, "Acknowledge"),
        new Row(0x12, RESPONSE | ATOMIC_ACK | ONLY | AETH | ATOMIC_ACK_ETH, "ATOMIC Acknowledge"),
        new Row(0x13, REQUEST | ATOMIC_REQUEST | ONLY | ATOMIC_ETH, "CmpSwap"),
        new Row(0x14, REQUEST | ATOMIC_REQUEST | ONLY | ATOMIC_ETH, "FetchAdd"),
        new Row(0x15, REQUEST | ONLY, "RESYNC"),
        new Row(0x16, REQUEST | SEND | END | PAYLOAD | INVALIDATE, "SEND Last with Invalidate"),
        new Row(0x17, REQUEST | SEND | ONLY | PAYLOAD | INVALIDATE, "SEND Only with Invalidate"),
        new Row(0x1C, REQUEST | FLUSH | ONLY | FETH | RETH, "FLUSH"),
        new Row(0x1D, REQUEST | ATOMIC_WRITE | ONLY | PAYLOAD | RETH, "ATOMIC WRITE"),
    };

    private static final int[] FLAGS = new int[COUNT];
    private static final String[] NAMES = new String[COUNT];
    private static final int[] TRANSPORTS = new int[COUNT];
    private static final byte[] HEADER_LENGTHS = new byte[COUNT];
    private static final byte[] RDETH_AT = new byte[COUNT];
    private static final byte[] XRCETH_AT = new byte[COUNT];
    private static final byte[] DETH_AT = new byte[COUNT];
    private static final byte[] FETH_AT = new byte[COUNT];
    private static final byte[] RETH_AT = new byte[COUNT];
    private static final byte[] ATOMIC_ETH_AT = new byte[COUNT];
    private static final byte[] AETH_AT = new byte[COUNT];
    private static final byte[] ATOMIC_ACK_ETH_AT = new byte[COUNT];
    private static final byte[] IMMEDIATE_AT = new byte[COUNT];
    private static final byte[] IETH_AT = new byte[COUNT];

    static {
        for (int op = 0; op < COUNT; op++) {
            NAMES[op] = String.format("opcode 0x%02x", op);
            TRANSPORTS[op] = TRANSPORT_UNKNOWN;
        }
        for (Row row : OPERATIONS) {
            int operation = row.operation;
            boolean request = (row.flags & REQUEST) != 0;
            if (operation != 0x15) {
                define(TRANSPORT_RC, operation, row.flags, "RC " + row.name);
            }
            if (operation <= 0x0B) {
                define(TRANSPORT_UC, operation, row.flags, "UC " + row.name);
            }
            if (operation <= 0x15) {
                define(TRANSPORT_RD, operation, row.flags | RDETH | (request ? DETH : 0), "RD " + row.name);
            }
            if (operation == 0x04 || operation == 0x05) {
                define(TRANSPORT_UD, operation, row.flags | DETH, "UD " + row.name);
            }
            if (operation <= 0x17 && operation != 0x15) {
                define(TRANSPORT_XRC, operation, row.flags | (request ? XRCETH : 0), "XRC " + row.name);
            }
        }
        define(TRANSPORT_CNP, CNP - TRANSPORT_CNP, ONLY | CNP_RESERVED, "CNP");
        for (int op = 0; op < COUNT; op++) {
            layOut(op);
        }
    }

    private Opcode() {
    }

    private record Row(int operation, int flags, String name) {
    }

    private static void define(int transport, int operation, int flags, String name) {
        int op = transport | operation;
        FLAGS[op] = flags;
        NAMES[op] = name;
        TRANSPORTS[op] = transport;
    }

    /** Walks the headers in wire order; this order is the only place where it is known. */
    private static void layOut(int op) {
        int at = Bth.LENGTH;
        at = place(op, RDETH, RDETH_AT, at, Rdeth.LENGTH);
        at = place(op, XRCETH, XRCETH_AT, at, Xrceth.LENGTH);
        at = place(op, DETH, DETH_AT, at, Deth.LENGTH);
        at = place(op, FETH, FETH_AT, at, Feth.LENGTH);
        at = place(op, RETH, RETH_AT, at, Reth.LENGTH);
        at = place(op, ATOMIC_ETH, ATOMIC_ETH_AT, at, AtomicEth.LENGTH);
        at = place(op, AETH, AETH_AT, at, Aeth.LENGTH);
        at = place(op, ATOMIC_ACK_ETH, ATOMIC_ACK_ETH_AT, at, AtomicAckEth.LENGTH);
        at = place(op, IMMEDIATE, IMMEDIATE_AT, at, ImmDt.LENGTH);
        at = place(op, INVALIDATE, IETH_AT, at, Ieth.LENGTH);
        HEADER_LENGTHS[op] = (byte) (has(op, CNP_RESERVED) ? at + Cnp.LENGTH : at);
    }

    private static int place(int op, int flag, byte[] offsets, int at, int length) {
        boolean present = has(op, flag);
        offsets[op] = (byte) (present ? at : -1);
        return present ? at + length : at;
    }

    /**
     * {@return whether the opcode has a meaning; reserved and manufacturer codes have none}
     *
     * @param op opcode, 0..255
     */
    public static boolean isKnown(int op) {
        return TRANSPORTS[op & 0xFF] != TRANSPORT_UNKNOWN;
    }

    /**
     * {@return text for messages, such as "RC SEND First"; "opcode 0x1f" if unknown} No allocation.
     *
     * @param op opcode, 0..255
     */
    public static String name(int op) {
        return NAMES[op & 0xFF];
    }

    /**
     * {@return one of {@code TRANSPORT_…}, {@link #TRANSPORT_UNKNOWN} for an unknown opcode}
     *
     * @param op opcode, 0..255
     */
    public static int transport(int op) {
        return TRANSPORTS[op & 0xFF];
    }

    /**
     * {@return bits 7-5 of the opcode, which stand for the service even if the operation is unknown; else equal to {@link #transport}}
     *
     * @param op opcode, 0..255
     */
    public static int service(int op) {
        return op & 0xE0;
    }

    /**
     * {@return whether the opcode has all of these flags; an unknown opcode has none}
     *
     * @param op opcode, 0..255
     * @param flags bit mask of the flags of this class
     */
    public static boolean has(int op, int flags) {
        return (FLAGS[op & 0xFF] & flags) == flags;
    }

    /**
     * {@return whether the opcode has at least one of these flags}
     *
     * @param op opcode, 0..255
     * @param flags bit mask of the flags of this class
     */
    public static boolean hasAny(int op, int flags) {
        return (FLAGS[op & 0xFF] & flags) != 0;
    }

    /**
     * {@return all flags of the opcode, 0 if unknown}
     *
     * @param op opcode, 0..255
     */
    public static int flags(int op) {
        return FLAGS[op & 0xFF];
    }

    /**
     * {@return bytes from the BTH to the payload: BTH and all extended headers} A CNP's 16 reserved bytes count as header, since they are
     * always there; an unknown opcode has 12.
     *
     * @param op opcode, 0..255
     */
    public static int headerLength(int op) {
        return HEADER_LENGTHS[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Rdeth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int rdethOffset(int op) {
        return RDETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Xrceth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int xrcethOffset(int op) {
        return XRCETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Deth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int dethOffset(int op) {
        return DETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Feth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int fethOffset(int op) {
        return FETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Reth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int rethOffset(int op) {
        return RETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link AtomicEth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int atomicEthOffset(int op) {
        return ATOMIC_ETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Aeth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int aethOffset(int op) {
        return AETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link AtomicAckEth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int atomicAckEthOffset(int op) {
        return ATOMIC_ACK_ETH_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link ImmDt}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int immediateOffset(int op) {
        return IMMEDIATE_AT[op & 0xFF];
    }

    /**
     * {@return bytes from BTH to {@link Ieth}, −1 if absent}
     *
     * @param op opcode, 0..255
     */
    public static int iethOffset(int op) {
        return IETH_AT[op & 0xFF];
    }
}
