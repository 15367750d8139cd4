// SPDX-License-Identifier: Apache-2.0
package org.softrdma.stress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.softrdma.abi.rings.SiwCompletion;
import org.softrdma.abi.rings.SiwCqControl;
import org.softrdma.abi.rings.SiwFlags;
import org.softrdma.abi.rings.SiwSendRecord;

/**
 * A program with libsiw against the device, in memory that both map. The library's stores of flags are sequentially consistent, as those
 * of {@code stdatomic.h} are by default.
 *
 * <p>Seen to fail on x86: flags that the device stores with release order only. Its load of the other side's flags may then come first.
 */
public final class SiwRingsStress {
    private SiwRingsStress() {
    }

    /** A program arms its completion queue and looks once more, before it sleeps, while the device completes a request. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "the program sleeps, and no event wakes it")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "the program sees the completion, or is woken")
    @State
    public static class Arm {
        private final MemorySegment ring = Arena.ofAuto().allocate(SiwCompletion.BYTES + SiwCqControl.BYTES, 8);

        @Actor
        public void complete(II_Result result) {
            SiwCompletion.flags(ring, 0, SiwFlags.VALID);
            result.r1 = SiwCqControl.flags(ring, SiwCompletion.BYTES);
        }

        @Actor
        public void arm(II_Result result) {
            SiwCqControl.flags(ring, SiwCompletion.BYTES, SiwCqControl.NOTIFY_NEXT_COMPLETION);
            result.r2 = SiwCompletion.flags(ring, 0);
        }
    }

    /** A program posts a request while the device takes the one before it. The program rings only if it finds that one taken. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "no bell, and the device has not seen the request")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "the device has seen the request, or the program rings")
    @State
    public static class Bell {
        private final MemorySegment ring = Arena.ofAuto().allocate(2 * SiwSendRecord.BYTES, 8);

        public Bell() {
            SiwSendRecord.flags(ring, 0, SiwFlags.VALID);
        }

        @Actor
        public void accept(II_Result result) {
            SiwSendRecord.flags(ring, 0, 0);
            result.r1 = SiwSendRecord.flags(ring, SiwSendRecord.BYTES);
        }

        @Actor
        public void post(II_Result result) {
            SiwSendRecord.flags(ring, SiwSendRecord.BYTES, SiwFlags.VALID);
            result.r2 = SiwSendRecord.flags(ring, 0);
        }
    }
}
