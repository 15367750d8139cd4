// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/**
 * Limits of a session's calls. All are u32.
 *
 * @param maxRequest  bytes of a call at most
 * @param maxResponse bytes of a reply at most
 * @param maxCached   bytes of a reply that is kept, at most
 * @param maxOperations operations of a call at most
 * @param maxRequests calls under way at most, which is the number of slots
 */
public record ChannelAttributes(int maxRequest, int maxResponse, int maxCached, int maxOperations, int maxRequests) {
    /** @return the smaller one of each */
    ChannelAttributes within(ChannelAttributes other) {
        return new ChannelAttributes(least(maxRequest, other.maxRequest), least(maxResponse, other.maxResponse),
            least(maxCached, other.maxCached), least(maxOperations, other.maxOperations), least(maxRequests, other.maxRequests));
    }

    private static int least(int a, int b) {
        return Integer.compareUnsigned(a, b) < 0 ? a : b;
    }
}
