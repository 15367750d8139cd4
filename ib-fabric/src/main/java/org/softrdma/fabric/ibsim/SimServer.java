// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.net.InetSocketAddress;

/** Server of ibsim's protocol, as its clients reach it: ibsim, or a fabric of ours. */
public sealed interface SimServer {
    /**
     * By sockets of this host.
     *
     * @param base first part of their names
     */
    record Local(String base) implements SimServer {
        @Override
        public String toString() {
            return "sockets " + base;
        }
    }

    /**
     * By UDP.
     *
     * @param control address of the control port; the ports of the clients follow it
     */
    record Udp(InetSocketAddress control) implements SimServer {
        @Override
        public String toString() {
            return "UDP " + control.getHostString() + ":" + control.getPort();
        }
    }
}
