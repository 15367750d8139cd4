// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.softrdma.device.SeededRandom;
import org.softrdma.rxe.cm.CommunicationManager;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.OutgoingMad;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.mad.Mad;

/**
 * Hosts with nothing but communication management, a network between them, and a clock of its own. The faults of the network follow from
 * the seed; {@link #heal} ends them.
 */
public final class CmWorld {
    /** Nanoseconds. */
    public static final long SECOND = 1_000_000_000L;

    private final SeededRandom random;
    private final Consumer<String> trace;
    private final List<Host> hosts = new ArrayList<>();
    private final PriorityQueue<Planned> plan = new PriorityQueue<>((a, b) -> a.atNs == b.atNs ? Long.compare(a.order, b.order)
        : Long.compare(a.atNs, b.atNs));
    private long order;
    private long nowNs;
    private double loss;
    private double duplication;
    private double reordering;
    private Gid cut;
    private long mads;
    private long digest = 1;

    /** A host of the network. */
    public interface Host {
        Gid address();

        /** The host's communication management; another one after a restart. */
        CommunicationManager manager();
    }

    private record Planned(long atNs, long order, Runnable what) {
    }

    /** Creates an empty network without faults. */
    public CmWorld(long seed) {
        this(seed, null);
    }

    /**
     * Creates an empty network without faults.
     *
     * @param trace receives a line for each MAD that is sent, and each {@link #note}; null for none
     */
    public CmWorld(long seed, Consumer<String> trace) {
        random = new SeededRandom(seed);
        this.trace = trace;
    }

    public void add(Host host) {
        hosts.add(host);
    }

    /** Virtual time. */
    public long nowNs() {
        return nowNs;
    }

    public SeededRandom random() {
        return random;
    }

    // ---- faults ----

    /**
     * Sets the rates of faults, 0 to 1.
     *
     * @param reorderingNow share of MADs that arrive up to ten seconds late, after several repetitions
     */
    public void trouble(double lossNow, double duplicationNow, double reorderingNow) {
        loss = lossNow;
        duplication = duplicationNow;
        reordering = reorderingNow;
    }

    /** Ends all faults of the network, except a cut. */
    public void heal() {
        trouble(0, 0, 0);
    }

    /** Cuts a host off: nothing arrives there any more, nor elsewhere from it. */
    public void cut(Gid host) {
        cut = host;
    }

    public boolean hasCut() {
        return cut != null;
    }

    // ---- time ----

    /** Plans an action for a time. */
    public void at(long atNs, Runnable what) {
        plan.add(new Planned(atNs, order++, what));
    }

    /** Plans an action for a time after a delay. */
    public void in(long delayNs, Runnable what) {
        at(nowNs + delayNs, what);
    }

    /** Runs actions, timers and deliveries up to a time. */
    public void runUntil(long untilNs) {
        collect();
        while (true) {
            long nextNs = plan.isEmpty() ? Long.MAX_VALUE : plan.peek().atNs;
            for (Host host : hosts) {
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
            for (Host host : hosts) {
                host.manager().onTime(nowNs);
            }
            collect();
        }
    }

    /** Runs as {@link #runUntil} does, for a while. */
    public void runFor(long durationNs) {
        runUntil(nowNs + durationNs);
    }

    /** Advances the clock, and nothing else. */
    public void pass(long durationNs) {
        nowNs += durationNs;
    }

    // ---- the network ----

    private void collect() {
        for (Host host : hosts) {
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
        mads++;
        digest = 31 * (31 * digest + nowNs) + outgoing.mad().hashCode();
        if (trace != null) {
            note(describe(outgoing) + (lost ? " lost" : ""));
        }
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
        for (Host host : hosts) {
            if (host.address().equals(outgoing.gids().remote())) {
                host.manager().onMad(nowNs, gids(outgoing.gids().remote(), outgoing.gids().local()), outgoing.mad());
            }
        }
    }

    // ---- observation ----

    /** Number of MADs sent, whatever became of them. */
    public long mads() {
        return mads;
    }

    /** Digest of all MADs sent and their times: equal for equal runs. */
    public long digest() {
        return digest;
    }

    private static String describe(OutgoingMad outgoing) {
        ByteBuffer mad = outgoing.mad();
        return outgoing.gids().local() + " > " + outgoing.gids().remote() + " " + CmMessage.name(Mad.attribute(mad, 0)) + " "
            + Integer.toHexString(CmMessage.LOCAL_COMM_ID.get(mad, 0)) + " " + Integer.toHexString(CmMessage.REMOTE_COMM_ID.get(mad, 0));
    }

    /** Adds a line to the trace. */
    public void note(String what) {
        if (trace != null) {
            trace.accept(String.format(Locale.ROOT, "%,18d ns  %s", nowNs, what));
        }
    }

    /** The addresses of MADs, over RoCE v2. */
    public static GidPair gids(Gid local, Gid remote) {
        return new GidPair(GidType.ROCE_V2, local, remote);
    }

    /** The address of a host, 1 to 254. */
    public static Gid gid(int host) {
        return Gid.ofIpv4(0x0a000000 | host);
    }
}
