// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.SiwReceiveRecord;
import org.softrdma.abi.rings.SiwSendRecord;
import org.softrdma.abi.uverbs.SiwContextResponse;
import org.softrdma.abi.uverbs.SiwCqResponse;
import org.softrdma.abi.uverbs.SiwQpResponse;
import org.softrdma.abi.uverbs.SiwRegMrResponse;
import org.softrdma.abi.uverbs.SiwSrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.daemon.rings.RingFormat;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;

/** Answers to libsiw, ABI version 1. Source: {@code rdma/siw-abi.h}. */
final class SiwDriver implements LibraryDriver {
    static final SiwDriver INSTANCE = new SiwDriver();

    private static final QpCapabilities MAX =
        new QpCapabilities(1 << 14, 1 << 14, SiwSendRecord.MAX_SGE, SiwSendRecord.MAX_SGE, SiwSendRecord.MAX_INLINE);

    private SiwDriver() {
    }

    @Override
    public int id() {
        return UverbsValue.DRIVER_SIW;
    }

    @Override
    public int abiVersion() {
        return UverbsValue.SIW_ABI_VERSION;
    }

    @Override
    public RingFormat rings() {
        return RingFormat.SIW;
    }

    @Override
    public QpCapabilities maxCapabilities() {
        return MAX;
    }

    @Override
    public boolean hasType(QpType type) {
        return type == QpType.RC;
    }

    /** Our devices have them, but libsiw refuses to post them (its table of opcodes). */
    @Override
    public boolean hasAtomicsAndWindows() {
        return false;
    }

    /** The connection manager brings queue pairs to RTS, and a bell of a queue pair in another state is harmless. */
    @Override
    public boolean refusesEarlyBells() {
        return false;
    }

    /**
     * Kernel siw leaves remote rights to the memory regions: librdmacm gives the queue pairs of connecting clients none, and their peers
     * read and write all the same.
     */
    @Override
    public int ignoredAttributes() {
        return QpAttributeMask.ACCESS_FLAGS;
    }

    @Override
    public void contextCreated(UverbsCall call, int device) {
        MemorySegment room = call.driverRoom(SiwContextResponse.BYTES);
        SiwContextResponse.devId(room, 0, device);
        call.reply(UverbsAttribute.UHW_OUT, room, SiwContextResponse.BYTES);
    }

    @Override
    public void cqCreated(UverbsCall call, HeldCq cq) {
        MemorySegment room = call.driverRoom(SiwCqResponse.BYTES);
        SiwCqResponse.cqId(room, 0, cq.handle());
        SiwCqResponse.numCqe(room, 0, cq.ring().capacity());
        SiwCqResponse.cqKey(room, 0, cq.ring().extent().offset());
        call.reply(UverbsAttribute.UHW_OUT, room, SiwCqResponse.BYTES);
    }

    @Override
    public void cqResized(UverbsCall call, HeldCq cq) {
        throw Refusals.unsupported("libsiw cannot resize");
    }

    @Override
    public void qpCreated(UverbsCall call, HeldQp qp) {
        MemorySegment room = call.driverRoom(SiwQpResponse.BYTES);
        SiwQpResponse.qpId(room, 0, qp.qp().qpNum());
        SiwQpResponse.numSqe(room, 0, (int) (qp.sends().bytes() / SiwSendRecord.BYTES));
        SiwQpResponse.sqKey(room, 0, qp.sends().offset());
        // Without a queue of its own the key is 0, as the kernel's: libsiw fails at an invalid one, although it would not use it.
        if (qp.receives() != null) {
            SiwQpResponse.numRqe(room, 0, (int) (qp.receives().bytes() / SiwReceiveRecord.BYTES));
            SiwQpResponse.rqKey(room, 0, qp.receives().offset());
        }
        call.reply(UverbsAttribute.UHW_OUT, room, SiwQpResponse.BYTES);
    }

    @Override
    public void srqCreated(UverbsCall call, HeldSrq srq) {
        MemorySegment room = call.driverRoom(SiwSrqResponse.BYTES);
        SiwSrqResponse.numRqe(room, 0, (int) (srq.extent().bytes() / SiwReceiveRecord.BYTES));
        SiwSrqResponse.srqKey(room, 0, srq.extent().offset());
        call.reply(UverbsAttribute.UHW_OUT, room, SiwSrqResponse.BYTES);
    }

    @Override
    public void ahCreated(UverbsCall call, HeldAh handle) {
        throw Refusals.unsupported("iWARP has no address handles");
    }

    /** The key byte that the library proposes is not needed: every key has a random one. */
    @Override
    public void mrRegistered(UverbsCall call, HeldMr region) {
        MemorySegment room = call.driverRoom(SiwRegMrResponse.BYTES);
        SiwRegMrResponse.stag(room, 0, region.region().lkey());
        call.reply(UverbsAttribute.UHW_OUT, room, SiwRegMrResponse.BYTES);
    }
}
