// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import org.softrdma.storage.nvme.wire.NvmeStatus;

/**
 * Features of a controller, which the host gets and sets. Any thread; each is one word.
 *
 * <p>Source: NVMe 1.3 §5.14, §5.21.
 */
final class Features {
    private static final int WRITE_CACHE = 0x06;
    private static final int NUMBER_OF_QUEUES = 0x07;
    private static final int ASYNC_EVENTS = 0x0b;
    private static final int KEEP_ALIVE = 0x0f;

    private final int maxIoQueues;
    private volatile long keepAliveMs;
    private volatile int ioQueues;
    private volatile int asyncEvents;
    private volatile boolean writeCache = true;

    Features(int maxIoQueues, long keepAliveMs) {
        this.maxIoQueues = maxIoQueues;
        this.keepAliveMs = keepAliveMs;
        ioQueues = maxIoQueues;
    }

    /** Returns to the defaults. The keep-alive timeout belongs to the connection and stays. */
    void reset() {
        ioQueues = maxIoQueues;
        asyncEvents = 0;
        writeCache = true;
    }

    /** Milliseconds; 0 for none. */
    long keepAliveMs() {
        return keepAliveMs;
    }

    /** I/O queues that the host may connect. */
    int ioQueues() {
        return ioQueues;
    }

    /** Whether writes complete before they are on the medium. */
    boolean hasWriteCache() {
        return writeCache;
    }

    /** Whether the feature of a command is one that discovery controllers have. */
    static boolean isOfDiscovery(CommandSlot command) {
        int feature = command.dword(10) & 0xff;
        return feature == ASYNC_EVENTS || feature == KEEP_ALIVE;
    }

    void get(CommandSlot command) {
        switch (command.dword(10) & 0xff) {
            case WRITE_CACHE -> command.result(writeCache ? 1 : 0);
            case NUMBER_OF_QUEUES -> command.result(queues());
            case ASYNC_EVENTS -> command.result(Integer.toUnsignedLong(asyncEvents));
            case KEEP_ALIVE -> command.result(keepAliveMs);
            default -> command.fail(NvmeStatus.INVALID_FIELD);
        }
    }

    void set(CommandSlot command) {
        int value = command.dword(11);
        switch (command.dword(10) & 0xff) {
            case WRITE_CACHE -> writeCache = (value & 1) != 0;
            case NUMBER_OF_QUEUES -> setQueues(command, value);
            case ASYNC_EVENTS -> asyncEvents = value;
            case KEEP_ALIVE -> keepAliveMs = Integer.toUnsignedLong(value);
            default -> command.fail(NvmeStatus.INVALID_FIELD);
        }
    }

    /** Numbers of submission and completion queues, each less one; they come in pairs here. */
    private void setQueues(CommandSlot command, int value) {
        int submission = value & 0xffff;
        int completion = value >>> 16;
        if (submission == 0xffff || completion == 0xffff) {
            command.fail(NvmeStatus.INVALID_FIELD);
            return;
        }
        ioQueues = Math.min(maxIoQueues, Math.min(submission, completion) + 1);
        command.result(queues());
    }

    private long queues() {
        return ioQueues - 1 | (long) (ioQueues - 1) << 16;
    }
}
