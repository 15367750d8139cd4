// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.softrdma.wire.ib.McMemberRecord;

/** A multicast group and its members. */
public final class MulticastGroup {
    private final ByteBuffer record;
    private final boolean permanent;
    /** JoinState by PortGUID. */
    private final Map<Long, Integer> members = new LinkedHashMap<>();

    /**
     * Creates a group without members.
     *
     * @param record    MCMemberRecord with zeros in place of a member
     * @param permanent whether it stays without members
     */
    MulticastGroup(ByteBuffer record, boolean permanent) {
        this.record = record;
        this.permanent = permanent;
    }

    /** Multicast LID, u16. */
    public int mlid() {
        return McMemberRecord.MLID.get(record, 0);
    }

    /** PortGUIDs of the members. */
    public Set<Long> members() {
        return members.keySet();
    }

    ByteBuffer record() {
        return record;
    }

    /** JoinState of a port; 0 if it is no member. */
    int joinState(long guid) {
        return members.getOrDefault(guid, 0);
    }

    void setJoinState(long guid, int state) {
        if (state == 0) {
            members.remove(guid);
        } else {
            members.put(guid, state);
        }
    }

    /** Whether the group ends: it is not permanent, and has no full member. */
    boolean isOver() {
        return !permanent && members.values().stream().noneMatch(state -> (state & McMemberRecord.FULL_MEMBER) != 0);
    }

    /** The record of a member; of none, for a PortGUID of 0. */
    ByteBuffer recordOf(long guid) {
        ByteBuffer copy = ByteBuffer.allocate(McMemberRecord.LENGTH);
        copy.put(0, record, 0, McMemberRecord.LENGTH);
        McMemberRecord.JOIN_STATE.set(copy, 0, joinState(guid));
        if (guid != 0) {
            McMemberRecord.PORT_GID_HIGH.set(copy, 0, Subnet.PREFIX);
            McMemberRecord.PORT_GID_LOW.set(copy, 0, guid);
        }
        return copy;
    }
}
