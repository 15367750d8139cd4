// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import org.softrdma.link.Path;
import org.softrdma.link.SubnetPort;
import org.softrdma.recording.Track;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.QpType;
import org.softrdma.wire.ib.Lrh;

/** Describes the ends of a device for recordings. */
final class RxeTracks {
    private static final long PID = ProcessHandle.current().pid();

    private RxeTracks() {
    }

    /**
     * Describes a queue pair as it is now.
     *
     * @param port the device's on an InfiniBand subnet; null for RoCE
     */
    static Track.Head head(String device, QpMachine qp, SubnetPort port) {
        Path path = qp.path();
        boolean connected = qp.type() != QpType.UD && path != null;
        return new Track.Head(Track.Kind.QUEUE_PAIR, device, PID, protocol(path, port), qp.qpn(), qp.type().toString(),
            qp.state().toString(), connected ? qp.attributes().destQpn() : Track.Head.UNKNOWN, path == null ? gid(port) : path.local(),
            path == null ? null : path.remote(), path == null ? 0 : path.sourcePort(), path == null ? 0 : path.destPort(), qp.mtu(),
            subnet(path, port, qp.pkey()));
    }

    private static Track.Protocol protocol(Path path, SubnetPort port) {
        return port != null ? Track.Protocol.INFINIBAND
            : path != null && path.type() == GidType.ROCE_V1 ? Track.Protocol.ROCE_V1 : Track.Protocol.ROCE_V2;
    }

    private static Gid gid(SubnetPort port) {
        return port == null ? null : port.gid(0);
    }

    /** The place on the subnet: of a path, or without one of the port. */
    private static Track.Subnet subnet(Path path, SubnetPort port, int pkey) {
        if (port == null) {
            return null;
        }
        if (path == null) {
            return new Track.Subnet(port.lid(), 0, 0, pkey);
        }
        return new Track.Subnet(Lrh.slid(path.lrh()), Lrh.dlid(path.lrh()), Lrh.sl(path.lrh()), pkey);
    }

    /**
     * Describes the device itself, for packets that reach no queue pair.
     *
     * @param port its port on an InfiniBand subnet; null for RoCE
     */
    static Track.Head device(String device, SubnetPort port) {
        return new Track.Head(Track.Kind.DEVICE, device, PID, protocol(null, port), 0, "", "", Track.Head.UNKNOWN, gid(port), null, 0, 0, 0,
            subnet(null, port, QpMachine.PKEY));
    }
}
