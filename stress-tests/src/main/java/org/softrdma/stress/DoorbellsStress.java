// SPDX-License-Identifier: Apache-2.0
package org.softrdma.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.softrdma.device.agent.Doorbells;

/**
 * Rings of bells against the owner that drains them. What was posted before a ring must be seen by a drain that follows, in the end.
 *
 * <p>Seen to fail on x86: {@code drain} that calls {@code onRung} before it clears the bell, and {@code ring} that writes {@code below}
 * after the exchange of {@code top}.
 *
 * <p>Not visible on x86: {@code ring} without its fence. The failing compare-and-set of a bell that is rung already is a locked
 * instruction there, which drains the store buffer. By the memory model it is only a volatile read: the post before it, a release store,
 * may become visible after it, while the owner clears the bell, reads the old tail, and finds no bell in the next drain. ARM's failing
 * compare-and-set, a load without a store, allows that. With the fence, either the compare-and-set is after the owner's clearing write and
 * succeeds, or the post is visible to the owner's read of the tail.
 */
public final class DoorbellsStress {
    private DoorbellsStress() {
    }

    /** A bell that notes what had been posted when it was answered. */
    static final class Post extends Doorbells.Bell {
        volatile int posted;
        int seen;
        int answers;

        @Override
        protected void onRung() {
            answers++;
            seen = posted;
        }
    }

    /** The bell is silent before. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "answered by the drain or by the one after it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the post is lost")
    @State
    public static class Silent {
        private final Doorbells doorbells = new Doorbells();
        private final Post bell = new Post();

        @Actor
        public void post() {
            bell.posted = 1;
            doorbells.ring(bell);
        }

        @Actor
        public void drain() {
            doorbells.drain();
        }

        @Arbiter
        public void next(I_Result result) {
            doorbells.drain();
            result.r1 = bell.seen;
        }
    }

    /** The bell was rung before, and the owner is about to answer that. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "answered by the drain or by the one after it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the post is lost")
    @State
    public static class RungBefore {
        private final Doorbells doorbells = new Doorbells();
        private final Post bell = new Post();

        public RungBefore() {
            doorbells.ring(bell);
        }

        @Actor
        public void post() {
            bell.posted = 1;
            doorbells.ring(bell);
        }

        @Actor
        public void drain() {
            doorbells.drain();
        }

        @Arbiter
        public void next(I_Result result) {
            doorbells.drain();
            result.r1 = bell.seen;
        }
    }

    /** Two bells: neither ring may push the other one off the stack, and each is answered once. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each answered once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a bell is lost, or answered twice")
    @State
    public static class TwoBells {
        private final Doorbells doorbells = new Doorbells();
        private final Post one = new Post();
        private final Post other = new Post();

        @Actor
        public void ringOne() {
            doorbells.ring(one);
        }

        @Actor
        public void ringOther() {
            doorbells.ring(other);
            doorbells.drain();
        }

        @Arbiter
        public void next(II_Result result) {
            doorbells.drain();
            result.r1 = one.answers;
            result.r2 = other.answers;
        }
    }
}
