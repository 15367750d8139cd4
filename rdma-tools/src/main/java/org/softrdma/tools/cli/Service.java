// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Common parts of tools that serve until they are stopped. */
public final class Service {
    /** Time to end in after a signal. */
    private static final long END_SECONDS = 10;

    private Service() {
    }

    /**
     * Finds the addresses to listen at.
     *
     * @param tool  begins the message of a failure
     * @param names host names or addresses
     * @throws ToolFailure one of them is unknown
     */
    public static List<InetSocketAddress> addresses(String tool, List<String> names, int port) {
        List<InetSocketAddress> all = new ArrayList<>();
        for (String each : names) {
            try {
                all.add(new InetSocketAddress(InetAddress.getByName(each), port));
            } catch (UnknownHostException unknown) {
                throw new ToolFailure(tool + "unknown address " + each);
            }
        }
        return all;
    }

    /**
     * Lets a tool end well after a signal: with status 0, since the JVM would exit with the signal's.
     *
     * @param end      lets the tool's main thread finish soon
     * @param finished counted down by that thread when it has
     */
    public static void endAtSignal(Runnable end, CountDownLatch finished) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (finished.getCount() == 0) {
                return;
            }
            end.run();
            try {
                if (finished.await(END_SECONDS, TimeUnit.SECONDS)) {
                    Runtime.getRuntime().halt(0);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }, "end-at-signal"));
    }

    /**
     * Returns when the process is ended by a signal, after the service was closed.
     *
     * @param close ends the service and its connections
     */
    public static void awaitEnd(Runnable close) {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            main.interrupt();
            close.run();
        }));
        try {
            while (true) {
                Thread.sleep(Long.MAX_VALUE);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
