// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import org.softrdma.interop.app.IwarpResponder.Region;
import org.softrdma.verbs.WcStatus;

/** The end of an iWARP connection that asks for it: ours, or the guest's kernel's. It keeps still until it is told to. */
interface IwarpInitiator extends AutoCloseable {
    /**
     * What came of a request.
     *
     * @param event       its name in the C API
     * @param privateData what the peer said
     */
    record Answer(String event, byte[] privateData) {
    }

    Answer connect(String address, int port);

    /** A WRITE, to its end. */
    WcStatus write(Region to, byte[] data);

    /** A SEND that invalidates a key of the peer, to its end. */
    WcStatus sendWithInvalidate(int stag, byte[] data);

    /** Waits for the next event, and returns its name. */
    String event();

    @Override
    void close();
}
