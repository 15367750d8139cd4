// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.roce.Opcode;

/** Cases between applications on our device and on the kernel's, the same packages of Debian 12 on both sides; both ways round. */
final class ApplicationCases {
    private static final String GROUP = CPrograms.PREFIX + "applications";
    /** First port; each case has a port of its own. */
    private static final int FIRST_PORT = 7900;
    private static final Set<Integer> ACKS = Set.of(Opcode.RC_ACKNOWLEDGE);
    private static final String PINGPONG = "env FI_VERBS_GID_IDX=1 fi_pingpong -c -I 50 -p verbs -e msg ";
    private static final String IPERF = "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf3 ";

    private final List<InteropCase> cases = new ArrayList<>();

    private ApplicationCases() {
    }

    static List<InteropCase> all() {
        ApplicationCases all = new ApplicationCases();
        for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
            all.fio("fio-write", "64 WRITEs of 64 KiB", role, "write", "--size=4m --iodepth=8", "--size=4m --iodepth=8");
            all.fio("fio-read", "64 READs of 64 KiB", role, "read", "--size=4m --iodepth=8", "--size=4m --iodepth=8");
            all.fio("fio-send", "64 SENDs of 64 KiB, their checksums verified", role, "send", "--size=4m --iodepth=64 --verify=crc32c",
                "--size=4m --iodepth=8 --verify=crc32c --do_verify=0 --verify_state_save=0");
            all.add("rdma_xclient", "synchronous identifiers, the queue pair made by the library; one message", role, Set.of(),
                exchange(Program.RDMA_XCLIENT, " end 0\n"));
            all.add("riostream", "rsockets with riowrite: 60 transfers of 1000 bytes each way, verified", role, ACKS,
                exchange(Program.RIOSTREAM, "\ncustom    1000    20      3 "));
        }
        // docs/interop.md says why the guest does not serve these.
        all.add("fi_pingpong", "libfabric's connections, data checked", Role.SERVER, ACKS, (run, ends) -> {
            try (RunningCommand server = ends.start(run, true, "server", PINGPONG + "-B PORT")) {
                run.awaitListener(false, ends.port(), server);
                Ends.expect(ends.clientOf(run, server, PINGPONG + "-P PORT HOST"), List.of("=50"));
                server.awaitSuccess(Ends.DEADLINE);
            }
        });
        all.add("iperf3", "a TCP program on librspreload: 8 MiB", Role.SERVER, ACKS,
            exchange(new Program(IPERF + "-s -1 -p PORT -B HOST", IPERF + "-c HOST -p PORT -n 8M")));
        return all.cases;
    }

    private void fio(String name, String sentence, Role role, String verb, String server, String client) {
        add(name, sentence, role, ACKS, exchange(Program.fio(verb, server, client), "err= 0"));
    }

    private interface Exchange {
        void run(CaseRun run, Ends ends);
    }

    private static Exchange exchange(Program program, String... words) {
        return (run, ends) -> ends.exchange(run, program, words);
    }

    private void add(String name, String sentence, Role role, Set<Integer> responses, Exchange exchange) {
        Ends ends = new Ends(role == Role.SERVER, IpVersion.IPV4, FIRST_PORT + cases.size());
        cases.add(new InteropCase(GROUP, name, sentence, role, IpVersion.IPV4, Set.of(), responses, false, run -> {
            run.useCPrograms();
            exchange.run(run, ends);
        }));
    }
}
