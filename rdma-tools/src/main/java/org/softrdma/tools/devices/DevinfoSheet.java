// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.List;
import java.util.Locale;
import org.softrdma.abi.sysfs.LinkRate;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/** Output of {@code ibv_devinfo} for one device, line by line as in ibverbs-utils 44. */
final class DevinfoSheet {
    /** Names of the bits of the device capability flags, from bit 0; null where the original has none. */
    private static final String[] CAPABILITIES = {
        "RESIZE_MAX_WR", "BAD_PKEY_CNTR", "BAD_QKEY_CNTR", "RAW_MULTI", "AUTO_PATH_MIG", "CHANGE_PHY_PORT", "UD_AV_PORT_ENFORCE",
        "CURR_QP_STATE_MOD", "SHUTDOWN_PORT", "INIT_TYPE", "PORT_ACTIVE_EVENT", "SYS_IMAGE_GUID", "RC_RNR_NAK_GEN", "SRQ_RESIZE",
        "N_NOTIFY_CQ", null, null, "MEM_WINDOW", "UD_IP_CSUM", null, "XRC", "MEM_MGT_EXTENSIONS", null, "MEM_WINDOW_TYPE_2A",
        "MEM_WINDOW_TYPE_2B", "RC_IP_CSUM", "RAW_IP_CSUM", null, null, "MANAGED_FLOW_STEERING", null, null};
    private static final String[] ATOMICS = {"ATOMIC_NONE", "ATOMIC_HCA", "ATOMIC_GLOB"};
    private static final String[] PHYSICAL_STATES = {
        null, "SLEEP", "POLLING", "DISABLED", "PORT_CONFIGURATION TRAINNING", "LINK_UP", "LINK_ERROR_RECOVERY", "PHY TEST"};
    private static final String[] VIRTUAL_LANES = {null, "1", "2", "4", "8", "15"};

    private final RdmaDevice device;
    private final DeviceAttributes attributes;
    /** {@link PortAttributes#linkLayer}. */
    private static final int ETHERNET = 2;

    private final PortAttributes port;
    private final List<GidEntry> gids;
    private final Console console;

    DevinfoSheet(RdmaDevice device, DeviceDescription description, Console console) {
        this.device = device;
        attributes = description.device();
        port = description.port();
        gids = description.gids();
        this.console = console;
    }

    void print(boolean verbose) {
        printDevice();
        if (verbose) {
            printLimits();
            printExtensions();
        }
        printPort();
        if (verbose) {
            printPortDetails();
            printGids();
        }
        console.println("");
    }

    private void printDevice() {
        console.println("hca_id:\t" + device.name());
        line("transport:\t\t\t", device.transport().text() + " (" + device.transport().value() + ")");
        if (!attributes.fwVer().isEmpty()) {
            line("fw_ver:\t\t\t\t", attributes.fwVer());
        }
        line("node_guid:\t\t\t", Guid.text(attributes.nodeGuid()));
        line("sys_image_guid:\t\t\t", Guid.text(attributes.sysImageGuid()));
        line("vendor_id:\t\t\t", hex(attributes.vendorId(), 4));
        line("vendor_part_id:\t\t\t", attributes.vendorPartId());
        line("hw_ver:\t\t\t\t", "0x" + Integer.toHexString(attributes.hwVer()).toUpperCase(Locale.ROOT));
        line("phys_port_cnt:\t\t\t", attributes.physPortCnt());
    }

    /** Attributes that our devices do not have are 0. */
    private void printLimits() {
        line("max_mr_size:\t\t\t", "0x" + Long.toHexString(attributes.maxMrSize()));
        line("page_size_cap:\t\t\t", "0x" + Long.toHexString(attributes.pageSizeCap()));
        line("max_qp:\t\t\t\t", attributes.maxQp());
        line("max_qp_wr:\t\t\t", attributes.maxQpWr());
        line("device_cap_flags:\t\t", hex(attributes.deviceCapFlags(), 8));
        printCapabilities();
        line("max_sge:\t\t\t", attributes.maxSge());
        line("max_sge_rd:\t\t\t", attributes.maxSgeRd());
        line("max_cq:\t\t\t\t", attributes.maxCq());
        line("max_cqe:\t\t\t", attributes.maxCqe());
        line("max_mr:\t\t\t\t", attributes.maxMr());
        line("max_pd:\t\t\t\t", attributes.maxPd());
        line("max_qp_rd_atom:\t\t\t", attributes.maxQpRdAtom());
        line("max_ee_rd_atom:\t\t\t", 0);
        line("max_res_rd_atom:\t\t", attributes.maxResRdAtom());
        line("max_qp_init_rd_atom:\t\t", attributes.maxQpInitRdAtom());
        line("max_ee_init_rd_atom:\t\t", 0);
        line("atomic_cap:\t\t\t", name(ATOMICS, attributes.atomicCap(), "invalid atomic capability"));
        line("max_ee:\t\t\t\t", 0);
        line("max_rdd:\t\t\t", 0);
        line("max_mw:\t\t\t\t", attributes.maxMw());
        line("max_raw_ipv6_qp:\t\t", 0);
        line("max_raw_ethy_qp:\t\t", 0);
        line("max_mcast_grp:\t\t\t", attributes.maxMcastGrp());
        line("max_mcast_qp_attach:\t\t", attributes.maxMcastQpAttach());
        line("max_total_mcast_qp_attach:\t", attributes.maxTotalMcastQpAttach());
        line("max_ah:\t\t\t\t", attributes.maxAh());
        line("max_fmr:\t\t\t", 0);
        line("max_srq:\t\t\t", attributes.maxSrq());
        if (attributes.maxSrq() != 0) {
            line("max_srq_wr:\t\t\t", attributes.maxSrqWr());
            line("max_srq_sge:\t\t\t", attributes.maxSrqSge());
        }
        line("max_pkeys:\t\t\t", attributes.maxPkeys());
        line("local_ca_ack_delay:\t\t", attributes.localCaAckDelay());
    }

    private void printCapabilities() {
        int unknown = 0;
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            if ((attributes.deviceCapFlags() >>> bit & 1) == 0) {
                continue;
            }
            if (CAPABILITIES[bit] == null) {
                unknown |= 1 << bit;
            } else {
                console.println("\t\t\t\t\t" + CAPABILITIES[bit]);
            }
        }
        printUnknown(Integer.toUnsignedLong(unknown));
    }

    private void printUnknown(long flags) {
        if (flags != 0) {
            console.printf("\t\t\t\t\tUnknown flags: 0x%X\n", flags);
        }
    }

    /** On-demand paging, offloads, pacing, tag matching: absent from soft devices. */
    private void printExtensions() {
        console.print("\tgeneral_odp_caps:\n");
        for (String service : List.of("rc", "uc", "ud", "xrc")) {
            console.print("\t" + service + "_odp_caps:\n\t\t\t\t\tNO SUPPORT\n");
        }
        console.print("\tcompletion_timestamp_mask not supported\n\tcore clock not supported\n");
        console.printf("\tdevice_cap_flags_ex:\t\t0x%X\n", attributes.deviceCapFlagsEx());
        printUnknown(attributes.deviceCapFlagsEx() >>> 32 << 32);
        console.print("""
            \ttso_caps:
            \t\tmax_tso:\t\t\t0
            \trss_caps:
            \t\tmax_rwq_indirection_tables:\t\t\t0
            \t\tmax_rwq_indirection_table_size:\t\t\t0
            \t\trx_hash_function:\t\t\t\t0x0
            \t\trx_hash_fields_mask:\t\t\t\t0x0
            \tmax_wq_type_rq:\t\t\t0
            \tpacket_pacing_caps:
            \t\tqp_rate_limit_min:\t0kbps
            \t\tqp_rate_limit_max:\t0kbps
            \ttag matching not supported
            """);
        line("num_comp_vectors:\t\t", attributes.numCompVectors());
    }

    private void printPort() {
        console.println("\t\tport:\t1");
        portLine("state:\t\t\t", "PORT_" + port.state().text() + " (" + port.state().value() + ")");
        portLine("max_mtu:\t\t", mtu(port.maxMtu()));
        portLine("active_mtu:\t\t", mtu(port.activeMtu()));
        portLine("sm_lid:\t\t\t", port.smLid());
        portLine("port_lid:\t\t", port.lid());
        portLine("port_lmc:\t\t", hex(port.lmc(), 2));
        portLine("link_layer:\t\t", PortTexts.linkLayer(port));
    }

    private void printPortDetails() {
        portLine("max_msg_sz:\t\t", "0x" + Long.toHexString(port.maxMsgSize()));
        portLine("port_cap_flags:\t\t", hex(port.portCapFlags(), 8));
        portLine("port_cap_flags2:\t", hex(0, 4));
        portLine("max_vl_num:\t\t", name(VIRTUAL_LANES, port.maxVlNum(), "invalid value"));
        portLine("bad_pkey_cntr:\t\t", "0x" + Integer.toHexString(port.badPkeyCntr()));
        portLine("qkey_viol_cntr:\t\t", "0x" + Integer.toHexString(port.qkeyViolCntr()));
        portLine("sm_sl:\t\t\t", port.smSl());
        portLine("pkey_tbl_len:\t\t", port.pkeyTblLen());
        portLine("gid_tbl_len:\t\t", port.gidTblLen());
        portLine("subnet_timeout:\t\t", port.subnetTimeout());
        portLine("init_type_reply:\t", port.initTypeReply());
        LinkRate rate = LinkRate.of(port.activeWidth(), port.activeSpeed());
        portLine("active_width:\t\t", rate.lanes() + "X (" + port.activeWidth() + ")");
        portLine("active_speed:\t\t", rate.laneGigabits() + " Gbps (" + port.activeSpeed() + ")");
        if (device.transport() == Transport.INFINIBAND) {
            portLine("phys_state:\t\t", name(PHYSICAL_STATES, port.physState(), "invalid physical state"));
        }
    }

    /** GIDs with a lower half other than 0, as in the original: iWARP devices have none. */
    private void printGids() {
        for (GidEntry entry : gids) {
            if (entry.gid().low() != 0) {
                boolean version2 = entry.type() == GidType.ROCE_V2;
                boolean ethernet = port.linkLayer() == ETHERNET;
                console.printf("\t\t\tGID[%3d]:\t\t%s%s\n", entry.index(), version2 ? entry.gid() : entry.gid().sysfsText(),
                    !ethernet ? "" : version2 ? ", RoCE v2" : ", RoCE v1");
            }
        }
    }

    private static String mtu(Mtu mtu) {
        return mtu.bytes() + " (" + mtu.value() + ")";
    }

    /** Prints a name and its number. */
    private static String name(String[] names, int value, String otherwise) {
        boolean known = value >= 0 && value < names.length && names[value] != null;
        return (known ? names[value] : otherwise) + " (" + value + ")";
    }

    private static String hex(int value, int digits) {
        return String.format("0x%0" + digits + "x", value);
    }

    private void line(String label, Object value) {
        console.println("\t" + label + value);
    }

    private void portLine(String label, Object value) {
        console.println("\t\t\t" + label + value);
    }
}
