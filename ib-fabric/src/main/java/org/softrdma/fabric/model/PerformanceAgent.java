// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.ToLongFunction;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.ClassPortInfo;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.PerformanceMad;
import org.softrdma.wire.ib.PortCounters;
import org.softrdma.wire.ib.PortCountersExtended;
import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.Mad;

/** Performance management agent of all nodes: shows and clears the counters of ports. Source: IBA vol 1 §16.1. */
final class PerformanceAgent {
    private static final int DATA = PerformanceMad.DATA_OFFSET;
    /** 4.096 µs · 2^18: a second. */
    private static final int RESPONSE_TIME = 18;

    /** A counter of an attribute: its field, and where it is kept. */
    private record Counter(Field field, ToLongFunction<PortTraffic> get, ObjLongConsumer<PortTraffic> set) {
        /** A counter of events that do not happen here. */
        static Counter none(Field field) {
            return new Counter(field, traffic -> 0, (traffic, value) -> { });
        }
    }

    /** In the order of CounterSelect's bits. */
    private static final List<Counter> BASIC = List.of(
        Counter.none(PortCounters.SYMBOL_ERRORS),
        Counter.none(PortCounters.LINK_RECOVERIES),
        new Counter(PortCounters.LINK_DOWNED, each -> each.linkDowned, (each, value) -> each.linkDowned = value),
        new Counter(PortCounters.RCV_ERRORS, each -> each.rcvErrors, (each, value) -> each.rcvErrors = value),
        Counter.none(PortCounters.RCV_REMOTE_PHYSICAL_ERRORS),
        new Counter(PortCounters.RCV_SWITCH_RELAY_ERRORS, each -> each.rcvSwitchRelayErrors,
            (each, value) -> each.rcvSwitchRelayErrors = value),
        new Counter(PortCounters.XMIT_DISCARDS, each -> each.xmitDiscards, (each, value) -> each.xmitDiscards = value),
        new Counter(PortCounters.XMIT_CONSTRAINT_ERRORS, each -> each.xmitConstraintErrors,
            (each, value) -> each.xmitConstraintErrors = value),
        new Counter(PortCounters.RCV_CONSTRAINT_ERRORS, each -> each.rcvConstraintErrors,
            (each, value) -> each.rcvConstraintErrors = value),
        Counter.none(PortCounters.LINK_INTEGRITY_ERRORS),
        Counter.none(PortCounters.BUFFER_OVERRUN_ERRORS),
        new Counter(PortCounters.VL15_DROPPED, each -> each.vl15Dropped, (each, value) -> each.vl15Dropped = value),
        new Counter(PortCounters.XMIT_DATA, each -> each.xmitWords, (each, value) -> each.xmitWords = value),
        new Counter(PortCounters.RCV_DATA, each -> each.rcvWords, (each, value) -> each.rcvWords = value),
        new Counter(PortCounters.XMIT_PACKETS, each -> each.unicastXmitPackets + each.multicastXmitPackets, (each, value) -> {
            each.unicastXmitPackets = value;
            each.multicastXmitPackets = value;
        }),
        new Counter(PortCounters.RCV_PACKETS, each -> each.unicastRcvPackets + each.multicastRcvPackets, (each, value) -> {
            each.unicastRcvPackets = value;
            each.multicastRcvPackets = value;
        }),
        new Counter(PortCounters.QP1_DROPPED, each -> each.qp1Dropped, (each, value) -> each.qp1Dropped = value));

    /** In the order of CounterSelect's bits. */
    private static final List<Counter> EXTENDED = List.of(
        new Counter(PortCountersExtended.XMIT_DATA, each -> each.xmitWords, (each, value) -> each.xmitWords = value),
        new Counter(PortCountersExtended.RCV_DATA, each -> each.rcvWords, (each, value) -> each.rcvWords = value),
        new Counter(PortCountersExtended.XMIT_PACKETS, BASIC.get(14).get, BASIC.get(14).set),
        new Counter(PortCountersExtended.RCV_PACKETS, BASIC.get(15).get, BASIC.get(15).set),
        new Counter(PortCountersExtended.UNICAST_XMIT_PACKETS, each -> each.unicastXmitPackets,
            (each, value) -> each.unicastXmitPackets = value),
        new Counter(PortCountersExtended.UNICAST_RCV_PACKETS, each -> each.unicastRcvPackets,
            (each, value) -> each.unicastRcvPackets = value),
        new Counter(PortCountersExtended.MULTICAST_XMIT_PACKETS, each -> each.multicastXmitPackets,
            (each, value) -> each.multicastXmitPackets = value),
        new Counter(PortCountersExtended.MULTICAST_RCV_PACKETS, each -> each.multicastRcvPackets,
            (each, value) -> each.multicastRcvPackets = value));

    private PerformanceAgent() {
    }

    /** Whether a datagram is a request of the class. */
    static boolean serves(ManagementPacket packet) {
        return packet.managementClass() == PerformanceMad.CLASS && !packet.isResponse();
    }

    /** Executes a request; the datagram becomes the response. */
    static void execute(FabricPort arrival, ByteBuffer mad) {
        int method = Mad.method(mad, 0);
        boolean set = method == MadMethod.SET;
        int status;
        if (Mad.classVersion(mad, 0) != PerformanceMad.CLASS_VERSION) {
            status = MadStatus.BAD_VERSION;
        } else if (!set && method != MadMethod.GET) {
            status = MadStatus.UNSUPPORTED_METHOD;
        } else {
            status = switch (Mad.attribute(mad, 0)) {
                case ClassPortInfo.ATTRIBUTE -> set ? MadStatus.UNSUPPORTED_ATTRIBUTE : classPortInfo(arrival, mad);
                case PerformanceMad.PORT_COUNTERS -> counters(arrival, mad, set, BASIC);
                case PerformanceMad.PORT_COUNTERS_EXTENDED -> counters(arrival, mad, set, EXTENDED);
                default -> MadStatus.UNSUPPORTED_ATTRIBUTE;
            };
        }
        mad.put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
        mad.putShort(Mad.STATUS_OFFSET, (short) status);
    }

    private static int classPortInfo(FabricPort arrival, ByteBuffer mad) {
        for (int i = 0; i < ClassPortInfo.LENGTH; i += Long.BYTES) {
            mad.putLong(DATA + i, 0);
        }
        ClassPortInfo.BASE_VERSION.set(mad, DATA, Mad.BASE_VERSION);
        ClassPortInfo.CLASS_VERSION.set(mad, DATA, PerformanceMad.CLASS_VERSION);
        ClassPortInfo.CAPABILITY_MASK.set(mad, DATA,
            PerformanceMad.CAP_EXTENDED_WIDTH | (arrival.node().isSwitch() ? PerformanceMad.CAP_ALL_PORT_SELECT : 0));
        ClassPortInfo.RESPONSE_TIME.set(mad, DATA, RESPONSE_TIME);
        return MadStatus.OK;
    }

    private static int counters(FabricPort arrival, ByteBuffer mad, boolean set, List<Counter> all) {
        int number = PerformanceMad.PORT_SELECT.get(mad, DATA);
        List<PortTraffic> selected = select(arrival, number);
        if (selected.isEmpty()) {
            return MadStatus.INVALID_FIELD;
        }
        int clear = set ? PerformanceMad.COUNTER_SELECT.get(mad, DATA) : 0;
        for (int i = 0; i < all.size(); i++) {
            Counter each = all.get(i);
            if ((clear >>> i & 1) != 0) {
                selected.forEach(traffic -> each.set.accept(traffic, 0));
            }
            long sum = selected.stream().mapToLong(each.get).sum();
            each.field.set(mad, DATA, Long.compareUnsigned(sum, each.field.max()) > 0 ? each.field.max() : sum);
        }
        return MadStatus.OK;
    }

    private static List<PortTraffic> select(FabricPort arrival, int number) {
        List<PortTraffic> selected = new ArrayList<>();
        if (!arrival.node().isSwitch()) {
            if (number == arrival.number()) {
                selected.add(arrival.traffic());
            }
        } else if (number == PerformanceMad.ALL_PORTS) {
            for (int i = 0; i <= arrival.node().ports(); i++) {
                selected.add(arrival.node().port(i).traffic());
            }
        } else if (arrival.node().port(number) != null) {
            selected.add(arrival.node().port(number).traffic());
        }
        return selected;
    }
}
