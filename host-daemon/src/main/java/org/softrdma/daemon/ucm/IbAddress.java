// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.daemon.verbs.GidBytes;
import org.softrdma.verbs.Gid;

/**
 * An address of the family AF_IB. RoCE and iWARP have none: only the wildcard address can be bound, which librdmacm does at its start to
 * find out which commands the kernel has.
 *
 * @param pkey      partition key
 * @param flowInfo  traffic class and flow label
 * @param gid       zero for the wildcard address
 * @param serviceId port space in bits 31:16, port in bits 15:0
 * @param mask      bits of the service ID that count
 * @param scope     interface of a link-local GID
 */
record IbAddress(int pkey, int flowInfo, Gid gid, long serviceId, long mask, long scope) {
    static IbAddress read(MemorySegment m, long at) {
        return new IbAddress(UcmSockaddr.ibPkey(m, at), UcmSockaddr.ibFlowInfo(m, at),
            GidBytes.read(m, at + UcmSockaddr.IB_ADDRESS_OFFSET),
            UcmSockaddr.ibServiceId(m, at), UcmSockaddr.ibServiceIdMask(m, at), UcmSockaddr.ibScopeId(m, at));
    }

    /** Returns the port within the port space. */
    int port() {
        return (int) serviceId & 0xffff;
    }

    IbAddress withPort(int port) {
        return new IbAddress(pkey, flowInfo, gid, serviceId & ~0xffffL | port, mask, scope);
    }

    /**
     * Writes the address.
     *
     * @return its length in bytes
     */
    int write(MemorySegment m, long at) {
        UcmSockaddr.family(m, at, UcmSockaddr.AF_IB);
        UcmSockaddr.ibPkey(m, at, pkey);
        UcmSockaddr.ibFlowInfo(m, at, flowInfo);
        GidBytes.write(m, at + UcmSockaddr.IB_ADDRESS_OFFSET, gid);
        UcmSockaddr.ibServiceId(m, at, serviceId);
        UcmSockaddr.ibServiceIdMask(m, at, mask);
        UcmSockaddr.ibScopeId(m, at, scope);
        return UcmSockaddr.IB_BYTES;
    }
}
