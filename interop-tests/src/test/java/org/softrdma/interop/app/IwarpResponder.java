// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.util.List;
import org.softrdma.verbs.WcStatus;

/** The accepting end of an iWARP connection: ours, or the guest's kernel's. It listens from its construction on. */
interface IwarpResponder extends AutoCloseable {
    /** Bytes of each region. */
    int SIZE = 4096;

    /** A key and the start address of its memory. */
    record Region(int stag, long to) {
    }

    /**
     * Memory registered for the peer.
     *
     * @param writable region that the peer may write
     * @param second   another region that the peer may write
     * @param readable region that the peer may read
     * @param foreign  region with both permissions, but in another protection domain
     * @param last     region of the last receive that is posted; equal to {@code writable} without receives
     */
    record Regions(Region writable, Region second, Region readable, Region foreign, Region last) {
    }

    /**
     * A completed receive.
     *
     * @param invalidated key in its completion, 0 for none; null where completions never contain one
     */
    record Received(WcStatus status, byte[] data, Integer invalidated) {
    }

    /** Waits for a request, posts receives and accepts. */
    Regions accept(int receives, int bytes);

    /** Waits for a request and rejects it. */
    void refuse(byte[] privateData);

    /** Memory that the peer may write to, and whose key it may invalidate: a window on our side, a region on the kernel's. */
    Region invalidatable();

    /** Contents of the memory of {@link #invalidatable}. */
    byte[] written();

    /** Posts a READ from a source that need not exist; the peer makes up the response. */
    void read(int bytes);

    /**
     * Waits for the READ to complete.
     *
     * @return its status
     */
    WcStatus readStatus();

    /** Waits for the first receive. */
    Received receive();

    /**
     * Waits for the end of the connection.
     *
     * @return the status of every receive
     */
    List<WcStatus> receives();

    @Override
    void close();
}
