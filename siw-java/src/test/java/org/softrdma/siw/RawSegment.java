// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

/**
 * A DDP segment in hexadecimal digits, laid out by hand after RFC 5040, 5041 and 7306, as a {@link RawPeer} sends and receives it. A setter
 * changes only its own field, so that every field can be made invalid.
 */
final class RawSegment {
    static final int WRITE = 0;
    static final int READ_REQUEST = 1;
    static final int READ_RESPONSE = 2;
    static final int SEND = 3;
    static final int SEND_INVALIDATE = 4;
    static final int SEND_SOLICITED = 5;
    static final int SEND_SOLICITED_INVALIDATE = 6;
    static final int TERMINATE = 7;
    static final int IMMEDIATE = 8;
    static final int IMMEDIATE_SOLICITED = 9;
    static final int ATOMIC_REQUEST = 10;
    static final int ATOMIC_RESPONSE = 11;

    private final boolean tagged;
    private final int opcode;
    private boolean last = true;
    private int stag;
    private long to;
    private int queue;
    private int msn;
    private int offset;

    private RawSegment(boolean tagged, int opcode) {
        this.tagged = tagged;
        this.opcode = opcode;
    }

    /** Starts an untagged segment on the queue of its opcode: the only one of its message, at offset 0. */
    static RawSegment untagged(int opcode, int msn) {
        RawSegment segment = new RawSegment(false, opcode);
        segment.msn = msn;
        segment.queue = switch (opcode) {
            case READ_REQUEST, ATOMIC_REQUEST -> 1;
            case TERMINATE -> 2;
            case ATOMIC_RESPONSE -> 3;
            default -> 0;
        };
        return segment;
    }

    /** Starts a tagged segment, the last one of its message. */
    static RawSegment tagged(int opcode, int stag, long to) {
        RawSegment segment = new RawSegment(true, opcode);
        segment.stag = stag;
        segment.to = to;
        return segment;
    }

    /** Clears the Last flag: more segments of the message follow. */
    RawSegment more() {
        last = false;
        return this;
    }

    /** Sets the key to invalidate; untagged segments only. */
    RawSegment invalidating(int key) {
        stag = key;
        return this;
    }

    RawSegment queue(int number) {
        queue = number;
        return this;
    }

    /** Sets the message offset; untagged segments only. */
    RawSegment offset(int bytes) {
        offset = bytes;
        return this;
    }

    /**
     * Ends the segment.
     *
     * @param payload hexadecimal digits, blanks allowed
     */
    String with(String payload) {
        String header = tagged ? String.format("%s4%x%08x%016x", last ? "c1" : "81", opcode, stag, to)
            : String.format("%s4%x%08x%08x%08x%08x", last ? "41" : "01", opcode, stag, queue, msn, offset);
        return header + RawPeer.plain(payload);
    }

    // ---- whole messages ----

    static String send(int msn, String payload) {
        return untagged(SEND, msn).with(payload);
    }

    static String write(int stag, long to, String payload) {
        return tagged(WRITE, stag, to).with(payload);
    }

    static String readResponse(int stag, long to, String payload) {
        return tagged(READ_RESPONSE, stag, to).with(payload);
    }

    /** Starts a READ request. {@link Read#from} ends it. */
    static Read read(int msn) {
        return new Read(msn);
    }

    /** Starts an atomic request. {@link Atomic#add} or {@link Atomic#swap} ends it. */
    static Atomic atomic(int msn, int id) {
        return new Atomic(msn, id);
    }

    static String atomicResponse(int msn, int id, long original) {
        return untagged(ATOMIC_RESPONSE, msn).with(String.format("%08x%016x", id, original));
    }

    static final class Read {
        private final int msn;
        private int sinkStag;
        private long sinkTo;

        private Read(int msn) {
            this.msn = msn;
        }

        /** Sets the sink of the response. */
        Read into(int stag, long to) {
            sinkStag = stag;
            sinkTo = to;
            return this;
        }

        /** Sets the range to read and ends the request. */
        String from(int stag, long to, long size) {
            return untagged(READ_REQUEST, msn).with(String.format("%08x%016x%08x%08x%016x", sinkStag, sinkTo, size, stag, to));
        }
    }

    static final class Atomic {
        private final int msn;
        private final int id;
        private int stag;
        private long to;

        private Atomic(int msn, int id) {
            this.msn = msn;
            this.id = id;
        }

        Atomic at(int key, long address) {
            stag = key;
            to = address;
            return this;
        }

        /** Makes a FetchAdd of one field of 64 bits. */
        String add(long addend) {
            return add(addend, 0);
        }

        /**
         * Makes a FetchAdd of several fields.
         *
         * @param tops mask of the highest bit of each field
         */
        String add(long addend, long tops) {
            return end(0, addend, tops, 0, 0);
        }

        /** Makes a CmpSwap of all 64 bits. */
        String swap(long compare, long swap) {
            return end(2, swap, -1, compare, -1);
        }

        String swapMasked(long compare, long compareMask, long swap, long swapMask) {
            return end(2, swap, swapMask, compare, compareMask);
        }

        private String end(int operation, long data, long mask, long compare, long compareMask) {
            return untagged(ATOMIC_REQUEST, msn).with(String.format("%08x%08x%08x%016x%016x%016x%016x%016x", operation, id, stag, to, data,
                mask, compare, compareMask));
        }
    }

    // ---- Terminate ----

    /** Makes a Terminate that contains the length and DDP header of {@code segment}, and the RDMAP header if that is a request. */
    static String terminate(int code, String segment) {
        boolean blamesTagged = (Integer.parseInt(segment.substring(0, 1), 16) & 8) != 0;
        int opcode = Integer.parseInt(segment.substring(3, 4), 16);
        int shown = blamesTagged ? 14 : opcode == READ_REQUEST ? 46 : opcode == ATOMIC_REQUEST ? 70 : 18;
        return untagged(TERMINATE, 1).with(String.format("%04x%s00%04x", code, shown > 18 ? "e0" : "c0", segment.length() / 2)
            + segment.substring(0, 2 * shown));
    }

    static String terminate(int code) {
        return untagged(TERMINATE, 1).with(String.format("%04x0000", code));
    }
}
