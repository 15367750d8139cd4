// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.abi.rings.RxeCompletion;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeQueueHeader;
import org.softrdma.abi.rings.RxeRdmaRequest;
import org.softrdma.abi.rings.RxeReceiveRecord;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.device.verbs.SoftCompletionQueue;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;

/**
 * A program with librxe, as the test plays it: it writes its rings with offsets and indices of its own, and has one queue pair, one
 * completion queue and one region of memory. Its address space is a segment whose addresses are offsets.
 */
final class RxeProgram {
    static final int SLOTS = 4;
    static final int ELEMENTS = 2;
    static final int INLINE = 32;

    final MemorySegment memory = Arena.ofAuto().allocate(1 << 16, 8);
    final SoftContext context;
    final SoftProtectionDomain pd;
    final SoftQueuePair qp;
    final RingCompletions cq;
    final SoftCompletionQueue softCq;
    final RingQueuePair ring;
    final PlayedObjects objects;
    /** Of the completion that was taken last. */
    int lastServiceLevel;
    int lastVendorError;
    final PostedSends sends;
    final RingFormat.Receives receives;
    /** Bells of the context were rung. */
    boolean rung;
    int events;
    int overruns;

    final RingDoor door;

    private RingDoor newDoor() {
        return new RingDoor(new BellSource() {
            @Override
            public int descriptor() {
                return -1;
            }

            @Override
            public void report(RingDoor to) {
                if (rung) {
                    rung = false;
                    to.onBell(1);
                }
            }
        });
    }

    /** Completion as the library would copy it. */
    record Completion(long wrId, int status, int opcode, int bytes, int immediate, int qpNum, int flags) {
    }

    RxeProgram(SoftContext context, QpType type, int access) {
        this(context, type, access, null);
    }

    /** @param shared the door of another program on the same device, whose bells then count for both; null for one of its own */
    RxeProgram(SoftContext context, QpType type, int access, RingDoor shared) {
        this.context = context;
        door = shared == null ? newDoor() : shared;
        RingSpace space = new RingSpace(Arena.ofAuto().allocate(1 << 20, 4096));
        cq = RingFormat.RXE.completions(space, 7, new CompletionEvents() {
            @Override
            public void completed() {
                events++;
            }

            @Override
            public void overrun() {
                overruns++;
            }
        });
        softCq = context.createCq(7, 0, cq);
        pd = (SoftProtectionDomain) context.allocatePd();
        QpCapabilities granted = RingFormat.RXE.grant(new QpCapabilities(SLOTS - 1, SLOTS - 1, ELEMENTS, ELEMENTS, INLINE));
        qp = (SoftQueuePair) pd.createQp(QpInitAttributes.of(type, softCq, granted));
        sends = RingFormat.RXE.sends(space, granted);
        receives = RingFormat.RXE.receives(space, SLOTS - 1, ELEMENTS);
        qp.takeReceivesFrom(receives.posted());
        objects = new PlayedObjects(pd.register(new PlayedSpace(memory), 0, memory.byteSize(), 0, access));
        ring = new RingQueuePair(qp, sends, cq, objects, door);
        door.add(1, ring);
        if (shared == null) {
            context.agent().frontDoor(door);
        }
    }

    // ---- the library's side ----

    /** Writes a send request and rings; flags and the rest are the caller's to set at the returned place. */
    long postSend(int opcode, int flags, long wrId) {
        MemorySegment m = sends.extent().memory();
        int producer = m.get(ValueLayout.JAVA_INT, 128);
        long at = 384 + ((long) (producer & SLOTS - 1) << 8);
        m.asSlice(at, 256).fill((byte) 0);
        RxeSendRecord.wrId(m, at, wrId);
        RxeSendRecord.opcode(m, at, opcode);
        RxeSendRecord.sendFlags(m, at, flags);
        return at;
    }

    void sendElement(long at, int index, long address, int length) {
        MemorySegment m = sends.extent().memory();
        element(m, at + 208 + 16L * index, address, length, objects.region.lkey());
        RxeSendRecord.numSge(m, at, index + 1);
        RxeSendRecord.length(m, at, RxeSendRecord.length(m, at) + length);
    }

    void remote(long at, long address, int rkey) {
        RxeRdmaRequest.remoteAddr(sends.extent().memory(), at, address);
        RxeRdmaRequest.rkey(sends.extent().memory(), at, rkey);
    }

    void publishSend() {
        MemorySegment m = sends.extent().memory();
        RxeQueueHeader.producerIndex(m, 0, RxeQueueHeader.producerIndex(m, 0) + 1 & SLOTS - 1);
        rung = true;
    }

    /** Number of send slots that the library sees in use. */
    int sendsInUse() {
        MemorySegment m = sends.extent().memory();
        return RxeQueueHeader.producerIndex(m, 0) - RxeQueueHeader.consumerIndex(m, 0) & SLOTS - 1;
    }

    void postReceive(long wrId, long address, int length) {
        MemorySegment m = receives.extent().memory();
        int producer = RxeQueueHeader.producerIndex(m, 0);
        long at = 384 + ((long) (producer & SLOTS - 1) << 7);
        RxeReceiveRecord.wrId(m, at, wrId);
        RxeReceiveRecord.numSge(m, at, 1);
        RxeReceiveRecord.length(m, at, length);
        element(m, at + 40, address, length, objects.region.lkey());
        RxeQueueHeader.producerIndex(m, 0, producer + 1 & SLOTS - 1);
    }

    private static void element(MemorySegment m, long at, long address, int length, int lkey) {
        RxeElement.addr(m, at, address);
        RxeElement.length(m, at, length);
        RxeElement.lkey(m, at, lkey);
    }

    /** Takes all completions. */
    List<Completion> poll() {
        MemorySegment m = cq.extent().memory();
        int mask = RxeQueueHeader.indexMask(m, 0);
        assertNotEquals(0, mask);
        List<Completion> taken = new ArrayList<>();
        int consumer = RxeQueueHeader.consumerIndex(m, 0);
        while (consumer != RxeQueueHeader.producerIndex(m, 0)) {
            long at = 384 + ((long) consumer << 6);
            taken.add(new Completion(RxeCompletion.wrId(m, at), RxeCompletion.status(m, at), RxeCompletion.opcode(m, at),
                RxeCompletion.byteLen(m, at), RxeCompletion.immData(m, at), RxeCompletion.qpNum(m, at), RxeCompletion.wcFlags(m, at)));
            lastServiceLevel = RxeCompletion.sl(m, at);
            lastVendorError = RxeCompletion.vendorErr(m, at);
            consumer = consumer + 1 & mask;
            RxeQueueHeader.consumerIndex(m, 0, consumer);
        }
        return taken;
    }

    void arm(boolean solicitedOnly) {
        cq.arm(solicitedOnly);
    }
}
