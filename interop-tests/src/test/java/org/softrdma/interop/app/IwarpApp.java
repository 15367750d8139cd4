// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.net.InetAddress;

/**
 * Runs every {@link IwarpViolation} against the guest's siw and against ours, and prints one line each: {@link #KERNEL} or {@link #OURS},
 * the number of the violation, the answer. Runs in the lab's network namespace.
 *
 * <pre>
 *   IwarpApp HOST-ADDRESS GUEST-ADDRESS FIRST-PORT
 * </pre>
 *
 * The exit code is 1 if a violation could not be run.
 */
public final class IwarpApp {
    public static final String KERNEL = "kernel ";
    public static final String OURS = "ours ";

    private IwarpApp() {
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[2]);
        InetAddress guest = InetAddress.getByName(args[1]);
        for (int i = 0; i < IwarpViolation.ALL.size(); i++) {
            IwarpViolation violation = IwarpViolation.ALL.get(i);
            try (IwarpResponder ours = new JavaResponder(args[0], port + i); RawIwarp peer = new RawIwarp(args[0], port + i)) {
                System.out.println(OURS + i + " " + violation.observe(peer, ours, false));
            }
            try (IwarpResponder theirs = new GuestResponder(guest, port + i); RawIwarp peer = new RawIwarp(args[1], port + i)) {
                System.out.println(KERNEL + i + " " + violation.observe(peer, theirs, true));
            }
        }
        System.exit(0);
    }
}
