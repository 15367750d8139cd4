// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.mad.Field;

/** Set of PortInfo: checks all of it, and then writes what may be written. Source: IBA vol 1 §14.2.5.6, table 146. */
final class PortInfoWrite {
    /** Registers of every port that are written as they are. */
    private static final List<Field> COMMON = List.of(PortInfo.VL_HIGH_LIMIT, PortInfo.VL_STALL_COUNT, PortInfo.HOQ_LIFE,
        PortInfo.PARTITION_ENFORCEMENT_INBOUND, PortInfo.PARTITION_ENFORCEMENT_OUTBOUND, PortInfo.FILTER_RAW_INBOUND,
        PortInfo.FILTER_RAW_OUTBOUND, PortInfo.LOCAL_PHY_ERRORS, PortInfo.OVERRUN_ERRORS);
    /** Registers of adapter ports and of port 0 of a switch. */
    private static final List<Field> OF_ENDS = List.of(PortInfo.MKEY, PortInfo.GID_PREFIX, PortInfo.LID, PortInfo.SM_LID,
        PortInfo.MKEY_LEASE_PERIOD, PortInfo.MKEY_PROTECT, PortInfo.LMC, PortInfo.SM_SL, PortInfo.INIT_TYPE, PortInfo.SUBNET_TIMEOUT,
        PortInfo.MULTICAST_PKEY_TRAP_SUPPRESSION, PortInfo.MKEY_VIOLATIONS, PortInfo.PKEY_VIOLATIONS, PortInfo.QKEY_VIOLATIONS);
    private static final int ALL_SPEEDS = 0xF;
    private static final int ALL_EXTENDED_SPEEDS = 0x1F;

    private final LinkControl links;
    private final FabricEvents events;

    PortInfoWrite(LinkControl links, FabricEvents events) {
        this.links = links;
        this.events = events;
    }

    /**
     * Executes a Set.
     *
     * @param from the attribute, at {@code at}
     * @return {@link MadStatus#OK}, or {@link MadStatus#INVALID_FIELD} and nothing changed
     */
    int execute(FabricPort port, ByteBuffer from, int at) {
        boolean end = !port.node().isSwitch() || port.isInternal();
        int state = PortInfo.STATE.get(from, at);
        int physical = PortInfo.PHYSICAL_STATE.get(from, at);
        if (!isValid(port, end, from, at) || !port.isInternal() && !LinkControl.mayBecome(port, state, physical)) {
            return MadStatus.INVALID_FIELD;
        }
        int lidBefore = port.lid();
        write(port, end, from, at);
        port.refresh();
        if (port.lid() != lidBefore) {
            events.onLid(port);
        }
        links.set(port, state, physical);
        events.onRegisters(port, PortDevice.Change.PORT_INFO);
        if (end && PortInfo.CLIENT_REREGISTER.isSet(from, at)) {
            events.onRegisters(port, PortDevice.Change.CLIENT_REREGISTER);
        }
        return MadStatus.OK;
    }

    private static boolean isValid(FabricPort port, boolean end, ByteBuffer from, int at) {
        ByteBuffer own = port.info();
        if (PortInfo.NEIGHBOR_MTU.get(from, at) > PortInfo.MTU_CAP.get(own, 0)
            || PortInfo.OPERATIONAL_VLS.get(from, at) > PortInfo.VL_CAP.get(own, 0)
            || PortInfo.LINK_DOWN_DEFAULT_STATE.get(from, at) > PortInfo.PHYSICAL_POLLING) {
            return false;
        }
        if (!isWidth(PortInfo.LINK_WIDTH_ENABLED.get(from, at), PortInfo.LINK_WIDTH_SUPPORTED.get(own, 0))
            || !isSpeed(PortInfo.LINK_SPEED_ENABLED.get(from, at), PortInfo.LINK_SPEED_SUPPORTED.get(own, 0), ALL_SPEEDS)) {
            return false;
        }
        int lid = PortInfo.LID.get(from, at);
        int lmc = PortInfo.LMC.get(from, at);
        return !end || lid + (1 << lmc) - 1 <= Lrh.LAST_UNICAST_LID && (lid & (1 << lmc) - 1) == 0 && mayHaveLmc(port, lmc);
    }

    private static boolean mayHaveLmc(FabricPort port, int lmc) {
        return lmc == 0 || !(port.node() instanceof FabricSwitch node) || node.isPort0Enhanced();
    }

    private static boolean isWidth(int enabled, int supported) {
        return enabled == PortInfo.LINK_ALL_SUPPORTED || (enabled & ~supported) == 0;
    }

    private static boolean isSpeed(int enabled, int supported, int all) {
        return enabled == all || (enabled & ~supported) == 0;
    }

    private static void write(FabricPort port, boolean end, ByteBuffer from, int at) {
        ByteBuffer own = port.info();
        COMMON.forEach(each -> each.copy(from, at, own, 0));
        if (end) {
            OF_ENDS.forEach(each -> each.copy(from, at, own, 0));
        }
        copyUnlessZero(PortInfo.LINK_DOWN_DEFAULT_STATE, from, at, own);
        copyUnlessZero(PortInfo.NEIGHBOR_MTU, from, at, own);
        copyUnlessZero(PortInfo.OPERATIONAL_VLS, from, at, own);
        enable(PortInfo.LINK_WIDTH_ENABLED, PortInfo.LINK_WIDTH_SUPPORTED, PortInfo.LINK_ALL_SUPPORTED, from, at, own);
        enable(PortInfo.LINK_SPEED_ENABLED, PortInfo.LINK_SPEED_SUPPORTED, ALL_SPEEDS, from, at, own);
        enable(PortInfo.LINK_SPEED_EXT_ENABLED, PortInfo.LINK_SPEED_EXT_SUPPORTED, ALL_EXTENDED_SPEEDS, from, at, own);
    }

    private static void copyUnlessZero(Field field, ByteBuffer from, int at, ByteBuffer own) {
        if (field.get(from, at) != 0) {
            field.copy(from, at, own, 0);
        }
    }

    /** Writes what is enabled: 0 is no change, and all ones is all that is supported. It counts when the link is trained the next time. */
    private static void enable(Field enabled, Field supported, int all, ByteBuffer from, int at, ByteBuffer own) {
        int value = enabled.get(from, at);
        if (value == all) {
            enabled.set(own, 0, supported.get(own, 0));
        } else if (value != 0) {
            enabled.set(own, 0, value & supported.get(own, 0));
        }
    }
}
