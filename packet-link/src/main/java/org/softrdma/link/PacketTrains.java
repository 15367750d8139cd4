// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.nio.ByteBuffer;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;

/**
 * Which packets of a batch can leave as one train, to be cut by the kernel or the NIC: those of one length to one target, of which the
 * last may be shorter.
 *
 * <p>Whoever cuts numbers the IPv4 identifications of a train 0, 1, 2, …, while packets arrive here sealed for identification 0:
 * the ICRC of each packet but the first is adjusted, and adjusted back if the train is not sent after all.
 */
public final class PacketTrains {
    private final IpIdSolver ipIds = new IpIdSolver();
    private final int[] packets;

    /** What the link that resolved a path keeps in it. */
    public interface Target {
        /** Whether packets to both may leave in one message. */
        boolean isSameAs(Target other);
    }

    /** @param messages described at once, each of a train */
    public PacketTrains(int messages) {
        packets = new int[messages];
    }

    /** Packets from {@code index} on that make one train. @param end no further than here */
    public int from(TransmitBatch batch, int index, int end) {
        Target to = target(batch, index);
        int length = batch.length(index);
        int most = Math.min(Math.min(end - index, TransmitBatch.TRAIN_PACKETS), TransmitBatch.TRAIN_BYTES / length);
        int train = 1;
        while (train < most && batch.length(index + train) == length && to.isSameAs(target(batch, index + train))) {
            train++;
        }
        boolean shorterOneFollows = train < most && batch.length(index + train) < length && to.isSameAs(target(batch, index + train));
        return shorterOneFollows ? train + 1 : train;
    }

    private static Target target(TransmitBatch batch, int index) {
        return (Target) batch.path(index).linkState();
    }

    /** Bytes of a train. */
    public int bytes(TransmitBatch batch, int index, int train) {
        int last = index + train - 1;
        return batch.offset(last) + batch.length(last) - batch.offset(index);
    }

    /** A train becomes that message: it is about to leave. @param train packets; a single one is a train, too */
    public void become(TransmitBatch batch, int index, int train, int message) {
        packets[message] = train;
        renumber(batch, index, train);
    }

    /** Packets of a message described last. */
    public int packets(int message) {
        return packets[message];
    }

    /**
     * So many of the messages described last, which begin with the batch, were sent: their packets are off the batch, and those of the
     * others get the ICRCs back that they came with.
     *
     * @return packets sent
     */
    public int sent(TransmitBatch batch, int sent, int messages) {
        int all = 0;
        for (int m = 0; m < sent; m++) {
            all += packets[m];
        }
        batch.sent(all);
        int index = batch.first();
        for (int m = sent; m < messages; m++) {
            renumber(batch, index, packets[m]);
            index += packets[m];
        }
        return all;
    }

    /** Makes the ICRCs of a train right for identifications that count up, or if they are, for 0 again. */
    private void renumber(TransmitBatch batch, int index, int train) {
        if (train == 1 || !batch.path(index).isIpv4()) {
            return;
        }
        ByteBuffer buffer = batch.buffer();
        for (int id = 1; id < train; id++) {
            int at = batch.offset(index + id);
            int end = at + batch.length(index + id) - Icrc.LENGTH;
            Icrc.put(buffer, end, Icrc.get(buffer, end) ^ ipIds.difference(id, IpIdSolver.bytesAfterId(at, end)));
        }
    }
}
