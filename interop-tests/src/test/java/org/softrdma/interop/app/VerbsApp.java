// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/**
 * The test application: runs our end of one case, in the lab's network namespace.
 *
 * <pre>
 *   VerbsApp operation|violation NAME requester|responder|both GID-INDEX GUEST-ADDRESS GUEST-GID-INDEX
 * </pre>
 *
 * The third argument is our part; the guest runs the other, and "both" runs the two one after the other. Prints the progress, our counters,
 * and for a violation lines of {@link #OBSERVED}, our part and the answer. Exit code 0, 1 with a stack trace, or {@link #UNSUPPORTED} when
 * our device lacks a feature of the case.
 */
public final class VerbsApp {
    public static final int UNSUPPORTED = 77;
    public static final String OBSERVED = "observed as ";
    public static final String COUNTER = "counter ";
    private static final String DEVICE = "rxe0";

    private VerbsApp() {
    }

    public static void main(String[] args) throws Exception {
        int gidIndex = Integer.parseInt(args[3]);
        InetAddress guest = InetAddress.getByName(args[4]);
        int guestGidIndex = Integer.parseInt(args[5]);
        try (Context context = Verbs.open(DEVICE)) {
            try {
                for (String role : args[2].equals("both") ? List.of("requester", "responder") : List.of(args[2])) {
                    run(args[0].equals("operation"), args[1], role, context, gidIndex, guest, guestGidIndex);
                }
            } finally {
                for (Map.Entry<String, Long> each : context.counters().entrySet()) {
                    if (each.getValue() != 0) {
                        System.out.println(COUNTER + each.getKey() + " " + each.getValue());
                    }
                }
            }
        } catch (VerbsException refused) {
            refused.printStackTrace();
            System.exit(refused.errno() == Errno.EOPNOTSUPP ? UNSUPPORTED : 1);
        } catch (RuntimeException | AssertionError failed) {
            failed.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(boolean operation, String name, String role, Context context, int gidIndex, InetAddress guest,
                            int guestGidIndex) {
        boolean weRequest = role.equals("requester");
        Settings requester = operation ? Operation.find(name).requester() : Violation.find(name).requester();
        Settings responder = operation ? Operation.find(name).responder() : Violation.find(name).responder();
        try (JavaEndpoint ours = new JavaEndpoint(context, gidIndex, weRequest ? requester : responder);
             GuestEndpoint theirs = new GuestEndpoint(guest, guestGidIndex, weRequest ? responder : requester)) {
            ours.connect(theirs.reach());
            theirs.connect(ours.reach());
            Endpoint from = weRequest ? ours : theirs;
            Endpoint to = weRequest ? theirs : ours;
            if (operation) {
                Operation.find(name).body().run(from, to);
            } else {
                System.out.println(OBSERVED + role + ": " + Violation.find(name).observe(from, to));
            }
        }
    }
}
