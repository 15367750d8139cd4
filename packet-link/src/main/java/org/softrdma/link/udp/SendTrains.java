// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.link.PacketTrains;
import org.softrdma.link.TransmitBatch;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;

/**
 * Describes the packets of a batch as messages for sendmmsg. With segmentation offload, each of {@link PacketTrains} is one message, which
 * the kernel or the NIC cuts again.
 */
final class SendTrains {
    private static final int CMSG_SPACE = 24;
    /** Segment size, traffic class, hop limit. */
    private static final int CONTROL_BYTES = 3 * CMSG_SPACE;

    private final MessageVector vector;
    private final int size;
    private final MemorySegment controls;
    private final PacketTrains trains;

    /**
     * Allocates the messages.
     *
     * @param size maximum messages described at once
     */
    SendTrains(Arena arena, int size, boolean offload) {
        this.size = size;
        vector = new MessageVector(arena, size);
        controls = arena.allocate((long) size * CONTROL_BYTES, 8);
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
     * Describes packets from the front of the batch that leave by the socket of the first.
     *
     * @return messages described
     */
    int describe(TransmitBatch batch) {
        long base = batch.memory().address();
        UdpDestination first = destination(batch, batch.first());
        int end = Math.min(batch.end(), batch.first() + size);
        int messages = 0;
        int index = batch.first();
        while (index < end && destination(batch, index).socket == first.socket) {
            int train = trains.from(batch, index, end);
            vector.iovec(messages, base + batch.offset(index), trains.bytes(batch, index, train));
            UdpDestination destination = destination(batch, index);
            if (train == 1) {
                vector.message(messages, destination.name, destination.nameLength, messages, 1, destination.control,
                    destination.controlLength);
            } else {
                long control = putControl(messages, destination, batch.length(index));
                vector.message(messages, destination.name, destination.nameLength, messages, 1, control, controlLength(destination));
            }
            trains.become(batch, index, train, messages++);
            index += train;
        }
        return messages;
    }

    private static UdpDestination destination(TransmitBatch batch, int index) {
        return (UdpDestination) batch.path(index).linkState();
    }

    private static long controlLength(UdpDestination destination) {
        return CMSG_SPACE + destination.controlLength;
    }

    /**
     * Writes the segment size and behind it the destination's control messages.
     *
     * @return their native address
     */
    private long putControl(int message, UdpDestination destination, int segmentBytes) {
        long at = (long) message * CONTROL_BYTES;
        controls.set(JAVA_LONG, at, LinuxSockets.CMSG_HEADER + Short.BYTES);
        controls.set(JAVA_INT, at + LinuxSockets.CMSG_LEVEL, LinuxSockets.IPPROTO_UDP);
        controls.set(JAVA_INT, at + LinuxSockets.CMSG_TYPE, LinuxSockets.UDP_SEGMENT);
        controls.set(JAVA_SHORT, at + LinuxSockets.CMSG_HEADER, (short) segmentBytes);
        MemorySegment.copy(destination.memory, LinuxSockets.SOCKADDR_BYTES, controls, at + CMSG_SPACE, destination.controlLength);
        return controls.address() + at;
    }
}
