// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/**
 * Memory of the client that the server reads or writes during a call; one chunk of one segment.
 *
 * @param kind     of the chunk
 * @param position of a read chunk in the RPC message
 * @param lkey     key of the region, to bind a window or to send the memory
 * @param rkey     key of the region for the server, where there are no windows
 */
public record Exposure(Kind kind, int position, int lkey, int rkey, long address, int length) {
    /** Kinds of chunks, in the order of the lists. */
    public enum Kind {
        /** Part of the call, read by the server. */
        READ,
        /** Item of the result, written by the server. */
        WRITE,
        /** A reply that is too long to be sent inline. */
        REPLY
    }
}
