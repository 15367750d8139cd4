// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.rxe.config.Segmentation;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpType;

/** Draws of a seed for the fabric and the queue pairs, made before anything runs. */
record Scenario(long seed, Mtu mtu, boolean ipv6, LinkProfile.IpHeader ipHeader, FaultPlan faults, boolean mayDie, int pairs,
                int sendDepth, int receiveDepth, int maxSge, int rdAtomic, int destRdAtomic, int timeout, int retryCount, int rnrRetry,
                int minRnrTimer, int psnA, int psnB, int requests, int packetBudget, int giantBytes, double signaled, boolean signalAll,
                boolean lateReceives, long iovaA, long iovaB, long startNs, int healAfterUs, Mix mix, List<Accident> accidents,
                QueuePairOptions optionsA, QueuePairOptions optionsB) {
    private static final long US = 1_000;
    /** As long as kernel rxe and our device say they take. */
    private static final int LONGEST_MESSAGE = 8 << 20;
    /** Packets a seed plans, so that it costs some milliseconds. */
    private static final int PACKET_BUDGET = 3000;
    /** A clock may have begun long ago, or below zero. */
    private static final long DAYS_NS = 1_000_000_000_000_000L;

    static Scenario draw(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Mtu mtu = Mtu.values()[random.nextInt(5)];
        boolean ipv6 = random.nextInt(4) == 0;
        LinkProfile.IpHeader header = LinkProfile.IpHeader.values()[random.nextInt(3)];
        boolean mayDie = random.nextInt(8) == 0;
        int giantBytes = mtu.bytes() >= 2048 && !mayDie && random.nextInt(40) == 0 ? LONGEST_MESSAGE - random.nextInt(3) : 0;
        double rates = mayDie ? 8 : giantBytes > 0 ? 0.1 : 1;
        FaultPlan faults = drawFaults(random, rates, ipv6 || header == LinkProfile.IpHeader.DELIVERED);
        int pairs = 1 + random.nextInt(3);
        int sendDepth = 1 << random.nextInt(6);
        int receiveDepth = 1 << random.nextInt(6);
        int maxSge = 1 + random.nextInt(5);
        int destRdAtomic = 1 + random.nextInt(8);
        int rdAtomic = 1 + random.nextInt(destRdAtomic);
        int timeout = 1 + random.nextInt(14);
        int retryCount = mayDie ? random.nextInt(8) : 7;
        int rnrRetry = mayDie && random.nextInt(3) == 0 ? random.nextInt(7) : 7;
        int minRnrTimer = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(14);
        int psnA = drawPsn(random);
        int psnB = drawPsn(random);
        int requests = 10 + random.nextInt(90);
        double signaled = random.nextInt(3) == 0 ? 1 : random.nextDouble();
        boolean signalAll = random.nextInt(8) == 0;
        boolean lateReceives = random.nextInt(3) == 0;
        long iovaA = drawIova(random);
        long iovaB = drawIova(random);
        long startNs = random.nextInt(3) == 0 ? 0 : random.nextLong(-DAYS_NS, DAYS_NS);
        int healAfterUs = 1 + random.nextInt(random.nextInt(3) == 0 ? 1 << random.nextInt(18) : 200_000);
        Mix mix = Mix.draw(random.split());
        List<Accident> accidents = drawAccidents(random, pairs, mix);
        QueuePairOptions optionsA = drawOptions(random);
        QueuePairOptions optionsB = drawOptions(random);
        if (optionsA.segmentation() == Segmentation.EQUAL && random.nextBoolean()) {
            // Enough for READs that are requested in pairs.
            rdAtomic = 16 + random.nextInt(16);
            destRdAtomic = 32;
        }
        return new Scenario(seed, mtu, ipv6, header, faults, mayDie, pairs, sendDepth, receiveDepth, maxSge, rdAtomic, destRdAtomic,
            timeout, retryCount, rnrRetry, minRnrTimer, psnA, psnB, requests, PACKET_BUDGET, giantBytes, signaled, signalAll, lateReceives,
            iovaA, iovaB, startNs, healAfterUs, mix, accidents, optionsA, optionsB);
    }

    /** In half of the seeds one or two. */
    private static List<Accident> drawAccidents(SplittableRandom random, int pairs, Mix mix) {
        List<Accident> accidents = new ArrayList<>();
        for (int i = random.nextInt(2) > 0 ? 0 : 1 + random.nextInt(5) / 4; i > 0; i--) {
            int victim = random.nextInt(pairs + mix.ucPairs() + mix.udPerSide());
            accidents.add(Accident.draw(random, victim, serviceOf(victim, pairs, mix)));
        }
        return accidents;
    }

    /**
     * Early recovery in a third of the seeds; probes in a third, after 1 to 20 ms, which is short enough for some in the midst of a
     * workload; packets of equal length in a third.
     */
    private static QueuePairOptions drawOptions(SplittableRandom random) {
        return QueuePairOptions.DEFAULT.withRecovery(random.nextInt(3) == 0 ? Recovery.EARLY : Recovery.TIMEOUT)
            .withKeepAliveNs(random.nextInt(3) == 0 ? (1 + random.nextInt(20)) * 1000 * US : 0)
            .withSegmentation(random.nextInt(3) == 0 ? Segmentation.EQUAL : Segmentation.FAITHFUL);
    }

    private static QpType serviceOf(int number, int pairs, Mix mix) {
        return number < pairs ? QpType.RC : number < pairs + mix.ucPairs() ? QpType.UC : QpType.UD;
    }

    /** Whether the network does nothing to packets but carry them, and the applications keep what is in use. */
    boolean isPerfect() {
        return !mayDie && faults.equals(faults.healed()) && accidents.isEmpty();
    }

    /** Whether work requests of these queue pairs, one on each side, may fail. */
    boolean mayDie(int number) {
        return mayDie || accidents.stream().anyMatch(accident -> accident.victim() == number && accident.kind().kills);
    }

    /** Returns whether an accident of these kinds happens to a queue pair. */
    boolean suffers(int number, boolean onA, Predicate<Accident.Kind> kinds) {
        return accidents.stream().anyMatch(each -> each.victim() == number && each.onA() == onA && kinds.test(each.kind()));
    }

    /** Often close to where PSNs wrap. */
    private static int drawPsn(SplittableRandom random) {
        return random.nextInt(3) == 0 ? random.nextInt(1 << 24) : 0xffffff - random.nextInt(300);
    }

    /** Anywhere in 64 bits, often at the very end or at zero. */
    private static long drawIova(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> -(1L << 28);
            default -> random.nextLong() & ~0xfffL;
        };
    }

    /**
     * @param scale  of the rates
     * @param intact whether damaged packets are surely detected: where the IP identification is hidden, which the ICRC covers, one in
     *     65,536 is not, so there the wire does not damage any
     */
    private static FaultPlan drawFaults(SplittableRandom random, double scale, boolean intact) {
        FaultPlan plan = FaultPlan.NONE.withDelay(US, US + random.nextInt(100) * US);
        if (random.nextInt(10) == 0) {
            return plan;
        }
        if (random.nextInt(3) > 0) {
            plan = plan.withLoss(random.nextDouble() * 0.03 * scale);
        }
        if (random.nextInt(3) > 0) {
            plan = plan.withDuplication(random.nextDouble() * 0.1);
        }
        if (random.nextInt(3) > 0) {
            plan = plan.withReordering(random.nextDouble() * 0.1, (1 + random.nextInt(500)) * US);
        }
        if (intact && random.nextInt(3) == 0) {
            plan = plan.withBitFlip(random.nextDouble() * 0.01 * scale);
        }
        if (intact && random.nextInt(3) == 0) {
            plan = plan.withTruncation(random.nextDouble() * 0.005 * scale);
        }
        if (intact && random.nextInt(3) == 0) {
            plan = plan.withExtension(random.nextDouble() * 0.005 * scale);
        }
        if (random.nextInt(3) == 0) {
            plan = plan.withPartition(random.nextDouble() * 0.0005 * scale, 2_000 * US * (long) Math.max(1, scale));
        }
        if (random.nextInt(3) == 0) {
            plan = plan.withClog(random.nextDouble() * 0.0005 * scale, 5_000 * US);
        }
        return plan;
    }
}
