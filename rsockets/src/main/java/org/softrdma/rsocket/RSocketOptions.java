// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Options of a stream; a listener's options are those of its connections. Buffers are registered memory of each stream. Requests and
 * inline bytes beyond the device's limits are reduced to these limits.
 *
 * @param sendBuffer       maximum number of bytes on their way, {@link #MIN_BUFFER}..{@link #MAX_BUFFER}
 * @param receiveBuffer    maximum number of received bytes that wait to be read, {@link #MIN_BUFFER}..{@link #MAX_BUFFER}; the peer may
 *     write half of it at once
 * @param sends            outstanding work requests, 16..65534
 * @param receives         posted receives, 16..65534: the transfers a peer may make before it needs new credits
 * @param inlineBytes      largest transfer that is copied when it is posted, 0..65534
 * @param keepAliveSeconds interval of empty writes to the peer, which end the stream if the peer does not answer; 0 for none
 */
public record RSocketOptions(int sendBuffer, int receiveBuffer, int sends, int receives, int inlineBytes, int keepAliveSeconds) {
    /** Smallest buffer, in bytes. */
    public static final int MIN_BUFFER = 4096;
    /** Largest buffer, in bytes: twice the longest transfer. */
    public static final int MAX_BUFFER = 1 << 30;
    /** librdmacm's defaults: buffers of 128 KiB, 384 requests each way, 64 bytes inline. */
    public static final RSocketOptions DEFAULT = new RSocketOptions(1 << 17, 1 << 17, 384, 384, 64, 0);

    private static final int MIN_REQUESTS = 16;
    private static final int MAX_REQUESTS = 0xfffe;

    /**
     * Checks the options.
     *
     * @throws VerbsException EINVAL: out of range
     */
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

    /**
     * Copies the options with other buffers.
     *
     * @param send    {@link #sendBuffer}
     * @param receive {@link #receiveBuffer}
     * @return new options
     */
    public RSocketOptions withBuffers(int send, int receive) {
        return new RSocketOptions(send, receive, sends, receives, inlineBytes, keepAliveSeconds);
    }

    /**
     * Copies the options with other numbers of requests.
     *
     * @param send    {@link #sends}
     * @param receive {@link #receives}
     * @return new options
     */
    public RSocketOptions withRequests(int send, int receive) {
        return new RSocketOptions(sendBuffer, receiveBuffer, send, receive, inlineBytes, keepAliveSeconds);
    }

    /**
     * Copies the options with another limit of inline data.
     *
     * @param bytes {@link #inlineBytes}
     * @return new options
     */
    public RSocketOptions withInline(int bytes) {
        return new RSocketOptions(sendBuffer, receiveBuffer, sends, receives, bytes, keepAliveSeconds);
    }

    /**
     * Copies the options with another interval of keep-alives.
     *
     * @param seconds {@link #keepAliveSeconds}
     * @return new options
     */
    public RSocketOptions withKeepAlive(int seconds) {
        return new RSocketOptions(sendBuffer, receiveBuffer, sends, receives, inlineBytes, seconds);
    }
}
