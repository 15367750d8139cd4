// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.jmh;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.softrdma.rxe.Rxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * Whole operations between two devices of this process over loopback sockets, one after the other, both ends polled by this thread. Here
 * for the gc profiler: the figure to watch is gc.alloc.rate.norm, the bytes that posting, both devices and polling allocate together.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DataPathBench {
    private static final int DEPTH = 64;

    @Param({"64", "65536"})
    int size;

    private final WorkCompletion[] completions = WorkCompletion.array(8);
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private End first;
    private End second;

    /** A device with one queue pair. */
    private static final class End {
        final Context context;
        final GidEntry gid;
        final ProtectionDomain pd;
        final MemoryRegion region;
        final CompletionQueue cq;
        final QueuePair qp;

        End(String name, int size) {
            context = Rxe.device(name, "lo").open();
            gid = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
            pd = context.allocatePd();
            region = pd.register(Arena.ofAuto().allocate(size, 64), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
            cq = context.createCq(2 * DEPTH);
            qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        }

        void connect(End peer) {
            qp.modify(new QpAttributes().state(QpState.RTR).pathMtu(Mtu.MTU_1024).destQpn(peer.qp.qpNum()).rqPsn(1).maxDestRdAtomic(4)
                .minRnrTimer(12).addressVector(AddressVector.to(peer.gid.gid(), gid.index())));
            qp.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(1).maxRdAtomic(4));
        }

        void close() {
            qp.close();
            cq.close();
            region.close();
            pd.close();
            context.close();
        }
    }

    @Setup
    public void open() {
        first = new End("jmh0", size);
        second = new End("jmh1", size);
        first.connect(second);
        second.connect(first);
        for (int i = 0; i < DEPTH / 2; i++) {
            second.qp.postReceive(receive.begin(i).element(second.region, 0, size));
        }
    }

    @TearDown
    public void close() {
        first.close();
        second.close();
    }

    private int await(CompletionQueue awaited, CompletionQueue other) {
        int count = awaited.poll(completions);
        while (count == 0) {
            if (other.poll(completions) != 0) {
                throw new IllegalStateException("unexpected " + completions[0]);
            }
            count = awaited.poll(completions);
        }
        if (!completions[0].isSuccess()) {
            throw new IllegalStateException(completions[0].toString());
        }
        return count;
    }

    @Benchmark
    public int write() {
        first.qp.postSend(request.write(second.region.address(), second.region.rkey()).element(first.region, 0, size).signaled());
        return await(first.cq, second.cq);
    }

    @Benchmark
    public int read() {
        first.qp.postSend(request.read(second.region.address(), second.region.rkey()).element(first.region, 0, size).signaled());
        return await(first.cq, second.cq);
    }

    @Benchmark
    public int send() {
        first.qp.postSend(request.send().element(first.region, 0, size).signaled());
        int sent = 0;
        int received = 0;
        while (sent == 0 || received == 0) {
            sent += first.cq.poll(completions);
            received += second.cq.poll(completions);
        }
        second.qp.postReceive(receive.begin(0).element(second.region, 0, size));
        return sent;
    }
}
