// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.LinkRecord;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.NodeRecord;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.PortInfoRecord;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.ib.SwitchInfoRecord;
import org.softrdma.wire.ib.TableRecord;

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
        for (SubnetPort each : switchesOf(subnet)) {
            ByteBuffer record = ByteBuffer.allocate(SwitchInfoRecord.LENGTH);
            SwitchInfoRecord.LID.set(record, 0, each.lid());
            record.put(SwitchInfoRecord.SWITCH_INFO_OFFSET, each.node().switchInfo(), 0, SwitchInfo.LENGTH);
            records.add(record);
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

    /** LinearForwardingTableRecord: the blocks of each switch up to its greatest LID. */
    static List<ByteBuffer> linearTables(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetPort each : switchesOf(subnet)) {
            int top = SwitchInfo.LINEAR_TOP.get(each.node().switchInfo(), 0);
            for (int block = 0; block * LinearForwardingBlock.ENTRIES <= top; block++) {
                ByteBuffer record = block(each);
                TableRecord.BLOCK.set(record, 0, block);
                for (int i = 0; i < LinearForwardingBlock.ENTRIES; i++) {
                    int port = each.node().outputNumber(block * LinearForwardingBlock.ENTRIES + i);
                    LinearForwardingBlock.set(record, TableRecord.BLOCK_OFFSET, i, port);
                }
                records.add(record);
            }
        }
        return records;
    }

    /**
     * MulticastForwardingTableRecord: the blocks of each switch that have a group.
     *
     * @param blocks blocks that can have one, from the first on
     */
    static List<ByteBuffer> multicastTables(Subnet subnet, int blocks) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetPort each : switchesOf(subnet)) {
            int positions = NodeInfo.PORTS.get(each.node().info(), 0) / MulticastForwardingBlock.PORTS + 1;
            for (int block = 0; block < blocks; block++) {
                for (int position = 0; position < positions; position++) {
                    ByteBuffer record = multicastBlock(each, block, position);
                    if (record != null) {
                        records.add(record);
                    }
                }
            }
        }
        return records;
    }

    private static ByteBuffer multicastBlock(SubnetPort at, int block, int position) {
        ByteBuffer record = block(at);
        TableRecord.POSITION.set(record, 0, position);
        TableRecord.MULTICAST_BLOCK.set(record, 0, block);
        boolean used = false;
        for (int i = 0; i < MulticastForwardingBlock.ENTRIES; i++) {
            BitSet ports = at.node().groupPorts(Lrh.FIRST_MULTICAST_LID + block * MulticastForwardingBlock.ENTRIES + i);
            int bits = MulticastForwardingBlock.bits(ports, position);
            MulticastForwardingBlock.set(record, TableRecord.BLOCK_OFFSET, i, bits);
            used |= bits != 0;
        }
        return used ? record : null;
    }

    /** P_KeyTableRecord: the blocks with P_Keys, of the ports with a LID of their own. */
    static List<ByteBuffer> pkeyTables(Subnet subnet) {
        List<ByteBuffer> records = new ArrayList<>();
        for (SubnetPort each : subnet.ends()) {
            for (int first = 0; first < each.pkeys().size(); first += PKeyBlock.ENTRIES) {
                ByteBuffer record = block(each);
                TableRecord.BLOCK.set(record, 0, first / PKeyBlock.ENTRIES);
                TableRecord.PKEY_PORT.set(record, 0, each.number());
                for (int i = 0; i < PKeyBlock.ENTRIES && first + i < each.pkeys().size(); i++) {
                    PKeyBlock.set(record, TableRecord.BLOCK_OFFSET, i, each.pkeys().get(first + i));
                }
                records.add(record);
            }
        }
        return records;
    }

    private static List<SubnetPort> switchesOf(Subnet subnet) {
        return subnet.ends().stream().filter(each -> each.node().isSwitch()).toList();
    }

    private static ByteBuffer block(SubnetPort of) {
        ByteBuffer record = ByteBuffer.allocate(TableRecord.LENGTH);
        TableRecord.LID.set(record, 0, of.lid());
        return record;
    }
}
