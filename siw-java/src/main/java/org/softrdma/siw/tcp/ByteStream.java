// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;

/** A TCP connection as the device's owner sees it: bytes in order, both ways. All methods are for the owner. */
public interface ByteStream {
    /** Least payload of a full TCP segment over IPv4. RFC 9293 §3.7.1 */
    int SMALLEST_EMSS = 536;

    /** Notified when there is something to {@link #poll}, or room again after {@link #send} left bytes. */
    interface Listener {
        /** Handles the readiness at once. Called by the owner, within {@link Streams#poll}. */
        void onReady();

        /** Makes the owner call {@link #onReady} in a later round. Called by any thread; does not block. */
        void ring();
    }

    /** Sets the listener, which replaces any earlier one. It is not notified of what became ready before. */
    void listener(Listener listener);

    /**
     * Delivers some of what was received. If more is left than one turn takes, the listener is rung.
     *
     * @return whether the stream has ended behind these bytes: the peer closed it, or it broke. Reported once; the stream is aborted then
     */
    boolean poll(StreamSink sink);

    /** Payload bytes of a full TCP segment, at least 136; an estimate where the system does not tell. */
    int emss();

    /** Takes as many bytes as the connection has room for. They are sent even if the stream is closed next. */
    void send(StreamBuffer from);

    /** Ends the sending direction behind the last byte; the peer can still send. */
    void close();

    /** Ends both directions at once; nothing more is delivered or reported. */
    void abort();
}
