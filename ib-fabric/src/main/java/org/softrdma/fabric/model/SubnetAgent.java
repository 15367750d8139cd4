// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.GuidBlock;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SlToVlMapping;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.ib.VlArbitrationBlock;
import org.softrdma.wire.mad.Mad;

/** Subnet management agent of all nodes: executes Get and Set of their attributes. Source: IBA vol 1 §14.2.5. */
final class SubnetAgent {
    private static final int DATA = Smp.DATA_OFFSET;
    private static final int PORT_BITS = 0x7FFF_FFFF;

    private final PortInfoWrite portInfoWrite;
    private final FabricEvents events;

    SubnetAgent(LinkControl links, FabricEvents events) {
        this.events = events;
        portInfoWrite = new PortInfoWrite(links, events);
    }

    /** Whether a datagram is a request that agents execute. */
    static boolean serves(ManagementPacket packet) {
        return (packet.method() == MadMethod.GET || packet.method() == MadMethod.SET) && packet.attribute() != SmAttribute.SM_INFO;
    }

    /**
     * Executes a request whose M_Key was checked; the datagram becomes the response.
     *
     * @param arrival port that the request came in by; port 0, if it was routed to a switch by LID
     * @param guard   of the node or port, which says whether its M_Key may be read
     */
    void execute(FabricPort arrival, ByteBuffer mad, MkeyGuard guard) {
        boolean set = Mad.method(mad, 0) == MadMethod.SET;
        int modifier = Mad.modifier(mad, 0);
        int status = switch (Mad.attribute(mad, 0)) {
            case SmAttribute.NODE_DESCRIPTION -> set ? MadStatus.UNSUPPORTED_ATTRIBUTE : nodeDescription(arrival, mad);
            case SmAttribute.NODE_INFO -> set ? MadStatus.UNSUPPORTED_ATTRIBUTE : nodeInfo(arrival, mad);
            case SmAttribute.SWITCH_INFO -> switchInfo(arrival, mad, set);
            case SmAttribute.PORT_INFO -> portInfo(arrival, mad, set, modifier & PORT_BITS, guard);
            case SmAttribute.GUID_INFO -> guidInfo(arrival, mad, set, modifier);
            case SmAttribute.PKEY_TABLE -> pkeys(arrival, mad, set, modifier & 0xFFFF, modifier >>> 16);
            case SmAttribute.SL_TO_VL_MAPPING -> slToVl(arrival, mad, set, modifier >>> 8 & 0xFF, modifier & 0xFF);
            case SmAttribute.VL_ARBITRATION -> vlArbitration(arrival, mad, set, modifier >>> 16, modifier & 0xFFFF);
            case SmAttribute.LINEAR_FORWARDING -> linearForwarding(arrival, mad, set, modifier);
            case SmAttribute.MULTICAST_FORWARDING -> multicastForwarding(arrival, mad, set, modifier);
            default -> MadStatus.UNSUPPORTED_ATTRIBUTE;
        };
        mad.put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
        Smp.setStatus(mad, 0, status);
        if (Smp.isDirected(mad, 0)) {
            Smp.setReturning(mad, 0);
        }
    }

    private static void clear(ByteBuffer mad) {
        for (int i = 0; i < Smp.DATA_LENGTH; i += Long.BYTES) {
            mad.putLong(DATA + i, 0);
        }
    }

    private static int nodeDescription(FabricPort arrival, ByteBuffer mad) {
        mad.put(DATA, arrival.node().descriptionBytes());
        return MadStatus.OK;
    }

    private static int nodeInfo(FabricPort arrival, ByteBuffer mad) {
        clear(mad);
        mad.put(DATA, arrival.copyNodeInfo(), 0, NodeInfo.LENGTH);
        return MadStatus.OK;
    }

    private static int switchInfo(FabricPort arrival, ByteBuffer mad, boolean set) {
        if (!(arrival.node() instanceof FabricSwitch node)) {
            return MadStatus.UNSUPPORTED_ATTRIBUTE;
        }
        int status = set ? setSwitchInfo(node, mad) : MadStatus.OK;
        clear(mad);
        mad.put(DATA, node.switchInfo(), 0, SwitchInfo.LENGTH);
        return status;
    }

    private static int setSwitchInfo(FabricSwitch node, ByteBuffer mad) {
        ByteBuffer own = node.switchInfo();
        if (SwitchInfo.LINEAR_TOP.get(mad, DATA) >= FabricSwitch.LINEAR_CAP) {
            return MadStatus.INVALID_FIELD;
        }
        SwitchInfo.LINEAR_TOP.copy(mad, DATA, own, 0);
        SwitchInfo.DEFAULT_PORT.copy(mad, DATA, own, 0);
        SwitchInfo.DEFAULT_MULTICAST_PRIMARY_PORT.copy(mad, DATA, own, 0);
        SwitchInfo.DEFAULT_MULTICAST_NOT_PRIMARY_PORT.copy(mad, DATA, own, 0);
        SwitchInfo.LIFE_TIME.copy(mad, DATA, own, 0);
        SwitchInfo.MULTICAST_TOP.copy(mad, DATA, own, 0);
        if (SwitchInfo.PORT_STATE_CHANGE.isSet(mad, DATA)) {
            SwitchInfo.PORT_STATE_CHANGE.set(own, 0, 0);
        }
        node.refresh();
        return MadStatus.OK;
    }

    private int portInfo(FabricPort arrival, ByteBuffer mad, boolean set, int number, MkeyGuard guard) {
        boolean ofArrival = !arrival.node().isSwitch() && number == 0;
        FabricPort port = ofArrival ? arrival : arrival.node().port(number);
        if (port == null || set && !arrival.node().isSwitch() && port != arrival) {
            return MadStatus.INVALID_FIELD;
        }
        int status = set ? portInfoWrite.execute(port, mad, DATA) : MadStatus.OK;
        boolean reregister = set && PortInfo.CLIENT_REREGISTER.isSet(mad, DATA);
        mad.put(DATA, port.info(), 0, PortInfo.LENGTH);
        PortInfo.LOCAL_PORT.set(mad, DATA, arrival.number());
        PortInfo.CLIENT_REREGISTER.set(mad, DATA, reregister ? 1 : 0);
        if (!guard.shows(Smp.mkey(mad, 0))) {
            PortInfo.MKEY.set(mad, DATA, 0);
        }
        return status;
    }

    /** The port that a table of a switch is meant for by number; on other nodes, the port itself. */
    private static FabricPort tablePort(FabricPort arrival, int number) {
        return arrival.node().isSwitch() ? arrival.node().port(number) : arrival;
    }

    private int guidInfo(FabricPort arrival, ByteBuffer mad, boolean set, int block) {
        FabricPort port = arrival.node().isSwitch() ? arrival.node().port(0) : arrival;
        if (block < 0 || block >= FabricPort.GUIDS / GuidBlock.ENTRIES) {
            return MadStatus.INVALID_FIELD;
        }
        int at = block * Smp.DATA_LENGTH;
        if (set) {
            long fixed = port.guids().getLong(0);
            port.guids().put(at, mad, DATA, Smp.DATA_LENGTH);
            port.guids().putLong(0, fixed);
            events.onRegisters(port, PortDevice.Change.GUIDS);
        }
        mad.put(DATA, port.guids(), at, Smp.DATA_LENGTH);
        return MadStatus.OK;
    }

    private int pkeys(FabricPort arrival, ByteBuffer mad, boolean set, int block, int number) {
        FabricPort port = tablePort(arrival, number);
        if (port == null || block >= FabricPort.PKEYS / PKeyBlock.ENTRIES) {
            return MadStatus.INVALID_FIELD;
        }
        int at = block * Smp.DATA_LENGTH;
        if (set) {
            port.pkeys().put(at, mad, DATA, Smp.DATA_LENGTH);
            events.onRegisters(port, PortDevice.Change.PKEYS);
        }
        mad.put(DATA, port.pkeys(), at, Smp.DATA_LENGTH);
        return MadStatus.OK;
    }

    private static int slToVl(FabricPort arrival, ByteBuffer mad, boolean set, int input, int output) {
        FabricPort out = tablePort(arrival, output);
        FabricPort in = tablePort(arrival, input);
        if (out == null || in == null) {
            return MadStatus.INVALID_FIELD;
        }
        int at = out.slToVlOf(in);
        if (set) {
            out.slToVl().put(at, mad, DATA, SlToVlMapping.LENGTH);
        }
        clear(mad);
        mad.put(DATA, out.slToVl(), at, SlToVlMapping.LENGTH);
        return MadStatus.OK;
    }

    private static int vlArbitration(FabricPort arrival, ByteBuffer mad, boolean set, int block, int number) {
        FabricPort port = tablePort(arrival, number);
        if (port == null || block < 1 || block > VlArbitrationBlock.BLOCKS) {
            return MadStatus.INVALID_FIELD;
        }
        int at = (block - 1) * Smp.DATA_LENGTH;
        if (set) {
            port.vlArbitration().put(at, mad, DATA, Smp.DATA_LENGTH);
        }
        mad.put(DATA, port.vlArbitration(), at, Smp.DATA_LENGTH);
        return MadStatus.OK;
    }

    private int linearForwarding(FabricPort arrival, ByteBuffer mad, boolean set, int block) {
        if (!(arrival.node() instanceof FabricSwitch node)) {
            return MadStatus.UNSUPPORTED_ATTRIBUTE;
        }
        if (block < 0 || block >= LinearForwardingBlock.BLOCKS) {
            return MadStatus.INVALID_FIELD;
        }
        if (set) {
            node.setLinearBlock(block, mad, DATA);
            events.onForwarding(node);
        }
        node.copyLinearBlock(block, mad, DATA);
        return MadStatus.OK;
    }

    private int multicastForwarding(FabricPort arrival, ByteBuffer mad, boolean set, int modifier) {
        if (!(arrival.node() instanceof FabricSwitch node)) {
            return MadStatus.UNSUPPORTED_ATTRIBUTE;
        }
        int block = MulticastForwardingBlock.block(modifier);
        int position = MulticastForwardingBlock.position(modifier);
        if (block >= FabricSwitch.MULTICAST_CAP / MulticastForwardingBlock.ENTRIES || position >= node.positions()) {
            return MadStatus.INVALID_FIELD;
        }
        if (set) {
            node.setMulticastBlock(block, position, mad, DATA);
            events.onForwarding(node);
        }
        node.copyMulticastBlock(block, position, mad, DATA);
        return MadStatus.OK;
    }
}
