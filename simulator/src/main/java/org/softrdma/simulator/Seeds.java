// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Many seeds, several at a time.
 *
 * @param count    seeds run
 * @param failed   seeds that failed
 * @param died     seeds in which a queue pair came to its end before its work did, as the scenario allowed
 * @param requests work requests completed
 * @param packets  packets sent
 */
public record Seeds(long count, long failed, long died, long requests, long packets) {
    /** No seed yet. */
    public static final Seeds NONE = new Seeds(0, 0, 0, 0, 0);

    /** The sum of both. */
    public Seeds plus(Seeds other) {
        return new Seeds(count + other.count, failed + other.failed, died + other.died, requests + other.requests,
            packets + other.packets);
    }

    private Seeds plus(SeedResult result) {
        return new Seeds(count + 1, failed + (result.passed() ? 0 : 1), died + (result.died() ? 1 : 0), requests + result.requests(),
            packets + result.packets());
    }

    /**
     * Runs a range of seeds.
     *
     * @param from first seed
     * @param to   last seed, included
     * @param jobs threads, at least 1; what comes out does not depend on it
     * @param run  runs one seed, on any thread
     * @param each gets every result as it comes, in no order, one at a time
     */
    public static Seeds run(long from, long to, int jobs, LongFunction<SeedResult> run, Consumer<SeedResult> each) {
        AtomicLong next = new AtomicLong(from);
        Collector collector = new Collector(each);
        try (ExecutorService threads = Executors.newFixedThreadPool(jobs)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < jobs; i++) {
                running.add(threads.submit(() -> {
                    for (long seed = next.getAndIncrement(); seed <= to; seed = next.getAndIncrement()) {
                        collector.accept(run.apply(seed));
                    }
                }));
            }
            for (Future<?> thread : running) {
                thread.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while seeds run", e);
        } catch (ExecutionException broken) {
            throw new IllegalStateException("the simulator itself is broken", broken.getCause());
        }
        return collector.sum;
    }

    private static final class Collector {
        private final Consumer<SeedResult> each;
        private Seeds sum = NONE;

        Collector(Consumer<SeedResult> each) {
            this.each = each;
        }

        synchronized void accept(SeedResult result) {
            sum = sum.plus(result);
            each.accept(result);
        }
    }
}
