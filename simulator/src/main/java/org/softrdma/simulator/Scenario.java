// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.SplittableRandom;
import org.softrdma.device.sim.FaultPlan;
import org.softrdma.device.sim.LinkProfile;
import org.softrdma.verbs.Mtu;

/** What a seed decides about the fabric and the queue pairs before anything runs. */
record Scenario(long seed, Mtu mtu, boolean ipv6, LinkProfile.IpHeader ipHeader, FaultPlan faults, boolean mayDie, int pairs,
                     int sendDepth, int receiveDepth, int maxSge, int rdAtomic, int destRdAtomic, int timeout, int retryCount, int rnrRetry,
                     int minRnrTimer, int psnA, int psnB, int requests, int packetBudget, double signaled, boolean lateReceives,
                     long iovaA, long iovaB, int healAfterUs) {
    private static final long US = 1_000;

    static Scenario draw(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Mtu mtu = Mtu.values()[random.nextInt(5)];
        boolean ipv6 = random.nextInt(4) == 0;
        LinkProfile.IpHeader header = LinkProfile.IpHeader.values()[random.nextInt(3)];
        boolean mayDie = random.nextInt(8) == 0;
        int destRdAtomic = 1 + random.nextInt(8);
        return new Scenario(seed, mtu, ipv6, header, drawFaults(random, mayDie, ipv6 || header == LinkProfile.IpHeader.DELIVERED),
            mayDie, 1 + random.nextInt(3),
            1 << random.nextInt(6), 1 << random.nextInt(6), 1 + random.nextInt(5), 1 + random.nextInt(destRdAtomic), destRdAtomic,
            1 + random.nextInt(14), mayDie ? random.nextInt(8) : 7, mayDie && random.nextInt(3) == 0 ? random.nextInt(7) : 7,
            random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(14), drawPsn(random), drawPsn(random), 10 + random.nextInt(60), 1500,
            random.nextInt(3) == 0 ? 1 : random.nextDouble(), random.nextInt(3) == 0, drawIova(random), drawIova(random),
            random.nextInt(20) == 0 ? 1 : random.nextInt(200_000));
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
     * @param intact whether damaged packets are surely detected: where the IP identification is hidden, which the ICRC covers, one in
     *     65,536 is not, so there the wire does not damage any
     */
    private static FaultPlan drawFaults(SplittableRandom random, boolean mayDie, boolean intact) {
        FaultPlan plan = FaultPlan.NONE.withDelay(US, US + random.nextInt(100) * US);
        double scale = mayDie ? 8 : 1;
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
            plan = plan.withPartition(random.nextDouble() * 0.0005 * scale, 2_000 * US * (long) scale);
        }
        if (random.nextInt(3) == 0) {
            plan = plan.withClog(random.nextDouble() * 0.0005 * scale, 5_000 * US);
        }
        return plan;
    }
}
