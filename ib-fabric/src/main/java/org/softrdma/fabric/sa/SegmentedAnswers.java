// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaMad;

/**
 * Answers that are sent in segments: the sender of the reliable multi-packet protocol. The first segment is sent alone; each
 * acknowledgement says how far the sender may go on. Segments that are not acknowledged in time are sent again. Source: IBA vol 1 §13.6.
 */
final class SegmentedAnswers {
    /** Transfers at a time. */
    static final int MAX_TRANSFERS = 64;
    /** Time for an acknowledgement. */
    static final long TIMEOUT_NS = 1_000_000_000L;
    /** Times that a segment is sent at most without an acknowledgement of it. */
    static final int MAX_TRIES = 4;

    private record Key(int lid, int qpn, long transactionId) {
    }

    private static final class Transfer {
        final ManagementPacket request;
        final ByteBuffer header;
        final byte[] payload;
        final int segments;
        int acknowledged;
        int windowLast = 1;
        int sent;
        /** Greatest segment that was ever sent. */
        int greatest;
        int tries = 1;
        long dueNs;

        Transfer(ManagementPacket request, ByteBuffer header, byte[] payload) {
            this.request = request;
            this.header = header;
            this.payload = payload;
            segments = Math.max(1, (payload.length + SaMad.DATA_LENGTH - 1) / SaMad.DATA_LENGTH);
        }

        Key key() {
            return new Key(request.slid(), request.sourceQpn(), request.transactionId());
        }

        /** One segment, by its number from 1 on. */
        ManagementPacket segment(int number) {
            ByteBuffer mad = ManagementPacket.copyOf(header);
            int from = (number - 1) * SaMad.DATA_LENGTH;
            int length = Math.min(SaMad.DATA_LENGTH, payload.length - from);
            mad.put(SaMad.DATA_OFFSET, payload, from, length);
            int flags = Rmpp.FLAG_ACTIVE | (number == 1 ? Rmpp.FLAG_FIRST : 0) | (number == segments ? Rmpp.FLAG_LAST : 0);
            int ofAll = payload.length + segments * SaMad.CLASS_HEADER_LENGTH;
            int said = number == 1 ? ofAll : number == segments ? length + SaMad.CLASS_HEADER_LENGTH : 0;
            Rmpp.put(mad, 0, Rmpp.TYPE_DATA, flags, Rmpp.STATUS_NORMAL, number, said);
            return request.reply(mad);
        }
    }

    private final Counters<SaCounter> counters;
    private final Map<Key, Transfer> transfers = new LinkedHashMap<>();
    private final ArrayDeque<ManagementPacket> aborts = new ArrayDeque<>();

    SegmentedAnswers(Counters<SaCounter> counters) {
        this.counters = counters;
    }

    /**
     * Begins an answer. A request that is repeated begins it anew.
     *
     * @param header  the answer's MAD without records
     * @param payload records, each with its padding
     */
    void begin(ManagementPacket request, ByteBuffer header, byte[] payload) {
        Transfer transfer = new Transfer(request, header, payload);
        transfers.remove(transfer.key());
        if (transfers.size() == MAX_TRANSFERS) {
            counters.count(SaCounter.DROP_SA_QUEUE_FULL);
            return;
        }
        transfers.put(transfer.key(), transfer);
        if (transfer.segments > 1) {
            counters.count(SaCounter.SA_SEGMENTED_ANSWERS);
        }
    }

    /** The first segment of an answer, for clients that do not speak the protocol and see no more. */
    static ManagementPacket firstOnly(ManagementPacket request, ByteBuffer header, byte[] payload) {
        return new Transfer(request, header, payload).segment(1);
    }

    /** Handles an acknowledgement, stop or abort. */
    void onPacket(ManagementPacket packet, long nowNs) {
        ByteBuffer mad = packet.mad();
        Transfer transfer = transfers.get(new Key(packet.slid(), packet.sourceQpn(), packet.transactionId()));
        if (transfer == null) {
            counters.count(SaCounter.DROP_SA_NO_TRANSFER);
            return;
        }
        if (Rmpp.VERSION.get(mad, 0) != Rmpp.VERSION_1) {
            abort(transfer, Rmpp.STATUS_UNSUPPORTED_VERSION);
        } else if (Rmpp.TYPE.get(mad, 0) != Rmpp.TYPE_ACK) {
            end(transfer);
        } else {
            acknowledge(transfer, Rmpp.SEGMENT.getLong(mad, 0), Rmpp.NEW_WINDOW_LAST.getLong(mad, 0), nowNs);
        }
    }

    private void acknowledge(Transfer transfer, long segment, long windowLast, long nowNs) {
        if (segment > transfer.greatest) {
            abort(transfer, Rmpp.STATUS_SEGMENT_TOO_GREAT);
        } else if (windowLast < segment) {
            abort(transfer, Rmpp.STATUS_WINDOW_TOO_SMALL);
        } else if (segment == transfer.segments) {
            transfers.remove(transfer.key());
        } else if (segment >= transfer.acknowledged) {
            if (segment > transfer.acknowledged) {
                transfer.tries = 1;
                transfer.dueNs = nowNs + TIMEOUT_NS;
            }
            transfer.acknowledged = (int) segment;
            transfer.sent = Math.max(transfer.sent, transfer.acknowledged);
            transfer.windowLast = (int) Math.max(transfer.windowLast, Math.min(windowLast, transfer.segments));
        }
    }

    private void abort(Transfer transfer, int status) {
        end(transfer);
        if (aborts.size() == MAX_TRANSFERS) {
            return;
        }
        ByteBuffer mad = ManagementPacket.copyOf(transfer.header);
        Rmpp.put(mad, 0, Rmpp.TYPE_ABORT, Rmpp.FLAG_ACTIVE, status, 0, 0);
        aborts.add(transfer.request.reply(mad));
    }

    private void end(Transfer transfer) {
        transfers.remove(transfer.key());
        counters.count(SaCounter.SA_ANSWERS_ABORTED);
    }

    /** Repeats what was not acknowledged in time, and gives up what was repeated often enough. */
    void onTime(long nowNs) {
        List<Transfer> late = new ArrayList<>();
        for (Transfer each : transfers.values()) {
            if (isWaiting(each) && Deadline.isDue(each.dueNs, nowNs)) {
                late.add(each);
            }
        }
        for (Transfer each : late) {
            if (each.tries == MAX_TRIES) {
                abort(each, Rmpp.STATUS_TOO_MANY_RETRIES);
            } else {
                counters.add(SaCounter.SA_SEGMENTS_REPEATED, each.sent - each.acknowledged);
                each.tries++;
                each.sent = each.acknowledged;
            }
        }
    }

    private static boolean isWaiting(Transfer transfer) {
        return transfer.sent == transfer.windowLast;
    }

    /** Next segment to send, or null. */
    ManagementPacket transmit(long nowNs) {
        ManagementPacket aborted = aborts.poll();
        if (aborted != null) {
            return aborted;
        }
        for (Transfer each : transfers.values()) {
            if (!isWaiting(each)) {
                each.sent++;
                each.greatest = Math.max(each.greatest, each.sent);
                each.dueNs = nowNs + TIMEOUT_NS;
                return each.segment(each.sent);
            }
        }
        return null;
    }

    long deadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (Transfer each : transfers.values()) {
            if (isWaiting(each)) {
                earliestNs = Deadline.earlier(earliestNs, each.dueNs);
            }
        }
        return earliestNs;
    }
}
