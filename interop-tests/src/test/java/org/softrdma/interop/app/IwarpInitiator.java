// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import org.softrdma.interop.app.IwarpResponder.Region;
import org.softrdma.verbs.WcStatus;

/** The initiating end of an iWARP connection: ours, or the guest's kernel's. It acts only on calls of its methods. */
interface IwarpInitiator extends AutoCloseable {
    /**
     * Outcome of a connection request.
     *
     * @param event       name of the event in the C API
     * @param privateData private data received from the peer
     */
    record Answer(String event, byte[] privateData) {
    }

    Answer connect(String address, int port);

    /** Posts a WRITE and waits for its completion. */
    WcStatus write(Region to, byte[] data);

    /** Posts a SEND that invalidates a key of the peer, and waits for its completion. */
    WcStatus sendWithInvalidate(int stag, byte[] data);

    /**
     * Waits for the next event.
     *
     * @return the name of the event
     */
    String event();

    @Override
    void close();
}
