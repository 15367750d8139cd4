// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;

/** Connection of the queue pairs of a test's two ends. */
interface RdmaConnection extends AutoCloseable {
    /** Opens a device and makes a queue pair on it, with what {@link RdmaEnd#prepare} gives. */
    QueuePair open(RdmaEnd end);

    /** The node to send to the peer. */
    Node node(long address, int rkey);

    /** Makes the queue pair ready to send to {@code peer}. */
    void connect(Node peer);

    /** Sets the destination of {@code send}, if the service needs one. */
    default void address(SendRequest send, Node peer) {
    }

    /** Disconnects from the peer, which does so at the same time. */
    default void disconnect() {
    }

    void closeQueuePair();

    /** Closes the remaining objects, after those that belong to the device. */
    @Override
    void close();

    /** READs and atomics under way at once: what the user says, or all that the device can. */
    static int rdAtomic(Context context, Request request) {
        DeviceAttributes device = context.queryDevice();
        int wanted = request.number(Parameter.RD_ATOMIC);
        if (Integer.compareUnsigned(wanted, device.maxQpRdAtom()) > 0) {
            throw new QPerfFailure("device only supports " + device.maxQpRdAtom() + " (< " + Integer.toUnsignedString(wanted)
                + ") RDMA reads or atomics");
        }
        return wanted == 0 ? device.maxQpRdAtom() : wanted;
    }
}
