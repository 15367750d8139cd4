// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.interop.app.IwarpOperation;
import org.softrdma.interop.app.IwarpOperationApp;

/** Cases for every {@link IwarpOperation}, requested by us and by the kernel. */
final class SiwOperations {
    private static final String GROUP = "siw verbs";
    private static final int FIRST_PORT = 7840;
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private SiwOperations() {
    }

    static List<InteropCase> all(KernelLab lab) {
        List<InteropCase> cases = new ArrayList<>();
        for (IwarpOperation operation : IwarpOperation.ALL) {
            for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
                Ends ends = new Ends(role == Role.RESPONDER, IpVersion.IPV4, FIRST_PORT + cases.size());
                cases.add(new InteropCase(GROUP, operation.name(), operation.sentence(), role, ends.ip(), Set.of(), Set.of(), false,
                    run -> run(lab, run, operation, role, ends)));
            }
        }
        return cases;
    }

    private static void run(KernelLab lab, CaseRun run, IwarpOperation operation, Role role, Ends ends) throws IOException {
        expect(run, ends.client(), SiwCases.request(ends), operation.asked());
        expect(run, ends.server(), operation.connects() ? "reply for CRC" : refusal(ends), operation.answered());
        VerbsPeer.start(lab);
        try (RunningCommand app = VerbsPeer.application(lab, run.file("app"), IwarpOperationApp.class, operation.name(), role.toString(),
                ends.ip().host, ends.ip().guest, Integer.toString(ends.port()))) {
            app.awaitSuccess(DEADLINE);
        }
    }

    /** Name of the rejecting reply, which requests CRCs if the request did. */
    private static String refusal(Ends ends) {
        return ends.weServe() ? "reply rejects" : "reply for CRC rejects";
    }

    private static void expect(CaseRun run, int sender, String first, Set<String> others) {
        List<String> all = new ArrayList<>(others);
        all.add(first);
        run.expectMessages(sender, all.toArray(String[]::new));
    }
}
