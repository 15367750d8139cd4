// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import org.softrdma.cm.CmRoute;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.ReqFields;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.ib.PathRecord;

/**
 * A path through an InfiniBand subnet, as subnet administration gave it.
 *
 * @param path PathRecord, {@link PathRecord#LENGTH} bytes
 */
record SubnetRoute(ByteBuffer path) implements CmRoute {
    /** Our LID, u16. */
    int slid() {
        return PathRecord.SLID.get(path, 0);
    }

    /** LID of the peer, u16. */
    int dlid() {
        return PathRecord.DLID.get(path, 0);
    }

    int serviceLevel() {
        return PathRecord.SERVICE_LEVEL.get(path, 0);
    }

    /** Addresses of management datagrams on the path. */
    GidPair lids() {
        return new GidPair(GidType.IB, Gid.ofLid(slid()), Gid.ofLid(dlid()));
    }

    /** ACK timeout of queue pairs on the path, as one exponent. */
    int ackTimeout(int acksDelay) {
        return CmSettings.ackTimeout(PathRecord.LIFE_TIME.get(path, 0), acksDelay);
    }

    /**
     * Describes the path in a REQ. Source: IBA vol 1 §12.7.
     *
     * @param greatestMtu code of the port's MTU, 1..5
     */
    void describe(ReqFields.Builder request, int greatestMtu) {
        request.local(new Gid(PathRecord.SGID_HIGH.getLong(path, 0), PathRecord.SGID_LOW.getLong(path, 0)))
            .remote(new Gid(PathRecord.DGID_HIGH.getLong(path, 0), PathRecord.DGID_LOW.getLong(path, 0)))
            .localLid(slid())
            .remoteLid(dlid())
            .serviceLevel(serviceLevel())
            .packetRate(PathRecord.RATE.get(path, 0))
            .pathMtu(Math.clamp(PathRecord.MTU.get(path, 0), 1, greatestMtu))
            .pkey(PathRecord.PKEY.get(path, 0))
            .trafficClass(PathRecord.TRAFFIC_CLASS.get(path, 0))
            .flowLabel(PathRecord.FLOW_LABEL.get(path, 0))
            .hopLimit(PathRecord.HOP_LIMIT.get(path, 0));
    }
}
