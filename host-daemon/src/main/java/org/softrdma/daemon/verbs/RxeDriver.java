// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.MmapInfo;
import org.softrdma.abi.uverbs.RxeAhResponse;
import org.softrdma.abi.uverbs.RxeQpResponse;
import org.softrdma.abi.uverbs.RxeSrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.daemon.rings.RingFormat;
import org.softrdma.daemon.rings.RingSpace;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;

/** Answers to librxe, ABI version 2. Source: {@code rdma/rdma_user_rxe.h}. */
final class RxeDriver implements LibraryDriver {
    static final RxeDriver INSTANCE = new RxeDriver();

    /** Work requests, elements and inline bytes: what a ring of a context has room for many times over. */
    private static final QpCapabilities MAX = new QpCapabilities(1 << 14, 1 << 14, 32, 32, 512);

    private RxeDriver() {
    }

    @Override
    public int id() {
        return UverbsValue.DRIVER_RXE;
    }

    @Override
    public int abiVersion() {
        return UverbsValue.RXE_ABI_VERSION;
    }

    @Override
    public RingFormat rings() {
        return RingFormat.RXE;
    }

    @Override
    public QpCapabilities maxCapabilities() {
        return MAX;
    }

    @Override
    public boolean hasType(QpType type) {
        return type == QpType.RC || type == QpType.UC || type == QpType.UD;
    }

    @Override
    public boolean hasAtomicsAndWindows() {
        return true;
    }

    /** As kernel rxe, which checks the state of the queue pair; librxe leaves that to it. */
    @Override
    public boolean refusesEarlyBells() {
        return true;
    }

    @Override
    public int ignoredAttributes() {
        return 0;
    }

    @Override
    public void contextCreated(UverbsCall call, int device) {
        // librxe expects nothing.
    }

    @Override
    public void cqCreated(UverbsCall call, HeldCq cq) {
        MemorySegment room = call.driverRoom(MmapInfo.BYTES);
        place(room, 0, cq.ring().extent());
        call.reply(UverbsAttribute.UHW_OUT, room, MmapInfo.BYTES);
    }

    @Override
    public void cqResized(UverbsCall call, HeldCq cq) {
        cqCreated(call, cq);
    }

    @Override
    public void qpCreated(UverbsCall call, HeldQp qp) {
        MemorySegment room = call.driverRoom(RxeQpResponse.BYTES);
        if (qp.receives() != null) {
            place(room, RxeQpResponse.RECEIVE_QUEUE_OFFSET, qp.receives());
        }
        place(room, RxeQpResponse.SEND_QUEUE_OFFSET, qp.sends());
        call.reply(UverbsAttribute.UHW_OUT, room, RxeQpResponse.BYTES);
    }

    @Override
    public void srqCreated(UverbsCall call, HeldSrq srq) {
        MemorySegment room = call.driverRoom(RxeSrqResponse.BYTES);
        place(room, RxeSrqResponse.QUEUE_OFFSET, srq.extent());
        RxeSrqResponse.srqNum(room, 0, srq.queue().number());
        call.reply(UverbsAttribute.UHW_OUT, room, RxeSrqResponse.BYTES);
    }

    /** ABI version 1 has no number: such a library puts the address itself into its work requests. */
    @Override
    public void ahCreated(UverbsCall call, HeldAh handle) {
        MemorySegment room = call.room();
        RxeAhResponse.ahNum(room, 0, handle.number());
        call.reply(UverbsAttribute.UHW_OUT, room, RxeAhResponse.BYTES);
    }

    @Override
    public void mrRegistered(UverbsCall call, HeldMr region) {
        // librxe expects nothing.
    }

    private static void place(MemorySegment room, long at, RingSpace.Extent extent) {
        MmapInfo.offset(room, at, extent.offset());
        MmapInfo.size(room, at, (int) extent.bytes());
    }
}
