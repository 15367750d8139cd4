// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.LinkedHashMap;
import java.util.Map;
import org.softrdma.verbs.Transport;

/**
 * Description of a test after the agreement: the heading, and its JSON form.
 *
 * @param device its name
 */
record TestInfo(Parameters parameters, String device, Transport transport) {
    private static final String ATOMIC_COMPARE = "CMP_AND_SWAP";
    private static final String ATOMIC_ADD = "FETCH_AND_ADD";

    /** The original's box, line by line. */
    String heading() {
        StringBuilder text = new StringBuilder(CommandLine.LINE).append("\n                    ").append(title(" ")).append(" Test\n");
        if (parameters.events) {
            text.append(" Test with events. Using ").append(device).append("_comp").append(parameters.vector).append('\n');
        }
        text.append(" Dual-port       : OFF\t\tDevice         : ").append(device).append('\n');
        text.append(" Number of qps   : ").append(parameters.queuePairs).append("\t\tTransport type : ")
            .append(transportName()).append('\n');
        text.append(" Connection type : ").append(parameters.connection).append("\t\tUsing SRQ      : ")
            .append(onOff(parameters.sharedReceives)).append('\n');
        line(text, "PCIe relax order:", "OFF");
        line(text, "ibv_wr* API     :", onOff(usesBatches()));
        if (parameters.sends || parameters.duplex) {
            line(text, "TX depth        :", parameters.txDepth);
        }
        if (parameters.postList > 1) {
            line(text, "Post List       :", parameters.postList);
        }
        if (showsReceives()) {
            line(text, "RX depth        :", parameters.rxDepth);
        }
        if (!parameters.latency) {
            line(text, "CQ Moderation   :", parameters.cqModeration);
        }
        line(text, "Mtu             :", parameters.mtu.bytes() + "[B]");
        line(text, "Link type       :", "Ethernet");
        line(text, "GID index       :", parameters.gidIndex);
        if (parameters.verb.fetches()) {
            line(text, "Outstand reads  :", parameters.outstandingReads);
        } else {
            line(text, "Max inline data :", parameters.inlineSize + "[B]");
        }
        line(text, "rdma_cm QPs\t :", onOff(parameters.cmQueuePairs));
        text.append(" Data ex. method : ").append(exchangeMethod());
        if (parameters.cmQueuePairs) {
            if (parameters.tos >= 0) {
                text.append(" \tTOS    : ").append(parameters.tos);
            }
            if (!parameters.sends) {
                text.append('\n').append(CommandLine.LINE).append("\n Waiting for client rdma_cm QP to connect\n")
                    .append(" Please run the same command with the IB/RoCE interface IP");
            }
        }
        return text.append('\n').append(CommandLine.LINE).append('\n').toString();
    }

    private static void line(StringBuilder text, String name, Object value) {
        text.append(' ').append(name).append(' ').append(value).append('\n');
    }

    private String title(String space) {
        StringBuilder text = new StringBuilder(parameters.verb.title);
        if (parameters.verb == Verb.ATOMIC) {
            text.append(space).append(parameters.compareAndSwap ? ATOMIC_COMPARE : ATOMIC_ADD);
        }
        if (parameters.latency) {
            return text.append(space).append("Latency").toString();
        }
        if (parameters.duplex) {
            text.append(space).append("Bidirectional");
        }
        if (parameters.postList > 1) {
            text.append(space).append("Post").append(space).append("List");
        }
        return text.append(space).append("BW").toString();
    }

    /** Names as in later versions of perftest, whose JSON is valid. */
    Map<String, Object> json() {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("test", title("_") + "_Test");
        if (parameters.events) {
            info.put("Test with events", "Using_" + device + "_comp" + parameters.vector);
        }
        info.put("Dual_port", "OFF");
        info.put("Device", device);
        info.put("Number_of_qps", parameters.queuePairs);
        info.put("Transport_type", transportName());
        info.put("Connection_type", parameters.connection.name());
        info.put("Using_SRQ", onOff(parameters.sharedReceives));
        info.put("PCIe_relax_order", "OFF");
        info.put("ibv_wr_API", onOff(usesBatches()));
        if (parameters.sends || parameters.duplex) {
            info.put("TX_depth", parameters.txDepth);
        }
        if (parameters.postList > 1) {
            info.put("Post_List", parameters.postList);
        }
        if (showsReceives()) {
            info.put("RX_depth", parameters.rxDepth);
        }
        if (!parameters.latency) {
            info.put("CQ_Moderation", parameters.cqModeration);
        }
        info.put("Mtu", parameters.mtu.bytes());
        info.put("Link_type", "Ethernet");
        info.put("GID_index", parameters.gidIndex);
        if (parameters.verb.fetches()) {
            info.put("Outstand_reads", parameters.outstandingReads);
        } else {
            info.put("Max_inline_data", parameters.inlineSize);
        }
        info.put("rdma_cm_QPs", onOff(parameters.cmQueuePairs));
        info.put("Data_ex_method", exchangeMethod());
        if (parameters.cmQueuePairs && parameters.tos >= 0) {
            info.put("TOS", parameters.tos);
        }
        return info;
    }

    private String transportName() {
        return transport == Transport.IWARP ? "IW" : "IB";
    }

    private boolean showsReceives() {
        return parameters.verb == Verb.SEND && (!parameters.sends || parameters.duplex);
    }

    private boolean usesBatches() {
        return parameters.postList > 1;
    }

    private String exchangeMethod() {
        return parameters.isControlledByCm() ? "rdma_cm" : "Ethernet";
    }

    private static String onOff(boolean on) {
        return on ? "ON" : "OFF";
    }
}
