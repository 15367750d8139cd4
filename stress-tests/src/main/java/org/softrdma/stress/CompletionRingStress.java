// SPDX-License-Identifier: Apache-2.0
package org.softrdma.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IJI_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.softrdma.device.queue.CompletionRing;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * The owner that completes work against pollers.
 *
 * <p>Seen to fail on x86: {@code push} that advances {@code tail} before the record is written, {@code take} that advances {@code head}
 * before it has read the record, {@code take} without its lock.
 *
 * <p>Not seen there: a {@code tail} that is not volatile. x86 keeps stores in order, so that only the compiler can move the store of
 * {@code tail} before those of the record, and a poller's load out of its loop. By the memory model the volatile write is what orders the
 * record before it; a poller that reads the new tail then reads the whole record. {@code head} does the same for the slot that is used
 * again.
 */
public final class CompletionRingStress {
    private static final long FIRST = 0x1111_1111_1111L;
    private static final long SECOND = 0x2222_2222_2222L;

    private CompletionRingStress() {
    }

    private static boolean push(CompletionRing ring, long wrId) {
        return ring.push(wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, (int) wrId, 0, 0x11, 0, 0, wrId);
    }

    /** A completion that becomes visible to a poll. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "1, 18764998447377, 286331153", expect = Expect.ACCEPTABLE, desc = "the whole completion")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a completion in part")
    @State
    public static class PushAndTake {
        private final CompletionRing ring = new CompletionRing(2);
        private final WorkCompletion[] into = WorkCompletion.array(2);

        @Actor
        public void complete() {
            push(ring, FIRST);
        }

        @Actor
        public void poll(IJI_Result result) {
            result.r1 = ring.take(into, 2);
            if (result.r1 > 0) {
                result.r2 = into[0].wrId();
                result.r3 = into[0].byteLength();
            }
        }
    }

    /** A completion that is read in place. */
    @JCStressTest
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "18764998447377, 18764998447377", expect = Expect.ACCEPTABLE, desc = "the whole completion")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a completion in part")
    @State
    public static class PushAndRead {
        private final CompletionRing ring = new CompletionRing(2);
        private final CompletionRing.Cursor cursor = ring.new Cursor();

        @Actor
        public void complete() {
            push(ring, FIRST);
        }

        @Actor
        public void read(JJ_Result result) {
            boolean there = cursor.begin();
            result.r1 = there ? cursor.wrId() : -1;
            result.r2 = there ? cursor.timestampNs() : -1;
            if (there) {
                cursor.end();
            }
        }
    }

    /** A full ring of one completion, whose slot the owner takes as soon as a poll has emptied it. */
    @JCStressTest
    @Outcome(id = "0, 18764998447377, 0", expect = Expect.ACCEPTABLE, desc = "overrun, and nothing is left")
    @Outcome(id = "1, 18764998447377, 1", expect = Expect.ACCEPTABLE, desc = "the next completion found room")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a completion is overwritten before it was taken")
    @State
    public static class Overrun {
        private final CompletionRing ring = new CompletionRing(1);
        private final WorkCompletion[] into = WorkCompletion.array(1);

        public Overrun() {
            push(ring, FIRST);
        }

        @Actor
        public void complete(IJI_Result result) {
            result.r1 = push(ring, SECOND) ? 1 : 0;
        }

        @Actor
        public void poll(IJI_Result result) {
            ring.take(into, 1);
            result.r2 = into[0].wrId();
        }

        @Arbiter
        public void rest(IJI_Result result) {
            result.r3 = ring.size();
        }
    }

    /** Two polls at once: each completion goes to one of them. */
    @JCStressTest
    @Outcome(id = "1, 1, 3", expect = Expect.ACCEPTABLE, desc = "both completions were taken once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a completion is lost or taken twice")
    @State
    public static class TwoPolls {
        private final CompletionRing ring = new CompletionRing(2);
        private final WorkCompletion[] one = WorkCompletion.array(1);
        private final WorkCompletion[] other = WorkCompletion.array(1);
        private int takenByOne;
        private int takenByOther;

        public TwoPolls() {
            push(ring, 1);
            push(ring, 2);
        }

        @Actor
        public void poll(III_Result result) {
            takenByOne = ring.take(one, 1);
        }

        @Actor
        public void pollToo(III_Result result) {
            takenByOther = ring.take(other, 1);
        }

        @Arbiter
        public void sum(III_Result result) {
            result.r1 = takenByOne;
            result.r2 = takenByOther;
            result.r3 = (int) (sum(one, takenByOne) + sum(other, takenByOther));
        }

        private static long sum(WorkCompletion[] taken, int count) {
            long sum = 0;
            for (int i = 0; i < count; i++) {
                sum += taken[i].wrId();
            }
            return sum;
        }
    }
}
