// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.MpaCrc;
import org.softrdma.wire.iwarp.MpaMarker;
import org.softrdma.wire.iwarp.TerminateCode;

/**
 * Cuts a stream, which may be received in pieces of any size, into FPDUs, and removes the markers. A frame is handed on only when it is
 * complete and its CRC is good, so that damaged bytes never reach registered memory. In a stream without markers a frame that is complete
 * in one piece is not copied.
 */
public final class FpduReader implements StreamSink {
    /** A verdict: all bytes were taken. */
    private static final int OK = -1;
    /** A verdict: the handler wants no more ULPDUs. Other verdicts are the {@link TerminateCode} of what is wrong with the framing. */
    private static final int STOPPED = -2;

    /** Pending bytes below which a read takes the frames behind as well instead of filling this frame alone. */
    static final int WORTH_FILLING = 1 << 14;
    private static final int BETWEEN_MARKERS = MpaMarker.INTERVAL - MpaMarker.LENGTH;

    private final UlpduHandler handler;
    private final BufferPool holds;
    private final MpaCrc crc = new MpaCrc();
    private final ByteBuffer marker = ByteBuffer.allocate(MpaMarker.LENGTH);
    private StreamParameters parameters;
    /** Holds the beginning of a frame whose end is not received yet; null between frames. */
    private StreamBuffer hold;
    /** Bytes of the frame in {@link #hold}. */
    private int held;
    /** Length of the frame in {@link #hold}, without markers; 0 until its length field is received. */
    private int total;
    private int untilMarker;
    private int markerHeld;
    /** Stream bytes since the frame's length field, markers included. */
    private int sinceLength;

    /** @param holds buffers of {@link Fpdu#MAX_LENGTH} bytes, for frames that are received in pieces */
    public FpduReader(UlpduHandler handler, BufferPool holds) {
        this.handler = handler;
        this.holds = holds;
    }

    /** Begins a new stream. */
    public void start(StreamParameters agreed) {
        parameters = agreed;
        forget();
        untilMarker = 0;
        markerHeld = 0;
        sinceLength = 0;
        crc.reset();
    }

    /** Drops a frame that has begun, as its end will not be received. */
    public void forget() {
        if (hold != null) {
            holds.giveBack(hold);
            hold = null;
        }
        held = 0;
        total = 0;
    }

    /** Whether the bytes received so far end with a whole frame. */
    public boolean isAtBoundary() {
        return held == 0 && markerHeld == 0;
    }

    /** Missing bytes of a long frame, if they are best read directly behind its beginning. */
    @Override
    public int pendingBytes() {
        int pending = total - held;
        return total == 0 || pending < WORTH_FILLING || parameters.markersIn() || !handler.isReceiving() ? 0 : pending;
    }

    @Override
    public MemorySegment pendingBuffer() {
        return hold.memory();
    }

    @Override
    public int pendingOffset() {
        return held;
    }

    @Override
    public void onFilled(int count) {
        held += count;
        if (held == total) {
            report(deliverHeld(crcOf(hold.bytes(), 0, total)));
        }
    }

    @Override
    public boolean onBytes(ByteBuffer b, MemorySegment memory, int from, int to) {
        if (handler.isReceiving()) {
            report(parameters.markersIn() ? readWithMarkers(b, from, to) : readPlain(b, memory, from, to));
        }
        return true;
    }

    private void report(int verdict) {
        if (verdict != OK && verdict != STOPPED) {
            handler.onBadFraming(verdict);
        }
    }

    private int readPlain(ByteBuffer b, MemorySegment memory, int begin, int to) {
        int from = begin;
        while (from < to) {
            if (held == 0 && to - from >= Fpdu.HEADER_LENGTH) {
                int length = Fpdu.length(Fpdu.ulpduLength(b, from));
                if (to - from >= length) {
                    int verdict = deliver(b, memory, from, crcOf(b, from, from + length));
                    if (verdict != OK) {
                        return verdict;
                    }
                    from += length;
                    continue;
                }
            }
            from += hold(b, from, to);
            if (held == total) {
                int verdict = deliverHeld(crcOf(hold.bytes(), 0, total));
                if (verdict != OK) {
                    return verdict;
                }
            }
        }
        return OK;
    }

    private int crcOf(ByteBuffer b, int from, int end) {
        return parameters.crc() ? crc.of(b, from, end - Fpdu.CRC_LENGTH) : 0;
    }

    private int readWithMarkers(ByteBuffer b, int begin, int to) {
        int from = begin;
        while (from < to) {
            if (untilMarker == 0) {
                marker.put(markerHeld++, b.get(from++));
                if (markerHeld == MpaMarker.LENGTH && !takeMarker()) {
                    return TerminateCode.MPA_MARKER_OR_LENGTH;
                }
                continue;
            }
            int taken = hold(b, from, Math.min(to, from + untilMarker));
            int checked = total == 0 ? held : Math.min(held, total - Fpdu.CRC_LENGTH);
            if (checked > held - taken) {
                crc.update(hold.bytes(), held - taken, checked);
            }
            from += taken;
            untilMarker -= taken;
            sinceLength += taken;
            if (held == total) {
                int computed = crc.value();
                crc.reset();
                sinceLength = 0;
                int verdict = deliverHeld(computed);
                if (verdict != OK) {
                    return verdict;
                }
            }
        }
        return OK;
    }

    /** Checks a marker. RFC 5044 §4.3: it contains the distance to the start of its frame; directly before a frame it is 0. */
    private boolean takeMarker() {
        markerHeld = 0;
        untilMarker = BETWEEN_MARKERS;
        crc.update(marker, 0, MpaMarker.LENGTH);
        int expected = sinceLength;
        if (held > 0) {
            sinceLength += MpaMarker.LENGTH;
        }
        return MpaMarker.fpduPointer(marker, 0) == (expected & 0xFFFF);
    }

    /**
     * Copies bytes to the frame in {@link #hold}, up to its length field or its end.
     *
     * @return bytes taken, at least 1
     */
    private int hold(ByteBuffer b, int from, int to) {
        if (hold == null) {
            hold = holds.take();
        }
        int wanted = (total == 0 ? Fpdu.HEADER_LENGTH : total) - held;
        int taken = Math.min(wanted, to - from);
        hold.bytes().put(held, b, from, taken);
        held += taken;
        if (total == 0 && held == Fpdu.HEADER_LENGTH) {
            total = Fpdu.length(Fpdu.ulpduLength(hold.bytes(), 0));
        }
        return taken;
    }

    private int deliverHeld(int computed) {
        int verdict = deliver(hold.bytes(), hold.memory(), 0, computed);
        forget();
        return verdict;
    }

    /** Checks the CRC and hands the ULPDU on. The content of the pad is not checked; the CRC covers it. */
    private int deliver(ByteBuffer b, MemorySegment memory, int at, int computed) {
        int length = Fpdu.ulpduLength(b, at);
        if (parameters.crc() && MpaCrc.get(b, at + Fpdu.length(length) - Fpdu.CRC_LENGTH) != computed) {
            return TerminateCode.MPA_CRC;
        }
        return handler.onUlpdu(b, memory, at + Fpdu.HEADER_LENGTH, length) ? OK : STOPPED;
    }
}
