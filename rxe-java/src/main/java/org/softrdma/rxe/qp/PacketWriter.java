// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.roce.Icrc;

/** Writes packets into the batch that the link sends next, and seals each with its ICRC if it leaves the process. */
public final class PacketWriter {
    private final TransmitBatch batch;
    private final Counters<RxeCounter> counters;
    private final Icrc icrc = new Icrc();
    private final Predicate<Path> needsIcrc;

    /**
     * Creates a writer of packets into a batch.
     *
     * @param needsIcrc whether packets of a path need their ICRC now; see {@link org.softrdma.link.Link#needsIcrc}
     */
    public PacketWriter(TransmitBatch batch, Counters<RxeCounter> counters, Predicate<Path> needsIcrc) {
        this.batch = batch;
        this.counters = counters;
        this.needsIcrc = needsIcrc;
    }

    public boolean hasRoom() {
        return !batch.isFull();
    }

    /** Bytes of the batch, big-endian. */
    public ByteBuffer buffer() {
        return batch.buffer();
    }

    /** Whether packets of a path now stay in memory, where each is received as soon as it is sent. */
    boolean staysInMemory(Path path) {
        return !needsIcrc.test(path);
    }

    /** The bytes of {@link #buffer()} as a segment, for bulk copies. */
    MemorySegment memory() {
        return batch.memory();
    }

    /** Offset of the next packet. The difference of two such offsets is the bytes written meanwhile, unless the batch was sent. */
    int position() {
        return batch.offset(batch.end());
    }

    /**
     * Starts a packet; {@link #hasRoom()} must be true. Without {@link #finish} it is forgotten.
     *
     * @return offset for its BTH
     */
    public int begin(Path path) {
        return batch.begin(path);
    }

    /**
     * Ends the packet begun last.
     *
     * @param end offset after the payload's pad
     */
    public void finish(Path path, int at, int end) {
        ByteBuffer buffer = batch.buffer();
        boolean sealed = needsIcrc.test(path);
        if (sealed) {
            Icrc.put(buffer, end, sealFor(path, buffer, at, end));
        }
        batch.commit(end + Icrc.LENGTH - at, sealed);
        counters.count(RxeCounter.SENT_PKTS);
    }

    /** Computes the ICRC; over IPv4 with identification 0 and DF, as unconnected sockets that must not fragment and raw links send it. */
    private int sealFor(Path path, ByteBuffer buffer, int at, int end) {
        if (path.isWithinSubnet()) {
            return icrc.ofLrhPayload(buffer, at, end, path.lrh(end + Icrc.LENGTH - at));
        }
        if (path.type() != GidType.ROCE_V2) {
            return icrc.ofGrhPayload(buffer, at, end, path.local().high(), path.local().low(), path.remote().high(), path.remote().low());
        }
        return path.isIpv4()
            ? icrc.ofIpv4Payload(buffer, at, end, path.local().ipv4(), path.remote().ipv4(), path.sourcePort(), path.destPort())
            : icrc.ofIpv6Payload(buffer, at, end, path.local().high(), path.local().low(), path.remote().high(), path.remote().low(),
                path.sourcePort(), path.destPort());
    }
}
