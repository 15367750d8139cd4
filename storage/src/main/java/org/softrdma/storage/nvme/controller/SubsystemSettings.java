// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

/**
 * Limits of a subsystem.
 *
 * @param name            NQN, 1..223 bytes
 * @param controllers     at a time, at most
 * @param ioQueues        of a controller, at most
 * @param entries         of an I/O queue, at most
 * @param inCapsule       bytes of in-capsule data of an I/O queue, a multiple of 16
 * @param largestTransfer bytes of data of a command at most, a power of two from 4096
 * @param buffers         buffers of a queue for data that are not in a capsule, each for one command
 */
public record SubsystemSettings(String name, int controllers, int ioQueues, int entries, int inCapsule, int largestTransfer, int buffers) {
    /** Entries of an admin queue at most. Source: NVMe over Fabrics 1.1 §5.3 has 32 as the least. */
    public static final int ADMIN_ENTRIES = 32;
    /** Queues of one controller. */
    static final int MAX_IO_QUEUES = 64;

    public SubsystemSettings {
        if (name.isEmpty() || controllers < 1 || ioQueues < 1 || ioQueues > MAX_IO_QUEUES || entries < 2 || entries > 1024
            || inCapsule < 0 || inCapsule % 16 != 0 || largestTransfer < 4096 || Integer.bitCount(largestTransfer) != 1 || buffers < 1) {
            throw new IllegalArgumentException("controllers from 1: " + controllers + "; I/O queues 1..64: " + ioQueues
                + "; entries 2..1024: " + entries + "; in-capsule bytes a multiple of 16: " + inCapsule
                + "; largest transfer a power of two from 4096: " + largestTransfer + "; buffers from 1: " + buffers);
        }
    }

    /** Entries of a queue at most. */
    public int entriesOf(int queue) {
        return queue == 0 ? ADMIN_ENTRIES : entries;
    }

    /** Bytes of the longest command capsule of a queue. */
    public int capsuleBytes(int queue) {
        return 64 + (queue == 0 ? 0 : inCapsule);
    }
}
