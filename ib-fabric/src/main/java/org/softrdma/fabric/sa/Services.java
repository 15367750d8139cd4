// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.agent.Deadline;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.ServiceRecord;
import org.softrdma.wire.mad.Field;

/** Services that clients registered, for as long as they asked. Source: IBA vol 1 §15.2.5.14. */
final class Services {
    /** Services at most. */
    static final int MAX_SERVICES = 4096;
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final long NAMED = ServiceRecord.COMPONENTS.bits(ServiceRecord.SERVICE_ID, ServiceRecord.GID_HIGH, ServiceRecord.PKEY);

    /** A service is the same if its ServiceID, ServiceGID and ServiceP_Key are. */
    private record Key(long id, long gidHigh, long gidLow, int pkey) {
    }

    private record Service(ByteBuffer record, long endNs) {
    }

    private final Map<Key, Service> services = new LinkedHashMap<>();

    private static Key key(ByteBuffer mad) {
        int at = SaMad.DATA_OFFSET;
        return new Key(ServiceRecord.SERVICE_ID.getLong(mad, at), ServiceRecord.GID_HIGH.getLong(mad, at),
            ServiceRecord.GID_LOW.getLong(mad, at), ServiceRecord.PKEY.get(mad, at));
    }

    /**
     * Registers a service, or renews it.
     *
     * @param mad a Set of ServiceRecord
     * @return a constant of {@link MadStatus}
     */
    int register(Subnet subnet, ByteBuffer mad, long nowNs) {
        if ((SaMad.COMPONENT_MASK.getLong(mad, 0) & NAMED) != NAMED) {
            return MadStatus.SA_INSUFFICIENT_COMPONENTS;
        }
        Key key = key(mad);
        if (subnet.byGid(key.gidHigh, key.gidLow) == null) {
            return MadStatus.SA_INVALID_GID;
        }
        if (!services.containsKey(key) && services.size() == MAX_SERVICES) {
            return MadStatus.SA_NO_RESOURCES;
        }
        ByteBuffer record = ByteBuffer.allocate(ServiceRecord.LENGTH);
        record.put(0, mad, SaMad.DATA_OFFSET, ServiceRecord.LENGTH);
        int lease = record.getInt(ServiceRecord.LEASE.offset());
        boolean endless = lease == ServiceRecord.INFINITE_LEASE || !isSaid(mad, ServiceRecord.LEASE);
        services.put(key, new Service(record, endless ? Deadline.NEVER : nowNs + Integer.toUnsignedLong(lease) * NS_PER_SECOND));
        return MadStatus.OK;
    }

    private static boolean isSaid(ByteBuffer mad, Field field) {
        return (SaMad.COMPONENT_MASK.getLong(mad, 0) & ServiceRecord.COMPONENTS.bit(field)) != 0;
    }

    /**
     * Ends a registration.
     *
     * @param mad a Delete of ServiceRecord
     * @return a constant of {@link MadStatus}
     */
    int deregister(ByteBuffer mad) {
        if ((SaMad.COMPONENT_MASK.getLong(mad, 0) & NAMED) != NAMED) {
            return MadStatus.SA_INSUFFICIENT_COMPONENTS;
        }
        return services.remove(key(mad)) == null ? MadStatus.SA_NO_RECORDS : MadStatus.OK;
    }

    List<ByteBuffer> records() {
        return services.values().stream().map(Service::record).toList();
    }

    /** Forgets the services whose lease is over. */
    void onTime(long nowNs) {
        services.values().removeIf(each -> Deadline.isDue(each.endNs, nowNs));
    }

    long deadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (Service each : services.values()) {
            earliestNs = Deadline.earlier(earliestNs, each.endNs);
        }
        return earliestNs;
    }
}
