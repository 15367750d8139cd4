// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.softrdma.abi.ucm.UcmPath;
import org.softrdma.abi.ucm.UcmPathRecord;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmQueryAddressResponse;
import org.softrdma.abi.ucm.UcmQueryPathResponse;
import org.softrdma.abi.ucm.UcmQueryRouteResponse;
import org.softrdma.abi.ucm.UcmUserPath;
import org.softrdma.daemon.verbs.GidBytes;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.cm.CmId;

/** Answers queries for an identifier's device, addresses and path. */
final class QueryCommands {
    /** Index of a device that librdmacm is to find by its GUID. */
    private static final int BY_GUID = -1;
    private static final int PKEY = 0xffff;
    private static final int HOP_LIMIT = 64;
    /** Comparison in path records: exactly this value. */
    private static final int EXACTLY = 2;
    private static final int SELECTOR_SHIFT = 6;
    /** Lifetime of packets that the kernel assumes on Ethernet, 4.096 µs times 2^18: a second. */
    private static final int PACKET_LIFETIME = 18;
    private static final int REVERSIBLE = 0x80;
    private static final int PORT_SPACE_SHIFT = 16;

    private QueryCommands() {
    }

    static void query(UcmRequest request) {
        MemorySegment body = request.body();
        UcmIdentifier identifier = request.file().find(request, UcmQuery.id(body, 0));
        switch (UcmQuery.option(body, 0)) {
            case UcmQuery.ADDRESS -> queryAddress(request, identifier);
            case UcmQuery.PATH -> queryPath(request, identifier.cm());
            case UcmQuery.GID -> queryGid(request, identifier);
            default -> throw request.refuse(Errno.ENOSYS, "there is no option " + UcmQuery.option(body, 0));
        }
    }

    // ---- addresses ----

    private static void queryAddress(UcmRequest request, UcmIdentifier identifier) {
        request.requireRoom(UcmQueryAddressResponse.IBDEV_INDEX_OFFSET);
        CmId cm = identifier.cm();
        MemorySegment answer = request.answer();
        writeDevice(answer, cm.verbs());
        if (identifier.ibAddress() != null) {
            UcmQueryAddressResponse.srcSize(answer, 0, ibAddress(identifier).write(answer, UcmQueryAddressResponse.SRC_ADDR_OFFSET));
            UcmQueryAddressResponse.dstSize(answer, 0, emptyIb().write(answer, UcmQueryAddressResponse.DST_ADDR_OFFSET));
        } else if (AddressCommands.isBound(cm)) {
            InetSocketAddress local = cm.localAddress();
            InetSocketAddress peer = cm.peerAddress();
            UcmQueryAddressResponse.srcSize(answer, 0, IpAddresses.write(answer, UcmQueryAddressResponse.SRC_ADDR_OFFSET, local));
            UcmQueryAddressResponse.dstSize(answer, 0, peer == null
                ? IpAddresses.writeEmpty(answer, UcmQueryAddressResponse.DST_ADDR_OFFSET, local)
                : IpAddresses.write(answer, UcmQueryAddressResponse.DST_ADDR_OFFSET, peer));
        }
        respond(request, UcmQueryAddressResponse.BYTES);
    }

    /** Answers with the addresses as AF_IB has them: GID and service ID. */
    private static void queryGid(UcmRequest request, UcmIdentifier identifier) {
        request.requireRoom(UcmQueryAddressResponse.IBDEV_INDEX_OFFSET);
        CmId cm = identifier.cm();
        MemorySegment answer = request.answer();
        writeDevice(answer, cm.verbs());
        boolean ib = identifier.ibAddress() != null;
        IbAddress source = ib ? ibAddress(identifier) : ibAddress(cm, cm.localAddress());
        IbAddress destination = ib ? emptyIb() : ibAddress(cm, cm.peerAddress());
        UcmQueryAddressResponse.srcSize(answer, 0, source.write(answer, UcmQueryAddressResponse.SRC_ADDR_OFFSET));
        UcmQueryAddressResponse.dstSize(answer, 0, destination.write(answer, UcmQueryAddressResponse.DST_ADDR_OFFSET));
        respond(request, UcmQueryAddressResponse.BYTES);
    }

    private static IbAddress ibAddress(UcmIdentifier identifier) {
        int port = identifier.cm().localAddress().getPort();
        return port == 0 ? identifier.ibAddress() : identifier.ibAddress().withPort(port);
    }

    private static IbAddress emptyIb() {
        return new IbAddress(0, 0, Gid.ZERO, 0, 0, 0);
    }

    private static IbAddress ibAddress(CmId cm, InetSocketAddress address) {
        boolean known = cm.verbs() != null && address != null;
        long serviceId = (long) cm.portSpace().value() << PORT_SPACE_SHIFT | (address == null ? 0 : address.getPort());
        return new IbAddress(cm.verbs() == null ? 0 : PKEY, 0, known ? Gid.of(address.getAddress()) : Gid.ZERO, serviceId, 0, 0);
    }

    private static void writeDevice(MemorySegment answer, Context device) {
        if (device != null) {
            UcmQueryAddressResponse.nodeGuid(answer, 0, device.queryDevice().nodeGuid());
            UcmQueryAddressResponse.portNum(answer, 0, 1);
            UcmQueryAddressResponse.pkey(answer, 0, PKEY);
            UcmQueryAddressResponse.ibdevIndex(answer, 0, BY_GUID);
        }
    }

    /** Writes as much of the answer as the program has room for: older libraries know shorter ones. */
    private static void respond(UcmRequest request, int bytes) {
        request.respond(UcmQuery.response(request.body(), 0), Math.min(bytes, request.room()));
    }

    // ---- paths ----

    /** A RoCE identifier has one path once its route is resolved; the kernel has none for iWARP. */
    private static boolean hasPath(CmId cm) {
        return cm.verbs() != null && cm.verbs().device().transport() != Transport.IWARP && cm.peerAddress() != null;
    }

    private static void queryPath(UcmRequest request, CmId cm) {
        request.requireRoom(UcmQueryPathResponse.BYTES);
        MemorySegment answer = request.answer();
        int bytes = UcmQueryPathResponse.BYTES;
        if (hasPath(cm)) {
            UcmQueryPathResponse.numPaths(answer, 0, 1);
            if (request.room() >= UcmQueryPathResponse.BYTES + UcmPath.BYTES) {
                UcmPath.flags(answer, UcmQueryPathResponse.PATH_DATA_OFFSET, UcmPath.PRIMARY_BIDIRECTIONAL);
                writePath(answer, UcmQueryPathResponse.PATH_DATA_OFFSET + UcmPath.PATH_REC_OFFSET, cm);
                bytes += UcmPath.BYTES;
            }
        }
        respond(request, bytes);
    }

    private static void writePath(MemorySegment m, long at, CmId cm) {
        GidBytes.write(m, at + UcmPathRecord.DGID_OFFSET, Gid.of(cm.peerAddress().getAddress()));
        GidBytes.write(m, at + UcmPathRecord.SGID_OFFSET, Gid.of(cm.localAddress().getAddress()));
        UcmPathRecord.flowlabelHoplimit(m, at, HOP_LIMIT);
        UcmPathRecord.reversibleNumpath(m, at, REVERSIBLE);
        UcmPathRecord.pkey(m, at, PKEY);
        UcmPathRecord.mtu(m, at, EXACTLY << SELECTOR_SHIFT | mtu(cm));
        UcmPathRecord.rate(m, at, EXACTLY << SELECTOR_SHIFT);
        UcmPathRecord.packetlifetime(m, at, EXACTLY << SELECTOR_SHIFT | PACKET_LIFETIME);
    }

    private static int mtu(CmId cm) {
        return cm.verbs().queryPort(1).activeMtu().value();
    }

    // ---- both, for libraries without AF_IB ----

    static void queryRoute(UcmRequest request) {
        MemorySegment body = request.body();
        request.requireRoom(UcmQueryRouteResponse.IBDEV_INDEX_OFFSET);
        CmId cm = request.file().find(request, UcmQuery.id(body, 0)).cm();
        MemorySegment answer = request.answer();
        if (AddressCommands.isBound(cm)) {
            IpAddresses.write(answer, UcmQueryRouteResponse.SRC_ADDR_OFFSET, cm.localAddress());
        }
        if (cm.peerAddress() != null) {
            IpAddresses.write(answer, UcmQueryRouteResponse.DST_ADDR_OFFSET, cm.peerAddress());
        }
        Context device = cm.verbs();
        if (device != null) {
            UcmQueryRouteResponse.nodeGuid(answer, 0, device.queryDevice().nodeGuid());
            UcmQueryRouteResponse.portNum(answer, 0, 1);
            UcmQueryRouteResponse.ibdevIndex(answer, 0, BY_GUID);
            GidBytes.write(answer, UcmQueryRouteResponse.IB_ROUTE_OFFSET + UcmUserPath.SGID_OFFSET, Gid.of(cm.localAddress().getAddress()));
        }
        if (hasPath(cm)) {
            UcmQueryRouteResponse.numPaths(answer, 0, 1);
            writeUserPath(answer, UcmQueryRouteResponse.IB_ROUTE_OFFSET, cm);
        }
        respond(request, UcmQueryRouteResponse.BYTES);
    }

    private static void writeUserPath(MemorySegment m, long at, CmId cm) {
        GidBytes.write(m, at + UcmUserPath.DGID_OFFSET, Gid.of(cm.peerAddress().getAddress()));
        UcmUserPath.reversible(m, at, 1);
        UcmUserPath.mtu(m, at, mtu(cm));
        UcmUserPath.pkey(m, at, PKEY);
        UcmUserPath.hopLimit(m, at, HOP_LIMIT);
        UcmUserPath.mtuSelector(m, at, EXACTLY);
        UcmUserPath.rateSelector(m, at, EXACTLY);
        UcmUserPath.packetLifeTimeSelector(m, at, EXACTLY);
        UcmUserPath.packetLifeTime(m, at, PACKET_LIFETIME);
    }
}
