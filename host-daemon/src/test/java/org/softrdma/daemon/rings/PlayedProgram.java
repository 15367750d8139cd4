// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.device.verbs.SoftCompletionQueue;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;

/** A program with any number of queues, whose rings lie in one file, and with an address space of its own. */
final class PlayedProgram {
    static final int MEMORY_BYTES = 1 << 14;
    /** Elements of a request, and bytes of its inline data. */
    static final int ELEMENTS = 2;
    static final int INLINE = 32;
    private static final int FILE_BYTES = 1 << 17;
    private static final int RIGHTS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;

    final RingLibrary library;
    final SoftContext context;
    final MemorySegment file = Arena.ofAuto().allocate(FILE_BYTES, 4096);
    final MemorySegment memory = Arena.ofAuto().allocate(MEMORY_BYTES, 8);
    final SoftProtectionDomain pd;
    final PlayedObjects objects;
    final List<Cq> cqs = new ArrayList<>();
    final List<Qp> qps = new ArrayList<>();
    Srq srq;
    private final RingSpace space = new RingSpace(file);
    private final RingDoor door;
    private final int number;

    /** @param number of the program at the door */
    PlayedProgram(RingLibrary library, SoftContext context, RingDoor door, int number) {
        this.library = library;
        this.context = context;
        this.door = door;
        this.number = number;
        pd = (SoftProtectionDomain) context.allocatePd();
        objects = new PlayedObjects(pd.register(new PlayedSpace(memory), 0, MEMORY_BYTES, 0, RIGHTS));
    }

    /** A completion queue. */
    final class Cq {
        final RingCompletions ring;
        final SoftCompletionQueue soft;
        private int taken;

        private Cq() {
            ring = library.format.completions(space, RingLibrary.CQE - 1, new CompletionEvents() {
                @Override
                public void completed() {
                }

                @Override
                public void overrun() {
                    soft.raiseOverrun();
                }
            });
            soft = context.createCq(RingLibrary.CQE - 1, 0, ring);
            cqs.add(this);
        }

        RingLibrary.Done poll() {
            RingLibrary.Done done = library.poll(ring.extent().memory(), taken);
            if (done != null) {
                taken++;
            }
            return done;
        }

        void destroy() {
            soft.close();
            cqs.remove(this);
            space.free(ring.extent());
        }
    }

    /** A shared receive queue. */
    final class Srq {
        final SoftSharedReceiveQueue soft;
        final RingSpace.Extent extent;
        int posted;

        /** @param elements of its receives at most */
        private Srq(int elements, int limit) {
            soft = (SoftSharedReceiveQueue) pd.createSrq(RingLibrary.SLOTS - 1, elements, limit);
            RingFormat.Receives receives = library.format.receives(space, RingLibrary.SLOTS - 1, elements);
            extent = receives.extent();
            soft.takeFrom(receives.posted());
        }

        void destroy() {
            soft.close();
            space.free(extent);
        }
    }

    /** A queue pair with its rings. */
    final class Qp {
        final SoftQueuePair soft;
        final RingQueuePair posting;
        final RingSpace.Extent sends;
        /** Null with a shared receive queue. */
        final RingSpace.Extent receives;
        final Cq cq;
        int sent;
        int received;

        private Qp(QpType type, Cq cq, Srq shared) {
            this.cq = cq;
            QpCapabilities granted = library.format.grant(new QpCapabilities(RingLibrary.SLOTS - 1, RingLibrary.SLOTS - 1, ELEMENTS,
                ELEMENTS, INLINE));
            soft = (SoftQueuePair) pd.createQp(new QpInitAttributes(type, cq.soft, cq.soft, shared == null ? null : shared.soft,
                granted.withMaxSendWr(RingLibrary.SLOTS).withMaxRecvWr(1), false));
            PostedSends posted = library.format.sends(space, granted);
            sends = posted.extent();
            if (shared == null) {
                RingFormat.Receives own = library.format.receives(space, RingLibrary.SLOTS - 1, ELEMENTS);
                receives = own.extent();
                soft.takeReceivesFrom(own.posted());
            } else {
                receives = null;
            }
            posting = new RingQueuePair(soft, posted, cq.ring, objects, door);
            door.add(number, posting);
            qps.add(this);
        }

        void send(RingLibrary.Send what) {
            library.send(sends.memory(), sent, what);
            library.publishSend(sends.memory(), sent++);
        }

        void receive(long wrId, RingLibrary.Element element) {
            library.receive(receives.memory(), received, wrId, element);
            library.publishReceive(receives.memory(), received++);
        }

        void destroy() {
            if (posting.isClosed()) {
                throw new AssertionError("a failure of ours ended the posting of " + soft);
            }
            posting.close();
            door.remove(number, posting);
            soft.close();
            qps.remove(this);
            space.free(sends);
            if (receives != null) {
                space.free(receives);
            }
        }
    }

    Cq cq() {
        return new Cq();
    }

    void createSrq(int elements, int limit) {
        srq = new Srq(elements, limit);
    }

    /** @param shared takes receives from {@link #srq} */
    Qp qp(QpType type, Cq cq, boolean shared) {
        return new Qp(type, cq, shared ? srq : null);
    }

    RingLibrary.Element element(long address, int length) {
        return new RingLibrary.Element(address, length, objects.region.lkey());
    }

    /** Destroys everything, which fails if anything still depends on it. */
    void destroy() {
        List.copyOf(qps).forEach(Qp::destroy);
        List.copyOf(cqs).forEach(Cq::destroy);
        if (srq != null) {
            srq.destroy();
        }
        objects.close();
        pd.close();
    }
}
