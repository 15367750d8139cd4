// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.link;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.link.LinuxUdpLink.Destination;
import org.softrdma.wire.Icrc;
import org.softrdma.wire.IpIdSolver;

/**
 * Describes the packets of a batch as messages for sendmmsg. With segmentation offload, packets of one length to one destination become
 * one message, a train, which the kernel (or the NIC) cuts again; the last packet of a train may be shorter.
 *
 * <p>The kernel numbers the IPv4 identifications of a train 0, 1, 2, …, while packets arrive here sealed for identification 0: the ICRC of
 * each packet but the first is adjusted. {@link #undo} takes that back for messages that were not sent.
 */
final class SendTrains {
    private static final int CMSG_HEADER = 16;
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_SPACE = 24;
    /** Segment size, traffic class, hop limit. */
    private static final int CONTROL_BYTES = 3 * CMSG_SPACE;

    private final MessageVector vector;
    private final int size;
    private final MemorySegment controls;
    private final int[] packets;
    private final IpIdSolver ipIds = new IpIdSolver();
    private boolean offload;

    /** @param size packets, and so messages, described at once */
    SendTrains(Arena arena, int size, boolean offload) {
        this.size = size;
        this.offload = offload;
        vector = new MessageVector(arena, size);
        controls = arena.allocate((long) size * CONTROL_BYTES, 8);
        packets = new int[size];
    }

    /** For the system call. */
    MemorySegment messages() {
        return vector.messages();
    }

    boolean offload() {
        return offload;
    }

    /** The host turned out not to segment: from now on every packet is a message of its own. */
    void giveUpOffload() {
        offload = false;
    }

    /** Packets of a message described last. */
    int packets(int message) {
        return packets[message];
    }

    /** Describes packets from the front that leave by the socket of the first. @return how many messages they make */
    int describe(TransmitBatch batch) {
        long base = batch.memory().address();
        Destination first = destination(batch, batch.first());
        int end = Math.min(batch.end(), batch.first() + size);
        int messages = 0;
        int index = batch.first();
        while (index < end && destination(batch, index).socket == first.socket) {
            int train = offload ? trainFrom(batch, index, end) : 1;
            vector.iovec(messages, base + batch.offset(index), trainBytes(batch, index, train));
            Destination destination = destination(batch, index);
            if (train == 1) {
                vector.message(messages, destination.name, destination.nameLength, messages, 1, destination.control,
                    destination.controlLength);
            } else {
                long control = putControl(messages, destination, batch.length(index));
                vector.message(messages, destination.name, destination.nameLength, messages, 1, control, controlLength(destination));
                renumber(batch, index, train);
            }
            packets[messages++] = train;
            index += train;
        }
        return messages;
    }

    /** Messages from {@code message} on were not sent: their packets get the ICRCs back that they came with. */
    void undo(TransmitBatch batch, int message, int messages) {
        int index = batch.first();
        for (int m = message; m < messages; m++) {
            if (packets[m] > 1) {
                renumber(batch, index, packets[m]);
            }
            index += packets[m];
        }
    }

    private static Destination destination(TransmitBatch batch, int index) {
        return (Destination) batch.path(index).linkState();
    }

    private static int trainFrom(TransmitBatch batch, int index, int end) {
        Destination to = destination(batch, index);
        int length = batch.length(index);
        int most = Math.min(Math.min(end - index, TransmitBatch.TRAIN_PACKETS), TransmitBatch.TRAIN_BYTES / length);
        int train = 1;
        while (train < most && batch.length(index + train) == length && to.isSameAs(destination(batch, index + train))) {
            train++;
        }
        boolean shorterOneFollows = train < most && batch.length(index + train) < length
            && to.isSameAs(destination(batch, index + train));
        return shorterOneFollows ? train + 1 : train;
    }

    private static int trainBytes(TransmitBatch batch, int index, int train) {
        int last = index + train - 1;
        return batch.offset(last) + batch.length(last) - batch.offset(index);
    }

    private void renumber(TransmitBatch batch, int index, int train) {
        if (!batch.path(index).isIpv4()) {
            return;
        }
        ByteBuffer buffer = batch.buffer();
        for (int id = 1; id < train; id++) {
            int at = batch.offset(index + id);
            int end = at + batch.length(index + id) - Icrc.LENGTH;
            Icrc.put(buffer, end, Icrc.get(buffer, end) ^ ipIds.difference(id, IpIdSolver.bytesAfterId(at, end)));
        }
    }

    private static long controlLength(Destination destination) {
        return CMSG_SPACE + destination.controlLength;
    }

    /** The segment size, and behind it the destination's own control messages. @return the address */
    private long putControl(int message, Destination destination, int segmentBytes) {
        long at = (long) message * CONTROL_BYTES;
        controls.set(JAVA_LONG, at, CMSG_HEADER + Short.BYTES);
        controls.set(JAVA_INT, at + CMSG_LEVEL, LinuxSockets.IPPROTO_UDP);
        controls.set(JAVA_INT, at + CMSG_TYPE, LinuxSockets.UDP_SEGMENT);
        controls.set(JAVA_SHORT, at + CMSG_HEADER, (short) segmentBytes);
        MemorySegment.copy(destination.memory, LinuxSockets.SOCKADDR_BYTES, controls, at + CMSG_SPACE, destination.controlLength);
        return controls.address() + at;
    }
}
