// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.NodeRecord;

/** A channel adapter, a router or, as {@link FabricSwitch}, a switch. */
public class FabricNode {
    private static final int REVISION = 0xA1;

    private final Topology.Kind kind;
    private final String id;
    private final String text;
    private final long guid;
    private final byte[] description = new byte[NodeRecord.DESCRIPTION_LENGTH];
    private final ByteBuffer info = ByteBuffer.allocate(NodeInfo.LENGTH);
    private final FabricPort[] ports;

    FabricNode(Topology.Node made) {
        kind = made.kind();
        id = made.id();
        text = made.description();
        guid = made.guid();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, description, 0, Math.min(bytes.length, description.length));
        NodeInfo.BASE_VERSION.set(info, 0, 1);
        NodeInfo.CLASS_VERSION.set(info, 0, 1);
        NodeInfo.TYPE.set(info, 0, kind.number());
        NodeInfo.PORTS.set(info, 0, made.ports());
        NodeInfo.SYSTEM_GUID.set(info, 0, made.systemGuid());
        NodeInfo.NODE_GUID.set(info, 0, guid);
        NodeInfo.PARTITION_CAP.set(info, 0, FabricPort.PKEYS);
        NodeInfo.DEVICE_ID.set(info, 0, made.deviceId());
        NodeInfo.REVISION.set(info, 0, REVISION);
        NodeInfo.VENDOR_ID.set(info, 0, made.vendorId());
        ports = new FabricPort[made.ports() + 1];
        for (int i = kind == Topology.Kind.SWITCH ? 0 : 1; i < ports.length; i++) {
            ports[i] = new FabricPort(this, i, made.portGuid(i));
        }
    }

    public Topology.Kind kind() {
        return kind;
    }

    public boolean isSwitch() {
        return kind == Topology.Kind.SWITCH;
    }

    /** Name of the node in its topology. */
    public String id() {
        return id;
    }

    /** Text of the NodeDescription. */
    public String description() {
        return text;
    }

    byte[] descriptionBytes() {
        return description;
    }

    public long guid() {
        return guid;
    }

    /** The NodeInfo attribute but for the fields of the port that a request came in by. */
    ByteBuffer info() {
        return info;
    }

    /** Physical ports, numbered from 1. */
    public int ports() {
        return ports.length - 1;
    }

    /** A port by number, or null if there is none; only switches have a port 0. */
    public FabricPort port(int number) {
        return number >= 0 && number < ports.length ? ports[number] : null;
    }

    @Override
    public String toString() {
        return id;
    }
}
