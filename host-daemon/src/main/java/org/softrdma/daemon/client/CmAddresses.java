// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.softrdma.abi.ucm.UcmQueryAddressResponse;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.daemon.ucm.IpAddresses;

/**
 * Addresses and device of an identifier.
 *
 * @param nodeGuid of the device; 0 while it is not known
 * @param port     of the device, from 1; 0 while it is not known
 * @param local    the wildcard address and port 0 before it is bound
 * @param peer     null while there is none
 */
record CmAddresses(long nodeGuid, int port, InetSocketAddress local, InetSocketAddress peer) {
    /** Reads the answer to QUERY. */
    static CmAddresses of(MemorySegment m) {
        boolean bound = UcmQueryAddressResponse.srcSize(m, 0) != 0
            && UcmSockaddr.family(m, UcmQueryAddressResponse.SRC_ADDR_OFFSET) != UcmSockaddr.AF_UNSPEC;
        InetSocketAddress peer = bound && UcmQueryAddressResponse.dstSize(m, 0) != 0
            ? IpAddresses.read(m, UcmQueryAddressResponse.DST_ADDR_OFFSET) : null;
        boolean hasPeer = peer != null && !(peer.getAddress().isAnyLocalAddress() && peer.getPort() == 0);
        return new CmAddresses(UcmQueryAddressResponse.nodeGuid(m, 0), UcmQueryAddressResponse.portNum(m, 0),
            bound ? IpAddresses.read(m, UcmQueryAddressResponse.SRC_ADDR_OFFSET) : new InetSocketAddress(0), hasPeer ? peer : null);
    }
}
