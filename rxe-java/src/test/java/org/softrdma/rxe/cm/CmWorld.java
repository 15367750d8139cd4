// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.softrdma.device.SeededRandom;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.mad.Mad;

/**
 * Hosts with nothing but communication management, a network between them, and a clock of its own. What goes wrong follows from the seed;
 * {@link #heal} ends it.
 */
final class CmWorld {
    static final long SECOND = 1_000_000_000L;

    private final SeededRandom random;
    private final List<CmHost> hosts = new ArrayList<>();
    private final PriorityQueue<Planned> plan = new PriorityQueue<>((a, b) -> a.atNs == b.atNs ? Long.compare(a.order, b.order)
        : Long.compare(a.atNs, b.atNs));
    private final StringBuilder trace = new StringBuilder();
    private long order;
    private long nowNs;
    private double loss;
    private double duplication;
    private double reordering;
    private Gid cut;

    private record Planned(long atNs, long order, Runnable what) {
    }

    CmWorld(long seed) {
        random = new SeededRandom(seed);
    }

    void add(CmHost host) {
        hosts.add(host);
    }

    long nowNs() {
        return nowNs;
    }

    SeededRandom random() {
        return random;
    }

    /** @param reorderingNow how many MADs come up to ten seconds late: after several repetitions */
    void trouble(double lossNow, double duplicationNow, double reorderingNow) {
        loss = lossNow;
        duplication = duplicationNow;
        reordering = reorderingNow;
    }

    void heal() {
        trouble(0, 0, 0);
    }

    /** From now on nothing comes to that host, or from it. */
    void cut(Gid host) {
        cut = host;
    }

    boolean hasCut() {
        return cut != null;
    }

    void at(long atNs, Runnable what) {
        plan.add(new Planned(atNs, order++, what));
    }

    void in(long delayNs, Runnable what) {
        at(nowNs + delayNs, what);
    }

    /** Lets everything happen that happens up to then. */
    void runUntil(long untilNs) {
        collect();
        while (true) {
            long nextNs = plan.isEmpty() ? Long.MAX_VALUE : plan.peek().atNs;
            for (CmHost host : hosts) {
                nextNs = Math.min(nextNs, host.manager().deadlineNs());
            }
            if (nextNs > untilNs) {
                nowNs = untilNs;
                return;
            }
            nowNs = Math.max(nowNs, nextNs);
            if (!plan.isEmpty() && plan.peek().atNs <= nowNs) {
                plan.poll().what.run();
            }
            for (CmHost host : hosts) {
                host.manager().onTime(nowNs);
            }
            collect();
        }
    }

    /** Only the clock goes on. */
    void pass(long durationNs) {
        nowNs += durationNs;
    }

    void runFor(long durationNs) {
        runUntil(nowNs + durationNs);
    }

    private void collect() {
        for (CmHost host : hosts) {
            for (OutgoingMad mad = host.manager().nextOutgoing(); mad != null; mad = host.manager().nextOutgoing()) {
                carry(mad);
            }
            for (OutgoingMad mad = host.manager().nextRefusal(); mad != null; mad = host.manager().nextRefusal()) {
                carry(mad);
            }
        }
    }

    private void carry(OutgoingMad outgoing) {
        boolean lost = random.chance(loss);
        boolean twice = random.chance(duplication);
        note(outgoing, lost ? "lost" : "");
        if (!lost) {
            launch(outgoing);
        }
        if (twice) {
            launch(outgoing);
        }
    }

    private void launch(OutgoingMad outgoing) {
        long delayNs = random.between(1_000, 1_000_000);
        boolean late = random.chance(reordering);
        long extraNs = random.between(1, 10 * SECOND);
        in(late ? delayNs + extraNs : delayNs, () -> deliver(outgoing));
    }

    private void deliver(OutgoingMad outgoing) {
        if (outgoing.gids().remote().equals(cut) || outgoing.gids().local().equals(cut)) {
            return;
        }
        for (CmHost host : hosts) {
            if (host.address().equals(outgoing.gids().remote())) {
                host.manager().onMad(nowNs, gids(outgoing.gids().remote(), outgoing.gids().local()), outgoing.mad());
            }
        }
    }

    private void note(OutgoingMad outgoing, String fate) {
        ByteBuffer mad = outgoing.mad();
        note(outgoing.gids().local() + " > " + outgoing.gids().remote() + " " + CmMessage.name(Mad.attribute(mad, 0)) + " "
            + Integer.toHexString(CmMessage.LOCAL_COMM_ID.get(mad, 0)) + " " + Integer.toHexString(CmMessage.REMOTE_COMM_ID.get(mad, 0))
            + " " + fate);
    }

    void note(String what) {
        trace.append(String.format("%,18d ns  %s%n", nowNs, what));
    }

    /** Returns the log of all messages and events. */
    String trace() {
        return trace.toString();
    }

    /** Over RoCE v2. */
    static GidPair gids(Gid local, Gid remote) {
        return new GidPair(GidType.ROCE_V2, local, remote);
    }

    static Gid gid(int host) {
        return Gid.ofIpv4(0x0a000000 | host);
    }
}
