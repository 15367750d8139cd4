// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SlToVlMapping;
import org.softrdma.wire.ib.VlArbitrationBlock;

/** Values of a port's registers after power on, before subnet management writes them. */
final class PowerOn {
    /** VL0 to VL7. */
    private static final int VLS_0_TO_7 = 4;
    private static final int DATA_VLS = 8;
    private static final int MTU_4096 = 5;
    private static final int ALL_WIDTHS = 0x1F;
    private static final int SDR_DDR_QDR = 7;
    private static final int FDR_TO_NDR = 15;
    private static final int WIDTH_4X = 2;
    private static final int SDR = 1;
    private static final long LINK_LOCAL_PREFIX = 0xFE80_0000_0000_0000L;
    /** 4.096 µs · 2^18: a second. */
    private static final int ONE_SECOND = 18;
    /** 4.096 µs · 2^16: 268 ms. */
    private static final int QUARTER_SECOND = 16;
    private static final int WEIGHT = 4;
    private static final int CAPABILITIES_OF_ENDS = PortInfo.CAP_TRAP | PortInfo.CAP_SL_MAPPING | PortInfo.CAP_SYSTEM_IMAGE_GUID
        | PortInfo.CAP_EXTENDED_SPEEDS | PortInfo.CAP_CAPABILITY_MASK_NOTICE | PortInfo.CAP_CLIENT_REREGISTRATION;
    private static final int CAPABILITIES_OF_ADAPTERS = CAPABILITIES_OF_ENDS | PortInfo.CAP_COMMUNICATION_MANAGEMENT
        | PortInfo.CAP_VENDOR_CLASS;

    private PowerOn() {
    }

    static void initialize(FabricPort port) {
        ByteBuffer info = port.info();
        boolean end = !port.node().isSwitch() || port.isInternal();
        if (end) {
            PortInfo.GID_PREFIX.set(info, 0, LINK_LOCAL_PREFIX);
            PortInfo.CAPABILITY_MASK.set(info, 0, port.node().isSwitch() ? CAPABILITIES_OF_ENDS : CAPABILITIES_OF_ADAPTERS);
            PortInfo.GUID_CAP.set(info, 0, FabricPort.GUIDS);
            PortInfo.SUBNET_TIMEOUT.set(info, 0, ONE_SECOND);
            PortInfo.RESPONSE_TIME.set(info, 0, QUARTER_SECOND);
        }
        PortInfo.LINK_WIDTH_SUPPORTED.set(info, 0, ALL_WIDTHS);
        PortInfo.LINK_WIDTH_ENABLED.set(info, 0, WIDTH_4X);
        PortInfo.LINK_WIDTH_ACTIVE.set(info, 0, WIDTH_4X);
        PortInfo.LINK_SPEED_SUPPORTED.set(info, 0, SDR_DDR_QDR);
        PortInfo.LINK_SPEED_ENABLED.set(info, 0, SDR);
        PortInfo.LINK_SPEED_ACTIVE.set(info, 0, SDR);
        PortInfo.LINK_SPEED_EXT_SUPPORTED.set(info, 0, FDR_TO_NDR);
        PortInfo.LINK_DOWN_DEFAULT_STATE.set(info, 0, PortInfo.PHYSICAL_POLLING);
        PortInfo.MTU_CAP.set(info, 0, MTU_4096);
        PortInfo.NEIGHBOR_MTU.set(info, 0, MTU_4096);
        PortInfo.VL_CAP.set(info, 0, VLS_0_TO_7);
        PortInfo.OPERATIONAL_VLS.set(info, 0, VLS_0_TO_7);
        PortInfo.VL_ARBITRATION_HIGH_CAP.set(info, 0, DATA_VLS);
        PortInfo.VL_ARBITRATION_LOW_CAP.set(info, 0, DATA_VLS);
        // Port 0 of a switch has no link that could be down.
        PortInfo.STATE.set(info, 0, port.isInternal() ? PortInfo.STATE_ACTIVE : PortInfo.STATE_DOWN);
        PortInfo.PHYSICAL_STATE.set(info, 0, port.isInternal() ? PortInfo.PHYSICAL_LINK_UP : PortInfo.PHYSICAL_POLLING);
        PKeyBlock.set(port.pkeys(), 0, 0, PKeyBlock.DEFAULT);
        setLanes(port);
    }

    private static void setLanes(FabricPort port) {
        for (int i = 0; i < DATA_VLS; i++) {
            VlArbitrationBlock.set(port.vlArbitration(), 0, i, i, WEIGHT);
        }
        for (int at = 0; at < port.slToVl().capacity(); at += SlToVlMapping.LENGTH) {
            for (int sl = 0; sl < SlToVlMapping.ENTRIES; sl++) {
                SlToVlMapping.set(port.slToVl(), at, sl, sl % DATA_VLS);
            }
        }
    }
}
