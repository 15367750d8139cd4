// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.nio.ByteBuffer;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.mad.TransactionMark;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SaMad;

/** A subnet manager at a port, in another process. */
final class ManagerUse implements PortUse, MadClient {
    private final Session session;
    private final FabricPort port;
    private final TransactionMark mark;
    private final ByteBuffer message = ByteBuffer.allocateDirect(ManagementFrame.LENGTH);
    private boolean manager;

    /** @param number of the session, unique in the fabric */
    ManagerUse(Session session, Fabric fabric, FabricPort port, int number) {
        this.session = session;
        this.port = port;
        mark = TransactionMark.ofSession(number);
        fabric.attach(port, this);
        ManagementFrame.putPort(message, 0, port.copyInfo());
        session.send(message, 0, ManagementFrame.LENGTH);
    }

    @Override
    public void consume(Fabric fabric, ByteBuffer input) {
        while (input.remaining() >= ManagementFrame.LENGTH) {
            int at = input.position();
            input.position(at + ManagementFrame.LENGTH);
            switch (ManagementFrame.type(input, at)) {
                case ManagementFrame.DATAGRAM -> send(fabric, ManagementFrame.packet(input, at));
                case ManagementFrame.MANAGER -> {
                    manager = ManagementFrame.isManager(input, at);
                    fabric.setManager(port, manager, FabricHost.nowNs());
                }
                default -> {
                    // of a later version
                }
            }
        }
    }

    private void send(Fabric fabric, ManagementPacket packet) {
        ManagementPacket kept = packet.copy();
        if (!packet.isResponse()) {
            mark.set(packet.mad());
        }
        if (!fabric.send(port, packet, FabricHost.nowNs()) && !packet.isResponse()) {
            ManagementFrame.put(message, 0, ManagementFrame.UNDELIVERED, kept);
            session.send(message, 0, ManagementFrame.LENGTH);
        }
    }

    @Override
    public boolean accepts(ManagementPacket packet) {
        if (MadMethod.isResponse(packet.method())) {
            return mark.isOn(packet.transactionId());
        }
        return manager && (packet.isSubnetManagement() || packet.managementClass() == SaMad.CLASS);
    }

    @Override
    public void deliver(ManagementPacket packet) {
        ManagementFrame.put(message, 0, ManagementFrame.DATAGRAM, packet);
        session.send(message, 0, ManagementFrame.LENGTH);
    }

    @Override
    public void end(Fabric fabric) {
        fabric.detach(port, this);
        if (manager) {
            fabric.setManager(port, false, FabricHost.nowNs());
        }
    }
}
