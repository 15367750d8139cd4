// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.SendRequest;

/** What the tests with datagrams do alike: each message says the sender's queue pair number in its immediate data. */
final class UdMessages {
    /** What precedes the message in every receive. */
    static final int GRH_BYTES = 40;
    private static final int INVALID = -22;

    private UdMessages() {
    }

    /** A datagram is one packet. */
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
