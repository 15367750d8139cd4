// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;

/**
 * Cases with perftest and qperf between the kernel's siw and ours, both ways round, within the limits of the originals: without atomics,
 * immediate data and datagrams, and through the connection manager.
 */
final class SiwMeasurements {
    static final String QPERF_GROUP = "siw qperf";
    /** First port of qperf's control connections, which do not use MPA; the ports of its queue pairs are chosen by the host. */
    static final int FIRST_QPERF_PORT = 7980;
    static final int LAST_QPERF_PORT = 7999;

    private static final String PERFTEST_GROUP = "siw perftest -R";
    private static final int FIRST_PERFTEST_PORT = 7860;

    private final List<InteropCase> perftests = new ArrayList<>();
    private final List<InteropCase> qperfs = new ArrayList<>();

    private SiwMeasurements() {
    }

    static List<InteropCase> all() {
        SiwMeasurements all = new SiwMeasurements();
        for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
            all.perftest(role);
            all.qperf(role);
        }
        all.perftests.addAll(all.qperfs);
        return all.perftests;
    }

    /** Adds the cases of perftest. The parameters of the two ends are exchanged in SENDs, both ways. */
    private void perftest(Role role) {
        add(role, "write_bw", "100 WRITEs of 64 KiB", "RDMA Write", "Send", new Perftest("ib_write_bw -R -n 100", 65536, 100, true));
        add(role, "write_lat", "100 WRITEs of 2 bytes each way, seen in memory", "RDMA Write", "RDMA Write",
            new Perftest("ib_write_lat -R -n 100", 2, 100, true));
        add(role, "write-2qp-both", "two queue pairs, WRITEs both ways at once", "RDMA Write", "RDMA Write",
            new Perftest("ib_write_bw -R -q 2 -b -s 8192 -n 100", 8192, 200, true));
        add(role, "read_bw", "100 READs of 16 KiB, four at a time", "RDMA Read Request", "RDMA Read Response",
            new Perftest("ib_read_bw -R -o 4 -s 16384 -n 100", 16384, 100, true));
        add(role, "read_lat", "100 READs of 2 bytes", "RDMA Read Request", "RDMA Read Response",
            new Perftest("ib_read_lat -R -n 100", 2, 100, false));
        add(role, "send_bw", "600 messages of 4 KiB into 64 receives: WRITEs announce reposted receives", "Send", "RDMA Write",
            new Perftest("ib_send_bw -R -r 64 -s 4096 -n 600", 4096, 600, true));
        add(role, "send_lat", "100 messages of 2 bytes each way", "Send", "Send", new Perftest("ib_send_lat -R -n 100", 2, 100, true));
        add(role, "send-both", "200 messages of 4 KiB both ways at once, into 64 receives", "RDMA Write", "RDMA Write",
            new Perftest("ib_send_bw -R -b -r 64 -s 4096 -n 200", 4096, 200, true));
    }

    private void add(Role role, String name, String sentence, String fromClient, String fromServer, Perftest test) {
        int port = FIRST_PERFTEST_PORT + perftests.size();
        Ends ends = new Ends(role == Role.RESPONDER, IpVersion.IPV4, port);
        perftests.add(new InteropCase(PERFTEST_GROUP, name, sentence, role, ends.ip(), Set.of(), Set.of(), false, run -> {
            run.expectMessages(ends.client(), SiwCases.request(ends), "Send", fromClient);
            run.expectMessages(ends.server(), "reply for CRC", "Send", fromServer);
            test.measure(run, !ends.weServe(), "", port);
        }));
    }

    /**
     * Adds the cases of qperf. Most of its tests need a queue pair without receives, or without sends, at one end; the kernel's siw cannot
     * create one.
     */
    private void qperf(Role role) {
        // The client is notified twice, by the server's message and by a rejected connection. The order of the two is random.
        String refused = role == Role.REQUESTER ? "rc_bw:\n" : "failed to create QP: Invalid argument\n";
        addExchange(role, "rc_lat", "", "SEND of 1 byte, there and back", QPerf.line("latency", "s"));
        // An end that starts late still sends when the other posts no further receives, and without a receive iWARP ends the connection.
        // The 1,024 that are posted last for seconds with messages of this size.
        addExchange(role, "rc_bi_bw", "-m 256K ", "SEND of 256 KiB, both ways at once", QPerf.line("bw", "B/sec"));
        QPerf impossible = new QPerf("-cm1 rc_bw", refused);
        add(role, "rc_bw", "the kernel creates no queue pair with an empty queue: the client reports it", (run, ends) ->
            impossible.fail(run, ends.weServe(), ends.port()));
    }

    private void addExchange(Role role, String test, String options, String sentence, String result) {
        QPerf qperf = new QPerf("-cm1 " + options + test, result);
        add(role, test, sentence, (run, ends) -> {
            run.expectMessages(ends.client(), SiwCases.request(ends), "Send");
            run.expectMessages(ends.server(), "reply for CRC", "Send");
            qperf.measure(run, ends.weServe(), ends.port());
        });
    }

    /** Adds a case. When the time is over, one end closes while the other still sends: streams may end within a frame. */
    private void add(Role role, String name, String sentence, SiwCases.Exchange exchange) {
        Ends ends = new Ends(role == Role.RESPONDER, IpVersion.IPV4, FIRST_QPERF_PORT + qperfs.size());
        qperfs.add(new InteropCase(QPERF_GROUP, name, sentence, role, ends.ip(), Set.of(), Set.of(), true, run -> exchange.run(run, ends)));
    }
}
