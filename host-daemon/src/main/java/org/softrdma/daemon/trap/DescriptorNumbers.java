// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.linux.process.DescriptorRange;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Numbers that descriptors of device files get in programs. A filter sees numbers only, so each kind has a range of its own, at the end of
 * those that a program may use: programs take the lowest free numbers themselves.
 *
 * @param verbs       of {@link DeviceFile.Kind#VERBS}
 * @param connections of {@link DeviceFile.Kind#CONNECTIONS} and {@link DeviceFile.Kind#MANAGEMENT}
 * @param netlink     of sockets of the netlink family RDMA
 */
public record DescriptorNumbers(DescriptorRange verbs, DescriptorRange connections, DescriptorRange netlink) {
    /** Programs that use select(2) cannot handle numbers above. */
    private static final int HIGHEST_END = 1020;
    private static final int MOST_CONNECTIONS = 80;
    private static final int MOST_NETLINK = 16;
    private static final int LOWEST_LIMIT = 32;

    /**
     * Chooses the ranges: 255, 80 and 16 numbers below 1020 or, with a lower limit, a quarter, an eighth and a sixteenth of it at most.
     *
     * @param limit open files that a program may have ({@code ulimit -n}); negative for no limit
     * @throws VerbsException EMFILE: the limit is below 32
     */
    public static DescriptorNumbers of(long limit) {
        if (limit >= 0 && limit < LOWEST_LIMIT) {
            throw new VerbsException(Errno.EMFILE, "run",
                "programs may open " + limit + " files; " + LOWEST_LIMIT + " are needed (ulimit -n)");
        }
        int end = limit < 0 ? HIGHEST_END : (int) Math.min(limit, HIGHEST_END);
        int netlink = Math.min(MOST_NETLINK, end / 16);
        int connections = Math.min(MOST_CONNECTIONS, end / 8);
        int verbs = end / 4;
        int endOfConnections = end - netlink;
        int endOfVerbs = endOfConnections - connections;
        return new DescriptorNumbers(new DescriptorRange(endOfVerbs - verbs, endOfVerbs), new DescriptorRange(endOfVerbs, endOfConnections),
            new DescriptorRange(endOfConnections, end));
    }

    /** Whether a descriptor's number is in one of the ranges. */
    boolean contains(int number) {
        return verbs.contains(number) || connections.contains(number);
    }

    /** The range of a kind; null for one whose descriptors have any number. */
    DescriptorRange of(DeviceFile.Kind kind) {
        return switch (kind) {
            case VERBS -> verbs;
            case CONNECTIONS, MANAGEMENT -> connections;
            case EVENTS -> null;
        };
    }
}
