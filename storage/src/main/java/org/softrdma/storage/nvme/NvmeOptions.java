// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Options of a target.
 *
 * @param name       name of the subsystem, an NQN of at most 223 bytes
 * @param addresses  addresses of connections
 * @param blockBytes size of a logical block: 512 or 4096
 * @param ioQueues   I/O queues of a controller at most, 1..64
 * @param entries    entries of an I/O queue at most, 2..1024
 */
public record NvmeOptions(String name, List<InetSocketAddress> addresses, int blockBytes, int ioQueues, int entries) {
    /** The port of NVMe over RDMA. Source: NVMe over Fabrics 1.1 §7.3.1 */
    public static final int PORT = 4420;
    /** Longest name, bytes. Source: NVMe 1.3 §7.9 */
    public static final int LONGEST_NAME = 223;

    /**
     * Checks the ranges, and copies the list.
     *
     * @throws IllegalArgumentException a value is out of its range
     */
    public NvmeOptions {
        addresses = List.copyOf(addresses);
        int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (!name.startsWith("nqn.") || nameBytes > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a name begins with nqn. and has at most " + LONGEST_NAME + " bytes: " + name);
        }
        if (blockBytes != 512 && blockBytes != 4096) {
            throw new IllegalArgumentException("blocks have 512 or 4096 bytes, not " + blockBytes);
        }
        if (ioQueues < 1 || ioQueues > 64 || entries < 2 || entries > 1024) {
            throw new IllegalArgumentException("I/O queues 1..64: " + ioQueues + "; entries 2..1024: " + entries);
        }
    }

    /**
     * Creates options with defaults: blocks of 512 bytes, up to 8 I/O queues of 128 entries.
     *
     * @param name      NQN of the subsystem
     * @param addresses to listen at
     * @return new options
     */
    public static NvmeOptions of(String name, List<InetSocketAddress> addresses) {
        return new NvmeOptions(name, addresses, 512, 8, 128);
    }

    /**
     * Replaces the size of a logical block.
     *
     * @param blockBytes 512 or 4096
     * @return new options
     */
    public NvmeOptions withBlockBytes(int blockBytes) {
        return new NvmeOptions(name, addresses, blockBytes, ioQueues, entries);
    }

    /**
     * Replaces the number of I/O queues of a controller.
     *
     * @param ioQueues queues at most, 1..64
     * @return new options
     */
    public NvmeOptions withIoQueues(int ioQueues) {
        return new NvmeOptions(name, addresses, blockBytes, ioQueues, entries);
    }

    /**
     * Replaces the number of entries of an I/O queue.
     *
     * @param entries entries at most, 2..1024
     * @return new options
     */
    public NvmeOptions withEntries(int entries) {
        return new NvmeOptions(name, addresses, blockBytes, ioQueues, entries);
    }
}
