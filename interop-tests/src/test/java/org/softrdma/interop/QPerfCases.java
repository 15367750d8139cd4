// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.roce.Opcode;

/**
 * Cases between Debian's qperf on the kernel's rxe and ours, both ways round: every test that it has for Ethernet. A test takes a second;
 * the client must report a result other than 0, both ends must succeed, and the packets under test must be seen on the wire.
 */
final class QPerfCases {
    private static final String GROUP = "qperf";
    /** First port; each case has a port of its own. */
    private static final int FIRST_PORT = 19800;

    private static final Set<Integer> NONE = Set.of();
    private static final Set<Integer> ACKS = Set.of(Opcode.RC_ACKNOWLEDGE);

    private final List<InteropCase> cases = new ArrayList<>();

    private QPerfCases() {
    }

    static List<InteropCase> all() {
        QPerfCases all = new QPerfCases();
        for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
            all.add(role, "conf", "what both ends are", "", "loc_qperf  =  0\\.4\\.11\\n(?s:.*)rem_qperf  =  0\\.4\\.11", NONE, NONE);
            all.add(role, "tcp_bw", "TCP, one way", "", QPerf.line("bw", "B/sec"), NONE, NONE);
            all.add(role, "tcp_lat", "TCP, there and back", "", QPerf.line("latency", "s"), NONE, NONE);
            all.add(role, "udp_lat", "UDP, there and back", "", QPerf.line("latency", "s"), NONE, NONE);
            all.rdma(role, "rc_bw", "SEND of 64 KiB, one way", QPerf.line("bw", "B/sec"),
                Set.of(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST), ACKS);
            all.rdma(role, "rc_bi_bw", "SEND of 64 KiB, both ways at once", QPerf.line("bw", "B/sec"),
                Set.of(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST), ACKS);
            all.rdma(role, "rc_lat", "SEND of 1 byte, there and back", QPerf.line("latency", "s"), Set.of(Opcode.RC_SEND_ONLY), ACKS);
            all.rdma(role, "rc_rdma_write_bw", "WRITE with immediate of 64 KiB, one way", QPerf.line("bw", "B/sec"),
                Set.of(Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE, Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE), ACKS);
            all.rdma(role, "rc_rdma_write_lat", "WRITE with immediate of 1 byte, there and back", QPerf.line("latency", "s"),
                Set.of(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), ACKS);
            all.rdma(role, "rc_rdma_write_poll_lat", "WRITE of 1 byte, there and back, noticed in memory", QPerf.line("latency", "s"),
                Set.of(Opcode.RC_RDMA_WRITE_ONLY), ACKS);
            all.rdma(role, "rc_rdma_read_bw", "READ of 64 KiB", QPerf.line("bw", "B/sec"), Set.of(Opcode.RC_RDMA_READ_REQUEST),
                Set.of(Opcode.RC_RDMA_READ_RESPONSE_FIRST, Opcode.RC_RDMA_READ_RESPONSE_LAST));
            all.rdma(role, "rc_rdma_read_lat", "READ of 1 byte", QPerf.line("latency", "s"), Set.of(Opcode.RC_RDMA_READ_REQUEST),
                Set.of(Opcode.RC_RDMA_READ_RESPONSE_ONLY));
            all.rdma(role, "rc_compare_swap_mr", "compare and swap", QPerf.line("msg_rate", "/sec"), Set.of(Opcode.RC_COMPARE_SWAP),
                Set.of(Opcode.RC_ATOMIC_ACKNOWLEDGE));
            all.rdma(role, "rc_fetch_add_mr", "fetch and add", QPerf.line("msg_rate", "/sec"), Set.of(Opcode.RC_FETCH_ADD),
                Set.of(Opcode.RC_ATOMIC_ACKNOWLEDGE));
            all.rdma(role, "ver_rc_compare_swap", "compare and swap, every result checked", QPerf.line("msg_rate", "/sec"),
                Set.of(Opcode.RC_COMPARE_SWAP), Set.of(Opcode.RC_ATOMIC_ACKNOWLEDGE));
            all.rdma(role, "ver_rc_fetch_add", "fetch and add, every result checked", QPerf.line("msg_rate", "/sec"),
                Set.of(Opcode.RC_FETCH_ADD), Set.of(Opcode.RC_ATOMIC_ACKNOWLEDGE));
        }
        return all.cases;
    }

    private void rdma(Role role, String test, String sentence, String result, Set<Integer> requests, Set<Integer> responses) {
        Set<Integer> all = new HashSet<>(requests);
        all.add(Opcode.UD_SEND_ONLY);
        add(role, test, sentence, "-cm1 ", result, all, responses);
    }

    /** Adds a case. When the time is over, one end still sends while the other no longer receives, so retries are part of the case. */
    private void add(Role role, String test, String sentence, String options, String result, Set<Integer> requests,
            Set<Integer> responses) {
        int port = FIRST_PORT + cases.size();
        boolean weServe = role == Role.RESPONDER;
        cases.add(new InteropCase(GROUP, test, sentence, role, IpVersion.IPV4, requests, responses, !requests.isEmpty(), run -> {
            if (!requests.isEmpty()) {
                run.expectMessages(weServe ? CaptureReport.KERNEL : CaptureReport.OURS, "REQ", "RTU", "DREQ");
                run.expectMessages(weServe ? CaptureReport.OURS : CaptureReport.KERNEL, "REP", "DREP");
            }
            new QPerf(options + test, result).measure(run, weServe, port);
        }));
    }
}
