// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.softrdma.libibverbs.layout.IbvCqEx;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/**
 * Reads completions by the functions of {@code struct ibv_cq_ex}.
 *
 * <p>librxe's {@code next_poll} must not find the queue empty: up to release 58 it then unlocks the queue, which {@code end_poll} does once
 * more, and up to release 54 both remove a completion. The next completion of librxe is therefore that of another poll; the fields of the
 * current one, which may be the last, are copied before. Source: rdma-core, the history of {@code providers/rxe/rxe.c}.
 */
final class NativeCompletionReader implements CompletionReader {
    private static final int ENOENT = Errno.ENOENT.value();
    private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private final NativeCompletionQueue queue;
    private final ExtendedPolling functions;
    private final NativeContext context;
    private final boolean avoidsNextPoll;
    /** Address while a completion is current, else 0. */
    private long cq;
    /** The current completion is the copy below; the queue is not being polled. */
    private boolean isCopy;
    private long wrId;
    private int status;
    private int opcode;
    private int vendorError;
    private int byteLength;
    private int immediateData;
    private int qpNum;
    private int sourceQp;
    private int flags;

    NativeCompletionReader(NativeCompletionQueue queue, ExtendedPolling functions) {
        this.queue = queue;
        this.functions = functions;
        context = queue.nativeContext();
        avoidsNextPoll = context.isLibrxe;
    }

    @Override
    public boolean startPoll() {
        long address = queue.beginReading();
        boolean found = false;
        try {
            found = poll(address);
        } finally {
            if (found) {
                cq = address;
                isCopy = false;
            } else {
                queue.endReading();
            }
        }
        return found;
    }

    private boolean poll(long address) {
        return found(DataPath.startPoll(functions.startPoll, address, functions.attributes.address()), "start_poll");
    }

    private static boolean found(int result, String verb) {
        if (result != 0 && result != ENOENT) {
            throw Libibverbs.failure(Math.abs(result), verb, "the library cannot read the completion queue");
        }
        return result == 0;
    }

    @Override
    public boolean nextPoll() {
        long address = current("next_poll");
        if (!avoidsNextPoll) {
            return found(DataPath.readInt(functions.nextPoll, address), "next_poll");
        }
        if (!isCopy) {
            copy(address);
            DataPath.call(functions.endPoll, address);
            isCopy = true;
        }
        isCopy = !poll(address);
        return !isCopy;
    }

    private void copy(long address) {
        wrId = IbvCqEx.WR_ID.get(ALL, address);
        status = IbvCqEx.STATUS.get(ALL, address);
        opcode = DataPath.readInt(functions.readOpcode, address);
        vendorError = DataPath.readInt(functions.readVendorErr, address);
        byteLength = DataPath.readInt(functions.readByteLen, address);
        immediateData = DataPath.readInt(functions.readImmData, address);
        qpNum = DataPath.readInt(functions.readQpNum, address);
        sourceQp = DataPath.readInt(functions.readSrcQp, address);
        flags = DataPath.readInt(functions.readWcFlags, address);
    }

    @Override
    public void endPoll() {
        long address = current("end_poll");
        if (!isCopy) {
            DataPath.call(functions.endPoll, address);
        }
        cq = 0;
        queue.endReading();
    }

    private long current(String verb) {
        long address = cq;
        if (address == 0 || !queue.isReading()) {
            throw new VerbsException(Errno.EINVAL, verb, "no completion is current; call start_poll first");
        }
        return address;
    }

    @Override
    public long wrId() {
        long address = current("wc_read");
        return isCopy ? wrId : IbvCqEx.WR_ID.get(ALL, address);
    }

    @Override
    public WcStatus status() {
        long address = current("wc_read");
        WcStatus known = WcStatus.of(isCopy ? status : IbvCqEx.STATUS.get(ALL, address));
        return known == null ? WcStatus.GENERAL_ERR : known;
    }

    @Override
    public WcOpcode opcode() {
        WcOpcode known = WcOpcode.of(read(functions.readOpcode, opcode));
        // After a failure the opcode is undefined.
        return known == null ? WcOpcode.SEND : known;
    }

    @Override
    public int vendorError() {
        return read(functions.readVendorErr, vendorError);
    }

    @Override
    public int byteLength() {
        return read(functions.readByteLen, byteLength);
    }

    @Override
    public int immediate() {
        int data = read(functions.readImmData, immediateData);
        return SWAP ? Integer.reverseBytes(data) : data;
    }

    @Override
    public int invalidatedRkey() {
        return read(functions.readImmData, immediateData);
    }

    @Override
    public int qpNum() {
        return read(functions.readQpNum, qpNum);
    }

    @Override
    public int sourceQp() {
        return read(functions.readSrcQp, sourceQp);
    }

    @Override
    public int flags() {
        return read(functions.readWcFlags, flags);
    }

    private int read(MemorySegment function, int copied) {
        long address = current("wc_read");
        return isCopy ? copied : DataPath.readInt(function, address);
    }

    /** EOPNOTSUPP where the device has no clock. librxe, whose completions may be copies, has none. */
    @Override
    public long timestampNs() {
        long address = current("wc_read_completion_ts");
        if (functions.readCompletionTs.address() == 0) {
            throw new VerbsException(Errno.EOPNOTSUPP, "wc_read_completion_ts", "the device has no timestamps");
        }
        return context.clockNs(DataPath.readLong(functions.readCompletionTs, address), "wc_read_completion_ts");
    }
}
