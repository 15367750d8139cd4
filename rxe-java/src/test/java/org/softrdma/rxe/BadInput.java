// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.softrdma.link.sim.Fate;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;

/**
 * A device under fire: ready, with receives posted, over RC and XRC a READ and a SEND waiting for responses, and memory next to
 * the memory that the peer may access. For any bytes received: nothing is thrown, other memory is unchanged, and every packet is counted
 * by name.
 */
final class BadInput {
    static final int SIZE = 4096;
    /** Q_Key of the UD queue pair. */
    static final int QKEY = 0x11111111;

    /** Counters of the edge: a packet passes, or is dropped for one of these reasons. */
    private static final List<String> EDGE = List.of("rcvd_pkts", "drop_too_short", "drop_bad_length", "drop_bad_version",
        "drop_unknown_opcode", "drop_bad_port", "drop_unknown_qpn", "drop_bad_icrc", "drop_bad_pkey", "drop_wrong_address",
        "drop_gsi_no_mad", "drop_gsi_bad_qkey", "drop_gsi_full");

    final RawPeer peer;
    final MemoryRegion remote;
    private final MemoryRegion readOnly;
    private final MemoryRegion local;
    private final byte[] readOnlyBefore;
    private long sentByPeer;

    BadInput() {
        this(QpType.RC);
    }

    BadInput(QpType service) {
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.type = service;
        setup.qkey = QKEY;
        peer = new RawPeer(setup);
        remote = peer.side.memory(SIZE, SimulatedPair.ALL_REMOTE);
        readOnly = peer.side.memory(SIZE, AccessFlags.REMOTE_READ);
        readOnly.memory().fill((byte) 0x5a);
        readOnlyBefore = readOnly.memory().toArray(ValueLayout.JAVA_BYTE);
        local = peer.side.memory(SIZE, AccessFlags.LOCAL_WRITE);
        for (int i = 0; i < 8; i++) {
            ReceiveRequest recv = new ReceiveRequest().begin(i).element(local, 0, 2048);
            switch (service) {
                case XRC_RECV -> peer.side.srq.postReceive(recv);
                case XRC_SEND -> { }
                default -> peer.side.qp.postReceive(recv);
            }
        }
        SendRequest wr = new SendRequest();
        if (service == QpType.RC || service == QpType.XRC_SEND) {
            peer.side.qp.postSend(wr.read(0x1000, 0x77).wrId(1).toSrq(1).element(local, 2048, 2048).signaled());
            peer.side.qp.postSend(wr.send().wrId(2).toSrq(1).element(readOnly, 0, 8).signaled());
        }
        peer.takeAll(RawPeer.MS);
        peer.fabric.observe((nowNs, from, to, packet, offset, length, fate) ->
            sentByPeer += fate == Fate.SENT && !from.equals(peer.side.gid) ? 1 : 0);
    }

    int readOnlyKey() {
        return readOnly.rkey();
    }

    long readOnlyAddress() {
        return readOnly.address();
    }

    /** Sends bytes as they are. */
    void fire(byte[] packet) {
        peer.sendBytes(packet.length > 8192 ? Arrays.copyOf(packet, 8192) : packet);
        peer.takeAll(10_000);
    }

    void check() {
        Map<String, Long> counters = peer.side.context.counters();
        long accounted = EDGE.stream().mapToLong(counters::get).sum();
        assertEquals(sentByPeer, accounted, () -> "packets accounted for: " + counters);
        assertEquals(0, counters.get("internal_errors"), "internal errors");
        assertArrayEquals(readOnlyBefore, readOnly.memory().toArray(ValueLayout.JAVA_BYTE));
    }

    /** For packets that must not pass the edge. */
    void checkUntouched(String counter, long count) {
        check();
        assertEquals(count, peer.side.counter(counter), counter);
        assertEquals(0, peer.side.counter("rcvd_pkts"), "packets taken");
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(List.of(), peer.side.sends());
        assertEquals(List.of(), peer.side.receives());
        for (MemoryRegion region : List.of(remote, local)) {
            for (byte each : region.memory().toArray(ValueLayout.JAVA_BYTE)) {
                assertEquals(0, each, "memory");
            }
        }
    }
}
