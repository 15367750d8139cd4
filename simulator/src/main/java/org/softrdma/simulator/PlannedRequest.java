// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.List;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.WcOpcode;

/** A send work request of a simulated workload: what is posted, and what must come of it. */
final class PlannedRequest {
    enum Kind {
        SEND(WcOpcode.SEND), SEND_IMM(WcOpcode.SEND), SEND_INV(WcOpcode.SEND), WRITE(WcOpcode.RDMA_WRITE), WRITE_IMM(WcOpcode.RDMA_WRITE),
        READ(WcOpcode.RDMA_READ), SWAP(WcOpcode.COMP_SWAP), ADD(WcOpcode.FETCH_ADD), BIND(WcOpcode.BIND_MW), UNBIND(WcOpcode.LOCAL_INV);

        final WcOpcode completion;

        Kind(WcOpcode completion) {
            this.completion = completion;
        }

        boolean consumesReceive() {
            return this == SEND || this == SEND_IMM || this == SEND_INV || this == WRITE_IMM;
        }

        boolean isSend() {
            return this == SEND || this == SEND_IMM || this == SEND_INV;
        }

        boolean isWrite() {
            return this == WRITE || this == WRITE_IMM;
        }

        boolean hasImmediate() {
            return this == SEND_IMM || this == WRITE_IMM;
        }

        boolean isAtomic() {
            return this == SWAP || this == ADD;
        }
    }

    /**
     * Where a datagram goes.
     *
     * @param gid a queue pair's address, or a group's;
     * @param reaches who takes it
     */
    record Destination(Gid gid, int qpn, int qkey, List<Endpoint> reaches) {
    }

    final RequestStream stream;
    final int index;
    final Kind kind;
    final int length;
    /** Elements, in the initiator's memory. */
    List<Slot> local = List.of();
    /** Where, in the target's memory; null for what has no remote address. */
    Slot remote;
    /** The receive this takes, in the target's memory; null if it takes none. */
    List<Slot> receive;
    /** The window it goes through, is sent to end, binds or unbinds; null for none. */
    WindowEpisode window;
    int immediate;
    long compare;
    long swapOrAdd;
    /** The word several queue pairs use at once, or -1. */
    int sharedWord = -1;
    boolean signaled;
    boolean fence;
    boolean solicited;
    boolean inline;
    /** Of services without acknowledgements: what tells the receiver which message it is; 0 for others. */
    int id;
    /** Where a datagram goes; null for other services. */
    Destination to;
    /** The address handle is closed right after posting. */
    boolean closesHandle;
    /** The peer's memory was closed to it before it was posted: it must do nothing there. */
    boolean refused;
    /** Must be known to be complete before this one is posted. */
    PlannedRequest after;
    /** Original value an atomic returned, once its stream knows. */
    long original;

    PlannedRequest(RequestStream stream, Kind kind, int length) {
        this.stream = stream;
        this.index = stream.requests.size();
        this.kind = kind;
        this.length = length;
    }

    /** Part of what it sends from or places into here was deregistered. */
    boolean lostLocal() {
        return local.stream().anyMatch(slot -> slot.memory().isDead());
    }

    boolean lostRemote() {
        return remote != null && remote.memory().isClosedToPeers();
    }

    boolean lostReceive() {
        return receive != null && receive.stream().anyMatch(slot -> slot.memory().isDead());
    }

    /** Data of the request, from the initiator's memory before anything was posted. */
    byte[] source() {
        byte[] data = new byte[length];
        int at = 0;
        for (Slot slot : local) {
            System.arraycopy(slot.expected(), 0, data, at, slot.length());
            at += slot.length();
        }
        return data;
    }

    @Override
    public String toString() {
        return stream.name() + "#" + index + " " + kind + " of " + length + (fence ? " fence" : "") + (signaled ? " signaled" : "")
            + (inline ? " inline" : "") + (window == null ? "" : " window") + (remote == null ? "" : ", remote " + remote)
            + (local.isEmpty() ? "" : ", local " + local);
    }
}
