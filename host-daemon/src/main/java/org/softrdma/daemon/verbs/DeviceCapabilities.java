// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryDeviceResponse;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;

/** Limits and capabilities of a device as programs see them: those of the device, as far as the libraries' rings carry them. */
final class DeviceCapabilities {
    /** Receives of a shared queue at most. */
    static final int MAX_SRQ_WR = 1 << 15;

    /** IB_DEVICE_SRQ_RESIZE and IB_DEVICE_XRC: neither library has them. */
    private static final int NOT_IN_LIBRARIES = 1 << 13 | 1 << 20;
    /** IB_DEVICE_MEM_WINDOW, IB_DEVICE_MEM_WINDOW_TYPE_2A and 2B. */
    private static final int WINDOWS = 1 << 17 | 1 << 23 | 1 << 24;
    /** IB_DEVICE_FLUSH_PERSISTENT: a program's mapped files are not ours to write back. */
    private static final long NOT_FOR_PROGRAMS = 1L << 39;
    /** IB_ODP_SUPPORT and IB_ODP_SUPPORT_IMPLICIT: nothing is pinned, so that memory on demand is like any other. */
    private static final long ODP_GENERAL = 1 | 1 << 1;
    private static final int ODP_SEND = 1;
    private static final int ODP_RECV = 1 << 1;
    private static final int ODP_WRITE = 1 << 2;
    private static final int ODP_READ = 1 << 3;
    private static final int ODP_ATOMIC = 1 << 4;
    private static final int ODP_SRQ_RECV = 1 << 5;
    private static final int ODP_FLUSH = 1 << 6;
    private static final int ODP_ATOMIC_WRITE = 1 << 7;
    /** IB_DEVICE_FLUSH_GLOBAL. */
    private static final long FLUSH = 1L << 38;
    /** IB_DEVICE_ATOMIC_WRITE. */
    private static final long ATOMIC_WRITE = 1L << 40;

    private DeviceCapabilities() {
    }

    /** Returns the greatest sizes of a queue pair. */
    static QpCapabilities limits(UverbsFile file) {
        DeviceAttributes device = file.context().queryDevice();
        QpCapabilities library = file.driver().maxCapabilities();
        int wr = Math.min(device.maxQpWr(), library.maxSendWr());
        int elements = Math.min(device.maxSge(), library.maxSendSge());
        return new QpCapabilities(wr, wr, elements, elements, Math.min(device.maxInlineData(), library.maxInlineData()));
    }

    static int maxSrqWr(UverbsFile file) {
        return Math.min(file.context().queryDevice().maxSrqWr(), MAX_SRQ_WR);
    }

    static int maxSrqSge(UverbsFile file) {
        return Math.min(file.context().queryDevice().maxSrqSge(), file.driver().maxCapabilities().maxRecvSge());
    }

    private static int atomicCap(UverbsFile file) {
        return file.driver().hasAtomicsAndWindows() ? file.context().queryDevice().atomicCap() : 0;
    }

    /** Returns the flags of the device that its library has no use for. */
    private static int withoutUse(LibraryDriver library) {
        return NOT_IN_LIBRARIES | (library.hasAtomicsAndWindows() ? 0 : WINDOWS);
    }

    static void write(MemorySegment to, long at, UverbsFile file) {
        DeviceAttributes device = file.context().queryDevice();
        QpCapabilities limits = limits(file);
        to.set(AbiLayout.BE64, at + QueryDeviceResponse.NODE_GUID_OFFSET, device.nodeGuid());
        to.set(AbiLayout.BE64, at + QueryDeviceResponse.SYS_IMAGE_GUID_OFFSET, device.sysImageGuid());
        QueryDeviceResponse.maxMrSize(to, at, device.maxMrSize());
        QueryDeviceResponse.pageSizeCap(to, at, device.pageSizeCap());
        QueryDeviceResponse.vendorId(to, at, device.vendorId());
        QueryDeviceResponse.vendorPartId(to, at, device.vendorPartId());
        QueryDeviceResponse.hwVer(to, at, device.hwVer());
        QueryDeviceResponse.maxQp(to, at, device.maxQp());
        QueryDeviceResponse.maxQpWr(to, at, limits.maxSendWr());
        QueryDeviceResponse.deviceCapFlags(to, at, device.deviceCapFlags() & ~withoutUse(file.driver()));
        QueryDeviceResponse.maxSge(to, at, limits.maxSendSge());
        QueryDeviceResponse.maxSgeRd(to, at, Math.min(device.maxSgeRd(), limits.maxSendSge()));
        QueryDeviceResponse.maxCq(to, at, device.maxCq());
        QueryDeviceResponse.maxCqe(to, at, device.maxCqe());
        QueryDeviceResponse.maxMr(to, at, device.maxMr());
        QueryDeviceResponse.maxPd(to, at, device.maxPd());
        QueryDeviceResponse.maxQpRdAtom(to, at, device.maxQpRdAtom());
        QueryDeviceResponse.maxResRdAtom(to, at, device.maxResRdAtom());
        QueryDeviceResponse.maxQpInitRdAtom(to, at, device.maxQpInitRdAtom());
        QueryDeviceResponse.atomicCap(to, at, atomicCap(file));
        QueryDeviceResponse.maxMw(to, at, file.driver().hasAtomicsAndWindows() ? device.maxMw() : 0);
        QueryDeviceResponse.maxMcastGrp(to, at, device.maxMcastGrp());
        QueryDeviceResponse.maxMcastQpAttach(to, at, device.maxMcastQpAttach());
        QueryDeviceResponse.maxTotalMcastQpAttach(to, at, device.maxTotalMcastQpAttach());
        QueryDeviceResponse.maxAh(to, at, device.maxAh());
        QueryDeviceResponse.maxSrq(to, at, device.maxSrq());
        QueryDeviceResponse.maxSrqWr(to, at, maxSrqWr(file));
        QueryDeviceResponse.maxSrqSge(to, at, maxSrqSge(file));
        QueryDeviceResponse.maxPkeys(to, at, device.maxPkeys());
        QueryDeviceResponse.localCaAckDelay(to, at, device.localCaAckDelay());
        QueryDeviceResponse.physPortCnt(to, at, device.physPortCnt());
    }

    /**
     * Writes the answer to the extended command.
     *
     * @param room bytes that the program has room for
     */
    static void writeExtended(MemorySegment to, UverbsFile file, int room) {
        write(to, ExtendedQueryDeviceResponse.BASE_OFFSET, file);
        DeviceAttributes device = file.context().queryDevice();
        int rc = ODP_SEND | ODP_RECV | ODP_WRITE | ODP_READ | ODP_SRQ_RECV | (atomicCap(file) == 0 ? 0 : ODP_ATOMIC)
            | ((device.deviceCapFlagsEx() & FLUSH) == 0 ? 0 : ODP_FLUSH)
            | ((device.deviceCapFlagsEx() & ATOMIC_WRITE) == 0 ? 0 : ODP_ATOMIC_WRITE);
        ExtendedQueryDeviceResponse.responseLength(to, 0, Math.min(room, ExtendedQueryDeviceResponse.BYTES));
        ExtendedQueryDeviceResponse.odpGeneralCaps(to, 0, ODP_GENERAL);
        ExtendedQueryDeviceResponse.rcOdpCaps(to, 0, rc);
        if (file.driver().hasType(QpType.UD)) {
            ExtendedQueryDeviceResponse.ucOdpCaps(to, 0, ODP_SEND | ODP_RECV | ODP_WRITE | ODP_SRQ_RECV);
            ExtendedQueryDeviceResponse.udOdpCaps(to, 0, ODP_SEND | ODP_RECV | ODP_SRQ_RECV);
        }
        ExtendedQueryDeviceResponse.deviceCapFlagsEx(to, 0, device.deviceCapFlagsEx() & ~NOT_FOR_PROGRAMS
            & ~Integer.toUnsignedLong(withoutUse(file.driver())));
    }
}
