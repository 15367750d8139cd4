// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.soak;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Process of the load: {@code server PORT SECONDS} or {@code client PORT SECONDS CLIENTS PAUSE_MS SEED}. It prints a {@link Sample} every
 * few seconds, a server before that {@link LoadServer#LISTENING}, and ends with status 1 and a stack trace at the first failure.
 */
final class LoadProcess {
    private static final int SAMPLES = 240;

    private LoadProcess() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            System.err.println(Instant.now() + ", " + thread.getName() + ":");
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        int port = Integer.parseInt(arguments[1]);
        long seconds = Long.parseLong(arguments[2]);
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        LongAdder connections = new LongAdder();
        LongAdder operations = new LongAdder();
        List<Thread> clients = new ArrayList<>();
        if (arguments[0].equals("server")) {
            Thread.ofPlatform().daemon().start(new LoadServer(port, connections, operations));
        } else {
            SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[5]));
            for (int i = Integer.parseInt(arguments[3]); i > 0; i--) {
                clients.add(Thread.ofPlatform().start(
                    new LoadClient(port, untilNs, Long.parseLong(arguments[4]), random.split(), connections, operations)));
            }
        }
        long intervalMs = Math.max(1000, TimeUnit.SECONDS.toMillis(seconds) / SAMPLES);
        while (System.nanoTime() - untilNs < 0) {
            Thread.sleep(intervalMs);
            System.out.println(Sample.take(connections.sum(), operations.sum()).line());
        }
        for (Thread client : clients) {
            client.join();
        }
        System.exit(0);
    }
}
