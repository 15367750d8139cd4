// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.InformInfo;
import org.softrdma.wire.ib.InformInfoRecord;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Mad;

/**
 * Clients that are told of events: each subscription chooses notices by type, trap, producer and source. A report is repeated until the
 * client confirms it, some times. Source: IBA vol 1 §13.4.8.3, §13.4.11.
 */
final class Subscriptions {
    /** Subscriptions at most. */
    static final int MAX_SUBSCRIPTIONS = 1024;
    /** Reports that wait for a confirmation at most. */
    static final int MAX_REPORTS = 1024;
    /** Time for a confirmation. */
    static final long TIMEOUT_NS = 1_000_000_000L;
    /** Times that a report is sent at most. */
    static final int MAX_TRIES = 3;
    private static final int DIFFERS_IN_SUBSCRIBE = InformInfo.SUBSCRIBE.offset();

    /**
     * One subscription.
     *
     * @param lid  LID of the client
     * @param qpn  queue pair that reports are sent to
     * @param info InformInfo
     */
    private record Subscription(int lid, int qpn, ByteBuffer info) {
        boolean isSame(Subscription other) {
            return lid == other.lid && qpn == other.qpn && info.equals(other.info);
        }

        boolean wants(ByteBuffer notice) {
            int source = Notice.ISSUER_LID.get(notice, 0);
            boolean byGid = InformInfo.GID_HIGH.getLong(info, 0) != 0 || InformInfo.GID_LOW.getLong(info, 0) != 0;
            int first = InformInfo.LID_FIRST.get(info, 0);
            boolean from = byGid
                ? InformInfo.GID_HIGH.getLong(info, 0) == Notice.ISSUER_GID_HIGH.getLong(notice, 0)
                    && InformInfo.GID_LOW.getLong(info, 0) == Notice.ISSUER_GID_LOW.getLong(notice, 0)
                : first == InformInfo.ALL || source >= first && source <= Math.max(first, InformInfo.LID_LAST.get(info, 0));
            return from && InformInfo.GENERIC.get(info, 0) == Notice.GENERIC.get(notice, 0)
                && isChosen(InformInfo.TYPE.get(info, 0), InformInfo.ALL, Notice.TYPE.get(notice, 0))
                && isChosen(InformInfo.TRAP.get(info, 0), InformInfo.ALL, Notice.TRAP.get(notice, 0))
                && isChosen(InformInfo.PRODUCER.get(info, 0), InformInfo.ALL_PRODUCERS, Notice.PRODUCER.get(notice, 0));
        }

        private static boolean isChosen(int wanted, int all, int value) {
            return wanted == all || wanted == value;
        }
    }

    private static final class Report {
        final ManagementPacket packet;
        int tries;
        long dueNs;

        Report(ManagementPacket packet) {
            this.packet = packet;
        }
    }

    private final Counters<SaCounter> counters;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Map<Long, Report> reports = new LinkedHashMap<>();
    private final ArrayDeque<Report> due = new ArrayDeque<>();
    private long nextTransaction = 1;

    Subscriptions(Counters<SaCounter> counters) {
        this.counters = counters;
    }

    /**
     * Begins or ends a subscription.
     *
     * @param packet a Set of InformInfo
     * @return a constant of {@link MadStatus}
     */
    int set(ManagementPacket packet) {
        ByteBuffer mad = packet.mad();
        int at = SaMad.DATA_OFFSET;
        ByteBuffer info = ByteBuffer.allocate(InformInfo.LENGTH);
        info.put(0, mad, at, InformInfo.LENGTH);
        info.put(DIFFERS_IN_SUBSCRIBE, (byte) 1);
        int said = InformInfo.QPN.get(mad, at);
        Subscription wanted = new Subscription(packet.slid(), said == 0 ? packet.sourceQpn() : said, info);
        int subscribe = InformInfo.SUBSCRIBE.get(mad, at);
        boolean known = subscriptions.stream().anyMatch(wanted::isSame);
        if (subscribe > 1 || subscribe == 0 && !known) {
            return MadStatus.SA_REQUEST_INVALID;
        }
        if (subscribe == 0) {
            subscriptions.removeIf(wanted::isSame);
        } else if (!known && subscriptions.size() == MAX_SUBSCRIPTIONS) {
            return MadStatus.SA_NO_RESOURCES;
        } else if (!known) {
            subscriptions.add(wanted);
        }
        return MadStatus.OK;
    }

    /** InformInfoRecord of each subscription. */
    List<ByteBuffer> records(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (Subscription each : subscriptions) {
            SubnetPort port = subnet.byLid(each.lid);
            if (port != null) {
                ByteBuffer record = ByteBuffer.allocate(InformInfoRecord.LENGTH);
                InformInfoRecord.SUBSCRIBER_GID_HIGH.set(record, 0, Subnet.PREFIX);
                InformInfoRecord.SUBSCRIBER_GID_LOW.set(record, 0, port.guid());
                InformInfoRecord.NUMBER.set(record, 0, records.size());
                record.put(InformInfoRecord.INFORM_INFO_OFFSET, each.info, 0, InformInfo.LENGTH);
                records.add(record);
            }
        }
        return records;
    }

    /** Ends the subscriptions of ports that are no longer in the subnet. */
    void keepOnly(Subnet subnet) {
        subscriptions.removeIf(each -> subnet.byLid(each.lid) == null);
    }

    /**
     * Reports an event to those who want to know of it.
     *
     * @param notice {@link Notice#LENGTH} bytes
     * @param from   the port of the manager
     */
    void report(ByteBuffer notice, SubnetPort from) {
        for (Subscription each : subscriptions) {
            if (!each.wants(notice)) {
                continue;
            }
            if (reports.size() == MAX_REPORTS) {
                counters.count(SaCounter.DROP_SA_QUEUE_FULL);
                return;
            }
            ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
            long id = nextTransaction++;
            SaMad.begin(mad, 0, MadMethod.REPORT, SaAttribute.NOTICE, id, 0);
            mad.put(SaMad.DATA_OFFSET, notice, 0, Notice.LENGTH);
            Report report = new Report(
                new ManagementPacket(from.lid(), each.lid, Mad.GSI_QPN, each.qpn, ManagementPacket.DEFAULT_PKEY, 0, mad));
            reports.put(id, report);
            due.add(report);
            counters.count(SaCounter.SA_REPORTS);
        }
    }

    /** Handles the confirmation of a report. */
    void onConfirmed(ManagementPacket packet) {
        Report report = reports.remove(packet.transactionId());
        if (report == null) {
            counters.count(SaCounter.DROP_SA_NO_TRANSFER);
        } else {
            due.remove(report);
        }
    }

    /** Next report to send, or null. */
    ManagementPacket transmit(long nowNs) {
        Report next = due.poll();
        if (next == null) {
            return null;
        }
        next.tries++;
        next.dueNs = nowNs + TIMEOUT_NS;
        return next.packet.copy();
    }

    /** Repeats reports that were not confirmed in time, and gives up those that were repeated often enough. */
    void onTime(long nowNs) {
        for (Iterator<Report> all = reports.values().iterator(); all.hasNext();) {
            Report each = all.next();
            if (each.tries > 0 && !due.contains(each) && Deadline.isDue(each.dueNs, nowNs)) {
                if (each.tries == MAX_TRIES) {
                    all.remove();
                } else {
                    due.add(each);
                }
            }
        }
    }

    long deadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (Report each : reports.values()) {
            if (each.tries > 0 && !due.contains(each)) {
                earliestNs = Deadline.earlier(earliestNs, each.dueNs);
            }
        }
        return earliestNs;
    }
}
