// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Identity and limits of a device ({@code struct ibv_device_attr}; the field names are that structure's in Java spelling).
 *
 * @param nodeGuid         EUI-64, host order
 * @param maxMrSize        bytes
 * @param deviceCapFlags   {@code enum ibv_device_cap_flags}
 * @param maxInlineData    bytes a work request may carry inline
 * @param atomicCap        0 none, 1 HCA, 2 global
 * @param localCaAckDelay  exponent of 4.096 µs
 * @param numCompVectors   completion vectors of {@code create_cq}
 * @param deviceCapFlagsEx {@code deviceCapFlags} and the bits that C keeps in the upper half of {@code device_cap_flags_ex}
 */
public record DeviceAttributes(
    String fwVer, long nodeGuid, long sysImageGuid, long maxMrSize, long pageSizeCap, int vendorId, int vendorPartId, int hwVer,
    int maxQp, int maxQpWr, int deviceCapFlags, int maxSge, int maxSgeRd, int maxInlineData, int maxCq, int maxCqe, int maxMr, int maxPd,
    int maxQpRdAtom, int maxResRdAtom, int maxQpInitRdAtom, int atomicCap, int maxMw, int maxMcastGrp, int maxMcastQpAttach,
    int maxTotalMcastQpAttach, int maxAh, int maxSrq, int maxSrqWr, int maxSrqSge, int maxPkeys, int localCaAckDelay, int physPortCnt,
    int numCompVectors, long deviceCapFlagsEx) {
    /** Attributes without extended capabilities. */
    public DeviceAttributes(
        String fwVer, long nodeGuid, long sysImageGuid, long maxMrSize, long pageSizeCap, int vendorId, int vendorPartId, int hwVer,
        int maxQp, int maxQpWr, int deviceCapFlags, int maxSge, int maxSgeRd, int maxInlineData, int maxCq, int maxCqe, int maxMr,
        int maxPd, int maxQpRdAtom, int maxResRdAtom, int maxQpInitRdAtom, int atomicCap, int maxMw, int maxMcastGrp,
        int maxMcastQpAttach, int maxTotalMcastQpAttach, int maxAh, int maxSrq, int maxSrqWr, int maxSrqSge, int maxPkeys,
        int localCaAckDelay, int physPortCnt, int numCompVectors) {
        this(fwVer, nodeGuid, sysImageGuid, maxMrSize, pageSizeCap, vendorId, vendorPartId, hwVer, maxQp, maxQpWr, deviceCapFlags, maxSge,
            maxSgeRd, maxInlineData, maxCq, maxCqe, maxMr, maxPd, maxQpRdAtom, maxResRdAtom, maxQpInitRdAtom, atomicCap, maxMw,
            maxMcastGrp, maxMcastQpAttach, maxTotalMcastQpAttach, maxAh, maxSrq, maxSrqWr, maxSrqSge, maxPkeys, localCaAckDelay,
            physPortCnt, numCompVectors, Integer.toUnsignedLong(deviceCapFlags));
    }
}
