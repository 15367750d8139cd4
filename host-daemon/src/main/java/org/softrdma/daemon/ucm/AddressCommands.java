// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmBindIp;
import org.softrdma.abi.ucm.UcmResolveAddress;
import org.softrdma.abi.ucm.UcmResolveIp;
import org.softrdma.abi.ucm.UcmResolveRoute;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.cm.CmId;

/**
 * Binds identifiers to addresses, and resolves addresses and routes of peers. Both of the kernel's generations of these commands are
 * there: librdmacm has the newer ones, with the family AF_IB, if binding to AF_IB's wildcard address succeeds at its start.
 */
final class AddressCommands {
    private AddressCommands() {
    }

    // ---- binding ----

    static void bindIp(UcmRequest request) {
        MemorySegment body = request.body();
        if (!IpAddresses.isIp(body, UcmBindIp.ADDR_OFFSET)) {
            throw request.refuse(Errno.EINVAL, "no IP address");
        }
        UcmIdentifier identifier = request.file().find(request, UcmBindIp.id(body, 0));
        bind(request, identifier, UcmBindIp.ADDR_OFFSET);
    }

    static void bind(UcmRequest request) {
        MemorySegment body = request.body();
        requireSize(request, UcmBind.addrSize(body, 0), UcmBind.ADDR_OFFSET);
        UcmIdentifier identifier = request.file().find(request, UcmBind.id(body, 0));
        bind(request, identifier, UcmBind.ADDR_OFFSET);
    }

    private static void bind(UcmRequest request, UcmIdentifier identifier, long at) {
        MemorySegment body = request.body();
        if (IpAddresses.isIp(body, at)) {
            requireNoIbAddress(request, identifier);
            InetSocketAddress address = IpAddresses.read(body, at);
            requireScope(request, address);
            identifier.cm().bind(address);
        } else {
            bindIb(request, identifier, IbAddress.read(body, at));
        }
    }

    /** Binds to AF_IB's wildcard address. The port is taken when the identifier listens. */
    private static void bindIb(UcmRequest request, UcmIdentifier identifier, IbAddress address) {
        requireNoIbAddress(request, identifier);
        if (!address.gid().isZero()) {
            throw request.refuse(Errno.ENODEV, "no device has addresses of AF_IB; use IP addresses");
        }
        if (isBound(identifier.cm())) {
            throw request.refuse(Errno.EINVAL, "the identifier is bound already");
        }
        identifier.ibAddress(address);
    }

    static boolean isBound(CmId cm) {
        return cm.localAddress().getPort() != 0;
    }

    private static void requireNoIbAddress(UcmRequest request, UcmIdentifier identifier) {
        if (identifier.ibAddress() != null) {
            throw request.refuse(Errno.EINVAL, "the identifier is bound to an address of AF_IB");
        }
    }

    private static void requireScope(UcmRequest request, InetSocketAddress address) {
        if (IpAddresses.lacksScope(address)) {
            throw request.refuse(Errno.EINVAL, "link-local address without an interface");
        }
    }

    /** Refuses an address whose length is not that of its family. */
    static void requireSize(UcmRequest request, int size, long at) {
        if (size == 0 || size != IpAddresses.bytes(request.body(), at)) {
            throw request.refuse(Errno.EINVAL, size + " bytes for an address of family " + UcmSockaddr.family(request.body(), at));
        }
    }

    // ---- resolution ----

    static void resolveIp(UcmRequest request) {
        MemorySegment body = request.body();
        boolean given = UcmSockaddr.family(body, UcmResolveIp.SRC_ADDR_OFFSET) != UcmSockaddr.AF_UNSPEC;
        if (given && !IpAddresses.isIp(body, UcmResolveIp.SRC_ADDR_OFFSET) || !IpAddresses.isIp(body, UcmResolveIp.DST_ADDR_OFFSET)) {
            throw request.refuse(Errno.EINVAL, "no IP address");
        }
        UcmIdentifier identifier = request.file().find(request, UcmResolveIp.id(body, 0));
        resolve(request, identifier, given ? UcmResolveIp.SRC_ADDR_OFFSET : -1, UcmResolveIp.DST_ADDR_OFFSET,
            UcmResolveIp.timeoutMs(body, 0));
    }

    static void resolve(UcmRequest request) {
        MemorySegment body = request.body();
        boolean given = UcmResolveAddress.srcSize(body, 0) != 0;
        if (given) {
            requireSize(request, UcmResolveAddress.srcSize(body, 0), UcmResolveAddress.SRC_ADDR_OFFSET);
        }
        requireSize(request, UcmResolveAddress.dstSize(body, 0), UcmResolveAddress.DST_ADDR_OFFSET);
        UcmIdentifier identifier = request.file().find(request, UcmResolveAddress.id(body, 0));
        resolve(request, identifier, given ? UcmResolveAddress.SRC_ADDR_OFFSET : -1, UcmResolveAddress.DST_ADDR_OFFSET,
            UcmResolveAddress.timeoutMs(body, 0));
    }

    /**
     * Resolves an address.
     *
     * @param source negative if the program gave none
     */
    private static void resolve(UcmRequest request, UcmIdentifier identifier, long source, long destination, int timeoutMs) {
        MemorySegment body = request.body();
        if (!IpAddresses.isIp(body, destination) || source >= 0 && !IpAddresses.isIp(body, source)) {
            throw request.refuse(Errno.ENODEV, "no device has addresses of AF_IB; use IP addresses");
        }
        requireNoIbAddress(request, identifier);
        InetSocketAddress from = source < 0 ? null : IpAddresses.read(body, source);
        if (from != null) {
            requireScope(request, from);
        }
        identifier.cm().resolveAddress(from, IpAddresses.read(body, destination), timeoutMs);
    }

    static void resolveRoute(UcmRequest request) {
        MemorySegment body = request.body();
        ConnectionCommands.findWithDevice(request, UcmResolveRoute.id(body, 0)).cm().resolveRoute(UcmResolveRoute.timeoutMs(body, 0));
    }
}
