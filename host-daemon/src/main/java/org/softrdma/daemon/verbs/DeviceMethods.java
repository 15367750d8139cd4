// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceCommand;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceResponse;
import org.softrdma.abi.uverbs.GidEntry;
import org.softrdma.abi.uverbs.QueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryPortResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.VerbsException;

/** Methods and commands that query the device, its port and its GIDs. */
final class DeviceMethods {
    /** Entries that the GID table of a RoCE port is said to have at least: some tools query each one. */
    private static final int GID_TABLE_STEP = 16;

    private DeviceMethods() {
    }

    static void queryDevice(UverbsFile file, LegacyCall call) {
        MemorySegment room = call.room();
        DeviceCapabilities.write(room, 0, file);
        call.reply(room, QueryDeviceResponse.BYTES);
    }

    static void queryDeviceExtended(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        if (ExtendedQueryDeviceCommand.compMask(in, 0) != 0 || ExtendedQueryDeviceCommand.reserved(in, 0) != 0) {
            throw Refusals.invalid("unknown bits in comp_mask");
        }
        MemorySegment room = call.room();
        DeviceCapabilities.writeExtended(room, file, call.responseRoom());
        call.reply(room, ExtendedQueryDeviceResponse.BYTES);
    }

    static void queryPort(UverbsFile file, UverbsCall call) {
        file.requireContext();
        PortAttributes port = file.context().queryPort(call.count(UverbsAttribute.QUERY_PORT_PORT_NUM));
        MemorySegment room = call.room();
        QueryPortResponse.portCapFlags(room, 0, port.portCapFlags());
        QueryPortResponse.maxMsgSz(room, 0, (int) port.maxMsgSize());
        QueryPortResponse.badPkeyCntr(room, 0, port.badPkeyCntr());
        QueryPortResponse.qkeyViolCntr(room, 0, port.qkeyViolCntr());
        QueryPortResponse.gidTblLen(room, 0, gidTableLength(file));
        QueryPortResponse.pkeyTblLen(room, 0, port.pkeyTblLen());
        QueryPortResponse.lid(room, 0, port.lid());
        QueryPortResponse.smLid(room, 0, port.smLid());
        QueryPortResponse.state(room, 0, port.state().value());
        QueryPortResponse.maxMtu(room, 0, port.maxMtu().value());
        QueryPortResponse.activeMtu(room, 0, port.activeMtu().value());
        QueryPortResponse.lmc(room, 0, port.lmc());
        QueryPortResponse.maxVlNum(room, 0, port.maxVlNum());
        QueryPortResponse.smSl(room, 0, port.smSl());
        QueryPortResponse.subnetTimeout(room, 0, port.subnetTimeout());
        QueryPortResponse.initTypeReply(room, 0, port.initTypeReply());
        QueryPortResponse.activeWidth(room, 0, port.activeWidth());
        QueryPortResponse.activeSpeed(room, 0, port.activeSpeed());
        QueryPortResponse.physState(room, 0, port.physState());
        QueryPortResponse.linkLayer(room, 0, port.linkLayer());
        QueryPortResponse.flags(room, 0, isRoce(file) ? UverbsValue.PORT_GRH_REQUIRED : 0);
        call.reply(UverbsAttribute.QUERY_PORT_RESP, room, QueryPortResponse.BYTES);
    }

    private static boolean isRoce(UverbsFile file) {
        return file.device().device().nodeType() == NodeType.CA;
    }

    /** The length of the table that programs see: that of iWARP, or a multiple of 16 that covers all used entries. */
    private static int gidTableLength(UverbsFile file) {
        if (!isRoce(file)) {
            return 1;
        }
        int last = 0;
        for (org.softrdma.verbs.GidEntry each : file.context().queryGidTable()) {
            last = Math.max(last, each.index());
        }
        return (last / GID_TABLE_STEP + 1) * GID_TABLE_STEP;
    }

    static void queryGidEntry(UverbsFile file, UverbsCall call) {
        file.requireContext();
        requireNoFlags(call, UverbsAttribute.QUERY_GID_ENTRY_FLAGS);
        int index = call.count(UverbsAttribute.QUERY_GID_ENTRY_GID_INDEX);
        int port = call.count(UverbsAttribute.QUERY_GID_ENTRY_PORT);
        file.context().queryPort(port);
        if (index >= gidTableLength(file)) {
            throw Refusals.invalid("GID index " + index);
        }
        MemorySegment room = call.room();
        write(room, 0, file.context().queryGidEntry(port, index));
        call.reply(UverbsAttribute.QUERY_GID_ENTRY_RESP_ENTRY, room, GidEntry.BYTES);
    }

    static void queryGidTable(UverbsFile file, UverbsCall call) {
        file.requireContext();
        requireNoFlags(call, UverbsAttribute.QUERY_GID_TABLE_FLAGS);
        long entryBytes = call.value(UverbsAttribute.QUERY_GID_TABLE_ENTRY_SIZE);
        int bytes = call.length(UverbsAttribute.QUERY_GID_TABLE_RESP_ENTRIES);
        List<org.softrdma.verbs.GidEntry> entries = file.context().queryGidTable();
        if (entryBytes <= 0 || entryBytes > bytes || bytes % entryBytes != 0 || bytes / entryBytes < entries.size()) {
            throw Refusals.invalid(bytes + " bytes for " + entries.size() + " entries of " + entryBytes);
        }
        long stride = Math.min(entryBytes, GidEntry.BYTES);
        if (stride * entries.size() > UverbsCall.MAX_OUTPUT || stride < entryBytes && entries.size() > 1) {
            throw new VerbsException(Errno.EOPNOTSUPP, "query_gid_table", "entries of " + entryBytes + " bytes");
        }
        MemorySegment room = call.room();
        for (int i = entries.size() - 1; i >= 0; i--) {
            write(room, i * stride, entries.get(i));
        }
        call.reply(UverbsAttribute.QUERY_GID_TABLE_RESP_ENTRIES, room, (int) (stride * entries.size()));
        call.reply(UverbsAttribute.QUERY_GID_TABLE_RESP_NUM_ENTRIES, (long) entries.size());
    }

    private static void requireNoFlags(UverbsCall call, int attribute) {
        if (call.value(attribute) != 0) {
            throw Refusals.invalid("flags 0x" + Long.toHexString(call.value(attribute)));
        }
    }

    private static void write(MemorySegment room, long at, org.softrdma.verbs.GidEntry entry) {
        GidBytes.write(room, at + GidEntry.GID_OFFSET, entry.gid());
        GidEntry.gidIndex(room, at, entry.index());
        GidEntry.portNum(room, at, entry.port());
        GidEntry.gidType(room, at, entry.type().value());
        GidEntry.netdevIfindex(room, at, entry.ifIndex());
    }
}
