// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

/** Attributes of subnet management. Source: IBA vol 1 §14.2.5. */
public final class SmAttribute {
    /** {@link Notice}. */
    public static final int NOTICE = 0x0002;
    /** UTF-8 text of at most 64 bytes. */
    public static final int NODE_DESCRIPTION = 0x0010;
    /** {@link NodeInfo}. */
    public static final int NODE_INFO = 0x0011;
    /** {@link SwitchInfo}. */
    public static final int SWITCH_INFO = 0x0012;
    /** {@link GuidBlock}. */
    public static final int GUID_INFO = 0x0014;
    /** {@link PortInfo}. */
    public static final int PORT_INFO = 0x0015;
    /** {@link PKeyBlock}. */
    public static final int PKEY_TABLE = 0x0016;
    /** {@link SlToVlMapping}. */
    public static final int SL_TO_VL_MAPPING = 0x0017;
    /** {@link VlArbitrationBlock}. */
    public static final int VL_ARBITRATION = 0x0018;
    /** {@link LinearForwardingBlock}. */
    public static final int LINEAR_FORWARDING = 0x0019;
    /** {@link MulticastForwardingBlock}. */
    public static final int MULTICAST_FORWARDING = 0x001B;
    /** {@link SmInfo}. */
    public static final int SM_INFO = 0x0020;

    private SmAttribute() {
    }

    /**
     * {@return the specification's name}
     *
     * @param attribute AttributeID, u16
     */
    public static String name(int attribute) {
        return switch (attribute) {
            case NOTICE -> "Notice";
            case NODE_DESCRIPTION -> "NodeDescription";
            case NODE_INFO -> "NodeInfo";
            case SWITCH_INFO -> "SwitchInfo";
            case GUID_INFO -> "GUIDInfo";
            case PORT_INFO -> "PortInfo";
            case PKEY_TABLE -> "P_KeyTable";
            case SL_TO_VL_MAPPING -> "SLtoVLMappingTable";
            case VL_ARBITRATION -> "VLArbitrationTable";
            case LINEAR_FORWARDING -> "LinearForwardingTable";
            case MULTICAST_FORWARDING -> "MulticastForwardingTable";
            case SM_INFO -> "SMInfo";
            default -> "SM attribute 0x" + Integer.toHexString(attribute);
        };
    }
}
