// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.fabric.ipoib.Prefix;

/** The IP stack behind an interface. */
public interface IpEnd extends AutoCloseable {
    /** The interface, as an IP stack uses it. Any thread. */
    interface Sender {
        /**
         * Sends a packet.
         *
         * @param packet from offset 0, copied
         * @param length bytes
         */
        void send(ByteBuffer packet, int length);

        /** The interface has these addresses now. */
        void onAddresses(List<Prefix> addresses);
    }

    /** Passes packets and addresses to the interface until {@link #close}. */
    void run(Sender sender);

    /**
     * The interface came up, or its MTU changed. Any thread.
     *
     * @param mtu bytes of the longest IP packet
     */
    void onUp(int mtu);

    /**
     * Receives a packet. Any thread.
     *
     * @param packet from offset 0 to its capacity
     */
    void receive(ByteBuffer packet);

    /** Lets {@link #run} return. Any thread. */
    @Override
    void close();
}
