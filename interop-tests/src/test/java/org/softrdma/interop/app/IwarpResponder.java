// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.util.List;
import org.softrdma.verbs.WcStatus;

/** The accepting end of an iWARP connection: ours, or the guest's kernel's. It listens from its beginning on. */
interface IwarpResponder extends AutoCloseable {
    /** Bytes of each region. */
    int SIZE = 4096;

    /** A key and where its memory starts. */
    record Region(int stag, long to) {
    }

    /**
     * What it has for its peer.
     *
     * @param writable the peer may write
     * @param second   another such one
     * @param readable the peer may read
     * @param foreign  the peer might do both, were it not in another protection domain
     * @param last     of the last receive that is posted; without receives as {@code writable}
     */
    record Regions(Region writable, Region second, Region readable, Region foreign, Region last) {
    }

    /**
     * What a receive brought.
     *
     * @param invalidated the key that its completion names, 0 for none; null where completions never name one
     */
    record Received(WcStatus status, byte[] data, Integer invalidated) {
    }

    /** Waits for a request, posts receives and accepts. */
    Regions accept(int receives, int bytes);

    /** Waits for a request and refuses it. */
    void refuse(byte[] privateData);

    /** Memory that the peer may write to, and whose key it may invalidate: a window of ours, of the kernel a region. */
    Region invalidatable();

    /** What is in that memory. */
    byte[] written();

    /** Posts a READ of memory that the peer can make up. */
    void read(int bytes);

    /** How the READ ended, once it has. */
    WcStatus readStatus();

    /** Waits for the first receive. */
    Received receive();

    /** How all the receives ended, once the connection has. */
    List<WcStatus> receives();

    @Override
    void close();
}
