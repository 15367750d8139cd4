// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.roce.Opcode;

/** Cases with perftest of Debian 12 in the guest and ours on the host, both ways round: the requester is the client. */
final class PerftestCases {
    /**
     * First port; each case has a port of its own, so none waits for the leftovers of an earlier one. The guest's own servers use 18600 and
     * 18601.
     */
    private static final int FIRST_PORT = 18700;

    private static final Set<Integer> ACKS = Set.of(Opcode.RC_ACKNOWLEDGE);
    private static final Set<Integer> WRITES =
        Set.of(Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE, Opcode.RC_RDMA_WRITE_LAST);
    private static final Set<Integer> SENDS = Set.of(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST);
    private static final Set<Integer> READS = Set.of(Opcode.RC_RDMA_READ_REQUEST);
    private static final Set<Integer> READ_ANSWERS = Set.of(Opcode.RC_RDMA_READ_RESPONSE_FIRST, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE,
        Opcode.RC_RDMA_READ_RESPONSE_LAST);
    private static final Set<Integer> ATOMIC_ANSWERS = Set.of(Opcode.RC_ATOMIC_ACKNOWLEDGE);

    private final List<InteropCase> cases = new ArrayList<>();

    private PerftestCases() {
    }

    static List<InteropCase> all() {
        PerftestCases all = new PerftestCases();
        for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
            all.reliable(role);
            all.unreliable(role);
            all.byCm(role);
        }
        return all.cases;
    }

    private void reliable(Role role) {
        String group = "perftest RC";
        for (IpVersion ip : IpVersion.values()) {
            add(group, "write_bw", "200 WRITEs of 64 KiB", role, ip, WRITES, ACKS,
                new Perftest("ib_write_bw -m 1024 -n 200", 65536, 200, true));
            add(group, "send_lat", "300 messages of 2 bytes each way", role, ip, Set.of(Opcode.RC_SEND_ONLY), ACKS,
                new Perftest("ib_send_lat -n 300", 2, 300, true));
        }
        IpVersion ip = IpVersion.IPV4;
        add(group, "send_bw", "200 messages of 64 KiB", role, ip, SENDS, ACKS, new Perftest("ib_send_bw -m 1024 -n 200", 65536, 200, true));
        add(group, "read_bw", "200 READs of 16 KiB, four at a time", role, ip, READS, READ_ANSWERS,
            new Perftest("ib_read_bw -o 4 -m 1024 -s 16384 -n 200", 16384, 200, true));
        add(group, "atomic_bw", "300 FETCH_ADDs", role, ip, Set.of(Opcode.RC_FETCH_ADD), ATOMIC_ANSWERS,
            new Perftest("ib_atomic_bw -n 300", 8, 300, true));
        add(group, "write_lat", "300 WRITEs of 2 bytes each way, seen in memory", role, ip, Set.of(Opcode.RC_RDMA_WRITE_ONLY), ACKS,
            new Perftest("ib_write_lat -n 300", 2, 300, true));
        add(group, "read_lat", "300 READs of 2 bytes", role, ip, READS, Set.of(Opcode.RC_RDMA_READ_RESPONSE_ONLY),
            new Perftest("ib_read_lat -n 300", 2, 300, false));
        add(group, "atomic_lat", "300 compare-and-swaps", role, ip, Set.of(Opcode.RC_COMPARE_SWAP), ATOMIC_ANSWERS,
            new Perftest("ib_atomic_lat -A CMP_AND_SWAP -n 300", 8, 300, false));
        add(group, "write-all", "5 WRITEs of each size from 2 to 2^23", role, ip, WRITES, ACKS,
            new Perftest("ib_write_bw -a -n 5", 1 << 23, 5, false));
        add(group, "send-all", "5 messages of each size from 2 to 2^23", role, ip, SENDS, ACKS,
            new Perftest("ib_send_bw -a -n 5", 1 << 23, 5, true));
        add(group, "send-both", "100 messages of 4 KiB both ways at once", role, ip, SENDS, ACKS,
            new Perftest("ib_send_bw -b -m 1024 -s 4096 -n 100", 4096, 100, true));
        // One packet per message: docs/interop.md describes how the kernel repeats longer ones.
        add(group, "write-4qp-both", "four queue pairs, WRITEs both ways at once", role, ip, Set.of(Opcode.RC_RDMA_WRITE_ONLY), ACKS,
            new Perftest("ib_write_bw -b -q 4 -m 1024 -s 1024 -n 100", 1024, 400, true));
        add(group, "send-events", "both sleep on completion events", role, ip, SENDS, ACKS,
            new Perftest("ib_send_bw -e -m 1024 -s 4096 -n 200", 4096, 200, true));
        add(group, "write-time", "WRITEs for two seconds", role, ip, Set.of(Opcode.RC_RDMA_WRITE_ONLY), ACKS,
            new Perftest("ib_write_bw -D 2 -f 0 -s 512", 512, 0, true));
    }

    private void unreliable(Role role) {
        String group = "perftest UC and UD";
        IpVersion ip = IpVersion.IPV4;
        add(group, "uc-write_bw", "100 WRITEs of 1 KiB", role, ip, Set.of(Opcode.UC_RDMA_WRITE_ONLY), Set.of(),
            new Perftest("ib_write_bw -c UC -s 1024 -n 100", 1024, 100, true));
        add(group, "uc-send_lat", "300 messages of 2 bytes each way", role, ip, Set.of(Opcode.UC_SEND_ONLY), Set.of(),
            new Perftest("ib_send_lat -c UC -n 300", 2, 300, true));
        add(group, "ud-send_bw", "100 datagrams of 1 KiB", role, ip, Set.of(Opcode.UD_SEND_ONLY), Set.of(),
            new Perftest("ib_send_bw -c UD -s 1024 -n 100", 1024, 100, true));
        add(group, "ud-send_lat", "300 datagrams of 2 bytes each way", role, IpVersion.IPV6, Set.of(Opcode.UD_SEND_ONLY), Set.of(),
            new Perftest("ib_send_lat -c UD -n 300", 2, 300, true));
        add(group, "ud-send-all", "20 datagrams of each size from 2 to the MTU", role, ip, Set.of(Opcode.UD_SEND_ONLY), Set.of(),
            new Perftest("ib_send_bw -c UD -a -m 1024 -n 20", 1024, 20, true));
    }

    /** Adds the cases with {@code -R}: control messages and queue pairs both through the connection manager. */
    private void byCm(Role role) {
        String group = "perftest -R";
        IpVersion ip = IpVersion.IPV4;
        add(group, "write_bw", "100 WRITEs of 64 KiB", role, ip, WRITES, ACKS,
            new Perftest("ib_write_bw -R -m 1024 -n 100", 65536, 100, true));
        add(group, "send_lat", "100 messages of 2 bytes each way", role, ip, Set.of(Opcode.RC_SEND_ONLY), ACKS,
            new Perftest("ib_send_lat -R -n 100", 2, 100, true));
        add(group, "read-2qp", "two queue pairs, READs of 16 KiB", role, ip, READS, READ_ANSWERS,
            new Perftest("ib_read_bw -R -q 2 -o 4 -m 1024 -s 16384 -n 100", 16384, 200, true));
        add(group, "ud-send_bw", "100 datagrams of 1 KiB", role, ip, Set.of(Opcode.UD_SEND_ONLY), Set.of(),
            new Perftest("ib_send_bw -R -c UD -s 1024 -n 100", 1024, 100, true));
        add(group, "ud-send_lat", "100 datagrams of 2 bytes each way", role, ip,
            Set.of(Opcode.UD_SEND_ONLY, Opcode.UD_SEND_ONLY_WITH_IMMEDIATE), Set.of(),
            new Perftest("ib_send_lat -R -c UD -n 100", 2, 100, true));
    }

    private void add(String group, String name, String sentence, Role role, IpVersion ip, Set<Integer> requests, Set<Integer> responses,
            Perftest test) {
        int port = FIRST_PORT + cases.size();
        cases.add(new InteropCase(group, name, sentence, role, ip, requests, responses, false, run -> run(run, test, role, ip, port)));
    }

    private static void run(CaseRun run, Perftest test, Role role, IpVersion ip, int port) {
        boolean guestServes = role == Role.REQUESTER;
        if (test.isByCm()) {
            run.expectMessages(guestServes ? CaptureReport.OURS : CaptureReport.KERNEL, "REQ", "RTU");
            run.expectMessages(guestServes ? CaptureReport.KERNEL : CaptureReport.OURS, "REP");
        }
        test.measure(run, guestServes, test.isByCm() ? "" : " -x " + ip.gidIndex, port);
    }
}
