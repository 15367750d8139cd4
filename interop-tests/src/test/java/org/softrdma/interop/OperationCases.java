// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.interop.app.Operation;
import org.softrdma.interop.app.VerbsApp;

/** Every RC operation, requested by us and by the kernel. */
final class OperationCases {
    /** What also runs over IPv6: a packet of each shape. */
    private static final Set<String> ALSO_IPV6 = Set.of("write-33", "write-5000", "read-5000", "cmp-swap", "send-imm-3001",
        "write-imm-2500", "pipeline");

    private OperationCases() {
    }

    static List<InteropCase> all(KernelLab lab) {
        List<InteropCase> cases = new ArrayList<>();
        for (Operation operation : Operation.ALL) {
            for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
                for (IpVersion ip : IpVersion.values()) {
                    if (ip == IpVersion.IPV4 || ALSO_IPV6.contains(operation.name())) {
                        cases.add(new InteropCase("verbs", operation.name(), operation.sentence(), role, ip, operation.requests(),
                            operation.responses(), operation.faulty(), run -> run(lab, run, operation, role, ip)));
                    }
                }
            }
        }
        return cases;
    }

    private static void run(KernelLab lab, CaseRun run, Operation operation, Role role, IpVersion ip) throws Exception {
        String output = VerbsPeer.run(lab, run.file("app"), "operation", operation.name(), role.toString(), ip);
        output.lines().filter(line -> line.startsWith(VerbsApp.COUNTER)).forEach(line -> {
            String[] words = line.split(" ");
            run.ourCounter(words[1], Long.parseLong(words[2]));
        });
    }
}
