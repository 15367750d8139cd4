// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.link.PacketTrains;
import org.softrdma.link.TransmitBatch;
import org.softrdma.linux.MessageVector;

/**
 * Describes the packets of a batch as messages for sendmmsg on a packet socket: each consists of headers, in memory of this class, and a
 * packet or a train of packets, in memory of the batch.
 */
final class RawSends {
    private static final int HEADER_SLOT = 128;

    private final MessageVector vector;
    private final int size;
    private final MemorySegment headers;
    private final ByteBuffer headerBuffer;
    private final long headersAddress;
    private final PacketTrains trains;

    /**
     * Allocates the messages.
     *
     * @param size maximum messages described at once
     */
    RawSends(Arena arena, int size, boolean offload) {
        this.size = size;
        vector = new MessageVector(arena, size, 2 * size);
        headers = arena.allocate((long) size * HEADER_SLOT, 64);
        headerBuffer = headers.asByteBuffer();
        headersAddress = headers.address();
        trains = new PacketTrains(size, offload);
    }

    /** The messages described last, for the system call. */
    MemorySegment messages() {
        return vector.messages();
    }

    /** The trains the messages described last consist of. */
    PacketTrains trains() {
        return trains;
    }

    /**
     * Describes packets from the front that can leave now and have the priority of the first.
     *
     * @param most messages
     * @return how many messages they make
     */
    int describe(TransmitBatch batch, int most) {
        int priority = destination(batch, batch.first()).priority();
        int end = batch.end();
        int messages = 0;
        int index = batch.first();
        while (index < end && messages < Math.min(most, size)) {
            RawDestination to = destination(batch, index);
            if (to.priority() != priority || to.isOwn() || !to.isReady() || to.isGroup() && messages > 0) {
                break;
            }
            int train = to.canSegment() && !to.isGroup() ? trains.from(batch, index, end) : 1;
            describe(batch, index, train, messages, to);
            messages++;
            index += train;
            if (to.isGroup()) {
                break;
            }
        }
        return messages;
    }

    private void describe(TransmitBatch batch, int index, int train, int message, RawDestination to) {
        int bytes = trains.bytes(batch, index, train);
        int slot = message * HEADER_SLOT;
        if (train == 1) {
            to.putHeader(headerBuffer, headers, slot, bytes);
        } else {
            to.putTrainHeader(headerBuffer, headers, slot, bytes, batch.length(index));
        }
        trains.become(batch, index, train, message);
        vector.iovec(2 * message, headersAddress + slot, to.headerBytes());
        vector.iovec(2 * message + 1, batch.memory().address() + batch.offset(index), bytes);
        vector.message(message, 0, 0, 2 * message, 2, 0, 0);
    }

    static RawDestination destination(TransmitBatch batch, int index) {
        return (RawDestination) batch.path(index).linkState();
    }
}
