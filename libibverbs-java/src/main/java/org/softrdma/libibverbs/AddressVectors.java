// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvAhAttr;
import org.softrdma.verbs.AddressVector;

/** Address vectors as {@code struct ibv_ah_attr}, always with a global route. */
final class AddressVectors {
    private AddressVectors() {
    }

    static AddressVector get(MemorySegment memory, long at) {
        return new AddressVector(Gids.get(memory, at + IbvAhAttr.DGID.offset()), IbvAhAttr.SGID_INDEX.get(memory, at),
            IbvAhAttr.FLOW_LABEL.get(memory, at), IbvAhAttr.HOP_LIMIT.get(memory, at), IbvAhAttr.TRAFFIC_CLASS.get(memory, at),
            IbvAhAttr.SL.get(memory, at), IbvAhAttr.PORT_NUM.get(memory, at));
    }

    static void set(MemorySegment memory, long at, AddressVector vector) {
        Gids.set(memory, at + IbvAhAttr.DGID.offset(), vector.dgid());
        IbvAhAttr.FLOW_LABEL.set(memory, at, vector.flowLabel());
        IbvAhAttr.SGID_INDEX.set(memory, at, vector.sgidIndex());
        IbvAhAttr.HOP_LIMIT.set(memory, at, vector.hopLimit());
        IbvAhAttr.TRAFFIC_CLASS.set(memory, at, vector.trafficClass());
        IbvAhAttr.SL.set(memory, at, vector.sl());
        IbvAhAttr.IS_GLOBAL.set(memory, at, 1);
        IbvAhAttr.PORT_NUM.set(memory, at, vector.port());
    }
}
