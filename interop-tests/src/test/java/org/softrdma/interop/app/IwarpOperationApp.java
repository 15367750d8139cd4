// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.net.InetAddress;

/**
 * Runs our end of one {@link IwarpOperation}, in the lab's network namespace; the guest runs the other.
 *
 * <pre>
 *   IwarpOperationApp NAME requester|responder HOST-ADDRESS GUEST-ADDRESS PORT
 * </pre>
 *
 * The second argument is our part; the requester initiates the connection. Exit code 0, or 1 with a stack trace.
 */
public final class IwarpOperationApp {
    private IwarpOperationApp() {
    }

    public static void main(String[] args) throws Exception {
        InetAddress guest = InetAddress.getByName(args[3]);
        int port = Integer.parseInt(args[4]);
        boolean weRequest = args[1].equals("requester");
        String address = weRequest ? args[3] : args[2];
        try (IwarpResponder responder = weRequest ? new GuestResponder(guest, port) : new JavaResponder(address, port);
             IwarpInitiator initiator = weRequest ? new JavaInitiator() : new GuestInitiator(guest)) {
            IwarpOperation.find(args[0]).body().run(initiator, responder, address, port);
        }
        System.exit(0);
    }
}
