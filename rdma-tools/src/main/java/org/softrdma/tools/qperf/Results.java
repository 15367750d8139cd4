// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.tools.qperf.Statistics.Count;

/**
 * Results computed from the counts of both ends. Times are in ticks; an end without any has measured nothing, and all results are 0.
 *
 * @param latency          seconds from one end to the other
 * @param messageRate      messages received in a second, at both ends
 * @param sendBandwidth    bytes in a second
 * @param receiveBandwidth bytes in a second
 * @param sendCost         processor seconds for a gigabyte, if one end only sent
 * @param receiveCost      processor seconds for a gigabyte, if one end only received
 */
record Results(End local, End remote, double latency, double messageRate, double sendBandwidth, double receiveBandwidth, double sendCost,
               double receiveCost) {
    private static final double GIGABYTE = 1e9;

    /** Use of one end's processors; 1 is one processor. */
    record End(double realSeconds, double processorSeconds, double user, double interrupts, double kernel, double iowait) {
        private static final End NONE = new End(0, 0, 0, 0, 0, 0);

        static End of(Statistics statistics) {
            double real = statistics.elapsed(CpuTimes.REAL);
            if (real == 0 || statistics.ticksPerSecond == 0) {
                return NONE;
            }
            long busy = 0;
            for (int i = 0; i < CpuTimes.COUNT; i++) {
                busy += i == CpuTimes.REAL || i == CpuTimes.IDLE ? 0 : statistics.elapsed(i);
            }
            double ticks = Integer.toUnsignedLong(statistics.ticksPerSecond);
            // The original keeps this one in single precision, which shows in nanoseconds.
            return new End(real / ticks, (float) busy / (float) ticks,
                part(statistics, real, CpuTimes.USER, CpuTimes.NICE), part(statistics, real, CpuTimes.IRQ, CpuTimes.SOFTIRQ),
                part(statistics, real, CpuTimes.KERNEL, CpuTimes.STEAL), statistics.elapsed(CpuTimes.IOWAIT) / real);
        }

        private static double part(Statistics statistics, double real, int one, int other) {
            return (statistics.elapsed(one) + statistics.elapsed(other)) / real;
        }

        /** Everything but idling. */
        double processors() {
            return user + interrupts + kernel + iowait;
        }
    }

    /** @param local and {@code remote} get what each end knows of the other added */
    static Results of(Statistics local, Statistics remote) {
        local.sent.add(remote.remoteSent);
        local.received.add(remote.remoteReceived);
        remote.sent.add(local.remoteSent);
        remote.received.add(local.remoteReceived);
        End here = End.of(local);
        End there = End.of(remote);
        double messages = (double) local.received.messages + remote.received.messages;
        double latency = messages == 0 ? 0 : here.realSeconds / messages;
        if (here.realSeconds == 0 || there.realSeconds == 0) {
            return new Results(here, there, latency, 0, 0, 0, 0, 0);
        }
        return new Results(here, there, latency,
            perSecond(local.received.messages, there.realSeconds, remote.received.messages, here.realSeconds),
            perSecond(local.sent.bytes, here.realSeconds, remote.sent.bytes, there.realSeconds),
            perSecond(local.received.bytes, here.realSeconds, remote.received.bytes, there.realSeconds),
            cost(local.sent, local.received, here, remote.sent, remote.received, there),
            cost(remote.received, remote.sent, there, local.received, local.sent, here));
    }

    /** Time base of a rate: the measuring end's time, or the mean of both for events at both ends. */
    private static double perSecond(long here, double hereSeconds, long there, double thereSeconds) {
        if (there == 0) {
            return here / hereSeconds;
        }
        return here == 0 ? there / thereSeconds : ((double) here + there) / ((hereSeconds + thereSeconds) / 2);
    }

    /** Of the end that did it, provided that it did nothing else and the other end did not do it. */
    private static double cost(Count one, Count oneElse, End oneEnd, Count other, Count otherElse, End otherEnd) {
        if (one.bytes != 0 && oneElse.bytes == 0 && other.bytes == 0) {
            return oneEnd.processorSeconds * GIGABYTE / one.bytes;
        }
        if (other.bytes != 0 && otherElse.bytes == 0 && one.bytes == 0) {
            return otherEnd.processorSeconds * GIGABYTE / other.bytes;
        }
        return 0;
    }
}
