// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.siw.mpa.StreamBuffer;

/** A TCP connection as the device's owner sees it: bytes in order, both ways. All methods are the owner's. */
public interface ByteStream {
    /** Least payload of a full TCP segment over IPv4. RFC 9293 §3.7.1 */
    int SMALLEST_EMSS = 536;

    /** Takes what comes in. */
    interface Sink {
        /** Bytes [from, to) of {@code b}, which must not be kept. @param bytes the same bytes as {@code b} */
        void onBytes(ByteBuffer b, MemorySegment bytes, int from, int to);

        /**
         * Bytes that come next and have a place already, so that they need not be copied there; a stream need not ask.
         *
         * @return 0 if there are none
         */
        default int missing() {
            return 0;
        }

        /** Native memory with their place; only if some are {@link #missing}. */
        default MemorySegment landing() {
            throw new IllegalStateException("nothing is missing");
        }

        /** Where in {@link #landing} the first one belongs. */
        default int landingOffset() {
            throw new IllegalStateException("nothing is missing");
        }

        /** Instead of {@link #onBytes}: the first {@code count} of the missing bytes are in their place. */
        default void onLanded(int count) {
            throw new IllegalStateException("nothing was missing");
        }

        /** The stream is over, after everything that had come: the peer has closed it, or it broke. Called once. */
        void onEnd();
    }

    /**
     * Names what is called when there is something to {@link #poll}, or room again after {@link #send} left bytes.
     *
     * @param ready may be called on any thread; does not block
     */
    void onReady(Runnable ready);

    /** Hands over some of what has come in. If more is there, {@code ready} is called again. */
    void poll(Sink sink);

    /** Payload bytes of a full TCP segment, at least 136; a guess where the system does not say. */
    int emss();

    /** Takes as many bytes as go. What is taken goes out even if the stream is closed next. */
    void send(StreamBuffer from);

    /** No more will be sent. The peer learns of it behind the last byte. */
    void close();

    /** Ends at once, both ways; nothing is heard of it any more. */
    void abort();
}
