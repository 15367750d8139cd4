// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceCommand;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryPortResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.daemon.verbs.GidBytes;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.InterfaceNames;

/** Queries of a device, its port and its GIDs. */
final class DeviceQueries {
    private static final int DEFAULT_PKEY = 0xffff;

    private final JoinedContext context;

    DeviceQueries(JoinedContext context) {
        this.context = context;
    }

    DeviceAttributes device() {
        try (Ioctl call = Ioctl.command(context, UverbsCommand.EXTENDED | UverbsCommand.EXTENDED_QUERY_DEVICE)) {
            MemorySegment m = call.room(ExtendedQueryDeviceResponse.BYTES);
            call.in(call.room(ExtendedQueryDeviceCommand.BYTES)).out(m).run("query_device");
            DaemonSession.About about = context.session().about(context.device().name());
            return new DeviceAttributes(about.firmware(), m.get(AbiLayout.BE64, QueryDeviceResponse.NODE_GUID_OFFSET),
                m.get(AbiLayout.BE64, QueryDeviceResponse.SYS_IMAGE_GUID_OFFSET), QueryDeviceResponse.maxMrSize(m, 0),
                QueryDeviceResponse.pageSizeCap(m, 0), QueryDeviceResponse.vendorId(m, 0), QueryDeviceResponse.vendorPartId(m, 0),
                QueryDeviceResponse.hwVer(m, 0), QueryDeviceResponse.maxQp(m, 0), QueryDeviceResponse.maxQpWr(m, 0),
                QueryDeviceResponse.deviceCapFlags(m, 0), QueryDeviceResponse.maxSge(m, 0), QueryDeviceResponse.maxSgeRd(m, 0),
                about.maxInlineData(), QueryDeviceResponse.maxCq(m, 0), QueryDeviceResponse.maxCqe(m, 0), QueryDeviceResponse.maxMr(m, 0),
                QueryDeviceResponse.maxPd(m, 0), QueryDeviceResponse.maxQpRdAtom(m, 0), QueryDeviceResponse.maxResRdAtom(m, 0),
                QueryDeviceResponse.maxQpInitRdAtom(m, 0), QueryDeviceResponse.atomicCap(m, 0), QueryDeviceResponse.maxMw(m, 0),
                QueryDeviceResponse.maxMcastGrp(m, 0), QueryDeviceResponse.maxMcastQpAttach(m, 0),
                QueryDeviceResponse.maxTotalMcastQpAttach(m, 0), QueryDeviceResponse.maxAh(m, 0), QueryDeviceResponse.maxSrq(m, 0),
                QueryDeviceResponse.maxSrqWr(m, 0), QueryDeviceResponse.maxSrqSge(m, 0), QueryDeviceResponse.maxPkeys(m, 0),
                QueryDeviceResponse.localCaAckDelay(m, 0), QueryDeviceResponse.physPortCnt(m, 0), context.completionVectors(),
                Integer.toUnsignedLong(QueryDeviceResponse.deviceCapFlags(m, 0)) | ExtendedQueryDeviceResponse.deviceCapFlagsEx(m, 0));
        }
    }

    PortAttributes port(int port) {
        return port(port, "query_port");
    }

    private PortAttributes port(int port, String verb) {
        try (Ioctl call = new Ioctl(context, UverbsObject.DEVICE, UverbsMethod.QUERY_PORT)) {
            MemorySegment m = call.room(QueryPortResponse.BYTES);
            call.value(UverbsAttribute.QUERY_PORT_PORT_NUM, number(port, verb), Byte.BYTES)
                .output(UverbsAttribute.QUERY_PORT_RESP, m).run(verb);
            return new PortAttributes(PortState.of(QueryPortResponse.state(m, 0)), Mtu.of(QueryPortResponse.maxMtu(m, 0)),
                Mtu.of(QueryPortResponse.activeMtu(m, 0)), QueryPortResponse.gidTblLen(m, 0), QueryPortResponse.portCapFlags(m, 0),
                Integer.toUnsignedLong(QueryPortResponse.maxMsgSz(m, 0)), QueryPortResponse.badPkeyCntr(m, 0),
                QueryPortResponse.qkeyViolCntr(m, 0), QueryPortResponse.pkeyTblLen(m, 0), QueryPortResponse.lid(m, 0),
                QueryPortResponse.smLid(m, 0), QueryPortResponse.lmc(m, 0), QueryPortResponse.maxVlNum(m, 0),
                QueryPortResponse.smSl(m, 0), QueryPortResponse.subnetTimeout(m, 0), QueryPortResponse.initTypeReply(m, 0),
                QueryPortResponse.activeWidth(m, 0), QueryPortResponse.activeSpeed(m, 0), QueryPortResponse.physState(m, 0),
                QueryPortResponse.linkLayer(m, 0));
        }
    }

    /** The field has eight bits, which must not make another port of a wrong number. */
    private int number(int port, String verb) {
        if (port < 1 || port > 0xff) {
            throw new VerbsException(Errno.EINVAL, verb, context.device().name() + " has no port " + port);
        }
        return port;
    }

    GidEntry gidEntry(int port, int index, String verb) {
        try (Ioctl call = new Ioctl(context, UverbsObject.DEVICE, UverbsMethod.QUERY_GID_ENTRY)) {
            MemorySegment m = call.room(org.softrdma.abi.uverbs.GidEntry.BYTES);
            call.value(UverbsAttribute.QUERY_GID_ENTRY_PORT, number(port, verb), Integer.BYTES)
                .value(UverbsAttribute.QUERY_GID_ENTRY_GID_INDEX, Integer.toUnsignedLong(index), Integer.BYTES)
                .value(UverbsAttribute.QUERY_GID_ENTRY_FLAGS, 0, Integer.BYTES)
                .output(UverbsAttribute.QUERY_GID_ENTRY_RESP_ENTRY, m).run(verb);
            return entry(m, 0);
        }
    }

    List<GidEntry> gidTable() {
        int room = port(1).gidTblLen();
        try (Ioctl call = new Ioctl(context, UverbsObject.DEVICE, UverbsMethod.QUERY_GID_TABLE)) {
            MemorySegment m = call.room(room * org.softrdma.abi.uverbs.GidEntry.BYTES);
            MemorySegment used = call.room(Long.BYTES);
            call.value(UverbsAttribute.QUERY_GID_TABLE_ENTRY_SIZE, org.softrdma.abi.uverbs.GidEntry.BYTES, Long.BYTES)
                .value(UverbsAttribute.QUERY_GID_TABLE_FLAGS, 0, Integer.BYTES)
                .output(UverbsAttribute.QUERY_GID_TABLE_RESP_ENTRIES, m)
                .output(UverbsAttribute.QUERY_GID_TABLE_RESP_NUM_ENTRIES, used).run("query_gid_table");
            List<GidEntry> entries = new ArrayList<>();
            for (long i = 0; i < Math.min(used.get(AbiLayout.U64, 0), room); i++) {
                entries.add(entry(m, i * org.softrdma.abi.uverbs.GidEntry.BYTES));
            }
            return entries;
        }
    }

    private static GidEntry entry(MemorySegment m, long at) {
        int type = org.softrdma.abi.uverbs.GidEntry.gidType(m, at);
        int interfaceIndex = org.softrdma.abi.uverbs.GidEntry.netdevIfindex(m, at);
        return new GidEntry(GidBytes.read(m, at + org.softrdma.abi.uverbs.GidEntry.GID_OFFSET),
            org.softrdma.abi.uverbs.GidEntry.gidIndex(m, at), org.softrdma.abi.uverbs.GidEntry.portNum(m, at),
            type == GidType.ROCE_V2.value() ? GidType.ROCE_V2 : type == GidType.ROCE_V1.value() ? GidType.ROCE_V1 : GidType.IB,
            InterfaceNames.of(interfaceIndex), interfaceIndex);
    }

    /** The table of a RoCE device has the default key alone, which C programs read from sysfs. */
    int pkey(int port, int index) {
        int entries = port(port, "query_pkey").pkeyTblLen();
        if (index < 0 || index >= entries) {
            throw new VerbsException(Errno.EINVAL, "query_pkey", "port " + port + " has " + entries + " keys, none at index " + index);
        }
        return DEFAULT_PKEY;
    }
}
