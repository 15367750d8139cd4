// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.List;
import org.softrdma.rxe.config.RoceWire;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;

/**
 * Opens a device on a network interface, over UDP or in raw frames, of one RoCE version, and prints each of its events with the port's
 * state and the addresses in its table.
 */
final class PortEventsPeer {
    private PortEventsPeer() {
    }

    public static void main(String[] arguments) {
        RxeOptions options = RxeOptions.DEFAULT.withWire(RoceWire.parse(arguments[1], arguments[2]));
        try (Context context = Rxe.device("port-events", arguments[0], options).open()) {
            System.out.println("ready " + state(context));
            while (true) {
                AsyncEvent event = context.getAsyncEvent(-1);
                System.out.println(event.type() + " " + state(context));
                event.ack();
            }
        }
    }

    private static String state(Context context) {
        List<String> ipv4 = context.queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).map(PortEventsPeer::text).toList();
        return context.queryPort(1).state() + " " + context.queryPort(1).physState() + " " + ipv4;
    }

    private static String text(GidEntry entry) {
        return entry.index() + "=" + entry.gid().toInetAddress().getHostAddress();
    }
}
