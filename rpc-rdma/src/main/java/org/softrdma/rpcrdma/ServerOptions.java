// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import org.softrdma.rpcrdma.wire.PrivateData;

/**
 * Options of a server.
 *
 * @param credits        calls of one client in work at most, 1..1024
 * @param inlineBytes    longest SEND to the client, 1024..262144, a multiple of 1024
 * @param receiveBytes   longest SEND of the client, in the same range, not less than the inline bytes. Clients send calls up to this length
 *     inline, with their data, if they can, which saves an RDMA READ. Each connection has such a receive for each credit, and some more
 * @param maxCall        longest call, and longest data of a result, bytes
 * @param maxWorkBuffers buffers of one connection for calls and replies that are not inline; made as they are needed
 * @param maxConnections connections at a time; further ones are refused
 * @param reverseCalls   calls of the server to one client under way
 */
public record ServerOptions(int credits, int inlineBytes, int receiveBytes, int maxCall, int maxWorkBuffers, int maxConnections,
                            int reverseCalls) {
    /** Defaults: 32 credits, 4 KiB inline to the client as Linux has, 64 KiB of data from it, calls of a mebibyte of data. */
    public static final ServerOptions DEFAULT = new ServerOptions(32, 4096, 68 << 10, (1 << 20) + (1 << 16), 16, 256, 4);

    /** Bytes of a work buffer behind the longest call, for its reply. */
    private static final int REPLY_BYTES = 1 << 16;
    /** Receives beyond the credits: replies to reverse calls, and messages that take no credit. */
    private static final int EXTRA_RECEIVES = 8;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException a value is out of its range
     */
    public ServerOptions {
        if (credits < 1 || credits > 1024 || !PrivateData.isSize(inlineBytes) || !PrivateData.isSize(receiveBytes)
            || receiveBytes < inlineBytes || maxCall < receiveBytes || maxWorkBuffers < 1 || maxConnections < 1 || reverseCalls < 0) {
            throw new IllegalArgumentException("credits 1..1024: " + credits + "; inline bytes 1024..262144, a multiple of 1024: "
                + inlineBytes + "; received bytes from these on in the same range: " + receiveBytes + "; longest call at least that: "
                + maxCall + "; work buffers and connections from 1: " + maxWorkBuffers + ", " + maxConnections
                + "; reverse calls from 0: " + reverseCalls);
        }
    }

    int receives() {
        return credits + reverseCalls + EXTRA_RECEIVES;
    }

    int workBytes() {
        return maxCall + REPLY_BYTES;
    }

    /**
     * Replaces the number of calls of one client in work.
     *
     * @param credits credits at most, 1..1024
     * @return new options
     */
    public ServerOptions withCredits(int credits) {
        return new ServerOptions(credits, inlineBytes, receiveBytes, maxCall, maxWorkBuffers, maxConnections, reverseCalls);
    }

    /**
     * Replaces the length of the longest SEND to the client; one from the client may be at least as long.
     *
     * @param inlineBytes bytes, 1024..262144, a multiple of 1024
     * @return new options
     */
    public ServerOptions withInlineBytes(int inlineBytes) {
        return new ServerOptions(credits, inlineBytes, Math.max(inlineBytes, receiveBytes), maxCall, maxWorkBuffers, maxConnections,
            reverseCalls);
    }

    /**
     * Replaces the length of the longest SEND from the client.
     *
     * @param receiveBytes bytes, not less than the inline bytes, up to 262144, a multiple of 1024
     * @return new options
     */
    public ServerOptions withReceiveBytes(int receiveBytes) {
        return new ServerOptions(credits, inlineBytes, receiveBytes, maxCall, maxWorkBuffers, maxConnections, reverseCalls);
    }

    /**
     * Replaces the length of the longest call, and of the longest data of a result.
     *
     * @param maxCall bytes, not less than the received bytes of a SEND
     * @return new options
     */
    public ServerOptions withMaxCall(int maxCall) {
        return new ServerOptions(credits, inlineBytes, receiveBytes, maxCall, maxWorkBuffers, maxConnections, reverseCalls);
    }

    /**
     * Replaces the number of buffers of one connection for what is not inline.
     *
     * @param maxWorkBuffers buffers at most, from 1
     * @return new options
     */
    public ServerOptions withMaxWorkBuffers(int maxWorkBuffers) {
        return new ServerOptions(credits, inlineBytes, receiveBytes, maxCall, maxWorkBuffers, maxConnections, reverseCalls);
    }

    /**
     * Replaces the number of connections at a time.
     *
     * @param maxConnections connections at most, from 1
     * @return new options
     */
    public ServerOptions withMaxConnections(int maxConnections) {
        return new ServerOptions(credits, inlineBytes, receiveBytes, maxCall, maxWorkBuffers, maxConnections, reverseCalls);
    }

    /**
     * Replaces the number of calls of the server to one client under way.
     *
     * @param reverseCalls calls at most, from 0
     * @return new options
     */
    public ServerOptions withReverseCalls(int reverseCalls) {
        return new ServerOptions(credits, inlineBytes, receiveBytes, maxCall, maxWorkBuffers, maxConnections, reverseCalls);
    }
}
