// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.wire.ib.LinkRecord;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.NodeRecord;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.PortInfoRecord;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.ib.SwitchInfoRecord;

/** All records of the attributes that only show the subnet. Source: IBA vol 1 §15.2.5. */
final class SubnetRecords {
    private SubnetRecords() {
    }

    /** NodeRecord: one for each end of routes. */
    static List<ByteBuffer> nodes(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetPort each : subnet.ends()) {
            ByteBuffer record = ByteBuffer.allocate(NodeRecord.LENGTH);
            NodeRecord.LID.set(record, 0, each.lid());
            record.put(NodeRecord.NODE_INFO_OFFSET, each.node().info(), 0, NodeInfo.LENGTH);
            NodeInfo.PORT_GUID.set(record, NodeRecord.NODE_INFO_OFFSET, each.guid());
            NodeInfo.LOCAL_PORT.set(record, NodeRecord.NODE_INFO_OFFSET, each.number());
            record.put(NodeRecord.DESCRIPTION_OFFSET, each.node().description(), 0, NodeRecord.DESCRIPTION_LENGTH);
            records.add(record);
        }
        return records;
    }

    /** PortInfoRecord: one for each port, external ones of switches included. */
    static List<ByteBuffer> ports(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetNode node : subnet.nodes()) {
            for (SubnetPort each : node.ports()) {
                ByteBuffer record = ByteBuffer.allocate(PortInfoRecord.LENGTH);
                PortInfoRecord.LID.set(record, 0, each.lid());
                PortInfoRecord.PORT.set(record, 0, each.number());
                record.put(PortInfoRecord.PORT_INFO_OFFSET, each.info(), 0, PortInfo.LENGTH);
                records.add(record);
            }
        }
        return records;
    }

    /** SwitchInfoRecord. */
    static List<ByteBuffer> switches(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetPort each : subnet.ends()) {
            if (each.node().isSwitch()) {
                ByteBuffer record = ByteBuffer.allocate(SwitchInfoRecord.LENGTH);
                SwitchInfoRecord.LID.set(record, 0, each.lid());
                record.put(SwitchInfoRecord.SWITCH_INFO_OFFSET, each.node().switchInfo(), 0, SwitchInfo.LENGTH);
                records.add(record);
            }
        }
        return records;
    }

    /** LinkRecord: two for each cable. */
    static List<ByteBuffer> links(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetNode node : subnet.nodes()) {
            for (SubnetPort each : node.ports()) {
                if (each.peer() != null) {
                    ByteBuffer record = ByteBuffer.allocate(LinkRecord.LENGTH);
                    LinkRecord.FROM_LID.set(record, 0, each.lid());
                    LinkRecord.FROM_PORT.set(record, 0, each.number());
                    LinkRecord.TO_PORT.set(record, 0, each.peer().number());
                    LinkRecord.TO_LID.set(record, 0, each.peer().lid());
                    records.add(record);
                }
            }
        }
        return records;
    }
}
