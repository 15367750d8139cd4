// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

/** Counters of a {@link SharedMemoryLink}. */
enum ShmCounter {
    /** Packets written to rings of peers. */
    SHM_SENT,
    /** Packets read from rings. */
    SHM_RECEIVED,
    /** Datagrams sent to wake a parked peer, or to announce a ring to it. */
    SHM_WAKEUPS_SENT,
    /** Such datagrams received. */
    SHM_WAKEUPS_RECEIVED,
    /** Rings opened to peers. */
    SHM_RINGS_OPENED,
    /** Rings closed because their contents were invalid. */
    SHM_RING_BROKEN,
    /** Rings of peers that were not read because there are too many, or because their file is not one. */
    SHM_RING_REFUSED,
    /** Packets lost: the peer had ended, or had not read its full ring for long. */
    UNSENT_SHM_PEER_GONE
}
