// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.interop.app.Operation;
import org.softrdma.interop.app.VerbsApp;

/** Cases for every operation, requested by us and by the kernel. */
final class OperationCases {
    /** Operations that also run over IPv6: one for each packet layout. */
    private static final Set<String> ALSO_IPV6 = Set.of("write-33", "write-5000", "read-5000", "cmp-swap", "send-imm-3001",
        "write-imm-2500", "pipeline", "uc-write-imm-2500", "ud-send-imm-4096", "write-atomic-write");
    private static final Set<String> STILL = Set.of("write-5000", "read-1M", "send-inv", "pipeline");

    private OperationCases() {
    }

    static List<InteropCase> all(KernelLab lab) {
        List<InteropCase> cases = new ArrayList<>();
        addAll(cases, lab, "verbs", Operation.ALL);
        addAll(cases, lab, "verbs UC and UD", Operation.UNRELIABLE);
        return cases;
    }

    /** Operations of kernels since 6.4, and a few earlier ones that show that the later kernel behaves the same otherwise. */
    static List<InteropCase> ofLaterKernel(KernelLab lab) {
        List<InteropCase> cases = new ArrayList<>();
        addAll(cases, lab, "later", Operation.PLACEMENTS);
        for (Operation operation : Operation.FLUSHES_OF_RXE) {
            cases.add(make(lab, "later", operation, Role.REQUESTER, IpVersion.IPV4));
        }
        addAll(cases, lab, "later", Operation.ALL.stream().filter(each -> STILL.contains(each.name())).toList());
        return cases;
    }

    private static void addAll(List<InteropCase> cases, KernelLab lab, String group, List<Operation> operations) {
        for (Operation operation : operations) {
            for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
                for (IpVersion ip : IpVersion.values()) {
                    if (ip == IpVersion.IPV4 || ALSO_IPV6.contains(operation.name())) {
                        cases.add(make(lab, group, operation, role, ip));
                    }
                }
            }
        }
    }

    private static InteropCase make(KernelLab lab, String group, Operation operation, Role role, IpVersion ip) {
        return new InteropCase(group, operation.name(), operation.sentence(), role, ip, operation.requests(), operation.responses(),
            operation.faulty(), run -> run(lab, run, operation, role, ip));
    }

    private static void run(KernelLab lab, CaseRun run, Operation operation, Role role, IpVersion ip) throws Exception {
        String output = VerbsPeer.run(lab, run.file("app"), "operation", operation.name(), role.toString(), ip);
        output.lines().filter(line -> line.startsWith(VerbsApp.COUNTER)).forEach(line -> {
            String[] words = line.split(" ");
            run.ourCounter(words[1], Long.parseLong(words[2]));
        });
    }
}
