// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import org.softrdma.link.Path;
import org.softrdma.recording.Track;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.QpType;

/** Describes the ends of a device for recordings. */
final class RxeTracks {
    private static final long PID = ProcessHandle.current().pid();

    private RxeTracks() {
    }

    /** Describes a queue pair as it is now. */
    static Track.Head head(String device, QpMachine qp) {
        Path path = qp.path();
        boolean connected = qp.type() != QpType.UD && path != null;
        return new Track.Head(Track.Kind.QUEUE_PAIR, device, PID, protocol(path), qp.qpn(), qp.type().toString(), qp.state().toString(),
            connected ? qp.attributes().destQpn() : Track.Head.UNKNOWN, path == null ? null : path.local(),
            path == null ? null : path.remote(), path == null ? 0 : path.sourcePort(), path == null ? 0 : path.destPort(), qp.mtu());
    }

    /** Recordings have no InfiniBand; RoCE v1 has the same headers from the global route header on. */
    private static Track.Protocol protocol(Path path) {
        return path != null && path.type() != GidType.ROCE_V2 ? Track.Protocol.ROCE_V1 : Track.Protocol.ROCE_V2;
    }

    /** Describes the device itself, for packets that reach no queue pair. */
    static Track.Head device(String device) {
        return new Track.Head(Track.Kind.DEVICE, device, PID, Track.Protocol.ROCE_V2, 0, "", "", Track.Head.UNKNOWN, null, null, 0, 0, 0);
    }
}
