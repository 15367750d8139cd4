// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.softrdma.device.queue.CompletionRing;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Posting and polling without a device: writing a work request's record and giving its slot back, a completion in and out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RingBench {
    private static final int DEPTH = 128;

    private final SendRing sends = new SendRing(DEPTH, 1, 0);
    private final ReceiveRing receives = new ReceiveRing(DEPTH, 1);
    private final CompletionRing completions = new CompletionRing(DEPTH);
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion[] taken = WorkCompletion.array(1);
    private long number;

    @Benchmark
    public long postSendAndRelease() {
        long sequence = sends.next();
        sends.write(send.write(0x1000 + number, 0x77).wrId(number++).element(0x2000, 64, 0x55).signaled());
        sends.publish();
        long wrId = sends.wrId(sequence);
        sends.release(sequence + 1);
        return wrId;
    }

    @Benchmark
    public long postReceiveAndRelease() {
        long sequence = receives.next();
        receives.write(receive.begin(number++).element(0x2000, 64, 0x55));
        receives.publish();
        long wrId = receives.wrId(sequence);
        receives.release(sequence + 1);
        return wrId;
    }

    @Benchmark
    public long completeAndPoll() {
        completions.push(number++, WcStatus.SUCCESS, WcOpcode.RDMA_WRITE, 0, 64, 0, 0x1234, 0, 0, 0);
        completions.take(taken, 1);
        return taken[0].wrId();
    }
}
