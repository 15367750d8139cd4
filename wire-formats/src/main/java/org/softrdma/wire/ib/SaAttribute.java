// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

/** Attributes of subnet administration. Source: IBA vol 1 §15.2.5. */
public final class SaAttribute {
    /** {@link org.softrdma.wire.ib.ClassPortInfo}. */
    public static final int CLASS_PORT_INFO = 0x0001;
    /** {@link org.softrdma.wire.ib.Notice}. */
    public static final int NOTICE = 0x0002;
    /** {@link org.softrdma.wire.ib.InformInfo}. */
    public static final int INFORM_INFO = 0x0003;
    /** {@link org.softrdma.wire.ib.NodeRecord}. */
    public static final int NODE_RECORD = 0x0011;
    /** {@link org.softrdma.wire.ib.PortInfoRecord}. */
    public static final int PORT_INFO_RECORD = 0x0012;
    /** {@link TableRecord#SL_TO_VL}. */
    public static final int SL_TO_VL_RECORD = 0x0013;
    /** {@link org.softrdma.wire.ib.SwitchInfoRecord}. */
    public static final int SWITCH_INFO_RECORD = 0x0014;
    /** {@link TableRecord#LINEAR_FORWARDING}. */
    public static final int LINEAR_FORWARDING_RECORD = 0x0015;
    /** {@link TableRecord#MULTICAST_FORWARDING}. */
    public static final int MULTICAST_FORWARDING_RECORD = 0x0017;
    /** {@link org.softrdma.wire.ib.SmInfoRecord}. */
    public static final int SM_INFO_RECORD = 0x0018;
    /** {@link org.softrdma.wire.ib.LinkRecord}. */
    public static final int LINK_RECORD = 0x0020;
    /** {@link TableRecord#GUID_INFO}. */
    public static final int GUID_INFO_RECORD = 0x0030;
    /** {@link org.softrdma.wire.ib.ServiceRecord}. */
    public static final int SERVICE_RECORD = 0x0031;
    /** {@link TableRecord#PKEYS}. */
    public static final int PKEY_TABLE_RECORD = 0x0033;
    /** {@link org.softrdma.wire.ib.PathRecord}. */
    public static final int PATH_RECORD = 0x0035;
    /** {@link TableRecord#VL_ARBITRATION}. */
    public static final int VL_ARBITRATION_RECORD = 0x0036;
    /** {@link org.softrdma.wire.ib.McMemberRecord}. */
    public static final int MC_MEMBER_RECORD = 0x0038;
    /** {@link org.softrdma.wire.ib.InformInfoRecord}. */
    public static final int INFORM_INFO_RECORD = 0x00F3;

    private SaAttribute() {
    }

    /**
     * {@return the specification's name}
     *
     * @param attribute AttributeID, u16
     */
    public static String name(int attribute) {
        return switch (attribute) {
            case CLASS_PORT_INFO -> "ClassPortInfo";
            case NOTICE -> "Notice";
            case INFORM_INFO -> "InformInfo";
            case NODE_RECORD -> "NodeRecord";
            case PORT_INFO_RECORD -> "PortInfoRecord";
            case SL_TO_VL_RECORD -> "SLtoVLMappingTableRecord";
            case SWITCH_INFO_RECORD -> "SwitchInfoRecord";
            case LINEAR_FORWARDING_RECORD -> "LinearForwardingTableRecord";
            case MULTICAST_FORWARDING_RECORD -> "MulticastForwardingTableRecord";
            case SM_INFO_RECORD -> "SMInfoRecord";
            case LINK_RECORD -> "LinkRecord";
            case GUID_INFO_RECORD -> "GUIDInfoRecord";
            case SERVICE_RECORD -> "ServiceRecord";
            case PKEY_TABLE_RECORD -> "P_KeyTableRecord";
            case PATH_RECORD -> "PathRecord";
            case VL_ARBITRATION_RECORD -> "VLArbitrationTableRecord";
            case MC_MEMBER_RECORD -> "MCMemberRecord";
            case INFORM_INFO_RECORD -> "InformInfoRecord";
            default -> "SA attribute 0x" + Integer.toHexString(attribute);
        };
    }
}
