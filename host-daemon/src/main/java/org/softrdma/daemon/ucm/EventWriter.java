// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmDatagramParameters;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.daemon.verbs.VectorRecords;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** Writes events in the kernel's layout. */
final class EventWriter {
    /** The length of private data is one byte. */
    private static final int MAX_PRIVATE_DATA = UcmCommand.MAX_PRIVATE_DATA - 1;

    private EventWriter() {
    }

    /**
     * Writes an event.
     *
     * @param m zeroed
     */
    static void write(MemorySegment m, PendingEvent pending) {
        if (pending.written() != null) {
            write(m, pending.identifier(), pending.written());
            return;
        }
        CmEvent event = pending.event();
        boolean group = pending.membership() != null;
        UcmEvent.uid(m, 0, group ? pending.membership().uid() : pending.owner().uid());
        UcmEvent.id(m, 0, group ? pending.membership().number() : pending.identifier().number());
        UcmEvent.event(m, 0, event.type().value());
        UcmEvent.status(m, 0, event.status());
        if (pending.identifier().cm().qpType() == QpType.UD) {
            if (event.datagram() != null) {
                write(m, event.datagram());
            }
        } else if (event.connection() != null) {
            write(m, event.connection());
        }
    }

    private static void write(MemorySegment m, UcmIdentifier identifier, WrittenEvent event) {
        UcmEvent.uid(m, 0, identifier.uid());
        UcmEvent.id(m, 0, identifier.number());
        UcmEvent.event(m, 0, event.type());
        UcmEvent.status(m, 0, event.status());
        // Two words of 4 bytes: the union of the parameters is not aligned to 8.
        m.set(U32, UcmEvent.CONNECTION_PARAMETERS_OFFSET, (int) event.arg());
        m.set(U32, UcmEvent.CONNECTION_PARAMETERS_OFFSET + Integer.BYTES, (int) (event.arg() >>> Integer.SIZE));
    }

    private static void write(MemorySegment m, ConnectionParameters from) {
        long at = UcmEvent.CONNECTION_PARAMETERS_OFFSET;
        UcmConnectionParameters.qpNum(m, at, from.qpNum());
        UcmConnectionParameters.privateDataLen(m, at, write(m, at + UcmConnectionParameters.PRIVATE_DATA_OFFSET, from.privateData()));
        UcmConnectionParameters.srq(m, at, from.srq() ? 1 : 0);
        UcmConnectionParameters.responderResources(m, at, from.responderResources());
        UcmConnectionParameters.initiatorDepth(m, at, from.initiatorDepth());
        UcmConnectionParameters.flowControl(m, at, from.flowControl() ? 1 : 0);
        UcmConnectionParameters.retryCount(m, at, from.retryCount());
        UcmConnectionParameters.rnrRetryCount(m, at, from.rnrRetryCount());
    }

    private static void write(MemorySegment m, DatagramParameters from) {
        long at = UcmEvent.DATAGRAM_PARAMETERS_OFFSET;
        UcmDatagramParameters.qpNum(m, at, from.qpNum());
        UcmDatagramParameters.qkey(m, at, from.qkey());
        if (from.addressVector() != null) {
            VectorRecords.writeAh(m, at + UcmDatagramParameters.AH_ATTR_OFFSET, from.addressVector());
        }
        UcmDatagramParameters.privateDataLen(m, at, write(m, at + UcmDatagramParameters.PRIVATE_DATA_OFFSET, from.privateData()));
    }

    /**
     * Writes private data.
     *
     * @return bytes written
     */
    private static int write(MemorySegment m, long at, byte[] privateData) {
        int bytes = Math.min(privateData.length, MAX_PRIVATE_DATA);
        MemorySegment.copy(privateData, 0, m, U8, at, bytes);
        return bytes;
    }
}
