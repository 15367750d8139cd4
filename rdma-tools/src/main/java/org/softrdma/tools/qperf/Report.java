// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.tools.qperf.Parameter.Kind;
import org.softrdma.tools.qperf.Parameters.Side;

/** Output of a client about a test: the result, and whatever else the user wants to see. Values of 0 are not shown. */
final class Report {
    private static final String[] TIMES = {"real", "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"};

    private final Display display;
    private final ResultTable table;

    Report(Display display, ResultTable table) {
        this.display = display;
        this.table = table;
    }

    /** @param local and {@code remote}: what each end counted */
    void measured(Measure measure, Statistics local, Statistics remote, Parameters parameters) {
        Results results = Results.of(local, remote);
        headline(measure, results);
        used(parameters);
        cost("send_cost", results.sendCost());
        cost("recv_cost", results.receiveCost());
        ends(results, local, remote);
        if (display.debug) {
            everything("l_", local);
            everything("r_", remote);
        }
    }

    private void headline(Measure measure, Results results) {
        switch (measure) {
            case LATENCY -> table.time("latency", results.latency());
            case MESSAGE_RATE -> table.rate("msg_rate", results.messageRate());
            case BANDWIDTH -> table.bandwidth("bw", results.receiveBandwidth());
            case BANDWIDTHS -> {
                table.bandwidth("send_bw", results.sendBandwidth());
                table.bandwidth("recv_bw", results.receiveBandwidth());
            }
        }
        if (measure != Measure.MESSAGE_RATE && display.statistics >= Display.MORE && results.messageRate() > 0) {
            table.rate("msg_rate", results.messageRate());
        }
    }

    // ---- parameters ----

    private void used(Parameters parameters) {
        if (display.used == Display.NEVER) {
            return;
        }
        for (Parameter each : Parameter.values()) {
            if (each.isReported() && parameters.isInUse(each) && (display.used >= Display.MOST || parameters.isOfUser(each))) {
                used(each, parameters);
            }
        }
    }

    private void used(Parameter parameter, Parameters parameters) {
        if (parameter.kind == Kind.TEXT) {
            String here = parameters.text(Side.LOCAL, parameter);
            String there = parameters.text(Side.REMOTE, parameter);
            if (here.equals(there)) {
                used(parameter.text, here);
            } else {
                used("loc_" + parameter.text, here);
                used("rem_" + parameter.text, there);
            }
            return;
        }
        int here = parameters.number(Side.LOCAL, parameter);
        int there = parameters.number(Side.REMOTE, parameter);
        if (here == there) {
            used(parameter.text, parameter.kind, here);
        } else {
            used("loc_" + parameter.text, parameter.kind, here);
            used("rem_" + parameter.text, parameter.kind, there);
        }
    }

    private void used(String name, String value) {
        if (!value.isEmpty()) {
            table.text(name, value);
        }
    }

    private void used(String name, Kind kind, int value) {
        long number = Integer.toUnsignedLong(value);
        if (number == 0) {
            return;
        }
        switch (kind) {
            case SIZE -> table.size(name, number);
            case SECONDS -> table.time(name, number);
            default -> table.count(name, number);
        }
    }

    // ---- both ends ----

    private void ends(Results results, Statistics local, Statistics remote) {
        boolean weSend = local.sent.bytes != 0 && remote.sent.bytes == 0 && remote.received.bytes != 0 && local.received.bytes == 0;
        boolean weReceive = remote.sent.bytes != 0 && local.sent.bytes == 0 && local.received.bytes != 0 && remote.received.bytes == 0;
        if (display.unifyNodes || !weSend && !weReceive) {
            both("loc_", results.local(), local);
            both("rem_", results.remote(), remote);
        } else if (weSend) {
            one("send_", results.local(), local.sent, local);
            one("recv_", results.remote(), remote.received, remote);
        } else {
            one("send_", results.remote(), remote.sent, remote);
            one("recv_", results.local(), local.received, local);
        }
    }

    private void one(String prefix, Results.End end, Statistics.Count count, Statistics statistics) {
        processors(prefix, end);
        count(prefix + "errors", count.errors);
        size(prefix + "bytes", count.bytes);
        count(prefix + "msgs", count.messages);
        count(prefix + "max_cqe", statistics.maxCompletions);
    }

    private void both(String prefix, Results.End end, Statistics statistics) {
        processors(prefix, end);
        count(prefix + "send_errors", statistics.sent.errors);
        count(prefix + "recv_errors", statistics.received.errors);
        size(prefix + "send_bytes", statistics.sent.bytes);
        size(prefix + "recv_bytes", statistics.received.bytes);
        count(prefix + "send_msgs", statistics.sent.messages);
        count(prefix + "recv_msgs", statistics.received.messages);
        count(prefix + "max_cqe", statistics.maxCompletions);
    }

    private void processors(String prefix, Results.End end) {
        processors(Display.MORE, prefix + "cpus_used", end.processors());
        processors(Display.MOST, prefix + "cpus_user", end.user());
        processors(Display.MOST, prefix + "cpus_intr", end.interrupts());
        processors(Display.MOST, prefix + "cpus_kernel", end.kernel());
        processors(Display.MOST, prefix + "cpus_iowait", end.iowait());
        time(prefix + "real_time", end.realSeconds());
        time(prefix + "cpu_time", end.processorSeconds());
    }

    private void cost(String name, double value) {
        if (display.times >= Display.MORE && value > 0) {
            table.cost(name, value);
        }
    }

    private void processors(int level, String name, double value) {
        if (display.times >= level && value > 0) {
            table.processors(name, value);
        }
    }

    private void time(String name, double value) {
        if (display.times >= Display.MOST && value > 0) {
            table.time(name, value);
        }
    }

    private void count(String name, long value) {
        if (display.statistics >= Display.MOST && value > 0) {
            table.count(name, value);
        }
    }

    private void size(String name, long value) {
        if (display.statistics >= Display.MOST && value > 0) {
            table.size(name, value);
        }
    }

    // ---- for those who look for faults ----

    private void everything(String prefix, Statistics statistics) {
        debugCount(prefix + "no_cpus", statistics.processors);
        debugCount(prefix + "no_ticks", statistics.ticksPerSecond);
        debugCount(prefix + "max_cqes", statistics.maxCompletions);
        for (int i = 0; i < TIMES.length && statistics.ticksPerSecond != 0; i++) {
            double seconds = (double) statistics.elapsed(i) / Integer.toUnsignedLong(statistics.ticksPerSecond);
            if (seconds > 0) {
                table.time(prefix + "timer_" + TIMES[i], seconds);
            }
        }
        everything(prefix + "s_", statistics.sent);
        everything(prefix + "r_", statistics.received);
        everything(prefix + "rem_s_", statistics.remoteSent);
        everything(prefix + "rem_r_", statistics.remoteReceived);
    }

    private void everything(String prefix, Statistics.Count count) {
        if (count.bytes > 0) {
            table.size(prefix + "no_bytes", count.bytes);
        }
        debugCount(prefix + "no_msgs", count.messages);
        debugCount(prefix + "no_errs", count.errors);
    }

    private void debugCount(String name, long value) {
        if (value > 0) {
            table.count(name, value);
        }
    }
}
