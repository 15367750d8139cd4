// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.roce.Icrc;

/** Puts packets into the batch that goes to the link next, and seals each with its ICRC. */
public final class PacketWriter {
    private final TransmitBatch batch;
    private final Counters<RxeCounter> counters;
    private final Icrc icrc = new Icrc();

    public PacketWriter(TransmitBatch batch, Counters<RxeCounter> counters) {
        this.batch = batch;
        this.counters = counters;
    }

    public boolean hasRoom() {
        return !batch.isFull();
    }

    /** The batch's bytes, big-endian. */
    public ByteBuffer buffer() {
        return batch.buffer();
    }

    /** The same bytes as {@link #buffer()}. */
    MemorySegment memory() {
        return batch.memory();
    }

    /** Where the next packet begins: what lies between two such places is what was written meanwhile, as long as nothing is sent. */
    int position() {
        return batch.offset(batch.end());
    }

    /** Starts a packet; {@link #hasRoom()} must be true. Without {@link #finish} it is forgotten. @return where its BTH goes */
    public int begin(Path path) {
        return batch.begin(path);
    }

    /** Ends the packet begun last. @param end of the payload's pad, exclusive */
    public void finish(Path path, int at, int end) {
        ByteBuffer buffer = batch.buffer();
        Icrc.put(buffer, end, sealFor(path, buffer, at, end));
        batch.commit(end + Icrc.LENGTH - at);
        counters.count(RxeCounter.SENT_PKTS);
    }

    /** The ICRC; over IPv4 with identification 0 and DF, as an unconnected socket that must not fragment sends it, and raw links do. */
    private int sealFor(Path path, ByteBuffer buffer, int at, int end) {
        if (path.type() == GidType.ROCE_V1) {
            return icrc.ofGrhPayload(buffer, at, end, path.local().high(), path.local().low(), path.remote().high(), path.remote().low());
        }
        return path.isIpv4()
            ? icrc.ofIpv4Payload(buffer, at, end, path.local().ipv4(), path.remote().ipv4(), path.sourcePort(), path.destPort())
            : icrc.ofIpv6Payload(buffer, at, end, path.local().high(), path.local().low(), path.remote().high(), path.remote().low(),
                path.sourcePort(), path.destPort());
    }
}
