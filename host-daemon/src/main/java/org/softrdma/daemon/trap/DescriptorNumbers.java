// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.linux.process.DescriptorRange;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Numbers that descriptors of device files get in programs. A filter sees numbers only: calls that would show what a file is are trapped
 * from the first of these numbers on, and reads and writes in the ranges of files whose every call is ours. Devices take numbers outside of
 * these ranges first, because their doorbells are writes. All are in the upper half of those that a program may use: programs take the
 * lowest free numbers themselves.
 *
 * @param verbs   of {@link DeviceFile.Kind#VERBS}, in the order in which they are taken; a program's limit may end them earlier
 * @param calls   of {@link DeviceFile.Kind#CONNECTIONS} and {@link DeviceFile.Kind#MANAGEMENT}, in the same way
 * @param netlink of sockets of the netlink family RDMA
 */
public record DescriptorNumbers(List<DescriptorRange> verbs, List<DescriptorRange> calls, DescriptorRange netlink) {
    /** Programs that use select(2) cannot handle numbers above. */
    private static final int HIGHEST_END = 1020;
    private static final int MOST_NETLINK = 16;
    private static final int LOWEST_LIMIT = 32;
    /** From this limit on there are further numbers for calls. */
    private static final int HIGH_LIMIT = 2048;
    /** The numbers for calls end here: a program's table of descriptors is as long as its highest number. */
    private static final int HIGHEST_CALLS = 16_384;

    /**
     * Chooses the numbers. Of those below 1020 or the limit, the upper half is for devices: a quarter of these are first, then come those
     * of calls, and 16 for netlink. With a limit of 2048 or more, the upper quarter of those below 16,384 is for calls as well, and devices
     * take any above 1020 besides.
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
        int first = end / 2;
        int firstCall = first + end / 8;
        int endOfCalls = end - Math.min(MOST_NETLINK, end / 16);
        List<DescriptorRange> verbs = new ArrayList<>(List.of(new DescriptorRange(first, firstCall)));
        List<DescriptorRange> calls = new ArrayList<>(List.of(new DescriptorRange(firstCall, endOfCalls)));
        int above = end;
        if (limit < 0 || limit >= HIGH_LIMIT) {
            int endOfMore = limit < 0 ? HIGHEST_CALLS : (int) Math.min(limit, HIGHEST_CALLS);
            calls.add(new DescriptorRange(endOfMore / 4 * 3, endOfMore));
            verbs.add(new DescriptorRange(above, calls.getLast().first()));
            above = endOfMore;
        }
        verbs.add(new DescriptorRange(above, Integer.MAX_VALUE));
        // The last resort: doorbells are slow in the ranges of calls.
        verbs.add(new DescriptorRange(firstCall, end));
        verbs.addAll(calls.subList(1, calls.size()));
        return new DescriptorNumbers(List.copyOf(verbs), List.copyOf(calls), new DescriptorRange(endOfCalls, end));
    }

    /** The lowest number of a device. */
    public int first() {
        return verbs.getFirst().first();
    }

    /** The numbers of a kind, in the order in which they are taken; none for one whose descriptors have any number. */
    List<DescriptorRange> of(DeviceFile.Kind kind) {
        return switch (kind) {
            case VERBS -> verbs;
            case CONNECTIONS, MANAGEMENT -> calls;
            case EVENTS -> List.of();
        };
    }
}
