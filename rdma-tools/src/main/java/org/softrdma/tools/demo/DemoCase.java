// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import java.util.List;

/**
 * Case of one line of the demo.
 *
 * @param size      bytes of a message
 * @param messages  number of messages
 * @param pipelined all messages are posted at once, to measure throughput; otherwise one after the other, to measure latency
 */
record DemoCase(Operation operation, int size, int messages, boolean pipelined) {
    /** Operations of the first device on the second one. */
    enum Operation {
        SEND("SEND"),
        SEND_WITH_IMMEDIATE("SEND with immediate"),
        WRITE("RDMA WRITE"),
        WRITE_WITH_IMMEDIATE("RDMA WRITE with immediate"),
        READ("RDMA READ"),
        COMPARE_AND_SWAP("atomic CMP_SWAP"),
        FETCH_AND_ADD("atomic FETCH_ADD");

        private final String title;

        Operation(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }

        /** @return whether the operation takes one of the peer's receives, and completes there, too */
        boolean consumesReceive() {
            return this == SEND || this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
        }

        boolean hasImmediate() {
            return this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
        }

        boolean isAtomic() {
            return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
        }
    }

    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    static final List<DemoCase> ALL = List.of(
        oneByOne(Operation.SEND, 64, 256),
        oneByOne(Operation.SEND, 4 * KIB, 256),
        atOnce(Operation.SEND, MIB, 16),
        oneByOne(Operation.SEND_WITH_IMMEDIATE, 64, 256),
        atOnce(Operation.SEND_WITH_IMMEDIATE, 64 * KIB, 128),
        oneByOne(Operation.WRITE, 64, 256),
        atOnce(Operation.WRITE, 64 * KIB, 128),
        atOnce(Operation.WRITE, 4 * MIB, 4),
        oneByOne(Operation.WRITE_WITH_IMMEDIATE, 4 * KIB + 1, 256),
        atOnce(Operation.WRITE_WITH_IMMEDIATE, MIB, 16),
        oneByOne(Operation.READ, 4 * KIB, 256),
        atOnce(Operation.READ, 4 * MIB, 4),
        oneByOne(Operation.COMPARE_AND_SWAP, 8, 256),
        oneByOne(Operation.FETCH_AND_ADD, 8, 256));

    /** Cases that are not shown: they make the JIT compile the data path. */
    static final List<DemoCase> WARM_UP = List.of(oneByOne(Operation.SEND, 64, 256), atOnce(Operation.WRITE, 256 * KIB, 16));

    private static DemoCase oneByOne(Operation operation, int size, int messages) {
        return new DemoCase(operation, size, messages, false);
    }

    private static DemoCase atOnce(Operation operation, int size, int messages) {
        return new DemoCase(operation, size, messages, true);
    }

    String sizeText() {
        if (size >= MIB && size % MIB == 0) {
            return size / MIB + " MiB";
        }
        return size >= KIB && size % KIB == 0 ? size / KIB + " KiB" : size + " B";
    }
}
