// SPDX-License-Identifier: Apache-2.0
package org.softrdma.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.ReceiveRequest;

/**
 * A poster against the owner of a ring of work requests.
 *
 * <p>Seen to fail on x86: {@code stage} that publishes, {@code isFull} that ignores {@code head}. Not seen there: a plain write of
 * {@code tail}, because x86 keeps stores in order and only the compiler could move it. By the memory model the release store of
 * {@code tail} is what orders the record's fields before it, and the acquire load what orders their reads after it; {@code head} does the
 * same the other way round.
 */
public final class WorkRingStress {
    private static final long FIRST = 0x1111_1111_1111L;
    private static final long SECOND = 0x2222_2222_2222L;

    private WorkRingStress() {
    }

    private static ReceiveRequest request(long wrId) {
        return new ReceiveRequest().begin(wrId).element(wrId, (int) wrId, 7);
    }

    /** One record that becomes visible. */
    @JCStressTest
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "not published yet")
    @Outcome(id = "18764998447377, 286331153", expect = Expect.ACCEPTABLE, desc = "the whole record")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a record in part")
    @State
    public static class Publish {
        private final ReceiveRing ring = new ReceiveRing(2, 1);
        private final ReceiveRequest request = request(FIRST);

        @Actor
        public void post() {
            ring.write(request);
            ring.publish();
        }

        @Actor
        public void consume(JJ_Result result) {
            boolean visible = ring.tail() == 1;
            result.r1 = visible ? ring.wrId(0) : -1;
            result.r2 = visible ? ring.length(0) : -1;
        }
    }

    /** Two records of one batch: both or none. */
    @JCStressTest
    @Outcome(id = "0, -1", expect = Expect.ACCEPTABLE, desc = "not published yet")
    @Outcome(id = "2, 37529996894754", expect = Expect.ACCEPTABLE, desc = "the whole batch")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a batch in part")
    @State
    public static class PublishStaged {
        private final ReceiveRing ring = new ReceiveRing(2, 1);
        private final ReceiveRequest first = request(FIRST);
        private final ReceiveRequest second = request(SECOND);

        @Actor
        public void post() {
            ring.write(first);
            ring.stage();
            ring.write(second);
            ring.stage();
            ring.publishStaged();
        }

        @Actor
        public void consume(JJ_Result result) {
            result.r1 = ring.tail();
            result.r2 = result.r1 == 2 ? ring.wrId(1) : -1;
        }
    }

    /** A full ring of one record, whose slot the poster takes as soon as the owner releases it. */
    @JCStressTest
    @Outcome(id = "18764998447377", expect = Expect.ACCEPTABLE, desc = "the record before")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a record that was not released is overwritten")
    @State
    public static class Release {
        private final ReceiveRing ring = new ReceiveRing(1, 1);
        private final ReceiveRequest second = request(SECOND);

        public Release() {
            ring.write(request(FIRST));
            ring.publish();
        }

        @Actor
        public void post() {
            if (!ring.isFull()) {
                ring.write(second);
                ring.publish();
            }
        }

        @Actor
        public void consume(J_Result result) {
            result.r1 = ring.wrId(0);
            ring.release(1);
        }
    }
}
