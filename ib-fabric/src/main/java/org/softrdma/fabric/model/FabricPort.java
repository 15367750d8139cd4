// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.fabric.attach.PortMessages;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SlToVlMapping;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.VlArbitrationBlock;

/**
 * A port: its registers, which subnet management reads and writes, its cable, and the software behind it. Its {@link #info} is the
 * PortInfo attribute itself; address and state are kept a second time, since each packet needs them.
 */
public final class FabricPort {
    /** Entries of the P_Key table. */
    static final int PKEYS = PortMessages.PKEYS;
    /** Entries of the GUID table. */
    static final int GUIDS = PortMessages.GUIDS;
    /** Bytes that a packet can be longer than its payload: all headers, and the CRCs. IBA vol 1 §7.7.8 */
    private static final int BYTES_BEYOND_MTU = 124;

    private final FabricNode node;
    private final int number;
    private final long guid;
    private final ByteBuffer info = ByteBuffer.allocate(PortInfo.LENGTH);
    private final ByteBuffer pkeys = ByteBuffer.allocate(PKEYS * Short.BYTES);
    private final ByteBuffer guids = ByteBuffer.allocate(GUIDS * Long.BYTES);
    private final ByteBuffer vlArbitration = ByteBuffer.allocate(VlArbitrationBlock.BLOCKS * Smp.DATA_LENGTH);
    /** Of each input port, for packets that leave by this one. */
    private final ByteBuffer slToVl;
    private final PortTraffic traffic = new PortTraffic();
    private final List<MadClient> clients = new ArrayList<>();
    private Cable cable;
    private PortDevice device;
    private int lid;
    private int lidMask;
    private int state;
    private int maxBytes;

    FabricPort(FabricNode node, int number, long guid) {
        this.node = node;
        this.number = number;
        this.guid = guid;
        slToVl = ByteBuffer.allocate((node.isSwitch() ? node.ports() + 1 : 1) * SlToVlMapping.LENGTH);
        powerOn();
    }

    /** Sets all registers to their values after power on. */
    void powerOn() {
        for (ByteBuffer registers : new ByteBuffer[] {info, pkeys, guids, vlArbitration, slToVl}) {
            for (int i = 0; i < registers.capacity(); i++) {
                registers.put(i, (byte) 0);
            }
        }
        guids.putLong(0, guid);
        PowerOn.initialize(this);
        refresh();
    }

    // ---- identity ----

    public FabricNode node() {
        return node;
    }

    /** Number on the node, from 1; 0 is a switch's own port. */
    public int number() {
        return number;
    }

    public long guid() {
        return guid;
    }

    /** Whether it is a switch's own port, which has no cable. */
    boolean isInternal() {
        return number == 0;
    }

    // ---- registers ----

    /** The PortInfo attribute, {@link PortInfo#LENGTH} bytes. To be followed by {@link #refresh} if it is changed. */
    ByteBuffer info() {
        return info;
    }

    /** A copy of the PortInfo attribute, as a request by this port receives it. */
    public ByteBuffer copyInfo() {
        ByteBuffer copy = ByteBuffer.allocate(PortInfo.LENGTH);
        copy.put(0, info, 0, PortInfo.LENGTH);
        PortInfo.LOCAL_PORT.set(copy, 0, number);
        return copy;
    }

    /** A copy of the node's NodeInfo attribute, as a request by this port receives it. */
    public ByteBuffer copyNodeInfo() {
        ByteBuffer copy = ByteBuffer.allocate(NodeInfo.LENGTH);
        copy.put(0, node.info(), 0, NodeInfo.LENGTH);
        NodeInfo.PORT_GUID.set(copy, 0, guid);
        NodeInfo.LOCAL_PORT.set(copy, 0, number);
        return copy;
    }

    /**
     * Copies the registers that software at the port sees: all but the M_Key, {@link PortMessages#PORT_LENGTH} bytes.
     *
     * @param reregistrations how often clients were asked to register again
     */
    public void copyRegisters(ByteBuffer to, int at, int reregistrations) {
        ByteBuffer shown = copyInfo();
        PortInfo.MKEY.set(shown, 0, 0);
        PortMessages.putPort(to, at, copyNodeInfo(), shown, reregistrations, pkeys, guids);
    }

    ByteBuffer pkeys() {
        return pkeys;
    }

    /** P_Key at {@code index}, u16; 0 for none. */
    public int pkey(int index) {
        return PKeyBlock.get(pkeys, 0, index);
    }

    /** Whether one of the port's P_Keys can communicate with that one. */
    public boolean hasPartitionOf(int pkey) {
        for (int i = 0; i < PKEYS; i++) {
            if (PKeyBlock.match(pkey(i), pkey)) {
                return true;
            }
        }
        return false;
    }

    ByteBuffer guids() {
        return guids;
    }

    ByteBuffer vlArbitration() {
        return vlArbitration;
    }

    ByteBuffer slToVl() {
        return slToVl;
    }

    /** Offset in {@link #slToVl} of the mapping for packets that came in by a port. */
    int slToVlOf(FabricPort input) {
        return node.isSwitch() ? input.number * SlToVlMapping.LENGTH : 0;
    }

    PortTraffic traffic() {
        return traffic;
    }

    /** Takes over address, state and MTU after {@link #info} was changed. */
    void refresh() {
        lid = PortInfo.LID.get(info, 0);
        lidMask = (1 << PortInfo.LMC.get(info, 0)) - 1;
        state = PortInfo.STATE.get(info, 0);
        int mtu = PortInfo.NEIGHBOR_MTU.get(info, 0);
        maxBytes = (128 << Math.clamp(mtu, 1, 5)) + BYTES_BEYOND_MTU;
    }

    /** Base LID, u16; 0 if the port has none. */
    public int lid() {
        return lid;
    }

    /** Whether a LID is one of the port's. */
    public boolean owns(int any) {
        return lid != 0 && any >= lid && any <= lid + lidMask;
    }

    /** PortState, as in {@link PortInfo}. */
    public int state() {
        return state;
    }

    /** Whether it is {@link PortInfo#STATE_ACTIVE}. */
    public boolean isActive() {
        return state == PortInfo.STATE_ACTIVE;
    }

    /** Whether subnet management packets pass. */
    boolean isUp() {
        return state >= PortInfo.STATE_INIT;
    }

    /** LID of the master subnet manager, u16; 0 if none is known. */
    public int smLid() {
        return PortInfo.SM_LID.get(info, 0);
    }

    /** Whether a packet of so many bytes, LRH to ICRC, is short enough. */
    boolean carries(int bytes) {
        return bytes <= maxBytes;
    }

    /** Whether a port that enforces partitions refuses a packet. Packets between queue pairs 0 have none. */
    boolean refuses(Crossing packet, boolean inbound) {
        boolean enforces = inbound ? PortInfo.PARTITION_ENFORCEMENT_INBOUND.isSet(info, 0)
            : PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.isSet(info, 0);
        return enforces && !packet.isManagementLane() && !hasPartitionOf(packet.pkey());
    }

    // ---- cable ----

    /** Its cable, or null. */
    public Cable cable() {
        return cable;
    }

    void setCable(Cable now) {
        cable = now;
    }

    /** The port at the other end of a plugged cable, or null. */
    public FabricPort peer() {
        return cable == null || !cable.isPlugged() ? null : cable.otherEnd(this);
    }

    // ---- software ----

    List<MadClient> clients() {
        return clients;
    }

    /** The process that sends and receives packets by this port, or null. */
    public PortDevice device() {
        return device;
    }

    void setDevice(PortDevice now) {
        device = now;
    }

    /** Tells the device that registers changed. */
    void notifyDevice(PortDevice.Change change) {
        if (device != null) {
            device.onChange(this, change);
        }
    }

    @Override
    public String toString() {
        return node.id() + "[" + number + "]" + (lid == 0 || lid > Lrh.LAST_UNICAST_LID ? "" : " LID " + lid);
    }
}
