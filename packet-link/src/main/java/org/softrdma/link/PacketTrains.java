// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.nio.ByteBuffer;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;

/**
 * Trains of a batch: packets of one length to one target, of which the last may be shorter, leave in one message that the kernel or the NIC
 * cuts again.
 *
 * <p>The IPv4 identifications of a cut train are 0, 1, 2, …, while packets arrive here sealed for identification 0: the ICRC of each packet
 * but the first is adjusted, and adjusted back if the train is not sent after all.
 */
public final class PacketTrains {
    private final IpIdSolver ipIds = new IpIdSolver();
    private final int[] packets;
    private boolean enabled;
    private long lost;

    /** Link state of a path whose packets can travel in trains. */
    public interface Target {
        /** Whether packets to both may leave in one message. */
        boolean isSameAs(Target other);
    }

    /**
     * @param messages described at once, each a train
     * @param enabled  the host may cut trains; otherwise every packet is a message of its own
     */
    public PacketTrains(int messages, boolean enabled) {
        packets = new int[messages];
        this.enabled = enabled;
    }

    /** Whether the host cuts trains, as far as known. */
    public boolean enabled() {
        return enabled;
    }

    /**
     * Forms the next train.
     *
     * @param end index after the last packet it may have
     * @return packets from {@code index} on that make one train, at least 1
     */
    public int from(TransmitBatch batch, int index, int end) {
        if (!enabled) {
            return 1;
        }
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

    /**
     * Records that a train leaves as that message, and adjusts its ICRCs.
     *
     * @param train packets, at least 1
     */
    public void become(TransmitBatch batch, int index, int train, int message) {
        packets[message] = train;
        renumber(batch, index, train);
    }

    /** Packets of a message described last. */
    public int packets(int message) {
        return packets[message];
    }

    /**
     * Applies the result of the system call that sent the messages described last. The packets of sent messages are removed from the
     * batch; those of the others get back the ICRCs they came with. On ENOBUFS a queue on the way out has dropped the first message: its
     * packets are removed and counted as {@link #lost}, as on a wire.
     *
     * @param result messages sent from the front, or minus errno of the first
     * @return packets removed; 0 if the host refused the first message
     */
    public int settle(TransmitBatch batch, int result, int messages) {
        if (result == -LinuxSockets.ENOBUFS) {
            int dropped = remove(batch, 1, messages);
            lost += dropped;
            return dropped;
        }
        return remove(batch, Math.max(result, 0), messages);
    }

    private int remove(TransmitBatch batch, int sent, int messages) {
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

    /** Packets dropped by a full queue of the host, see {@link #settle}. */
    public long lost() {
        return lost;
    }

    /**
     * Disables trains if the host refused the first message because it cannot cut it: an interface without checksum offload, say, or a
     * packet socket of a kernel before 6.2.
     *
     * @param errno of the first message
     * @return whether to describe and send the batch once more
     */
    public boolean disableIfRefused(int errno) {
        boolean refused = packets[0] > 1 && (errno == LinuxSockets.EIO || errno == LinuxSockets.EINVAL);
        enabled &= !refused;
        return refused;
    }

    /** Switches the ICRCs of a train between identification 0 and identifications that count up; applied twice it changes nothing. */
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
