// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Opcode;

/** Decodes what crosses an InfiniBand subnet: management datagrams, and packets of data. Source: IBA vol 1 §7.7, §13.4, §14.2. */
public final class SubnetDecoder {
    private static final int NO_NUMBER = -1;

    private SubnetDecoder() {
    }

    /** Returns the row of a datagram in a ladder. */
    public static PacketSummary summary(byte[] bytes, PacketFormat format) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        if (format == PacketFormat.LRH) {
            int bthAt = bthAt(b);
            return new PacketSummary("data for LID " + Lrh.dlid(b, 0), PacketKind.DATA, Bth.destQp(b, bthAt), Bth.psn(b, bthAt));
        }
        if (bytes.length < Mad.LENGTH) {
            return new PacketSummary("Trap, or an answer", PacketKind.TRAP, NO_NUMBER, NO_NUMBER);
        }
        int method = Mad.method(b, 0);
        boolean trap = method == MadMethod.TRAP;
        PacketKind kind = trap ? PacketKind.TRAP : isAnswer(method) ? PacketKind.ANSWER : PacketKind.MANAGEMENT;
        return new PacketSummary(label(b, method), kind, NO_NUMBER, NO_NUMBER);
    }

    private static boolean isAnswer(int method) {
        return MadMethod.isResponse(method) || method == MadMethod.TRAP_REPRESS;
    }

    private static String label(ByteBuffer b, int method) {
        int attribute = Mad.attribute(b, 0);
        if (Mad.managementClass(b, 0) == SaMad.CLASS) {
            return "SA " + methodName(method) + "(" + SaAttribute.name(attribute) + ")";
        }
        String detail = switch (attribute) {
            case SmAttribute.PORT_INFO -> ", port " + Mad.modifier(b, 0);
            case SmAttribute.NOTICE -> " " + Notice.TRAP.get(b, Smp.DATA_OFFSET);
            default -> "";
        };
        int state = attribute == SmAttribute.PORT_INFO ? PortInfo.STATE.get(b, Smp.DATA_OFFSET) : 0;
        boolean written = method == MadMethod.SET && state != PortInfo.STATE_NO_CHANGE;
        boolean read = method == MadMethod.GET_RESPONSE && state != PortInfo.STATE_NO_CHANGE;
        return methodName(method) + "(" + SmAttribute.name(attribute) + detail + ")"
            + (written || read ? " " + PortInfo.stateName(state) : "");
    }

    private static String methodName(int method) {
        return switch (method) {
            case MadMethod.GET -> "Get";
            case MadMethod.SET -> "Set";
            case MadMethod.GET_RESPONSE -> "GetResp";
            case MadMethod.TRAP -> "Trap";
            case MadMethod.TRAP_REPRESS -> "TrapRepress";
            case MadMethod.REPORT -> "Report";
            case MadMethod.REPORT_RESPONSE -> "ReportResp";
            default -> "method 0x" + Integer.toHexString(method);
        };
    }

    private static int bthAt(ByteBuffer b) {
        return Lrh.LENGTH + (Lrh.nextHeader(b, 0) == Lrh.NEXT_GRH ? Grh.LENGTH : 0);
    }

    /** Returns the fields of a datagram, in their order. */
    public static List<Field> fields(byte[] bytes, PacketFormat format) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        List<Field> fields = new ArrayList<>();
        if (format == PacketFormat.LRH) {
            data(b, fields);
        } else if (bytes.length >= Mad.LENGTH) {
            management(b, fields);
        }
        return fields;
    }

    private static void data(ByteBuffer b, List<Field> fields) {
        int bthAt = bthAt(b);
        fields.add(new Field("LRH", "VL", String.valueOf(Lrh.vl(b, 0)), Lrh.VL_OFFSET, 1));
        fields.add(new Field("LRH", "SL", String.valueOf(Lrh.sl(b, 0)), Lrh.SL_OFFSET, 1));
        fields.add(new Field("LRH", "DLID", lid(Lrh.dlid(b, 0)), Lrh.DLID_OFFSET, 2));
        fields.add(new Field("LRH", "packet length", Lrh.packetBytes(b, 0) + " bytes", Lrh.PACKET_LENGTH_OFFSET, 2));
        fields.add(new Field("LRH", "SLID", lid(Lrh.slid(b, 0)), Lrh.SLID_OFFSET, 2));
        if (bthAt > Lrh.LENGTH) {
            fields.add(new Field("GRH", "global route header", Grh.LENGTH + " bytes", Lrh.LENGTH, Grh.LENGTH));
        }
        fields.add(new Field("BTH", "opcode", Opcode.name(Bth.opcode(b, bthAt)), bthAt, 1));
        fields.add(new Field("BTH", "P_Key", hex(Bth.pkey(b, bthAt)), bthAt + Bth.PKEY_OFFSET, 2));
        fields.add(new Field("BTH", "destination QP", hex(Bth.destQp(b, bthAt)), bthAt + Bth.DEST_QP_OFFSET, 3));
        fields.add(new Field("BTH", "PSN", String.valueOf(Bth.psn(b, bthAt)), bthAt + Bth.PSN_OFFSET, 3));
        int dethAt = bthAt + Bth.LENGTH;
        fields.add(new Field("DETH", "Q_Key", hex(Deth.qkey(b, dethAt)), dethAt, 4));
        fields.add(new Field("DETH", "source QP", hex(Deth.sourceQp(b, dethAt)), dethAt + Deth.SOURCE_QP_OFFSET, 3));
    }

    private static void management(ByteBuffer b, List<Field> fields) {
        boolean directed = Smp.isDirected(b, 0);
        boolean subnet = Smp.isSubnetManagement(Mad.managementClass(b, 0));
        int attribute = Mad.attribute(b, 0);
        fields.add(new Field("MAD", "class", directed ? "0x81 subnet management, directed route"
            : subnet ? "0x01 subnet management, by LID" : hex(Mad.managementClass(b, 0)), Mad.CLASS_OFFSET, 1));
        fields.add(new Field("MAD", "method", methodName(Mad.method(b, 0)), Mad.METHOD_OFFSET, 1));
        fields.add(new Field("MAD", "status", hex(subnet ? Smp.status(b, 0) : Mad.status(b, 0)), Mad.STATUS_OFFSET, 2));
        if (directed) {
            fields.add(new Field("MAD", "direction", Smp.isReturning(b, 0) ? "1, on the way back" : "0, on the way out",
                Mad.STATUS_OFFSET, 1));
            fields.add(new Field("MAD", "hop pointer", String.valueOf(Smp.hopPointer(b, 0)), Smp.HOP_POINTER_OFFSET, 1));
            fields.add(new Field("MAD", "hop count", String.valueOf(Smp.hopCount(b, 0)), Smp.HOP_COUNT_OFFSET, 1));
        }
        fields.add(new Field("MAD", "transaction ID", "0x" + Long.toHexString(Mad.transactionId(b, 0)), Mad.TRANSACTION_ID_OFFSET, 8));
        fields.add(new Field("MAD", "attribute", subnet ? SmAttribute.name(attribute) : SaAttribute.name(attribute),
            Mad.ATTRIBUTE_OFFSET, 2));
        fields.add(new Field("MAD", "attribute modifier", String.valueOf(Mad.modifier(b, 0)), Mad.MODIFIER_OFFSET, 4));
        if (!subnet) {
            return;
        }
        fields.add(new Field("SMP", "M_Key", "0x" + Long.toHexString(Smp.mkey(b, 0)), Smp.MKEY_OFFSET, 8));
        if (directed) {
            fields.add(new Field("SMP", "DrSLID", lid(Smp.drSlid(b, 0)), Smp.DR_SLID_OFFSET, 2));
            fields.add(new Field("SMP", "DrDLID", lid(Smp.drDlid(b, 0)), Smp.DR_DLID_OFFSET, 2));
            int hops = Smp.hopCount(b, 0);
            fields.add(new Field("SMP", "initial path: ports to leave by", ports(hops, hop -> Smp.initialPath(b, 0, hop)),
                Smp.INITIAL_PATH_OFFSET, hops + 1));
            fields.add(new Field("SMP", "return path: ports it came in by", ports(hops, hop -> Smp.returnPath(b, 0, hop)),
                Smp.RETURN_PATH_OFFSET, hops + 1));
        }
        attribute(b, attribute, fields);
    }

    private static String ports(int hops, IntUnaryOperator port) {
        return hops == 0 ? "none" : IntStream.rangeClosed(1, hops).map(port).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }

    /** Fields of attributes that the lessons speak of. */
    private static void attribute(ByteBuffer b, int attribute, List<Field> fields) {
        if (Mad.method(b, 0) == MadMethod.GET) {
            return;
        }
        switch (attribute) {
            case SmAttribute.PORT_INFO -> {
                add(fields, "PortInfo", "LID", b, PortInfo.LID);
                add(fields, "PortInfo", "master SM's LID", b, PortInfo.SM_LID);
                fields.add(new Field("PortInfo", "port state", PortInfo.stateName(PortInfo.STATE.get(b, Smp.DATA_OFFSET)),
                    Smp.DATA_OFFSET + PortInfo.STATE.offset(), 1));
            }
            case SmAttribute.NODE_INFO -> {
                fields.add(new Field("NodeInfo", "type", NodeInfo.TYPE.get(b, Smp.DATA_OFFSET) == NodeInfo.TYPE_CA ? "1, channel adapter"
                    : "2, switch", Smp.DATA_OFFSET + NodeInfo.TYPE.offset(), 1));
                add(fields, "NodeInfo", "ports", b, NodeInfo.PORTS);
                add(fields, "NodeInfo", "port it came in by", b, NodeInfo.LOCAL_PORT);
            }
            case SmAttribute.LINEAR_FORWARDING -> {
                for (int lid = 0; lid < LinearForwardingBlock.ENTRIES; lid++) {
                    int port = LinearForwardingBlock.get(b, Smp.DATA_OFFSET, lid);
                    if (port != LinearForwardingBlock.NO_PORT) {
                        int shown = Mad.modifier(b, 0) * LinearForwardingBlock.ENTRIES + lid;
                        fields.add(new Field("LinearForwardingTable", "LID " + shown, "port " + port, Smp.DATA_OFFSET + lid, 1));
                    }
                }
            }
            case SmAttribute.NOTICE -> {
                add(fields, "Notice", "trap number", b, Notice.TRAP);
                add(fields, "Notice", "LID of the switch", b, Notice.ISSUER_LID);
            }
            default -> {
                // The bytes are shown.
            }
        }
    }

    private static void add(List<Field> fields, String layer, String name, ByteBuffer b, org.softrdma.wire.mad.Field field) {
        fields.add(new Field(layer, name, String.valueOf(field.getLong(b, Smp.DATA_OFFSET)), Smp.DATA_OFFSET + field.offset(),
            field.length()));
    }

    private static String lid(int lid) {
        return lid == Lrh.PERMISSIVE_LID ? "0xffff, permissive"
            : lid >= Lrh.FIRST_MULTICAST_LID ? hex(lid) + ", a group" : String.valueOf(lid);
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
