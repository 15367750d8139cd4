// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * What a stream is made with; a listening socket's are those of its connections. Buffers are memory that is registered for each stream.
 * A device that has less gives less.
 *
 * @param sendBuffer       bytes on their way at most, {@link #MIN_BUFFER}..{@link #MAX_BUFFER}
 * @param receiveBuffer    bytes that may wait here to be read, as above; half of it is what the peer may write at once
 * @param sends            work requests at once, 16..65534
 * @param receives         receives posted, 16..65534: the transfers a peer may make before it hears from us
 * @param inlineBytes      transfers up to this size are copied when they are posted; 0..65534
 * @param keepAliveSeconds an empty write to the peer so often, which ends the stream if nobody answers; 0 for none
 */
public record RSocketOptions(int sendBuffer, int receiveBuffer, int sends, int receives, int inlineBytes, int keepAliveSeconds) {
    /** Bytes. */
    public static final int MIN_BUFFER = 4096;
    /** Bytes: what a transfer can be long, twice. */
    public static final int MAX_BUFFER = 1 << 30;
    /** As librdmacm has them: buffers of 128 KiB, 384 requests each way, 64 bytes inline. */
    public static final RSocketOptions DEFAULT = new RSocketOptions(1 << 17, 1 << 17, 384, 384, 64, 0);

    private static final int MIN_REQUESTS = 16;
    private static final int MAX_REQUESTS = 0xfffe;

    /** @throws VerbsException EINVAL: out of range */
    public RSocketOptions {
        check("sendBuffer", sendBuffer, MIN_BUFFER, MAX_BUFFER);
        check("receiveBuffer", receiveBuffer, MIN_BUFFER, MAX_BUFFER);
        check("sends", sends, MIN_REQUESTS, MAX_REQUESTS);
        check("receives", receives, MIN_REQUESTS, MAX_REQUESTS);
        check("inlineBytes", inlineBytes, 0, MAX_REQUESTS);
        check("keepAliveSeconds", keepAliveSeconds, 0, Integer.MAX_VALUE);
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new VerbsException(Errno.EINVAL, "rsetsockopt", name + " " + value + " is not in " + min + ".." + max);
        }
    }

    /** @param send {@link #sendBuffer} @param receive {@link #receiveBuffer} */
    public RSocketOptions withBuffers(int send, int receive) {
        return new RSocketOptions(send, receive, sends, receives, inlineBytes, keepAliveSeconds);
    }

    /** @param send {@link #sends} @param receive {@link #receives} */
    public RSocketOptions withRequests(int send, int receive) {
        return new RSocketOptions(sendBuffer, receiveBuffer, send, receive, inlineBytes, keepAliveSeconds);
    }

    /** @param bytes {@link #inlineBytes} */
    public RSocketOptions withInline(int bytes) {
        return new RSocketOptions(sendBuffer, receiveBuffer, sends, receives, bytes, keepAliveSeconds);
    }

    /** @param seconds {@link #keepAliveSeconds} */
    public RSocketOptions withKeepAlive(int seconds) {
        return new RSocketOptions(sendBuffer, receiveBuffer, sends, receives, inlineBytes, seconds);
    }
}
