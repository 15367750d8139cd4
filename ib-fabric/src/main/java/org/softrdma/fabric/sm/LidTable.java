// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.PortInfo;

/**
 * LIDs by port GUID. A port that comes back gets the LID that it had; a port that is new keeps the one that it has, if no other one does.
 */
final class LidTable {
    private final Map<Long, Integer> lids = new HashMap<>();
    private final BitSet used = new BitSet();

    /**
     * Assigns a LID to each port; 0 if there are no more.
     *
     * @return greatest LID in use
     */
    int assign(Collection<ManagedPort> ends) {
        if (lids.size() + ends.size() > Lrh.LAST_UNICAST_LID) {
            forgetAllBut(ends);
        }
        for (ManagedPort each : ends) {
            int own = each.info == null ? 0 : PortInfo.LID.get(each.info, 0);
            boolean free = own != 0 && own <= Lrh.LAST_UNICAST_LID && !used.get(own);
            if (free && !lids.containsKey(each.guid)) {
                take(each.guid, own);
            }
        }
        int top = 0;
        for (ManagedPort each : ends) {
            if (!lids.containsKey(each.guid)) {
                int lid = used.nextClearBit(1);
                if (lid > Lrh.LAST_UNICAST_LID) {
                    each.lid = 0;
                    continue;
                }
                take(each.guid, lid);
            }
            each.lid = lids.get(each.guid);
            top = Math.max(top, each.lid);
        }
        return top;
    }

    private void take(long guid, int lid) {
        lids.put(guid, lid);
        used.set(lid);
    }

    private void forgetAllBut(Collection<ManagedPort> ends) {
        Set<Long> kept = new HashSet<>();
        ends.forEach(each -> kept.add(each.guid));
        lids.keySet().retainAll(kept);
        used.clear();
        lids.values().forEach(used::set);
    }
}
