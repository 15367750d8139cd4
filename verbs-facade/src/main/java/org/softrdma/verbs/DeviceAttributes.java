// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Identity and limits of a device ({@code struct ibv_device_attr}; the field names are that structure's in Java spelling).
 *
 * @param fwVer                 version of the firmware, as text
 * @param nodeGuid              EUI-64, host order
 * @param sysImageGuid          EUI-64 of the system, host order
 * @param maxMrSize             bytes
 * @param pageSizeCap           sizes of pages, one bit each
 * @param vendorId              IEEE OUI of the vendor
 * @param vendorPartId          number of the part, the vendor's
 * @param hwVer                 version of the hardware, the vendor's
 * @param maxQp                 queue pairs
 * @param maxQpWr               work requests of a queue
 * @param deviceCapFlags        {@code enum ibv_device_cap_flags}
 * @param maxSge                elements of a work request
 * @param maxSgeRd              elements of an RDMA READ
 * @param maxInlineData         bytes a work request may carry inline
 * @param maxCq                 completion queues
 * @param maxCqe                completions of a queue
 * @param maxMr                 memory regions
 * @param maxPd                 protection domains
 * @param maxQpRdAtom           READs and atomics that a queue pair accepts at once
 * @param maxResRdAtom          READs and atomics that the device accepts at once
 * @param maxQpInitRdAtom       READs and atomics that a queue pair may have outstanding
 * @param atomicCap             0 none, 1 HCA, 2 global
 * @param maxMw                 memory windows
 * @param maxMcastGrp           multicast groups
 * @param maxMcastQpAttach      queue pairs in a group
 * @param maxTotalMcastQpAttach queue pairs in all groups
 * @param maxAh                 address handles
 * @param maxSrq                shared receive queues
 * @param maxSrqWr              receives of a shared receive queue
 * @param maxSrqSge             elements of its receives
 * @param maxPkeys              P_Keys
 * @param localCaAckDelay       exponent of 4.096 µs
 * @param physPortCnt           ports
 * @param numCompVectors        completion vectors of {@code create_cq}
 * @param deviceCapFlagsEx      {@code deviceCapFlags} and the bits that C keeps in the upper half of {@code device_cap_flags_ex}
 */
public record DeviceAttributes(
    String fwVer, long nodeGuid, long sysImageGuid, long maxMrSize, long pageSizeCap, int vendorId, int vendorPartId, int hwVer,
    int maxQp, int maxQpWr, int deviceCapFlags, int maxSge, int maxSgeRd, int maxInlineData, int maxCq, int maxCqe, int maxMr, int maxPd,
    int maxQpRdAtom, int maxResRdAtom, int maxQpInitRdAtom, int atomicCap, int maxMw, int maxMcastGrp, int maxMcastQpAttach,
    int maxTotalMcastQpAttach, int maxAh, int maxSrq, int maxSrqWr, int maxSrqSge, int maxPkeys, int localCaAckDelay, int physPortCnt,
    int numCompVectors, long deviceCapFlagsEx) {
    /**
     * Makes attributes without extended capabilities.
     *
     * @param fwVer                 version of the firmware, as text
     * @param nodeGuid              EUI-64, host order
     * @param sysImageGuid          EUI-64 of the system, host order
     * @param maxMrSize             bytes
     * @param pageSizeCap           sizes of pages, one bit each
     * @param vendorId              IEEE OUI of the vendor
     * @param vendorPartId          number of the part, the vendor's
     * @param hwVer                 version of the hardware, the vendor's
     * @param maxQp                 queue pairs
     * @param maxQpWr               work requests of a queue
     * @param deviceCapFlags        {@code enum ibv_device_cap_flags}
     * @param maxSge                elements of a work request
     * @param maxSgeRd              elements of an RDMA READ
     * @param maxInlineData         bytes a work request may carry inline
     * @param maxCq                 completion queues
     * @param maxCqe                completions of a queue
     * @param maxMr                 memory regions
     * @param maxPd                 protection domains
     * @param maxQpRdAtom           READs and atomics that a queue pair accepts at once
     * @param maxResRdAtom          READs and atomics that the device accepts at once
     * @param maxQpInitRdAtom       READs and atomics that a queue pair may have outstanding
     * @param atomicCap             0 none, 1 HCA, 2 global
     * @param maxMw                 memory windows
     * @param maxMcastGrp           multicast groups
     * @param maxMcastQpAttach      queue pairs in a group
     * @param maxTotalMcastQpAttach queue pairs in all groups
     * @param maxAh                 address handles
     * @param maxSrq                shared receive queues
     * @param maxSrqWr              receives of a shared receive queue
     * @param maxSrqSge             elements of its receives
     * @param maxPkeys              P_Keys
     * @param localCaAckDelay       exponent of 4.096 µs
     * @param physPortCnt           ports
     * @param numCompVectors        completion vectors of {@code create_cq}
     */
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
