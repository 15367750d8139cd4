// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.List;
import org.softrdma.tools.cli.Report;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.RdmaDevice;

/** {@code ibv_devinfo --json} of one device: the names of the text form, with numbers where that has a number and its meaning. */
final class DevinfoReport {
    private final Report report;

    DevinfoReport(Report report) {
        this.report = report;
    }

    void add(RdmaDevice device, DeviceDescription description, boolean verbose) {
        report.beginObject();
        addDevice(device, description.device());
        if (verbose) {
            addLimits(description.device());
        }
        addPort(description.port());
        if (verbose) {
            report.names("gids", gids(description.gids()));
        }
        report.endObject();
    }

    private void addDevice(RdmaDevice device, DeviceAttributes attributes) {
        text("hca_id", device.name());
        text("provider", device.origin());
        text("transport", device.transport().text());
        text("netdev", device.netdev());
        text("fw_ver", attributes.fwVer());
        text("node_guid", Guid.text(attributes.nodeGuid()));
        text("sys_image_guid", Guid.text(attributes.sysImageGuid()));
        number("vendor_id", attributes.vendorId());
        number("vendor_part_id", attributes.vendorPartId());
        number("hw_ver", attributes.hwVer());
        number("phys_port_cnt", attributes.physPortCnt());
    }

    private void addLimits(DeviceAttributes attributes) {
        number("max_mr_size", attributes.maxMrSize());
        number("page_size_cap", attributes.pageSizeCap());
        number("max_qp", attributes.maxQp());
        number("max_qp_wr", attributes.maxQpWr());
        number("device_cap_flags_ex", attributes.deviceCapFlagsEx());
        number("max_sge", attributes.maxSge());
        number("max_sge_rd", attributes.maxSgeRd());
        number("max_cq", attributes.maxCq());
        number("max_cqe", attributes.maxCqe());
        number("max_mr", attributes.maxMr());
        number("max_pd", attributes.maxPd());
        number("max_qp_rd_atom", attributes.maxQpRdAtom());
        number("max_res_rd_atom", attributes.maxResRdAtom());
        number("max_qp_init_rd_atom", attributes.maxQpInitRdAtom());
        number("atomic_cap", attributes.atomicCap());
        number("max_mw", attributes.maxMw());
        number("max_mcast_grp", attributes.maxMcastGrp());
        number("max_mcast_qp_attach", attributes.maxMcastQpAttach());
        number("max_total_mcast_qp_attach", attributes.maxTotalMcastQpAttach());
        number("max_ah", attributes.maxAh());
        number("max_srq", attributes.maxSrq());
        number("max_srq_wr", attributes.maxSrqWr());
        number("max_srq_sge", attributes.maxSrqSge());
        number("max_pkeys", attributes.maxPkeys());
        number("local_ca_ack_delay", attributes.localCaAckDelay());
        number("num_comp_vectors", attributes.numCompVectors());
    }

    private void addPort(PortAttributes port) {
        number("port", 1);
        text("state", "PORT_" + port.state().text());
        number("max_mtu", port.maxMtu().bytes());
        number("active_mtu", port.activeMtu().bytes());
        number("sm_lid", port.smLid());
        number("port_lid", port.lid());
        number("port_lmc", port.lmc());
        text("link_layer", PortTexts.linkLayer(port));
    }

    private static List<String> gids(List<GidEntry> entries) {
        return entries.stream().map(entry -> entry.gid() + ", " + entry.type()).toList();
    }

    private void text(String key, String value) {
        report.string(key, null, value);
    }

    private void number(String key, long value) {
        report.number(key, null, value);
    }
}
