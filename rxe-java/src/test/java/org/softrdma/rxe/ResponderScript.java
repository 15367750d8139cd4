// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;

/** Scripts for the device as responder with a peer that is written by hand. PSNs wrap in most tests. */
abstract class ResponderScript {

    final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    final ReceiveRequest recv = new ReceiveRequest();
    RawPeer peer;
    MemoryRegion memory;

    final void connect() {
        peer = new RawPeer(setup);
        memory = peer.side.memory(100_000, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < 100_000; i++) {
            memory.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 13 + (i >> 8)));
        }
    }

    final void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            peer.side.qp.postReceive(recv.begin(i).element(memory, 0, 4096));
        }
    }

    final RawPacket send(int psn) {
        return RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN + psn).payload(10).ackRequest();
    }

    final RawPacket write(int psn, int at, int length) {
        return RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN + psn).reth(memory.address() + at, memory.rkey(), length).payload(length)
            .ackRequest();
    }

    final RawPacket read(int psn, int at, int length) {
        return RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN + psn).reth(memory.address() + at, memory.rkey(), length).ackRequest();
    }

    final RawPacket add(int psn, long value) {
        return RawPacket.of(RawPacket.FETCH_ADD, OUR_PSN + psn).atomic(memory.address(), memory.rkey(), value, 0).ackRequest();
    }

    final byte[] content(int at, int length) {
        return memory.memory().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    final List<String> receives() {
        return peer.side.receives().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }
}
