// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.SendRequest;

/** Datagrams of the tests: their immediate data is the sender's queue pair number. */
final class UdMessages {
    /** Bytes before the message in every receive. */
    static final int GRH_BYTES = 40;
    private static final int INVALID = -22;

    private UdMessages() {
    }

    /** Checks that a message fits into one packet. */
    static void checkSize(TestNode node, TestOptions options, Console console) {
        int mtu = node.id.verbs().queryPort(node.id.port()).activeMtu().bytes();
        if (options.messageCount != 0 && options.messageSize > mtu) {
            console.print(node.prefix + ": message_size " + options.messageSize + " is larger than active mtu " + mtu + "\n");
            throw new TestFailure(INVALID);
        }
    }

    static SendRequest request(TestNode node) {
        return new SendRequest().sendWithImmediate(node.id.qp().qpNum()).to(node.handle, node.remoteQpn, node.remoteQkey);
    }
}
