// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.mad.Mad;

/** A client at a port that sends requests one by one, and receives everything. */
final class Prober implements MadClient {
    static final int DATA = Smp.DATA_OFFSET;

    final Fabric fabric;
    final FabricPort port;
    final ArrayDeque<ManagementPacket> received = new ArrayDeque<>();
    final ArrayDeque<ManagementPacket> traps = new ArrayDeque<>();
    long nowNs;
    long mkey;
    private long nextTransaction = 100;

    Prober(Fabric fabric, String node, int number) {
        this.fabric = fabric;
        port = fabric.find(node).port(number);
        fabric.attach(port, this);
    }

    @Override
    public boolean accepts(ManagementPacket packet) {
        return true;
    }

    @Override
    public void deliver(ManagementPacket packet) {
        (packet.method() == MadMethod.TRAP ? traps : received).add(packet);
    }

    /** Sends a directed request; returns the response, or null if there is none. */
    ManagementPacket directed(int method, int attribute, int modifier, Consumer<ByteBuffer> filled, int... ports) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        byte[] path = new byte[ports.length + 1];
        for (int i = 0; i < ports.length; i++) {
            path[i + 1] = (byte) ports[i];
        }
        Smp.beginDirected(mad, 0, method, attribute, modifier, nextTransaction++, mkey, path);
        filled.accept(mad);
        fabric.send(port, ManagementPacket.directed(mad), nowNs);
        return received.poll();
    }

    ManagementPacket get(int attribute, int modifier, int... ports) {
        return directed(MadMethod.GET, attribute, modifier, mad -> { }, ports);
    }

    ManagementPacket set(int attribute, int modifier, Consumer<ByteBuffer> filled, int... ports) {
        return directed(MadMethod.SET, attribute, modifier, filled, ports);
    }

    /** Reads PortInfo, changes it, and writes it back. */
    ManagementPacket setPort(int modifier, Consumer<ByteBuffer> changed, int... ports) {
        ByteBuffer read = get(SmAttribute.PORT_INFO, modifier, ports).mad();
        PortInfo.STATE.set(read, DATA, PortInfo.STATE_NO_CHANGE);
        PortInfo.PHYSICAL_STATE.set(read, DATA, 0);
        PortInfo.CLIENT_REREGISTER.set(read, DATA, 0);
        changed.accept(read);
        return set(SmAttribute.PORT_INFO, modifier, mad -> mad.put(DATA, read, DATA, Smp.DATA_LENGTH), ports);
    }

    void setLid(int lid, int... ports) {
        setPort(0, info -> {
            PortInfo.LID.set(info, DATA, lid);
            PortInfo.SM_LID.set(info, DATA, 1);
        }, ports);
    }

    void activate(int number, int... ports) {
        setPort(number, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_ARMED), ports);
        setPort(number, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_ACTIVE), ports);
    }

    /** Writes the first block of a linear table: output ports by LID, from LID 0 on. */
    void setRoutes(int[] outputs, int... ports) {
        set(SmAttribute.SWITCH_INFO, 0, mad -> SwitchInfo.LINEAR_TOP.set(mad, DATA, outputs.length - 1), ports);
        set(SmAttribute.LINEAR_FORWARDING, 0, mad -> {
            for (int i = 0; i < LinearForwardingBlock.ENTRIES; i++) {
                LinearForwardingBlock.set(mad, DATA, i, i < outputs.length ? outputs[i] : LinearForwardingBlock.NO_PORT);
            }
        }, ports);
    }

    static int status(ManagementPacket packet) {
        return Smp.status(packet.mad(), 0);
    }
}
