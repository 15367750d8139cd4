// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.softrdma.wire.ib.IbRate;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Field;

/**
 * One request for PathRecords. There is one path from each port to each other one that has a partition with it, which is reversible and in
 * service level 0. Source: IBA vol 1 §15.2.5.16.
 */
final class PathQuery {
    /** Records of an answer at most. */
    static final int MAX_RECORDS = 1 << 17;
    /** Packet life time of a path over cables, as of opensm: 4.096 µs · 2^18. */
    static final int LIFE_TIME = 18;

    private final Subnet subnet;
    private final ByteBuffer query;
    private final long mask;

    /** @param query record of the request at {@link SaMad#DATA_OFFSET} */
    PathQuery(Subnet subnet, ByteBuffer query) {
        this.subnet = subnet;
        this.query = query;
        mask = SaMad.COMPONENT_MASK.getLong(query, 0);
    }

    private boolean has(Field component) {
        return (mask & PathRecord.COMPONENTS.bit(component)) != 0;
    }

    private int wanted(Field component) {
        return component.get(query, SaMad.DATA_OFFSET);
    }

    /**
     * Finds the paths.
     *
     * @return null if there are more than an answer can have
     */
    List<ByteBuffer> answer() {
        List<ByteBuffer> records = new ArrayList<>();
        if (has(PathRecord.SERVICE_LEVEL) && wanted(PathRecord.SERVICE_LEVEL) != 0) {
            return records;
        }
        List<SubnetPort> destinations = ports(PathRecord.DGID_HIGH, PathRecord.DGID_LOW, PathRecord.DLID);
        for (SubnetPort from : ports(PathRecord.SGID_HIGH, PathRecord.SGID_LOW, PathRecord.SLID)) {
            for (SubnetPort to : destinations) {
                ByteBuffer record = record(subnet.path(from, to));
                if (record != null && records.size() == MAX_RECORDS) {
                    return null;
                }
                if (record != null) {
                    records.add(record);
                }
            }
        }
        return records;
    }

    /** The ports that one end of the paths may be. */
    private List<SubnetPort> ports(Field gidHigh, Field gidLow, Field lid) {
        int at = SaMad.DATA_OFFSET;
        if (!has(gidHigh) && !has(lid)) {
            return subnet.ends();
        }
        SubnetPort found = has(gidHigh) ? subnet.byGid(gidHigh.getLong(query, at), gidLow.getLong(query, at)) : subnet.byLid(wanted(lid));
        return found == null || has(lid) && found.lid() != wanted(lid) ? List.of() : List.of(found);
    }

    /** The record of a path; null if there is none, or it is not as it is wanted. */
    private ByteBuffer record(Subnet.Path path) {
        if (path == null) {
            return null;
        }
        int mtu = choose(path.mtu(), PathRecord.MTU_SELECTOR, PathRecord.MTU, code -> code);
        int rate = choose(path.rate(), PathRecord.RATE_SELECTOR, PathRecord.RATE, IbRate::hundredMbps);
        int pkey = path.from().commonPkey(path.to(), has(PathRecord.PKEY) ? wanted(PathRecord.PKEY) & PKeyBlock.PARTITION : 0);
        int lifeTime = path.from() == path.to() ? 0 : LIFE_TIME;
        if (mtu == 0 || rate == 0 || pkey == 0 || !isLifeTimeWanted(lifeTime)) {
            return null;
        }
        ByteBuffer record = ByteBuffer.allocate(PathRecord.LENGTH);
        PathRecord.DGID_HIGH.set(record, 0, Subnet.PREFIX);
        PathRecord.DGID_LOW.set(record, 0, path.to().guid());
        PathRecord.SGID_HIGH.set(record, 0, Subnet.PREFIX);
        PathRecord.SGID_LOW.set(record, 0, path.from().guid());
        PathRecord.DLID.set(record, 0, path.to().lid());
        PathRecord.SLID.set(record, 0, path.from().lid());
        PathRecord.REVERSIBLE.set(record, 0, 1);
        PathRecord.PKEY.set(record, 0, pkey);
        PathRecord.MTU_SELECTOR.set(record, 0, PathRecord.EXACTLY);
        PathRecord.MTU.set(record, 0, mtu);
        PathRecord.RATE_SELECTOR.set(record, 0, PathRecord.EXACTLY);
        PathRecord.RATE.set(record, 0, rate);
        PathRecord.LIFE_TIME_SELECTOR.set(record, 0, PathRecord.EXACTLY);
        PathRecord.LIFE_TIME.set(record, 0, lifeTime);
        return record;
    }

    /**
     * The code that a path has for a client, who may send shorter or more slowly than the path allows.
     *
     * @param size what a code stands for
     * @return 0 if the path is not as it is wanted
     */
    private int choose(int offered, Field selector, Field value, IntUnaryOperator size) {
        if (!has(selector) || !has(value)) {
            return offered;
        }
        int most = size.applyAsInt(offered);
        int limit = size.applyAsInt(wanted(value));
        return switch (wanted(selector)) {
            case PathRecord.GREATER_THAN -> most > limit ? offered : 0;
            case PathRecord.LESS_THAN -> most < limit ? offered : below(offered, limit, size);
            case PathRecord.EXACTLY -> limit != 0 && most >= limit ? wanted(value) : 0;
            default -> offered;
        };
    }

    private static int below(int offered, int limit, IntUnaryOperator size) {
        int best = 0;
        for (int code = 1; code < 64; code++) {
            int each = size.applyAsInt(code);
            if (each != 0 && each < limit && each <= size.applyAsInt(offered) && each > size.applyAsInt(best)) {
                best = code;
            }
        }
        return best;
    }

    private boolean isLifeTimeWanted(int lifeTime) {
        if (!has(PathRecord.LIFE_TIME_SELECTOR) || !has(PathRecord.LIFE_TIME)) {
            return true;
        }
        int limit = wanted(PathRecord.LIFE_TIME);
        return switch (wanted(PathRecord.LIFE_TIME_SELECTOR)) {
            case PathRecord.GREATER_THAN -> lifeTime > limit;
            case PathRecord.LESS_THAN -> lifeTime < limit;
            case PathRecord.EXACTLY -> lifeTime == limit;
            default -> true;
        };
    }
}
