// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.abi.rings.RxeCompletion;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeQueueHeader;
import org.softrdma.abi.rings.RxeRdmaRequest;
import org.softrdma.abi.rings.RxeReceiveRecord;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.abi.rings.SiwCompletion;
import org.softrdma.abi.rings.SiwFlags;
import org.softrdma.abi.rings.SiwOpcode;
import org.softrdma.abi.rings.SiwReceiveRecord;
import org.softrdma.abi.rings.SiwSendRecord;

/** The library of a program that a test plays: it writes correct records into rings, and takes completions. Sequence numbers only grow. */
enum RingLibrary {
    RXE(RingFormat.RXE, 256, 128) {
        @Override
        long sendSlot(int sequence) {
            return RxeQueueHeader.slot(0, sequence, 8, SLOTS - 1);
        }

        @Override
        long receiveSlot(int sequence) {
            return RxeQueueHeader.slot(0, sequence, 7, SLOTS - 1);
        }

        @Override
        void send(MemorySegment ring, int sequence, Send what) {
            long at = sendSlot(sequence);
            ring.asSlice(at, sendBytes).fill((byte) 0);
            RxeSendRecord.wrId(ring, at, what.wrId);
            RxeSendRecord.opcode(ring, at, what.write ? 0 : 2);
            RxeSendRecord.sendFlags(ring, at, 2);
            RxeRdmaRequest.remoteAddr(ring, at, what.remote);
            RxeRdmaRequest.rkey(ring, at, what.rkey);
            RxeSendRecord.numSge(ring, at, 1);
            RxeSendRecord.length(ring, at, what.element.length);
            element(ring, at + RxeSendRecord.SGE_OFFSET, what.element);
        }

        @Override
        void publishSend(MemorySegment ring, int sequence) {
            RxeQueueHeader.producerIndex(ring, 0, sequence + 1 & SLOTS - 1);
        }

        @Override
        void receive(MemorySegment ring, int sequence, long wrId, Element element) {
            long at = receiveSlot(sequence);
            RxeReceiveRecord.wrId(ring, at, wrId);
            RxeReceiveRecord.numSge(ring, at, 1);
            RxeReceiveRecord.length(ring, at, element.length);
            element(ring, at + RxeReceiveRecord.SGE_OFFSET, element);
        }

        @Override
        void publishReceive(MemorySegment ring, int sequence) {
            RxeQueueHeader.producerIndex(ring, 0, sequence + 1 & SLOTS - 1);
        }

        @Override
        Done poll(MemorySegment ring, int sequence) {
            int mask = CQE - 1;
            if (RxeQueueHeader.producerIndex(ring, 0) == (sequence & mask)) {
                return null;
            }
            long at = RxeQueueHeader.slot(0, sequence, 6, mask);
            Done done = new Done(RxeCompletion.wrId(ring, at), RxeCompletion.status(ring, at));
            RxeQueueHeader.consumerIndex(ring, 0, sequence + 1 & mask);
            return done;
        }
    },
    SIW(RingFormat.SIW, SiwSendRecord.BYTES, SiwReceiveRecord.BYTES) {
        @Override
        long sendSlot(int sequence) {
            return (long) (sequence & SLOTS - 1) * SiwSendRecord.BYTES;
        }

        @Override
        long receiveSlot(int sequence) {
            return (long) (sequence & SLOTS - 1) * SiwReceiveRecord.BYTES;
        }

        @Override
        void send(MemorySegment ring, int sequence, Send what) {
            long at = sendSlot(sequence);
            SiwSendRecord.id(ring, at, what.wrId);
            SiwSendRecord.opcode(ring, at, what.write ? SiwOpcode.WRITE : SiwOpcode.SEND);
            SiwSendRecord.raddr(ring, at, what.remote);
            SiwSendRecord.rkey(ring, at, what.rkey);
            SiwSendRecord.numSge(ring, at, 1);
            element(ring, at + SiwSendRecord.SGE_OFFSET, what.element);
        }

        @Override
        void publishSend(MemorySegment ring, int sequence) {
            SiwSendRecord.flags(ring, sendSlot(sequence), SiwFlags.VALID | SiwFlags.SIGNALLED);
        }

        @Override
        void receive(MemorySegment ring, int sequence, long wrId, Element element) {
            long at = receiveSlot(sequence);
            SiwReceiveRecord.id(ring, at, wrId);
            SiwReceiveRecord.numSge(ring, at, 1);
            element(ring, at + SiwReceiveRecord.SGE_OFFSET, element);
        }

        @Override
        void publishReceive(MemorySegment ring, int sequence) {
            SiwReceiveRecord.flags(ring, receiveSlot(sequence), SiwFlags.VALID);
        }

        @Override
        Done poll(MemorySegment ring, int sequence) {
            long at = (long) (sequence & CQE - 1) * SiwCompletion.BYTES;
            if ((SiwCompletion.flags(ring, at) & SiwFlags.VALID) == 0) {
                return null;
            }
            Done done = new Done(SiwCompletion.id(ring, at), SiwCompletion.status(ring, at));
            SiwCompletion.flags(ring, at, 0);
            return done;
        }
    };

    /** Slots of each send and receive queue. */
    static final int SLOTS = 4;
    /** Slots of each completion queue. */
    static final int CQE = 16;

    final RingFormat format;
    /** Bytes of a send record with room for its elements. */
    final int sendBytes;
    final int receiveBytes;

    RingLibrary(RingFormat format, int sendBytes, int receiveBytes) {
        this.format = format;
        this.sendBytes = sendBytes;
        this.receiveBytes = receiveBytes;
    }

    /** One scatter/gather element. */
    record Element(long address, int length, int lkey) {
    }

    /** A signalled SEND, or a WRITE. */
    record Send(boolean write, long wrId, Element element, long remote, int rkey) {
    }

    /** A completion, with the status as the library's number; 0 is success. */
    record Done(long wrId, int status) {
    }

    /** Returns the offset of a send's slot in its ring. */
    abstract long sendSlot(int sequence);

    abstract long receiveSlot(int sequence);

    /** Writes a request, which the device does not see before {@link #publishSend}. */
    abstract void send(MemorySegment ring, int sequence, Send what);

    abstract void publishSend(MemorySegment ring, int sequence);

    abstract void receive(MemorySegment ring, int sequence, long wrId, Element element);

    abstract void publishReceive(MemorySegment ring, int sequence);

    /** Takes a completion; null if there is none. */
    abstract Done poll(MemorySegment ring, int sequence);

    private static void element(MemorySegment ring, long at, Element element) {
        ring.set(ValueLayout.JAVA_LONG_UNALIGNED, at, element.address);
        RxeElement.length(ring, at, element.length);
        RxeElement.lkey(ring, at, element.lkey);
    }
}
